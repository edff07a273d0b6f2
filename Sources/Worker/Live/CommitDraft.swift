internal import Journal
internal import Notices

/// One commit while it is being decided: facts and what follows from them, or what came of waking people.
struct CommitDraft {
    var events: [Event] = []
    /// The ids of facts among them, which the log does not know yet.
    var ids: [String: UInt64] = [:]

    /// The numbers of the jobs among them.
    var jobs: [UInt64] {
        // Looked at where they stand: an event is large to copy.
        let events = events.span
        var jobs: [UInt64] = []
        for place in events.indices {
            if case .jobEmitted = events[place].payload { jobs.append(events[place].seq) }
        }
        return jobs
    }

    mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        if !ids.isEmpty { ids.removeAll(keepingCapacity: true) }
    }
}
