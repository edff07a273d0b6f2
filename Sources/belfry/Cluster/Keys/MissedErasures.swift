import Shared

/// Counts of erased people that the database has and this worker does not know of.
///
/// The others are told of those whom retention erases when their keys are gone, so the count may be seen before the word comes. What it
/// does not come for is missed.
struct MissedErasures {
    private struct Rise {
        var count: Int
        var seenAt: BootInstant
    }

    /// What was seen first of each log and is still not known.
    private var rises: [Int: Rise] = [:]

    /// As long as a worker waits for the answer when it tells another, and some more.
    static let patience = Duration.seconds(12)

    /// Gives the counts of the logs of which something was missed.
    ///
    /// - Parameters:
    ///   - counts: how many people each log has erased.
    ///   - unknown: those of such counts that are higher than what this worker knows.
    mutating func missed(
        of counts: [Int: Int], at now: BootInstant, _ unknown: ([Int: Int]) -> [Int: Int]
    ) -> [Int: Int] {
        let open = unknown(counts)
        // Where people leave all the time some are always on their way: each count waits for itself.
        let late = unknown(rises.mapValues(\.count))
        rises = rises.filter { late[$0.key] != nil && open[$0.key] != nil }
        for (log, count) in open where rises[log] == nil { rises[log] = Rise(count: count, seenAt: now) }
        return open.filter { log, _ in rises[log].map { $0.seenAt + Self.patience <= now } ?? false }
    }
}
