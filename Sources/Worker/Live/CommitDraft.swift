internal import Journal
internal import Notices

/// One commit while it is being decided: facts and what follows from them, or what came of waking people.
struct CommitDraft {
    var events: [Event] = []
    /// The ids of facts among them, which the log does not know yet.
    var ids: [String: UInt64] = [:]

    /// Made one by one as they are written.
    var entries: some Collection<Entry> { events.lazy.map(Entry.init) }

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
