public import CivilTime

/// How many jobs there were, how many there would have been, and what changed.
public struct JobTally: Sendable, Equatable {
    public internal(set) var recorded = 0
    public internal(set) var decided = 0
    public internal(set) var gained = 0
    public internal(set) var lost = 0
    public internal(set) var moved = 0

    /// Those that came in both, at the same time.
    public var same: Int { recorded - lost - moved }
    public var changed: Int { gained + lost + moved }
    var size: Int { max(recorded, decided) }

    static func + (one: JobTally, other: JobTally) -> JobTally {
        JobTally(
            recorded: one.recorded + other.recorded, decided: one.decided + other.decided,
            gained: one.gained + other.gained, lost: one.lost + other.lost, moved: one.moved + other.moved)
    }
}

/// What another policy would have made of a log (SPEC §13).
public struct WhatIfReport: Sendable {
    /// Jobs that came at another time, and by how much in the median.
    public struct Moves: Sendable, Equatable {
        public var earlier = 0
        public var later = 0
        public var earlierMedianMs: Int64 = 0
        public var laterMedianMs: Int64 = 0

        /// - Parameter moves: positive for what came later.
        init(_ moves: [Int64]) {
            let earlier = moves.filter { $0 < 0 }.map { -$0 }
            let later = moves.filter { $0 > 0 }
            self.earlier = earlier.count
            self.later = later.count
            earlierMedianMs = Self.median(earlier)
            laterMedianMs = Self.median(later)
        }

        /// The lower of the two in the middle where there are two: one that there is.
        private static func median(_ values: [Int64]) -> Int64 {
            values.isEmpty ? 0 : values.sorted()[(values.count - 1) / 2]
        }
    }

    public struct Kind: Sendable {
        public var name: String
        public var tally: JobTally
        public var moves: Moves
    }

    public struct Affected: Sendable {
        public var user: String
        public var tally: JobTally
    }

    /// A job that changed: one that was lost becomes nothing, one that was gained was nothing.
    public struct Example: Sendable, Equatable {
        public var user: String
        public var kind: String
        public var was: Instant?
        public var becomes: Instant?
    }

    /// Facts of one type that would not have been taken; the first of them, and why.
    public struct Refused: Sendable, Equatable {
        public var type: String
        /// What kind of notice they asked for.
        public var kind: String?
        public var first: UInt64
        public var problem: String
        public var count: Int
        /// Which of several logs, in the order they were told, has the first; `nil` for a log by itself.
        public var log: Int?
    }

    /// What is known besides the jobs.
    struct Circumstances {
        var policy: String
        var start: Instant
        var end: Instant
        var people: Int
        var facts: Int
        var refusals: [Refused]
    }

    public static let week: Int64 = 7 * 86_400_000

    public let policy: String
    public let start: Instant
    public let end: Instant
    /// Everybody the log knew by the end.
    public let people: Int
    public let facts: Int
    public let refused: [Refused]
    /// Those with the most jobs first.
    public let kinds: [Kind]
    public let total: JobTally
    public let moves: Moves
    /// Whose jobs would have changed, the most affected first.
    public let affected: [Affected]
    /// The most jobs that anybody had, or would have had, in one week of the log.
    public let highestRecorded: Int
    public let highestDecided: Int
    /// Some of what changed, of each sort, in order of time.
    public let examples: [Example]

    init(
        _ circumstances: Circumstances, kinds: [Kind], affected: [Affected], moves: Moves, highest: [Int],
        examples: [Example]
    ) {
        policy = circumstances.policy
        start = circumstances.start
        end = circumstances.end
        people = circumstances.people
        facts = circumstances.facts
        refused = circumstances.refusals
        self.kinds = kinds
        self.affected = affected
        self.moves = moves
        total = kinds.reduce(JobTally()) { $0 + $1.tally }
        highestRecorded = highest[0]
        highestDecided = highest[1]
        self.examples = examples
    }

    public var refusedCount: Int { refused.reduce(0) { $0 + $1.count } }

    /// Jobs a person a week on average; a log of less than a week counts as one.
    public var averageRecorded: Double { average(total.recorded) }
    public var averageDecided: Double { average(total.decided) }

    private func average(_ jobs: Int) -> Double {
        let weeks = max(1, Double(end.milliseconds(since: start)) / Double(Self.week))
        return people == 0 ? 0 : Double(jobs) / Double(people) / weeks
    }
}
