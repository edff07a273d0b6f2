internal import CivilTime
internal import Notices

/// One person's notices: those that wait, what may come again, and by when each must have been spoken of (P20).
struct NoticeLedger {
    /// A repeat that was asked for and has not come (S1).
    struct Snooze {
        var number: Int
        /// When it was asked for.
        let due: Instant
        var seq: UInt64
        /// Of one that came late, until when it is held and why.
        var hold: LiveNotice.State?
        /// By when it must have been spoken of.
        var deadline: Instant
    }

    /// What a job was about, for as long as it may be snoozed.
    struct Sent {
        var at: Instant
        var notices: [LiveNotice]
        var snoozes = 0
    }

    private(set) var live: [String: LiveNotice] = [:]
    /// By the job's name without `~n`; a job may have been snoozed again before its repeat came.
    private(set) var snoozes: [String: [Snooze]] = [:]
    private(set) var sent: [String: Sent] = [:]
    /// How many of them were left when they were last gone through.
    private var sentKept = 0
    /// When a digest or summary of each kind was last spoken of.
    var lastTrace: [String: Instant] = [:]
    /// For what digests and summaries were dropped at the last instant at which any was.
    private var digestDrops: (at: Instant, reasons: Set<Reason>) = (.distantPast, [])
    /// The last instant at which anything was decided about the person: whatever was due by then was due a word.
    private(set) var decidedAt: Instant?
    /// No deadline is before this.
    private var nextDeadline = Instant.distantFuture

    private static let sentMax = 8
    private static let sentDays: Int64 = 3
    private static let snoozedDays: Int64 = 30

    subscript(_ base: String) -> LiveNotice? {
        get { live[base] }
        set {
            if let before = live.updateValueOrRemove(newValue, forKey: base) { count(before, -1) }
            if let newValue { count(newValue, 1) }
            if let deadline = newValue?.deadline { nextDeadline = min(nextDeadline, deadline) }
        }
    }

    /// Those gathered and not yet told, by the kind of digest they wait for.
    var gathered: [LiveNotice] { live.values.filter { $0.intoKind != nil } }
    private(set) var gatheredCount = 0
    /// Those that were asked for and of which nothing was said yet, and those that are held or gathered.
    private(set) var raisedCount = 0
    private(set) var waitingCount = 0

    private mutating func count(_ notice: LiveNotice, _ change: Int) {
        if notice.state == .raised { raisedCount += change } else { waitingCount += change }
        if notice.intoKind != nil { gatheredCount += change }
    }

    /// As many notices as may wait for one person (G11).
    private static let waitingMax = 1_000

    /// Whether there is no room for one more, or one too many.
    var isFull: Bool { waitingCount >= Self.waitingMax || raisedCount > Self.waitingMax }

    /// A log of an older version may have left more waiting than may: that is dropped by and by, and until then not
    /// everything is spoken of when it is due.
    var isBeyondLimits: Bool { waitingCount > Self.waitingMax || raisedCount > Self.waitingMax }

    /// Until when a notice of a kind is held.
    func held(of kind: String) -> Instant? {
        for notice in live.values where notice.kind == kind {
            if case .held(let until, _) = notice.state { return until }
        }
        return nil
    }

    mutating func set(_ base: String, _ state: LiveNotice.State, deadline: Instant?, at instant: Instant, seq: UInt64) {
        guard var notice = live[base] else { return }
        notice.state = state
        notice.deadline = deadline
        notice.seq = seq
        if notice.intoKind != nil { notice.gatheredAt = instant }
        self[base] = notice
    }

    mutating func end(_ base: String) {
        self[base] = nil
    }

    /// Whether anything waits in the summary of this name.
    func gathers(intoSummary name: String) -> Bool {
        live.values.contains { $0.state == .gathered(into: name, as: .overload) }
    }

    /// What is gathered for a day, a week or a summary must be spoken of in this same instant (D1, D2).
    mutating func dueNow(gatheredAs gathering: KindDocument.Gathering, at instant: Instant, seq: UInt64) {
        guard gatheredCount > 0 else { return }
        for (base, notice) in live where notice.gathering == gathering {
            live[base]?.deadline = instant
            live[base]?.seq = max(notice.seq, seq)
        }
        nextDeadline = min(nextDeadline, instant)
    }

