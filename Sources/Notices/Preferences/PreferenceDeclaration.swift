internal import CivilTime

/// What one preference is: its name, what may stand there, and how it is read, written, compared and told of.
///
/// `DocumentField.declared` says it of each once, and everything that goes through the document goes through that.
struct PreferenceDeclaration: Sendable {
    typealias Rules = ArraySlice<KindRule>
    /// Where the value is kept.
    typealias Place<Value> = any (WritableKeyPath<PreferenceFields, Value> & Sendable)
    /// What a changed value means to the person: where it stands, what it was and what it is.
    typealias Sentence = @Sendable (ChangeSentences, _ path: [String], _ old: JSONValue, _ new: JSONValue) -> String

    let name: String
    let shape: PreferenceShape
    /// The field of one document becomes that of another.
    let take: @Sendable (inout PreferenceFields, PreferenceFields) -> Void
    /// Lays what a document says of it over what is below; what cannot be read is noted.
    let lay: @Sendable (inout PreferenceLayer, PreferenceLayer.Part) -> Void
    /// As it is written; beside another document, what of it differs from that one's, and `nil` where nothing does. What is
    /// the same is not even written to be compared.
    let json: @Sendable (PreferenceFields, Rules, _ beside: PreferenceFields?) -> JSONValue?
    let sentence: Sentence

    /// One value.
    static func one<Value: Equatable & Sendable>(
        _ name: String, _ place: Place<Value>, _ form: PreferenceForm<Value>,
        _ sentence: @escaping @Sendable (ChangeSentences, _ old: JSONValue, _ new: JSONValue) -> String
    ) -> PreferenceDeclaration {
        PreferenceDeclaration(
            name: name, shape: form.shape, take: { $0[keyPath: place] = $1[keyPath: place] },
            lay: { layer, document in
                let shape = form.within.map { .number(layer.ranges[keyPath: $0]) } ?? form.shape
                if let value = document.read(name, as: shape, &layer.notes).flatMap(form.read) {
                    layer.fields[keyPath: place] = value
                }
            },
            json: { fields, _, base in
                difference(fields[keyPath: place], base.map { $0[keyPath: place] }, form.json)
            },
            sentence: { sentences, _, old, new in sentence(sentences, old, new) })
    }

    /// An object of its own making: `lay` is given its members.
    static func object<Value: Sendable>(
        _ name: String, _ place: Place<Value>, _ shape: PreferenceShape,
        lay: @escaping @Sendable (inout PreferenceLayer, PreferenceLayer.Part) -> Void,
        json: @escaping @Sendable (PreferenceFields, Rules, _ beside: PreferenceFields?) -> JSONValue?,
        _ sentence: @escaping Sentence
    ) -> PreferenceDeclaration {
        PreferenceDeclaration(
            name: name, shape: shape, take: { $0[keyPath: place] = $1[keyPath: place] },
            lay: { layer, document in
                if let part = document.part(name, shape, &layer.notes) { lay(&layer, part) }
            },
            json: json, sentence: sentence)
    }

    /// The same, written otherwise.
    func written(
        _ json: @escaping @Sendable (PreferenceFields, Rules, _ beside: PreferenceFields?) -> JSONValue?
    ) -> PreferenceDeclaration {
        PreferenceDeclaration(name: name, shape: shape, take: take, lay: lay, json: json, sentence: sentence)
    }

    /// A value as it is written; what differs from the usual one where that is given.
    static func difference<Value: Equatable>(
        _ value: Value, _ usual: Value?, _ json: (Value) -> JSONValue
    ) -> JSONValue? {
        guard let usual else { return json(value) }
        return value == usual ? nil : json(value).difference(from: json(usual))
    }
}

/// What a preference of one value may be, and how it stands in a document.
struct PreferenceForm<Value: Equatable & Sendable>: Sendable {
    typealias Limits = any (KeyPath<PreferenceRanges, ClosedRange<Int>> & Sendable)

    let shape: PreferenceShape
    /// Of a number, the range that the policy allows.
    var within: Limits?
    let read: @Sendable (JSONValue) -> Value?
    let json: @Sendable (Value) -> JSONValue
}

extension PreferenceForm<Bool> {
    static var flag: Self { Self(shape: .truth, read: \.bool, json: { .bool($0) }) }
}

extension PreferenceForm<LocalTime> {
    static var time: Self { Self(shape: .time, read: { $0.time }, json: \.json) }
}

extension PreferenceForm<WeekdaySet?> {
    static var days: Self { Self(shape: .days, read: { $0.days }, json: { $0?.json ?? .null }) }
}

extension PreferenceForm<[String]> {
    static func words(countMax: Int, bytesMax: Int) -> Self {
        Self(
            shape: .words(countMax: countMax, bytesMax: bytesMax), read: { $0.elements?.compactMap(\.string) },
            json: { .of($0) })
    }
}

extension PreferenceForm<Int> {
    /// - Parameter range: whatever any policy may allow.
    static func number(
        _ range: ClosedRange<Int>, within: Limits
    ) -> Self {
        Self(shape: .number(range), within: within, read: \.integer, json: { .of($0) })
    }
}

extension PreferenceForm<PreferenceFields.Frequency> {
    static var frequency: Self {
        Self(
            shape: .word(Value.allCases.map(\.rawValue)), read: { $0.string.flatMap(Value.init) },
            json: { .string($0.rawValue) })
    }
}

extension PreferenceForm<AnalysisSource> {
    /// What decides without an analyser.
    static var fallback: Self {
        Self(
            shape: .word(Value.names.filter { $0 != Value.ai.name }), read: { $0.string.flatMap(Value.init(name:)) },
            json: { .string($0.name) })
    }
}

extension JSONValue {
    var time: LocalTime? { string.flatMap { LocalTime($0) } }

    var days: WeekdaySet? {
        elements?.reduce(into: WeekdaySet()) { days, name in
            if let day = name.string.flatMap({ Weekday(name: $0) }) { days.insert(WeekdaySet(day)) }
        }
    }
}
