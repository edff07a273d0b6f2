package import CivilTime
package import Notices

/// What is to be appended: a fact or a decision, before it has a number and an instant.
package struct Entry: Sendable {
    package var user: String?
    package var id: String?
    package var occurredAt: Instant?
    package var payload: Payload

    package init(user: String? = nil, id: String? = nil, occurredAt: Instant? = nil, payload: Payload) {
        self.user = user
        self.id = id
        self.occurredAt = occurredAt
        self.payload = payload
    }

    package init(_ event: Event) {
        self.init(user: event.user, id: event.id, occurredAt: event.occurredAt, payload: event.payload)
    }
}

/// What became of an entry.
package enum Appended: Sendable, Equatable {
    case recorded(seq: UInt64)
    /// A fact of this id is in the log already, under this number; nothing was changed.
    case duplicate(of: UInt64)

    package var seq: UInt64 {
        switch self {
        case .recorded(let seq), .duplicate(let seq): seq
        }
    }
}
