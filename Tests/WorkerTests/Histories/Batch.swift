import Foundation
import Notices
import Simulation
import Testing

/// Some seeds of one policy: two thousand histories in an ordinary run, half a million with `BELFRY_LONG=1`.
struct Batch: Sendable, CustomTestStringConvertible {
    let policy: String
    let seeds: Range<UInt64>

    private static let isLong = ProcessInfo.processInfo.environment["BELFRY_LONG"] == "1"
    private static let batches: UInt64 = isLong ? 1_000 : 4
    private static let seedsPerBatch: UInt64 = 100

    static let all = ShippedPolicies.names.flatMap { policy in
        (0..<batches).map { Batch(policy: policy, seeds: $0 * seedsPerBatch..<($0 + 1) * seedsPerBatch) }
    }

    var histories: some Sequence<RandomHistory> {
        seeds.lazy.map { RandomHistory(RandomHistory.Recipe(seed: $0, policy: policy)) }
    }

    var testDescription: String { "\(policy), seeds \(seeds)" }
}
