import Foundation
import Notices
import Simulation
import Testing

/// Some seeds of one policy: two thousand histories in an ordinary run, a million with `BELFRY_LONG=1`, or as many as
/// `BELFRY_LIVES` says.
struct Batch: Sendable, CustomTestStringConvertible {
    let policy: String
    let seeds: Range<UInt64>

    private static let seedsPerBatch: UInt64 = 100
    private static let batches = max(
        1, UInt64(LongRun.lives ?? 2_000) / seedsPerBatch / UInt64(ShippedPolicies.names.count))

    /// The policies in turn, so that a long run that is cut short has seen them all.
    static let all = (0..<batches).flatMap { batch in
        ShippedPolicies.names.map {
            Batch(policy: $0, seeds: batch * seedsPerBatch..<(batch + 1) * seedsPerBatch)
        }
    }

    var histories: some Sequence<RandomHistory> {
        seeds.lazy.map { RandomHistory(RandomHistory.Recipe(seed: $0, policy: policy, pace: Self.pace(of: $0))) }
    }

    /// In an ordinary run one life in ten is of months and one in fifty of years; in a long one a third each.
    private static func pace(of seed: UInt64) -> RandomHistory.Pace {
        if LongRun.lives != nil { return [.days, .months, .years][Int(seed % 3)] }
        return seed % 50 == 49 ? .years : seed % 10 == 9 ? .months : .days
    }

    var testDescription: String { "\(policy), seeds \(seeds)" }
}
