public import CivilTime

/// The persisted contract: what an event type is called, and its fields, declared once.
///
/// Each record lists its fields in `fields(_:)`. That one list drives the binary and the JSON codecs, the
/// validation messages, the `.proto` file and the golden examples, each as a `FieldVisitor`.
///
/// Numbers are for ever and ascend within a record. Fields are only added: an old reader skips what it does not
/// know, a new one leaves what is missing at its default.
public protocol Record: Sendable, Equatable {
    static var type: RecordType { get }
    init()
    mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError)
}

extension Record {
    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {}

    @inline(__always)
    init<V: FieldVisitor>(filledBy visitor: inout V) throws(FieldError) {
        self.init()
        try fields(&visitor)
    }
}

/// An event type's place in the log: its number there, its name in JSON, and the version of its field list.
public struct RecordType: Sendable, Equatable {
    public enum Side: Sendable { case fact, decision }

    public let number: Int
    public let name: StaticString
    public let version: Int
    public let side: Side
    public let isAboutPerson: Bool

    /// The number from which on they are decisions.
    public static let decisionLeast = 100

    /// Facts take 16–99 and decisions 100 and up, so that the tags of both fit two bytes and neither runs into the other.
    static func fact(_ number: Int, _ name: StaticString, version: Int = 1, isAboutPerson: Bool = true) -> Self {
        Self(number: number, name: name, version: version, side: .fact, isAboutPerson: isAboutPerson)
    }

    static func decision(_ number: Int, _ name: StaticString, version: Int = 1, isAboutPerson: Bool = true) -> Self {
        Self(number: number, name: name, version: version, side: .decision, isAboutPerson: isAboutPerson)
    }

    public var text: String { "\(name)" }

    public static func == (left: Self, right: Self) -> Bool { left.number == right.number }
}

/// Visits a record's fields in the order of their numbers.
public protocol FieldVisitor {
    /// A field that senders give and the log keeps.
    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError)

    /// A field that tells who a person is or what they were told: the log keeps it sealed with their key (`E2`).
    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError)

    /// The names of notices: the log keeps those of the event's own person without the person.
    mutating func names<V: NoticeNames>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError)

    /// A field the log keeps but senders may not give: Belfry worked it out on arrival.
    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError)

    /// A field senders give and nothing ever writes down (`A1`, phone codes).
    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError)
}

/// A visitor that never changes a field it is shown.
protocol LookingVisitor: FieldVisitor {}

extension FieldVisitor {
    @inline(__always)
    mutating func field<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        try field(number, name, &value, .none)
    }

    @inline(__always)
    mutating func sealed<V: SealedValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        try sealed(number, name, &value, .given)
    }

    /// For those to whom it is all the same how the log keeps a field.
    @inline(__always)
    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        switch origin {
        case .given, .told: try field(number, name, &value, .none)
        case .derived: try derived(number, name, &value)
        }
    }

    @inline(__always)
    mutating func names<V: NoticeNames>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        try field(number, name, &value, .none)
    }
}

/// Where a sealed field comes from.
public enum SealedOrigin: Sendable {
    case given
    /// Not a sender's to give.
    case derived
    /// Given, and what a person is told with it: a policy may have it erased after some time, whoever stays.
    case told
}

/// What a number may be, beyond its type.
public enum Limit: Sendable, Equatable {
    case none
    case range(Int, Int)
    case oneOf(Int, Int, Int)

    func allows(_ value: Int) -> Bool {
        switch self {
        case .none: true
        case .range(let low, let high): value >= low && value <= high
        case .oneOf(let first, let second, let third): value == first || value == second || value == third
        }
    }

    func describe(_ type: String) -> String {
        switch self {
        case .none: type
        case .range(let low, let high): "a whole number from \(low) to \(high)"
        case .oneOf(let first, let second, let third): "\(first), \(second) or \(third)"
        }
    }
}

/// A value that was refused: where it stands and what is allowed there.
///
/// `path` is relative while the error rises; each level puts its own name in front.
public struct FieldError: Error, Equatable, Sendable, CustomStringConvertible {
    public var path: String
    public var problem: String
    /// When the same would be taken, where it was asked for too often.
    public var opens: Instant?

    public init(path: String = "", _ problem: String, opens: Instant? = nil) {
        self.path = path
        self.problem = problem
        self.opens = opens
    }

    /// Refuses a list or an object for what it holds too much of; that it is one is not the matter.
    static func tooMany(_ count: Int, _ what: String, most: Int) -> FieldError {
        FieldError("\(count) \(what) are more than \(most), the most that are taken")
    }

    public func under(_ parent: String) -> FieldError {
        guard !path.isEmpty else { return FieldError(path: parent, problem, opens: opens) }
        return FieldError(path: path.hasPrefix("[") ? parent + path : parent + "." + path, problem, opens: opens)
    }

    public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
