internal import Notices

/// Reads one object of the senders' document: every field by its name, and refuses those that nobody asked for.
struct DocumentReader {
    let path: String
    private let members: [JSONValue.Member]
    private var asked: [String] = []

    init(_ value: JSONValue, at path: String) throws(SendersError) {
        guard case .object(let members) = value else { throw SendersError(path, "is not an object") }
        self.members = members
        self.path = path
    }

    func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private mutating func value(_ name: String) -> JSONValue? {
        asked.append(name)
        return members.first { $0.key == name }?.value
    }

    mutating func part(_ name: String) throws(SendersError) -> DocumentReader? {
        guard let inner = value(name) else { return nil }
        return try DocumentReader(inner, at: place(of: name))
    }

    mutating func text(_ name: String) throws(SendersError) -> String? {
        guard let inner = value(name) else { return nil }
        guard let text = inner.string, !text.isEmpty, !text.unicodeScalars.contains(where: Mailbox.isControl) else {
            throw SendersError(place(of: name), "is not a text of at least one character, on one line")
        }
        return text
    }

    mutating func needed(_ name: String) throws(SendersError) -> String {
        guard let text = try text(name) else { throw SendersError(place(of: name), "is missing") }
        return text
    }

    /// A text that must be of some form; `parse` answers `nil` for one that is not.
    mutating func parsed<Value>(
        _ name: String, _ form: String, _ parse: (String) -> Value?
    ) throws(SendersError) -> Value? {
        guard let text = try text(name) else { return nil }
        guard let value = parse(text) else { throw SendersError(place(of: name), "is not \(form)") }
        return value
    }

    mutating func whole(_ name: String, _ range: ClosedRange<Int>) throws(SendersError) -> Int? {
        guard let inner = value(name) else { return nil }
        guard let number = inner.integer, range.contains(number) else {
            throw SendersError(place(of: name), "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func flag(_ name: String) throws(SendersError) -> Bool? {
        guard let inner = value(name) else { return nil }
        guard let flag = inner.bool else { throw SendersError(place(of: name), "is neither true nor false") }
        return flag
    }

    mutating func texts(_ name: String, most: Int) throws(SendersError) -> [String]? {
        guard let inner = value(name) else { return nil }
        guard let elements = inner.elements, elements.count <= most else {
            throw SendersError(place(of: name), "is not a list of at most \(most) texts")
        }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw SendersError(place(of: name), "holds what is no text") }
        return texts
    }

    /// To be called when everything was asked for.
    func finish() throws(SendersError) {
        guard let stranger = members.first(where: { !asked.contains($0.key) }) else { return }
        let known = asked.isEmpty ? "nothing is" : "what is: \(asked.joined(separator: ", "))"
        throw SendersError(place(of: stranger.key), "is not known here; \(known)")
    }
}

/// What is wrong with a senders' document, and where. Holds no value of it, since that may be a secret in the wrong place.
public struct SendersError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `push.apns.key_file`; empty for the whole.
    public let path: String
    public let problem: String
    /// What to do, where that hangs on no provider.
    let cure: String?

    static let lock = "let nobody but the worker's user read or change it"

    init(_ path: String, _ problem: String, cure: String? = nil) {
        (self.path, self.problem, self.cure) = (path, problem, cure)
    }

    public var description: String { path.isEmpty ? "the document \(problem)" : "\(path) \(problem)" }
}
