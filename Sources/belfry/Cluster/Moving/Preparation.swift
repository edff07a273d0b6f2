import CivilTime
import Foundation
import Journal
import Queueing
import Shared
import Worker

/// Fetches partitions that are to come here while their owners still decide, and folds them into a snapshot: when one is given,
/// only what came last is missing.
///
/// Safe to share: what changes is behind a condition's lock.
final class Preparation: @unchecked Sendable {
    private let shared: any SharedLog
    private let cache: ClusterCache
    private let cluster: ClusterID
    private let fetched: FetchedState
    private let zones: ZoneDatabase
    private let log: RunLog
    private let lane = Lane("belfry.preparation", threads: 2, waitingMax: 2048, priority: .behindOthers)
    private let condition = NSCondition()
    // Under its lock.
    private var underway: Set<Int> = []
    private var readyAt: [Int: ContinuousClock.Instant] = [:]
    /// Whose copies the membership has in its hands.
    private var taken: Set<Int> = []
    /// Whose copies are being written here.
    private var filling: Set<Int> = []

    /// Who was ready so long ago has something to fetch again.
    private static let lasting = Duration.seconds(30)
    /// As much is fetched in no time when the partition comes.
    private static let restBytes: UInt64 = 1 << 20
    private static let roundsMost = 5

    init(
        _ shared: any SharedLog, _ cache: ClusterCache, of cluster: ClusterID, _ fetched: FetchedState,
        _ zones: ZoneDatabase, _ log: RunLog
    ) {
        (self.shared, self.cache, self.cluster, self.fetched) = (shared, cache, cluster, fetched)
        (self.zones, self.log) = (zones, log)
    }

    // MARK: Whoever gives asks

    /// Whether a partition could come now. Where it could not, the copy is fetched meanwhile.
    func isReady(for partition: Int) -> Bool {
        // What is about everyone is fetched all the time, and nothing has to be folded for it.
        if partition == Partition.everyone { return true }
        condition.lock()
        defer { condition.unlock() }
        if taken.contains(partition) { return true }
        if let readyAt = readyAt[partition], ContinuousClock.now - readyAt < Self.lasting { return true }
        guard !underway.contains(partition) else { return false }
        underway.insert(partition)
        let isTaken = lane.take { [self] in prepare(partition) }
        if !isTaken { underway.remove(partition) }
        return false
    }

    // MARK: The membership

    /// The membership takes the partition: its copy is touched here no more until it is let go of. Waits for a piece at most.
    func makeWay(for partition: Int) {
        condition.lock()
        defer { condition.unlock() }
        taken.insert(partition)
        while filling.contains(partition) { condition.wait() }
    }

    func letGo(of partition: Int) {
        condition.withLock {
            taken.remove(partition)
            readyAt[partition] = nil
        }
    }

    // MARK: Whoever looks into a copy of another's partition

    /// Fetches what a copy lacks as of now. `false` where the membership has it in its hands, or it is being written already: then, and
    /// where it could not be fetched, it is to be tried again later.
    func catchUp(_ partition: Int, _ connection: any SharedLogConnection) -> Bool {
        guard !condition.withLock({ filling.contains(partition) }), let end = try? connection.tail(of: partition).until
        else { return false }
        return (try? fill(partition, connection, through: end)) ?? false
    }

    // MARK: The lane

    private func prepare(_ partition: Int) {
        do {
            let connection = try shared.connect(ConnectionTerms(cluster: cluster))
            defer {
                connection.close()
                if !condition.withLock({ taken.contains(partition) }) { cache.forgetKeys(of: partition) }
            }
            var isReady = false
            for _ in 0..<Self.roundsMost where !isReady {
                let end = try connection.tail(of: partition).until
                let have = try cache.head(partition)?.position ?? 0
                isReady = end <= have + Self.restBytes && have > 0 || end == 0
                if end > have, try !fill(partition, connection, through: end) { break }
                if end > have, !condition.withLock({ taken.contains(partition) }) {
                    fetched.fetch(partition, as: .heir, from: connection)
                    _ = try SnapshotTaking(cache.path(partition), on: cache.disk, .told(zones, to: log)).run()
                }
            }
        } catch {
            log.warning("a partition's copy could not be fetched", ("partition", "\(partition)"), ("why", "\(error)"))
            condition.withLock { _ = underway.remove(partition) }
            return
        }
        condition.withLock {
            underway.remove(partition)
            readyAt[partition] = .now
        }
    }

    /// Waits for whoever else writes the copy. `false` where the membership has it by now.
    private func fill(_ partition: Int, _ connection: any SharedLogConnection, through end: UInt64) throws -> Bool {
        let mayFill = condition.withLock { () -> Bool in
            while filling.contains(partition), !taken.contains(partition) { condition.wait() }
            guard !taken.contains(partition) else { return false }
            filling.insert(partition)
            return true
        }
        guard mayFill else { return false }
        defer {
            condition.withLock {
                filling.remove(partition)
                condition.broadcast()
            }
        }
        let head = try cache.fill(partition, from: connection, through: end) { _ in
            condition.withLock { !taken.contains(partition) }
        }
        return head.position >= end
    }
}
