import Console
import Journal
import Shared
import Synchronization

/// What others ask of a worker's membership; its own thread takes it up at its next step.
final class MembershipOrders: Sendable {
    private struct State: Sendable {
        var isStopping = false
        var isDraining = false
        /// Whether that could not be, since nobody else stays, and whoever asked is still to be told.
        var isRefused = false
        var others = 0
        var isAnnounced = false
        /// Under which epoch they were taken that take no more, by partition.
        var failed: [Int: Int64] = [:]
    }

    private let state = Mutex(State())

    func stop() { state.withLock { $0.isStopping = true } }
    var isStopping: Bool { state.withLock(\.isStopping) }

    // MARK: Draining

    /// `true` where it was not asked for before.
    func drain() -> Bool {
        state.withLock { state in
            if state.isRefused { return false }
            defer { state.isDraining = true }
            return !state.isDraining
        }
    }

    /// Nobody else would have the partitions: it goes on as if it had not been asked.
    func refuseToDrain() { state.withLock { ($0.isDraining, $0.isRefused) = (false, true) } }

    var isDraining: Bool { state.withLock(\.isDraining) }

    /// - Parameter others: how many others stay.
    func see(others: Int, isAnnounced: Bool) {
        state.withLock { ($0.others, $0.isAnnounced) = (others, isAnnounced) }
    }

    func standing(left: Int) -> DrainStanding {
        state.withLock { state in
            guard state.isRefused else {
                return DrainStanding(left: left, others: state.others, isAnnounced: state.isAnnounced)
            }
            state.isRefused = false
            return DrainStanding(left: left, others: 0, isAnnounced: true)
        }
    }

    // MARK: Partitions whose workers take no more

    func fail(_ partition: Int, epoch: Int64) {
        state.withLock { $0.failed[partition] = max(epoch, $0.failed[partition] ?? epoch) }
    }

    func takeFailed() -> [Int: Int64] {
        state.withLock { state in
            defer { state.failed = [:] }
            return state.failed
        }
    }
}

// What others ask, on their threads.
extension Membership {
    /// Gives all partitions away, one that another is ready for after the other, and takes no more.
    func drain() -> DrainStanding {
        if orders.drain() {
            log.info("the partitions are being given away")
            neighbours.wantEveryone()
        }
        return orders.standing(left: town.allLogs.count)
    }

    /// What another worker says of a partition that it gives to this one.
    func hear(_ stage: MoveStage, _ partition: Int) -> Bool {
        if stage == .given { neighbours.wantEveryone() }
        return stage == .given || surroundings.preparation.isReady(for: partition)
    }

    /// A partition's worker takes no more, because its log went elsewhere, or because something is wrong here. It may be told late: the
    /// partition may have been taken again by then.
    func hear(_ error: JournalError, of holding: Holding) {
        guard case .lost = error else { return surroundings.failed(Failure(error)) }
        orders.fail(holding.partition, epoch: holding.epoch)
        neighbours.wantEveryone()
    }
}
