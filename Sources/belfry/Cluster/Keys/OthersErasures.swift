import CivilTime
import Console
import Delivery
import Dispatch
import Journal
import Notices
import Shared
import Synchronization

/// What a worker does when people are erased whom another one owns: their tokens end here as well, and what this one still holds of
/// them goes. One that was not reached sees by the count of destroyed keys that it has missed somebody. Of its own erasures one may be cut
/// off when it loses the partition: the log alone says then what was erased, once somebody has the partition again.
final class OthersErasures: Sendable {
    struct Surroundings: Sendable {
        var persons: PersonTokenDesk
        var memories: Eraser.Memories
        var spools: @Sendable () -> [SpoolSink]
    }

    private struct Leaver: Hashable, Sendable {
        var user: String
        var partition: Int
    }

    private struct State: Sendable {
        var hasBegun = false
        /// Those who are being erased, by how many workers at once.
        var underway: [Leaver: Int] = [:]
        var missed = MissedErasures()
        var empty = EmptyErasures()
        /// Whether spools may hold somebody of whose end this worker was not told.
        var mustSweep = true
        var isSweeping = false
        /// Partitions that were let go of with work under way, by the epochs under which they were this worker's.
        var lost: [Int: Int64] = [:]
    }

    private let surroundings: Surroundings
    private let cache: ClusterCache
    private let connect: @Sendable () -> SpoolSweep.OpenedLog?
    private let log: RunLog
    private let state = Mutex(State())

    static let queue = DispatchQueue(label: "belfry.erasures", qos: .utility)
    /// An owner that has begun and is not heard of any more has died, or has forgotten this worker.
    private static let patience = DispatchTimeInterval.seconds(60)

    init(
        _ surroundings: Surroundings, _ cache: ClusterCache, _ log: RunLog,
        connect: @escaping @Sendable () -> SpoolSweep.OpenedLog?
    ) {
        (self.surroundings, self.cache, self.log, self.connect) = (surroundings, cache, log, connect)
    }

    // MARK: Told by the owner

