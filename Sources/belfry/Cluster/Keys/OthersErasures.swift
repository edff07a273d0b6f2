import CivilTime
import Console
import Delivery
import Dispatch
import Journal
import Notices
import Synchronization

/// What a worker does when a person is erased whom another one owns: their tokens end here as well, and what this one still holds of
/// them goes. One that was not reached sees by the count of destroyed keys that it has missed somebody.
final class OthersErasures: Sendable {
    struct Surroundings: Sendable {
        var persons: PersonTokenDesk
        var memories: Eraser.Memories
        var spools: @Sendable () -> [SpoolSink]
    }

    private struct State: Sendable {
        /// Those who are being erased, by how many workers at once.
        var underway: [String: Int] = [:]
        /// Whether spools may hold somebody of whose end this worker was not told.
        var mustSweep = true
        var isSweeping = false
    }

    private let surroundings: Surroundings
    private let cache: ClusterCache
    private let connect: @Sendable () -> SpoolSweep.OpenedLog?
    private let log: RunLog
    private let state = Mutex(State())

    private static let queue = DispatchQueue(label: "belfry.erasures", qos: .utility)
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
    ///
    /// - Parameter mark: what stands for the person in their tokens, at the beginning; a worker of a version before tells none.
    func hear(_ stage: EraseStage, _ user: String, marked mark: String?, in partition: Int) -> Forgotten {
        switch stage {
        case .begin:
            if let problem = surroundings.persons.beginErasing(user, marked: mark, in: partition) {
                return Forgotten(problem: problem)
            }
            state.withLock { $0.underway[user, default: 0] += 1 }
            Self.queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
                guard let self, end(user, in: partition, isRefused: false) else { return }
                state.withLock { $0.mustSweep = true }
            }
        case .refused: _ = end(user, in: partition, isRefused: true)
        case .end:
            _ = end(user, in: partition, isRefused: false)
            // The order does not say when that was. Whoever has the id next is decided about by the owner, and their jobs are spooled
            // there.
            return Forgotten(removed: surroundings.memories.erase(user, through: .distantFuture))
        }
        return Forgotten()
    }

    /// `false` where it was over already.
    private func end(_ user: String, in partition: Int, isRefused: Bool) -> Bool {
        let isUnderway = state.withLock { state in
            guard let count = state.underway[user] else { return false }
            state.underway[user] = count == 1 ? nil : count - 1
            return true
        }
        if isUnderway { surroundings.persons.endErasing(user, in: partition, isRefused: isRefused) }
        return isUnderway
    }

    // MARK: Seen in the database

    /// - Parameter counts: how many people each partition has erased.
    func see(_ counts: [Int: Int]) {
        let missed = surroundings.persons.missed(of: counts)
        let mustSweep = state.withLock { state in
            state.mustSweep = state.mustSweep || !missed.isEmpty
            guard state.mustSweep, !state.isSweeping else { return false }
            state.isSweeping = true
            return true
        }
        guard mustSweep || !missed.isEmpty else { return }
        Self.queue.async { [self] in
            settle(missed)
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
        let (count, isDone) = SpoolSweep(partitions: cache.directory.partitions).sweep(surroundings.spools(), connect)
        if count > 0 {
            log.info("jobs of which something was erased are taken out of the spool", ("jobs", "\(count)"))
        }
        state.withLock { state in
            state.mustSweep = !isDone
            state.isSweeping = false
        }
    }
}
