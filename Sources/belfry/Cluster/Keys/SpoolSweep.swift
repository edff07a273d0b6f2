import CivilTime
import Delivery
import Journal

/// Takes out of a worker's spools what was erased while it did not hear of it: it was away, or another has the log now.
struct SpoolSweep {
    /// What a log has forgotten.
    struct Forgotten: Sendable {
        /// When somebody came whom it knows by this id; `nil` where it knows nobody by it.
        var arrival: @Sendable (_ user: String) throws(JournalError) -> Instant?
        /// Before when it says that texts are erased; `nil` where it says so of none since an instant.
        var textsErased: @Sendable (_ saidSince: Instant) throws(JournalError) -> Instant?
    }

    /// What a partition has forgotten as of now; `nil` where that cannot be said at the moment.
    typealias OpenedLog = @Sendable (_ partition: Int) -> Forgotten?

    let partitions: Int?

    /// Removes jobs of people whom their partitions do not know, those from before somebody came who has their id now (`E4`), and
    /// those whose texts are erased.
    ///
    /// - Parameter lost: of which partitions; `nil` for all.
    /// - Returns: how many, and whether it could be said of all.
    func sweep(
        _ spools: [SpoolSink], of lost: Set<Int>? = nil, _ connect: () -> OpenedLog?
    ) -> (count: Int, isDone: Bool) {
        var spooled: [String: Instant] = [:]
        for spool in spools {
            _ = spool.keep { user, decided in
                guard lost?.contains(partition(of: user)) ?? true else { return true }
                spooled[user] = min(spooled[user] ?? .distantFuture, decided ?? .distantFuture)
                return true
            }
        }
        guard !spooled.isEmpty else { return (0, true) }
        guard let opened = connect() else { return (0, false) }
        let kept = kept(of: spooled, opened)
        let count = spools.reduce(0) { count, spool in
            count
                + spool.keep { user, decided in
                    // Of whom nothing can be said, or who was not there yet when it was asked.
                    guard let known = kept[user] else { return true }
                    guard let since = known else { return false }
                    return decided.map { $0 >= since } ?? true
                }
        }
        return (count, kept.count == spooled.count)
    }

    /// From when on each one's jobs may be kept: when they came, and what they were told since is not erased. `nil` where nobody is
    /// known by the id; those of whom it cannot be said are left out.
    ///
    /// - Parameter spooled: since when each has jobs in a spool.
    private func kept(of spooled: [String: Instant], _ opened: OpenedLog) -> [String: Instant?] {
        let parts = Dictionary(grouping: spooled) { user, _ in partition(of: user) }
        var kept: [String: Instant?] = [:]
        for (partition, spooled) in parts {
            guard let forgotten = opened(partition) else { continue }
            let oldest = spooled.map(\.value).min() ?? .distantFuture
            let said = Result { () throws(JournalError) in try forgotten.textsErased(oldest) }
            guard case .success(let texts) = said else { continue }
            for (user, _) in spooled {
                let came = Result { () throws(JournalError) in try forgotten.arrival(user) }
                guard case .success(let arrival) = came else { continue }
                kept.updateValue(arrival.map { max($0, texts ?? .distantPast) }, forKey: user)
            }
        }
        return kept
    }

    private func partition(of user: String) -> Int { LogName(of: user, among: partitions).number ?? 0 }
}
