internal import CivilTime
internal import Notices

/// A parameter that a query may have: what it is called and may be, for whoever describes it, and how it is read.
struct QueryParameter<Value: Sendable>: Sendable {
    let named: NamedParameter
    /// Of a text that its shape accepts.
    fileprivate let read: @Sendable (String) -> Value?

    /// - Parameters:
    ///   - summary: what it asks for, in a clause.
    ///   - isRepeatable: whether it may stand several times.
    init(
        _ name: String, _ shape: ValueShape, _ summary: String, isRepeatable: Bool = false,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        named = NamedParameter(name: name, shape: shape, summary: summary, isRepeatable: isRepeatable)
        self.read = read
    }
}

/// A parameter as a route lists it.
struct NamedParameter: Sendable, Equatable {
    let name: String
    let shape: ValueShape
    let summary: String
    let isRepeatable: Bool
}

extension QueryParameter where Value == Bool {
    static func flag(_ name: String, _ summary: String) -> Self { Self(name, .flag, summary) { $0 == "true" } }
}

extension QueryParameter where Value == String {
    static func identifier(_ name: String, _ summary: String, isRepeatable: Bool = false) -> Self {
        Self(name, .identifier, summary, isRepeatable: isRepeatable) { $0 }
    }

    static func person(_ name: String, _ summary: String) -> Self { Self(name, .person, summary) { $0 } }

    static func notice(_ name: String, _ summary: String) -> Self { Self(name, .notice, summary) { $0 } }

    static func word(_ name: String, _ words: [String], _ summary: String, isRepeatable: Bool = false) -> Self {
        Self(name, .oneOf(words), summary, isRepeatable: isRepeatable) { $0 }
    }
}

extension QueryParameter where Value == Int {
    static func number(_ name: String, _ range: ClosedRange<Int>, _ summary: String) -> Self {
        Self(name, .number(range), summary) { Int($0) }
    }
}

extension QueryParameter where Value == [UInt64] {
    static func cursor(_ name: String, _ summary: String) -> Self {
        Self(name, .cursor, summary) { EventCursor.numbers($0) }
    }
}

extension QueryParameter where Value == Instant {
    static func instant(_ name: String, _ summary: String) -> Self {
        Self(name, .instant, summary) { try? Instant(rfc3339: $0) }
    }
}

extension QueryParameter where Value == LocalDate {
    static func date(_ name: String, _ summary: String) -> Self { Self(name, .date, summary) { LocalDate($0) } }
}

extension QueryParameter where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static func oneOf(_ name: String, _ summary: String) -> Self {
        Self(name, .oneOf(Value.allCases.map(\.rawValue)), summary) { Value(rawValue: $0) }
    }
}

/// The parameters of a query, held against those that a route lists: what nobody asks for is refused.
struct Query: Sendable {
    private let given: [Target.Parameter]

    init(_ given: [Target.Parameter], known: [NamedParameter]) throws(RouteProblem) {
        for parameter in known {
            let values = given.filter { $0.name == parameter.name }
            guard values.count < 2 || parameter.isRepeatable else {
                throw .badTarget("\(quoted(parameter.name)) stands twice in the query")
            }
            for value in values where !parameter.shape.accepts(value.value) {
                throw .badParameter(
                    FieldError(
                        path: parameter.name, "\(quoted(value.value)) is not \(parameter.shape.allowed)"))
            }
        }
        if let stray = given.first(where: { one in !known.contains { $0.name == one.name } }) {
            let list = known.isEmpty ? "none are" : "known here: " + known.map(\.name).joined(separator: ", ")
            throw .badParameter(FieldError(path: quoted(stray.name), "is not a parameter (\(list))"))
        }
        self.given = given
    }

    func all<Value>(_ parameter: QueryParameter<Value>) -> [Value] {
        given.lazy.filter { $0.name == parameter.named.name }.compactMap { parameter.read($0.value) }
    }

    subscript<Value>(_ parameter: QueryParameter<Value>) -> Value? {
        given.first { $0.name == parameter.named.name }.flatMap { parameter.read($0.value) }
    }
}