    /// Only for threads that may wait.
    func hear(_ order: EraseOrder) -> Forgotten {
        let leavers = order.people.map { Leaver(user: $0.user, partition: order.partition) }
        switch order.stage {
        case .begin:
            if let problem = begin(order) { return Forgotten(problem: problem) }
            state.withLock { state in for leaver in leavers { state.underway[leaver, default: 0] += 1 } }
            Self.queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
                guard let self else { return }
                for leaver in leavers where end(leaver, isRefused: false) {
                    state.withLock { $0.mustSweep = true }
                }
            }
        case .refused: for leaver in leavers { _ = end(leaver, isRefused: true) }
        case .end:
            for leaver in leavers { _ = end(leaver, isRefused: false) }
            return Forgotten(removed: forget(order))
        case .left:
            if let problem = begin(order) { return Forgotten(problem: problem) }
            for leaver in leavers { over(leaver, isRefused: false) }
            return Forgotten(removed: forget(order))
        }
        return Forgotten()
    }

    private func begin(_ order: EraseOrder) -> String? {
        guard let erased = order.erased else {
            return surroundings.persons.beginErasing(order.people, in: order.partition)
        }
        let underway = state.withLock { state in
            state.underway.reduce(0) { $0 + ($1.key.partition == order.partition ? $1.value : 0) }
        }
        return surroundings.persons.beginErasing(order.people, in: order.partition) { known, more in
            // Of some before them this worker was not told. Counted, these would hide that.
            if erased > known + more { return known }
            // Not twice, where a late word is of those whom it has taken for missed. Those who are being erased may come before or after.
            return max(known, min(known + more, erased + underway))
        }
    }

    /// The order does not say when that was. Whoever has an id next is decided about by the owner, and their jobs are spooled there.
    private func forget(_ order: EraseOrder) -> [String] {
        surroundings.memories.erase(Set(order.people.map(\.user)), through: .distantFuture)
    }

    /// `false` where it was over already.
    private func end(_ leaver: Leaver, isRefused: Bool) -> Bool {
        let isUnderway = state.withLock { state in
            guard let count = state.underway[leaver] else { return false }
            state.underway[leaver] = count == 1 ? nil : count - 1
            return true
        }
        if isUnderway { over(leaver, isRefused: isRefused) }
        return isUnderway
    }

    private func over(_ leaver: Leaver, isRefused: Bool) {
        surroundings.persons.endErasing(leaver.user, in: leaver.partition, isRefused: isRefused)
    }

    // MARK: Seen in the database

    /// Those of before this start are missed for good. Once a start: later the word of some is on its way. One that counts here and not in
    /// the database may have been cut off by the end of this worker, and its partition's owner ends it.
    ///
    /// - Parameter counts: how many people each partition has erased; `nil` where that could not be asked.
    func begin(with counts: [Int: Int]?) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst, let counts { settle(surroundings.persons.missed(of: counts)) }
    }

    /// - Parameters:
    ///   - counts: how many people each partition has erased.
    ///   - owned: the partitions that have an owner.
    func see(_ counts: [Int: Int], owned: Set<Int>, at now: BootInstant) {
        let persons = surroundings.persons
        let ofOwned = counts.filter { owned.contains($0.key) }
        let (missed, empty) = state.withLock { state in
            (
                state.missed.missed(of: counts, at: now, persons.missed(of:)),
                state.empty.found(in: ofOwned, persons.known(beyond: ofOwned), at: now)
            )
        }
        let mustSweep = state.withLock { state in
            state.mustSweep = state.mustSweep || !missed.isEmpty
            guard state.mustSweep, !state.isSweeping else { return false }
            (state.isSweeping, state.mustSweep) = (true, false)
            return true
        }
        guard mustSweep || !missed.isEmpty || !empty.isEmpty else { return }
        Self.queue.async { [self] in
            settle(missed)
            if !empty.isEmpty, let problem = persons.uncount(empty) {
                log.error("that people were not erased after all could not be written down: \(problem)")
            }
            if mustSweep { sweep() }
        }
    }

    /// Nobody can say whose tokens they are: those of everybody end.
    private func settle(_ missed: [Int: Int]) {
        guard !missed.isEmpty else { return }
        switch surroundings.persons.settle(erased: missed, madeLast: .distantPast) {
        case .settled: break
        case .everybodys: log.warning(PersonTokenFile.everybodysRevoked)
        case .failed(let problem): log.error("tokens of people who were erased could not be revoked: \(problem)")
        }
    }

    private func sweep() {
        let isDone = sweep(of: nil)
        state.withLock { state in
            state.mustSweep = state.mustSweep || !isDone
            state.isSweeping = false
        }
    }

    /// - Parameter partitions: `nil` for all.
    /// - Returns: whether it could be said of all jobs.
    private func sweep(of partitions: Set<Int>?) -> Bool {
        let sweep = SpoolSweep(partitions: cache.directory.partitions)
        let (count, isDone) = sweep.sweep(surroundings.spools(), of: partitions, connect)
        if count > 0 {
            log.info("jobs of which something was erased are taken out of the spool", ("jobs", "\(count)"))
        }
        return isDone
    }

    // MARK: Partitions that were lost

    /// A partition was let go of with work under way: what it was to erase may be in its log, and here nobody hears of that any more.
    func wasLost(_ partition: Int, epoch: Int64) {
        state.withLock { $0.lost[partition] = max(epoch, $0.lost[partition] ?? epoch) }
    }

    /// What a lost partition's log has erased goes out of the spools. Once it was taken again, nothing of before comes into that log.
    ///
    /// - Parameter epochs: under which each partition was taken last.
    func see(epochs: [Int: Int64]) {
        let again = state.withLock { state in
            let again = state.lost.filter { partition, epoch in epochs[partition].map { $0 > epoch } ?? false }
            for partition in again.keys { state.lost[partition] = nil }
            return again
        }
        guard !again.isEmpty else { return }
        Self.queue.async { [self] in
            if !sweep(of: Set(again.keys)) { for (partition, epoch) in again { wasLost(partition, epoch: epoch) } }
        }
    }
}
