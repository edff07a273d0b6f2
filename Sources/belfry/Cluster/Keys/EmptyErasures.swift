import Shared

/// Erasures that this worker counts and the database does not.
///
/// The tokens of somebody end before the fact is told, and the key goes after that: for a while each is such a one. One that is still such
/// a one long after that came to nothing, and would hide the next that is missed.
struct EmptyErasures {
    private struct Excess {
        var known: Int
        var seenAt: BootInstant
    }

    /// What was seen first of each log, and the database has not reached since.
    private var excesses: [Int: Excess] = [:]

    /// Longer than a worker waits to hear of the end of an erasure.
    static let patience = Duration.seconds(90)

    /// Gives how many came to nothing, by log. They are not given again.
    ///
    /// - Parameters:
    ///   - counts: how many people each log has erased that has an owner: somebody was perhaps on the way out when it died, and whoever
    ///     has it next ends that.
    ///   - known: of how many people it is known here, of those logs of which it is more.
    mutating func found(in counts: [Int: Int], _ known: [Int: Int], at now: BootInstant) -> [Int: Int] {
        // Where people leave all the time some are always on their way: each count waits for itself.
        excesses = excesses.filter { log, excess in
            known[log] != nil && counts[log].map { $0 < excess.known } ?? false
        }
        for (log, count) in known where excesses[log] == nil && counts[log] != nil {
            excesses[log] = Excess(known: count, seenAt: now)
        }
        var found: [Int: Int] = [:]
        for (log, excess) in excesses where excess.seenAt + Self.patience <= now {
            found[log] = counts[log].map { excess.known - $0 }
            excesses[log] = nil
        }
        return found
    }
}
