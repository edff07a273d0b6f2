public import Shared
internal import Synchronization

/// A shared database in memory whose connections are cut and hang, and whose lease clock moves only when a test moves it.
///
/// Every call of a connection is one numbered message, counted from 1. A test runs its work once to learn how many
/// `messages` it takes, then again for each of them with a fault planned:
///
///     let database = SimulatedSharedLog()
///     database.plan(.cutAfter, atMessage: k)
///
/// Statements are carried out whole and one after the other, as the locks of a real database would have them. One that
/// hangs keeps its locks. What happens when somebody waits for these is said beforehand (`whenWaitedFor`).
public final class SimulatedSharedLog: SharedLog {
    /// What becomes of one message.
    public enum Fault: Sendable, CaseIterable {
        /// The connection breaks before the database has the statement.
        case cutBefore
        /// The statement is carried out; the connection breaks before the answer.
        case cutAfter
        /// The statement is carried out up to its commit and keeps its locks. The caller gives up waiting.
        case hang
        /// The database answers success with a warning: the wait for the standby was cancelled.
        case warning
    }

    /// What a statement that hangs does when somebody waits for its locks.
    public enum Ending: Sendable {
        case keepsWaiting, commits, rollsBack
    }

    let state: Mutex<State>

    public init() { state = Mutex(State()) }

    struct State: Sendable {
        /// The database's clock, in milliseconds since 1970.
        var now: Int64 = 1_800_000_000_000
        var tables = Tables()
        var sessions: [Int32: Session] = [:]
        var opened: Int32 = 0
        var messages = 0
        /// By how many milliseconds each message moves the clock.
        var pace: Int64 = 0
        var faults: [Int: Fault] = [:]
        var ending = Ending.keepsWaiting
        /// What every call gets instead of an answer: a full disk, a database that takes no writes.
        var refusal: SharedLogError?
        /// Statements that hang, by their backend: what they would commit, and whose rows they hold.
        var hanging: [Int32: Hanging] = [:]
    }

    /// What is committed.
    struct Tables: Sendable {
        var cluster: Cluster?
        var partitions: [Int: PartitionState] = [:]
        var workers: [WorkerID: WorkerState] = [:]
        var log: [Int: [LogRow]] = [:]
        var snapshots: [SnapshotRow: [UInt8]] = [:]
        var keyTables: [Int: SharedKeyTable] = [:]
        var keyPages: [KeySlot: [UInt8]] = [:]
        var missing: [MissingHead] = []
    }

    struct KeySlot: Sendable, Hashable {
        var partition: Int
        var slot: UInt32
    }

    struct Session: Sendable {
        var worker: WorkerID?
    }

    struct Hanging: Sendable {
        var partitions: Set<Int>
        var change: @Sendable (inout Tables) -> Void
    }

    struct SnapshotRow: Sendable, Hashable {
        var partition: Int
        var snapshot: SharedSnapshot
        var part: Int
    }

    public func create(_ plan: ClusterPlan) throws(SharedLogError) -> Cluster {
        guard (1...Cluster.partitionsMax).contains(plan.partitions) else { throw .unusableCount(plan.partitions) }
        return try state.withLock { state throws(SharedLogError) in
            if let refusal = state.refusal { throw refusal }
            if let there = state.tables.cluster, there.id != plan.id {
                throw .clusterExists(there.id, partitions: there.partitions)
            }
            if let there = state.tables.cluster { return there }
            let cluster = Cluster(
                id: plan.id, partitions: plan.partitions, format: Cluster.formatVersion, isSealed: plan.isSealed,
                database: "simulated", serverVersion: Cluster.serverVersionMin, synchronousStandbys: "")
            state.tables.cluster = cluster
            for number in Partition.everyone..<plan.partitions {
                state.tables.partitions[number] = PartitionState(
                    number: number, epoch: 0, owner: nil, since: state.now)
            }
            return cluster
        }
    }

    public func connect(_ terms: ConnectionTerms) throws(SharedLogError) -> any SharedLogConnection {
        try state.withLock { state throws(SharedLogError) in
            if let refusal = state.refusal { throw refusal }
            guard let cluster = state.tables.cluster else { throw .noCluster(database: "simulated") }
            if let expected = terms.cluster, expected != cluster.id {
                throw .anotherCluster(expected: expected, found: cluster.id)
            }
            if let expected = terms.partitions, expected != cluster.partitions {
                throw .anotherCount(expected: expected, found: cluster.partitions)
            }
            state.opened += 1
            state.sessions[state.opened] = Session(worker: terms.worker)
            return SimulatedSession(self, cluster, backend: state.opened)
        }
    }
}

// MARK: - What a test does to it

extension SimulatedSharedLog {
    /// How many messages there have been.
    public var messages: Int { state.withLock { $0.messages } }

    public func plan(_ fault: Fault, atMessage number: Int) { state.withLock { $0.faults[number] = fault } }

    /// Forgets the faults that were planned.
    public func calm() { state.withLock { $0.faults = [:] } }

    public func whenWaitedFor(_ ending: Ending) { state.withLock { $0.ending = ending } }

    /// Moves the database's clock, which alone says who lives.
    public func advance(by time: Duration) {
        state.withLock {
            $0.now += time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        }
    }

    /// Each message takes so long from now on, by the database's clock.
    public func slow(to time: Duration) { state.withLock { $0.pace = time.milliseconds } }

    /// Every call is answered with this from now on, until it is `nil` again.
    public func refuse(with error: SharedLogError?) { state.withLock { $0.refusal = error } }

    /// Ends a connection on the database's side, and rolls back what it had under way.
    public func cut(backend: Int32) {
        state.withLock { state in
            state.sessions[backend] = nil
            state.hanging[backend] = nil
        }
    }
}

extension SimulatedSharedLog.State {
    func isAlive(_ worker: WorkerID) -> Bool { tables.workers[worker].map { $0.aliveUntil > now } ?? false }

    /// Whether somebody else holds one of these rows, after waiting for as long as one does.
    mutating func isHeld(_ partitions: Set<Int>, otherThan backend: Int32) -> Bool {
        for (holder, statement) in hanging.sorted(by: { $0.key < $1.key })
        where holder != backend && !statement.partitions.isDisjoint(with: partitions) {
            switch ending {
            case .keepsWaiting: return true
            case .commits: statement.change(&tables)
            case .rollsBack: break
            }
            hanging[holder] = nil
        }
        return false
    }
}
