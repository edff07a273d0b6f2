internal import CivilTime
internal import Notices
internal import Queueing

/// Outcomes on their way into the log: one batch at a time, offered again where the log was busy.
///
/// The facts of one job are never parted: a job has an outcome or it has none.
struct Outbox {
    /// What the log is to be told of one job.
    struct Word {
        var facts: [Fact]
        var place: JobPlace

        /// Those that it says the outcome of.
        var channels: ChannelSet { ChannelSet(facts.compactMap(\.channelOfOutcome)) }
    }

    private var waiting = WaitingLine<Word>()
    private var offered: [Word] = []
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

    mutating func append(_ word: Word) {
        waiting.append(word)
        appended += 1
    }

    /// The next batch; `nil` where there is none, or one is under way, or the log was just busy.
    mutating func offer(at now: Instant) -> [Fact]? {
        guard !isUnderWay, isPauseOver(at: now) else { return nil }
        notBefore = nil
        var facts: [Fact] = []
        repeat {
            while offered.count < Self.jobsMax, let word = waiting.popFirst() { offered.append(word) }
            facts = offered.flatMap(\.facts)
            // Nothing but gaps.
            if facts.isEmpty { offered = [] }
        } while facts.isEmpty && !waiting.isEmpty
        guard !facts.isEmpty else { return nil }
        isUnderWay = true
        return facts
    }

    /// A pause longer than any is one of a clock that has gone back since.
    private func isPauseOver(at now: Instant) -> Bool {
        guard let left = notBefore?.milliseconds(since: now) else { return true }
        return left <= 0 || left > Self.pauseMs
    }

    /// Gives what is in the log now.
    mutating func answered(isRecorded: Bool, at now: Instant) -> [Word] {
        precondition(isUnderWay, "an answer to nothing")
        isUnderWay = false
        guard isRecorded else {
            notBefore = now.advanced(byMilliseconds: Self.pauseMs)
            return []
        }
        defer { offered = [] }
        return offered
    }

    func words(in positions: Range<UInt64>) -> [Word] {
        (offered + waiting.elementsLeft).filter { positions.contains($0.place.position) && !$0.facts.isEmpty }
    }

    /// Takes out what it has to say of a log that is not here any more. A gap is left in its place, since the others are counted.
    mutating func takeBack(_ positions: Range<UInt64>) -> [Word] {
        let taken = words(in: positions)
        guard !taken.isEmpty else { return [] }
        func withGaps(_ words: [Word]) -> [Word] {
            words.map { word in
                var word = word
                if positions.contains(word.place.position) { word.facts = [] }
                return word
            }
        }
        offered = withGaps(offered)
        let left = withGaps(Array(waiting.elementsLeft))
        waiting = WaitingLine()
        waiting.append(contentsOf: left)
        return taken
    }
}
