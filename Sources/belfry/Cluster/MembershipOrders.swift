import Console
import Journal
import Shared
import Synchronization
import Worker

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

    /// That it was refused is told once.
    func takeStanding(left: Int) -> DrainStanding {
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
        return orders.takeStanding(left: town.allLogs.count)
    }

    /// What another worker says of a partition that it gives to this one.
    func hear(_ stage: MoveStage, _ partition: Int) -> Bool {
        if stage == .given { neighbours.wantEveryone() }
        if stage == .coming, troubles.leftAlone(at: .current).contains(partition) { return false }
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

// What the membership's own thread does.
extension Membership {
    /// Says in the database that this worker takes no more, where it is to stop. `true` where it was said just now: who is dealt
    /// what is seen in the next view.
    func leaveIfWanted(
        _ view: ClusterView, _ me: WorkerID, _ session: Session
    ) throws(SharedLogError) -> Bool {
        let isAnnounced = view.living.contains { $0.id == me && $0.isLeaving }
        let others = view.living.count { $0.id != me && !$0.isLeaving }
        orders.see(others: others, isAnnounced: isAnnounced)
        troubles.see(others: others)
        guard orders.isDraining, !isAnnounced else { return false }
        guard others > 0 else {
            orders.refuseToDrain()
            return false
        }
        return try session.connection.announceLeaving(me)
    }

    func tellTaken(_ holding: Holding, _ running: RunningLog, since began: ContinuousClock.Instant) {
        log.info(
            "a partition was taken", ("partition", "\(holding.partition)"), ("epoch", "\(holding.epoch)"),
            ("last_seq", "\(running.worker.standing.durable.lastSeq)"),
            ("snapshot", "\(running.snapshotPosition)"), ("folded", "\(running.eventsFolded)"),
            ("ms", "\(Int((ContinuousClock.now - began) / .milliseconds(1)))"))
    }

    /// Something is wrong with the copy of one partition: it is nobody's, and not taken here for a while.
    ///
    /// - Parameter isUnread: whether it cannot be read, as all copies are whenever the database is reached anew.
    func leaveAlone(_ partition: Int, because words: String, isUnread: Bool = false) {
        let known = troubles.all[partition]
        let pause =
            isUnread
            ? troubles.noteUnread(partition, words, at: .current) : troubles.note(partition, words, at: .current)
        // Where it is tried again in a moment, the same is said once.
        guard let pause, pause > TroubledCopies.pauseAlone || known != words else { return }
        log.error(
            "a partition's copy cannot be used here, so it is left to the other workers for a while",
            ("partition", "\(partition)"), ("why", words), ("seconds", "\(pause.components.seconds)"))
    }
}