    mutating func droppedDigest(for reason: Reason, at instant: Instant) {
        digestDrops = (instant, digestsDropped(at: instant).union([reason]))
    }

    func digestsDropped(at instant: Instant) -> Set<Reason> { digestDrops.at == instant ? digestDrops.reasons : [] }

    /// Says that something is decided at an instant, and gives what should have been spoken of at the one before.
    mutating func decides(at instant: Instant) -> [Overdue] {
        guard instant != decidedAt else { return [] }
        defer { decidedAt = instant }
        guard let before = decidedAt, nextDeadline <= before, !isBeyondLimits else { return [] }
        return takeOverdue { $0 <= before }
    }

    struct Overdue {
        var base: String
        var notice: LiveNotice?
        var deadline: Instant
        var seq: UInt64
    }

    /// What has a deadline that `isPast`. It is named once: its deadline goes with it.
    mutating func takeOverdue(_ isPast: (Instant) -> Bool) -> [Overdue] {
        var overdue: [Overdue] = []
        nextDeadline = .distantFuture
        for (base, notice) in live {
            guard let deadline = notice.deadline else { continue }
            if isPast(deadline) {
                overdue.append(Overdue(base: base, notice: notice, deadline: deadline, seq: notice.seq))
                live[base]?.deadline = nil
            } else {
                nextDeadline = min(nextDeadline, deadline)
            }
        }
        for (base, pending) in snoozes {
            for snooze in pending {
                if isPast(snooze.deadline) {
                    overdue.append(Overdue(base: base, notice: nil, deadline: snooze.deadline, seq: snooze.seq))
                    endSnooze(base, snooze.number)
                } else {
                    nextDeadline = min(nextDeadline, snooze.deadline)
                }
            }
        }
        return overdue.sorted { $0.seq < $1.seq }
    }

    // MARK: Snoozes

    mutating func went(_ base: String, _ notices: [LiveNotice], at instant: Instant) {
        var entry = sent[base] ?? Sent(at: instant, notices: notices)
        entry.at = instant
        sent[base] = entry
        if sent.count > max(Self.sentMax, 2 * sentKept) {
            defer { sentKept = sent.count }
            let limit = instant.advanced(byDays: -Self.sentDays)
            let snoozedLimit = instant.advanced(byDays: -Self.snoozedDays)
            sent = sent.filter { $0.value.at > ($0.value.snoozes > 0 ? snoozedLimit : limit) }
        }
    }

    /// Counts a snooze and gives its number. Of a job so old that it is forgotten, the name tells how many there were.
    mutating func snoozed(_ job: NoticeID, until due: Instant, at instant: Instant, seq: UInt64) -> Int {
        var entry = sent[job.base] ?? Sent(at: instant, notices: [])
        entry.snoozes = max(entry.snoozes, job.repetition ?? 0) + 1
        sent[job.base] = entry
        snoozes[job.base, default: []].append(Snooze(number: entry.snoozes, due: due, seq: seq, deadline: due))
        nextDeadline = min(nextDeadline, due)
        return entry.snoozes
    }

    func snooze(_ base: String, _ number: Int) -> Snooze? { snoozes[base]?.first { $0.number == number } }

    mutating func hold(_ base: String, _ number: Int, until: Instant, _ reason: Reason) {
        guard let place = snoozes[base]?.firstIndex(where: { $0.number == number }) else { return }
        snoozes[base]?[place].hold = .held(until: until, reason)
        snoozes[base]?[place].deadline = until
        nextDeadline = min(nextDeadline, until)
    }

    mutating func endSnooze(_ base: String, _ number: Int) {
        snoozes[base]?.removeAll { $0.number == number }
        if snoozes[base]?.isEmpty ?? false { snoozes[base] = nil }
    }
}

extension Dictionary {
    /// Puts a value there or takes it away, and gives what was there before.
    fileprivate mutating func updateValueOrRemove(_ value: Value?, forKey key: Key) -> Value? {
        guard let value else { return removeValue(forKey: key) }
        return updateValue(value, forKey: key)
    }
}
