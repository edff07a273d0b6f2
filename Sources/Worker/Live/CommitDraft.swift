public import CivilTime
internal import Journal
internal import Notices

/// One commit while it is being decided: facts and what follows from them, or what came of waking people.
struct CommitDraft {
    var events: [Event] = []
    /// The ids of facts among them, which the log does not know yet.
    var ids: [String: UInt64] = [:]
    /// Whether the policy keeps what people are told for some time alone.
    var textsByWeek = false
    /// Where what came of each waking begins, and when it was due.
    private var wakings: [(place: Int, due: Instant)] = []

    /// What stands here from a place on came of a wake that was due at this moment. Nothing is noted of a wake that left nothing.
    ///
    /// - Returns: how many were erased by it: one, where their retention had ended.
    mutating func woke(_ due: Instant, from place: Int) -> Int {
        guard events.count > place else { return 0 }
        wakings.append((place, due))
        let events = events.span
        return (place..<events.count).count { events[$0].payload.isErasure }
    }

    /// Appends it to the log, in memory so far, and is empty then. `nil` when there was nothing.
    ///
    /// - Parameter placed: hears where each event stands.
    mutating func write(
        to journal: Journal, at now: Instant, placed: (Event, UInt64) -> Void = { _, _ in }
    ) throws(JournalError) -> WrittenCommit? {
        guard !events.isEmpty else { return nil }
        let position = journal.head.position
        try journal.append(events, at: now, textsByWeek: textsByWeek)
        tell(position, placed)
        defer { removeAll() }
        return written(at: position, durableAt: journal.head.position)
    }

    /// Whom the policy keeps no longer.
    var erasedByRetention: [String] {
        events.filter { $0.payload.isErasure && !$0.payload.isFact }.compactMap(\.user)
    }

    var jobCount: Int {
        let events = events.span
        return events.indices.count { if case .jobEmitted = events[$0].payload { true } else { false } }
    }

    /// What is to be told of it once it is durable.
    private func written(at position: UInt64, durableAt: UInt64) -> WrittenCommit {
        // Looked at where they stand: an event is large to copy.
        let events = events.span
        var written = WrittenCommit(durableAt: durableAt)
        var waking = 0
        for place in events.indices {
            guard written.take(events[place], at: position) else { continue }
            while waking + 1 < wakings.count, wakings[waking + 1].place <= place { waking += 1 }
            if waking < wakings.count, wakings[waking].place <= place { written.due.append(wakings[waking].due) }
        }
        return written
    }

    private func tell(_ position: UInt64, _ placed: (Event, UInt64) -> Void) {
        let events = events.span
        for place in events.indices where events[place].payload.isPlaced { placed(events[place], position) }
    }

    private mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        wakings.removeAll(keepingCapacity: true)
        if !ids.isEmpty { ids.removeAll(keepingCapacity: true) }
    }
}

/// What there is to know of a commit that has been appended.
struct WrittenCommit {
    var jobs: [EventPlace] = []
    /// When those of them were due that came of a wake.
    var due: [Instant] = []
    var tally = CommitTally()
    /// Where it was asked that jobs be sent once more, or reported that they go another way.
    var lookups: [EventPlace] = []
    var codes: [CodeOrder] = []
    var analyses: [AnalysisWanted] = []
    /// Whom retention has erased.
    var erased: [ErasedPerson] = []
    /// Texts that are erased.
    var textsErased: ErasedTexts?
    /// It is durable when the log is, up to here.
    var durableAt: UInt64

    /// Returns whether the event is a job.
    fileprivate mutating func take(_ event: borrowing Event, at position: UInt64) -> Bool {
        tally.count(event)
        switch event.payload {
        case .jobEmitted:
            jobs.append(EventPlace(position: position, seq: event.seq))
            return true
        case .jobRetryRequested: lookups.append(EventPlace(position: position, seq: event.seq))
        case .deliveryReported(let report) where !report.givesWayTo.isEmpty:
            lookups.append(EventPlace(position: position, seq: event.seq))
        case .phoneVerificationRequested(let asking):
            guard let user = event.user else { break }
            codes.append(CodeOrder(user: user, phone: asking.phone.text, request: event.seq))
        case .analysisRequested(let request):
            guard let user = event.user else { break }
            analyses.append(AnalysisWanted(user: user, conversation: request.conversation.text))
        case .personErased(let erasure) where erasure.isDerived == true:
            guard let user = event.user else { break }
            erased.append(ErasedPerson(user: user, seq: event.seq))
        case .textsErased(let note): textsErased = ErasedTexts(before: note.before, seq: event.seq)
        default: break
        }
        return false
    }

    /// Whether somebody waits to hear of it.
    var hasNews: Bool {
        !jobs.isEmpty || !lookups.isEmpty || !analyses.isEmpty || !codes.isEmpty || !erased.isEmpty
            || textsErased != nil
    }
}

extension Payload {
    /// Whether it is remembered where the event stands: only few facts hold what is read later.
    fileprivate var isPlaced: Bool { if case .deviceRegistered = self { true } else { false } }
}

/// Somebody whom the policy kept no longer. Their key is gone.
public struct ErasedPerson: Sendable, Equatable {
    public var user: String
    public var seq: UInt64
}

/// What people were told before a moment: nothing opens it any more.
public struct ErasedTexts: Sendable, Equatable {
    public var before: Instant
    public var seq: UInt64
}

/// An analysis that was decided on: the analyser has ten seconds from then on (`A4`).
public struct AnalysisWanted: Sendable, Equatable {
    public var user: String
    public var conversation: String
}
