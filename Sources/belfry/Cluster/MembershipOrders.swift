import Console
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
        var failed: Set<Int> = []
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

    func fail(_ partition: Int) { state.withLock { _ = $0.failed.insert(partition) } }

    func takeFailed() -> Set<Int> {
        state.withLock { state in
            defer { state.failed = [] }
            return state.failed
        }
    }
}
