internal import CivilTime
internal import Notices
internal import Queueing

/// Outcomes on their way into the log: one batch at a time, offered again where the log was busy.
///
/// The facts of one job are never parted: a job has an outcome or it has none.
struct Outbox {
    private var waiting = WaitingLine<[Fact]>()
    private var offered: [[Fact]] = []
    private var isUnderWay = false
    private var notBefore: Instant?

    /// Counted since the beginning.
    private(set) var appended = 0

    private static let jobsMax = 256
    private static let pauseMs: Int64 = 500

    /// Jobs whose outcome is not known to be in the log.
    var count: Int { waiting.count + offered.count }

    /// How many of those appended are known to be in the log: the first ones, since they go in their order.
    var recorded: Int { appended - count }

    /// When a batch that was turned away may be offered again.
    var nextDue: Instant? { isUnderWay ? nil : notBefore }

    mutating func append(_ facts: [Fact]) {
        waiting.append(facts)
        appended += 1
    }

    /// The next batch; `nil` where there is none, or one is under way, or the log was just busy.
    mutating func offer(at now: Instant) -> [Fact]? {
        guard !isUnderWay, isPauseOver(at: now) else { return nil }
        while offered.count < Self.jobsMax, let facts = waiting.popFirst() { offered.append(facts) }
        guard !offered.isEmpty else { return nil }
        (isUnderWay, notBefore) = (true, nil)
        return Array(offered.joined())
    }

    /// A pause longer than any is one of a clock that has gone back since.
    private func isPauseOver(at now: Instant) -> Bool {
        guard let left = notBefore?.milliseconds(since: now) else { return true }
        return left <= 0 || left > Self.pauseMs
    }

    mutating func answered(isRecorded: Bool, at now: Instant) {
        precondition(isUnderWay, "an answer to nothing")
        isUnderWay = false
        if isRecorded { offered = [] } else { notBefore = now.advanced(byMilliseconds: Self.pauseMs) }
    }
}
