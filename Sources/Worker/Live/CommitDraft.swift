internal import CivilTime
internal import Journal
internal import Notices

/// One commit while it is being decided: facts and what follows from them, or what came of waking people.
struct CommitDraft {
    var events: [Event] = []
    /// The ids of facts among them, which the log does not know yet.
    var ids: [String: UInt64] = [:]

    /// Appends it to the log, in memory so far, and is empty then. `nil` when there was nothing.
    mutating func write(to journal: Journal, at now: Instant) throws(JournalError) -> WrittenCommit? {
        guard !events.isEmpty else { return nil }
        let position = journal.head.position
        try journal.append(events, at: now)
        defer { removeAll() }
        return WrittenCommit(jobs: jobs(at: position), durableAt: journal.head.position)
    }

    var jobCount: Int {
        let events = events.span
        return events.indices.count { if case .jobEmitted = events[$0].payload { true } else { false } }
    }

    private func jobs(at position: UInt64) -> [EventPlace] {
        // Looked at where they stand: an event is large to copy.
        let events = events.span
        var jobs: [EventPlace] = []
        for place in events.indices {
            if case .jobEmitted = events[place].payload {
                jobs.append(EventPlace(position: position, seq: events[place].seq))
            }
        }
        return jobs
    }

    private mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        if !ids.isEmpty { ids.removeAll(keepingCapacity: true) }
    }
}

/// What there is to know of a commit that has been appended.
struct WrittenCommit {
    var jobs: [EventPlace]
    /// It is durable when the log is, up to here.
    var durableAt: UInt64
}
