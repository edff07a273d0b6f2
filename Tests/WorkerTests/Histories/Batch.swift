import Foundation
import Notices
import Simulation
import Testing

/// Some seeds of one policy: two thousand histories in an ordinary run, half a million with `BELFRY_LONG=1`.
struct Batch: Sendable, CustomTestStringConvertible {
    let policy: String
    let seeds: Range<UInt64>

    private static let isLong = LongRun.isAskedFor
    private static let batches: UInt64 = isLong ? 1_000 : 4
    private static let seedsPerBatch: UInt64 = 100

    /// The policies in turn, so that a long run that is cut short has seen them all.
    static let all = (0..<batches).flatMap { batch in
        ShippedPolicies.names.map {
            Batch(policy: $0, seeds: batch * seedsPerBatch..<(batch + 1) * seedsPerBatch)
        }
    }

    var histories: some Sequence<RandomHistory> {
        seeds.lazy.map { RandomHistory(RandomHistory.Recipe(seed: $0, policy: policy)) }
    }

    var testDescription: String { "\(policy), seeds \(seeds)" }
}
