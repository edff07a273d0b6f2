internal import CivilTime

/// A preference that is the app's own (SPEC §3, `choices`): Belfry checks, keeps and shows it, and decides nothing by it.
public struct ChoiceRule: Sendable, Equatable {
    public struct Word: Sendable, Equatable {
        public var name: String
        public var label: String
    }

    public enum Form: Sendable, Equatable {
        case truth
        case oneOf([Word])
        case number(ClosedRange<Int>)
        case time
        /// Of at most so many bytes.
        case text(Int)
    }

    public var name = Identifier.start
    public var label = Text.start
    public var form = Form.truth
    /// What everybody begins with.
    public var usual = JSONValue.bool(false)

    var shape: PreferenceShape {
        switch form {
        case .truth: .truth
        case .oneOf(let words): .word(words.map(\.name))
        case .number(let range): .number(range)
        case .time: .time
        case .text(let bytesMax): .text(bytesMax)
        }
    }

    /// What the value is called, for sentences: a word's label, anything else as it is written.
    func shown(_ value: JSONValue) -> String {
        if case .oneOf(let words) = form, let word = words.first(where: { $0.name == value.string }) {
            return quoted(word.label)
        }
        if let text = value.string, case .text = form { return quoted(text) }
        return value.plain
    }
}

extension JSONValue {
    /// A value as it stands in a text or in a job's data: without the quotes of JSON.
    var plain: String { string ?? text }
}

// MARK: Reading

extension ChoiceRule {
    static let names = ["bool", "one_of", "number", "time", "text"]
    private static let wordsMax = 50
    private static let nameBytesMax = 64
    private static let textBytesMax = 1_000

    init(_ part: ObjectReader) throws(FieldError) {
        var reader = part
        try reader.require("name", &name)
        guard name.text.utf8.count <= Self.nameBytesMax else {
            throw reader.refusal("name", "is longer than \(Self.nameBytesMax) bytes, and a job's data names it")
        }
        label = Text(KindRule.label(of: name))
        try reader.read("label", &label)
        guard reader.has("type") else { throw reader.missing("type", "one of \(Self.names.joined(separator: ", "))") }
        switch try reader.word("type", among: Self.names) ?? "" {
        case "one_of": form = .oneOf(try Self.words(&reader))
        case "number": form = .number(try Self.range(&reader))
        case "time": form = .time
        case "text":
            var most = 200
            try reader.read("length_max", &most, .range(1, Self.textBytesMax))
            form = .text(most)
        default: form = .truth
        }
        guard let node = reader.value("default") else { throw reader.missing("default", "what everybody begins with") }
        usual = JSONValue(node)
        guard usual != .null else { throw reader.refusal("default", "null is no value of a choice") }
        do { try shape.check(usual) } catch { throw error.under("\(reader.path).default") }
        try reader.finish()
    }

    private static func words(_ reader: inout ObjectReader) throws(FieldError) -> [Word] {
        guard let node = reader.value("values"), node.isArray, (2...wordsMax).contains(node.count) else {
            throw reader.refusal("values", #"needs 2 to \#(wordsMax) words, each "simple" or {"name","label"}"#)
        }
        var words: [Word] = []
        for element in node.elements {
            var (name, label) = (Identifier.start, Text.start)
            let place = "\(reader.path).values[\(words.count)]"
            if element.isObject {
                var part = try ObjectReader(element, at: place)
                try part.require("name", &name)
                label = Text(KindRule.label(of: name))
                try part.read("label", &label)
                try part.finish()
            } else {
                do { try name.readJSON(element, .none) } catch { throw error.under(place) }
                label = Text(KindRule.label(of: name))
            }
            guard !words.contains(where: { $0.name == name.text }) else {
                throw FieldError(path: place, "\(name) is there twice")
            }
            words.append(Word(name: name.text, label: label.text))
        }
        return words
    }

    private static func range(_ reader: inout ObjectReader) throws(FieldError) -> ClosedRange<Int> {
        var bounds: [Int] = []
        try reader.read("range", &bounds, .range(-1_000_000_000, 1_000_000_000))
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            throw reader.refusal("range", "is not the lowest and the highest value, such as [0,10]")
        }
        return bounds[0]...bounds[1]
    }
}
