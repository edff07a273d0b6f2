internal import Journal
internal import Notices

/// One commit while it is being decided: facts and what follows from them, or what came of waking people.
struct CommitDraft {
    var events: [Event] = []
    /// The ids of facts among them, which the log does not know yet.
    var ids: [String: UInt64] = [:]

    var entries: [Entry] {
        events.map { Entry(user: $0.user, id: $0.id, occurredAt: $0.occurredAt, payload: $0.payload) }
    }

    /// The numbers of the jobs among them.
    var jobs: [UInt64] {
        events.compactMap { event in
            if case .jobEmitted = event.payload { return event.seq }
            return nil
        }
    }

    mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        if !ids.isEmpty { ids.removeAll(keepingCapacity: true) }
    }
}
