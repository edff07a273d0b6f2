package import CivilTime

/// How many jobs there were, how many there would have been, and what changed.
package struct JobTally: Sendable, Equatable {
    package internal(set) var recorded = 0
    package internal(set) var decided = 0
    package internal(set) var gained = 0
    package internal(set) var lost = 0
    package internal(set) var moved = 0

    /// Those that came in both, at the same time.
    package var same: Int { recorded - lost - moved }
    package var changed: Int { gained + lost + moved }
    var size: Int { max(recorded, decided) }

    static func + (one: JobTally, other: JobTally) -> JobTally {
        JobTally(
            recorded: one.recorded + other.recorded, decided: one.decided + other.decided,
            gained: one.gained + other.gained, lost: one.lost + other.lost, moved: one.moved + other.moved)
    }
}

/// What another policy would have made of a log (SPEC §13).
package struct WhatIfReport: Sendable {
    /// Jobs that came at another time, and by how much in the median.
    package struct Moves: Sendable, Equatable {
        package var earlier = 0
        package var later = 0
        package var earlierMedianMs: Int64 = 0
        package var laterMedianMs: Int64 = 0

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

    package struct Kind: Sendable {
        package var name: String
        package var tally: JobTally
        package var moves: Moves
    }

    package struct Affected: Sendable {
        package var user: String
        package var tally: JobTally
    }

    /// Facts of one type that would not have been taken; the first of them, and why.
    package struct Refused: Sendable, Equatable {
        package var type: String
        /// What kind of notice they asked for.
        package var kind: String?
        package var first: UInt64
        package var problem: String
        package var count: Int
    }

    /// What is known besides the jobs.
    struct Circumstances {
        var policy: String
        var end: Instant
        var people: Int
        var facts: Int
        var refusals: [Refused]
    }

    package static let week: Int64 = 7 * 86_400_000

    package let policy: String
    package let start: Instant
    package let end: Instant
    /// Everybody the log knew by the end.
    package let people: Int
    package let facts: Int
    package let refused: [Refused]
    /// Those with the most jobs first.
    package let kinds: [Kind]
    package let total: JobTally
    package let moves: Moves
    /// Whose jobs would have changed, the most affected first.
    package let affected: [Affected]
    /// The most jobs that anybody had, or would have had, in one week of the log.
    package let highestRecorded: Int
    package let highestDecided: Int

    init(
        _ circumstances: Circumstances, start: Instant, kinds: [Kind], affected: [Affected], moves: Moves,
        highest: [Int]
    ) {
        policy = circumstances.policy
        end = circumstances.end
        people = circumstances.people
        facts = circumstances.facts
        refused = circumstances.refusals
        self.start = start
        self.kinds = kinds
        self.affected = affected
        self.moves = moves
        total = kinds.reduce(JobTally()) { $0 + $1.tally }
        highestRecorded = highest[0]
        highestDecided = highest[1]
    }

    package var refusedCount: Int { refused.reduce(0) { $0 + $1.count } }

    /// Jobs a person a week on average; a log of less than a week counts as one.
    package var averageRecorded: Double { average(total.recorded) }
    package var averageDecided: Double { average(total.decided) }

    private func average(_ jobs: Int) -> Double {
        let weeks = max(1, Double(end.milliseconds(since: start)) / Double(Self.week))
        return people == 0 ? 0 : Double(jobs) / Double(people) / weeks
    }
}
