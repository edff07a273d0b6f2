public import CivilTime
public import Notices

/// What is to be appended: a fact or a decision, before it has a number and an instant.
public struct Entry: Sendable {
    public var user: String?
    public var id: String?
    public var occurredAt: Instant?
    public var trace: TraceParent?
    public var payload: Payload

    public init(
        user: String? = nil, id: String? = nil, occurredAt: Instant? = nil, trace: TraceParent? = nil,
        payload: Payload
    ) {
        self.user = user
        self.id = id
        self.occurredAt = occurredAt
        self.trace = trace
        self.payload = payload
    }
}

/// What a commit is made of: entries, or events that have their numbers already.
protocol Recordable {
    var user: String? { get }
    var id: String? { get }
    var occurredAt: Instant? { get }
    var trace: TraceParent? { get }
    var payload: Payload { get }
}

extension Entry: Recordable {}
extension Event: Recordable {}

/// What became of an entry.
public enum Appended: Sendable, Equatable {
    case recorded(seq: UInt64)
    /// A fact of this id is in the log already, under this number; nothing was changed.
    case duplicate(of: UInt64)

    public var seq: UInt64 {
        switch self {
        case .recorded(let seq), .duplicate(let seq): seq
        }
    }
}
