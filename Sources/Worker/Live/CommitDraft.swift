internal import CivilTime
internal import Journal
internal import Notices

/// One commit while it is being decided: facts and what follows from them, or what came of waking people.
struct CommitDraft {
    var events: [Event] = []
    /// The ids of facts among them, which the log does not know yet.
    var ids: [String: UInt64] = [:]

    /// Appends it to the log, in memory so far, and is empty then. `nil` when there was nothing.
    ///
    /// - Parameter placed: hears where each event stands.
    mutating func write(
        to journal: Journal, at now: Instant, placed: (Event, UInt64) -> Void = { _, _ in }
    ) throws(JournalError) -> WrittenCommit? {
        guard !events.isEmpty else { return nil }
        let position = journal.head.position
        try journal.append(events, at: now)
        tell(position, placed)
        defer { removeAll() }
        return WrittenCommit(
            jobs: jobs(at: position), retries: retries(at: position), durableAt: journal.head.position)
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

    private func tell(_ position: UInt64, _ placed: (Event, UInt64) -> Void) {
        let events = events.span
        for place in events.indices where events[place].payload.isPlaced { placed(events[place], position) }
    }

    private func retries(at position: UInt64) -> [EventPlace] {
        let events = events.span
        var retries: [EventPlace] = []
        for place in events.indices {
            if case .jobRetryRequested = events[place].payload {
                retries.append(EventPlace(position: position, seq: events[place].seq))
            }
        }
        return retries
    }

    private mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        if !ids.isEmpty { ids.removeAll(keepingCapacity: true) }
    }
}

/// What there is to know of a commit that has been appended.
struct WrittenCommit {
    var jobs: [EventPlace]
    /// Where it was asked that jobs be sent once more.
    var retries: [EventPlace]
    /// It is durable when the log is, up to here.
    var durableAt: UInt64
}

extension Payload {
    /// Whether it is remembered where the event stands: only few facts hold what is read later.
    fileprivate var isPlaced: Bool { if case .deviceRegistered = self { true } else { false } }
}
