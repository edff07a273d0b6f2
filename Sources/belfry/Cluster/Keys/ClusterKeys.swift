import Journal
import Sealing
import Shared
import Synchronization

/// People's keys of a cluster's partitions, in its database (SPEC §19): asked over a connection of their own, so that who seals and
/// opens fields waits neither for rows that are fetched nor for who owns what.
final class ClusterKeys: Sendable {
    /// What a worker has of a partition that it owns.
    private struct Held: Sendable {
        var epoch: Int64
        var isInDoubt: Bool
        /// Why its keys could not be asked for, since it was taken.
        var failure: String?
        /// How many of its people are erased, as far as the others were told; `nil` where it is not known how many were from the beginning.
        var erased: Int?
    }

    private struct State: Sendable {
        var worker: WorkerID?
        var connection: (any SharedLogConnection)?
        var held: [Int: Held] = [:]
        var identities: [Int: LogIdentity] = [:]
        /// Whether keys were destroyed here that the table of before still has, in the database's file of it.
        var hasOldTables = false
    }

    private let shared: any SharedLog
    private let cluster: ClusterID
    private let isReading: Bool
    private let state = Mutex(State())

    /// - Parameter isReading: whether nothing is to be changed.
    init(_ shared: any SharedLog, of cluster: ClusterID, isReading: Bool = false) {
        (self.shared, self.cluster, self.isReading) = (shared, cluster, isReading)
    }

    // MARK: The worker's life

    /// From now on the server knows the connection as this worker's, so that a successor can end what it leaves behind.
    func begin(as worker: WorkerID) {
        let old = state.withLock { state in
            defer { (state.worker, state.connection) = (worker, nil) }
            return state.connection
        }
        old?.close()
    }

    /// The server's number for the connection.
    var backend: Int32? { state.withLock { $0.connection?.backend } }

    /// A partition was taken: its keys may be changed under this epoch.
    ///
    /// - Parameter isInDoubt: whether its owner before may have had commits under way of which nobody knows.
    func hold(_ partition: Int, epoch: Int64, isInDoubt: Bool) {
        state.withLock { $0.held[partition] = Held(epoch: epoch, isInDoubt: isInDoubt) }
    }

    func letGo(of partition: Int) { state.withLock { $0.held[partition] = nil } }

    /// An error of the log as it is meant: where its keys could not be asked for, the partition is to be taken again.
    func judged(_ error: JournalError, of partition: Int) -> JournalError {
        guard case .keys = error, let words = state.withLock({ $0.held[partition]?.failure }) else { return error }
        return .lost("partition \(partition): \(words)")
    }

    // MARK: Counting who is erased

    /// A partition was opened: whom it has erased by now nobody is told of any more.
    ///
    /// - Returns: whether the old tables of keys are to be dropped. An erasure that was cut off is ended by the opening.
    @discardableResult
    func wasOpened(_ partition: Int) -> Bool {
        let erased = (try? erasures()).map { $0[partition] ?? 0 }
        return state.withLock { state in
            state.held[partition]?.erased = erased
            return state.hasOldTables
        }
    }

    /// Told before it is done: an answer that is lost says nothing of it.
    fileprivate func willDestroy() { state.withLock { $0.hasOldTables = true } }

    /// So many people more are erased, and the others are told of them. Counted here, because their keys are destroyed some at a time, also
    /// of people of whom nothing is told yet.
    ///
    /// - Returns: how many the partition has erased with them.
    @discardableResult
    func erased(_ people: Int, in partition: Int) -> Int? {
        state.withLock { state in
            guard let before = state.held[partition]?.erased else { return nil }
            state.held[partition]?.erased = before + people
            return before + people
        }
    }

    // MARK: Asking

    /// Where the keys of the log in a directory lie: it is called like its partition.
    func tables(in directory: String) -> PartitionKeys? {
        let name = DiskPath.name(of: directory)
        if name == LogName.everyone.text { return tables(of: Partition.everyone) }
        return Int(name).map { tables(of: $0) }
    }

    func tables(of partition: Int) -> PartitionKeys {
        let held = state.withLock { $0.held[partition] }
        return PartitionKeys(self, partition, epoch: held?.epoch, isInDoubt: held?.isInDoubt ?? false)
    }

    /// Which log a partition's is: that which its keys are of. `nil` where it has none yet.
    func identity(_ partition: Int) throws(KeyTablesError) -> LogIdentity? {
        if let known = state.withLock({ $0.identities[partition] }) { return known }
        guard let table = try tables(of: partition).table(), let identity = KeyRing.identity(ofTable: table) else {
            return nil
        }
        state.withLock { $0.identities[partition] = identity }
        return identity
    }

    /// How many people have been erased, by partition.
    func erasures() throws(KeyTablesError) -> [Int: Int] {
        try ask(nil) { connection throws(SharedLogError) in try connection.erasures() }
    }

    /// `false` where the database still holds versions of the table of keys from before, beside its log of changes.
    func dropOldTables() -> Bool {
        let isDropped = try? ask(nil) { connection throws(SharedLogError) in try connection.dropOldKeyTables() }
        if isDropped == true { state.withLock { $0.hasOldTables = false } }
        return isDropped ?? false
    }

    /// - Parameter partition: whose keys are asked for, where it is one.
    func ask<Value>(
        _ partition: Int?, _ body: (any SharedLogConnection) throws(SharedLogError) -> Value
    ) throws(KeyTablesError) -> Value {
        do throws(SharedLogError) {
            let connection = try connection()
            do throws(SharedLogError) { return try body(connection) } catch {
                if !connection.isOpen { drop(connection) }
                // Nothing was sent, or only something was to be read: a new connection answers.
                guard case .unreachable = error else { throw error }
            }
            return try body(try self.connection())
        } catch {
            let words = "people's keys: \(error)"
            if let partition { state.withLock { $0.held[partition]?.failure = words } }
            throw KeyTablesError(words)
        }
    }

    private func connection() throws(SharedLogError) -> any SharedLogConnection {
        try state.withLock { (state) throws(SharedLogError) in
            if let open = state.connection, open.isOpen { return open }
            let open = try shared.connect(ConnectionTerms(worker: state.worker, cluster: cluster, isReading: isReading))
            state.connection = open
            return open
        }
    }

    private func drop(_ broken: any SharedLogConnection) {
        state.withLock { if $0.connection === broken { $0.connection = nil } }
        broken.close()
    }
}

/// One partition's keys in the database: of its owner with the epoch under which it may change them.
struct PartitionKeys: KeyTables {
    private let keys: ClusterKeys
    private let partition: Int
    /// `nil` for whoever only reads.
    private let epoch: Int64?
    let isInDoubt: Bool

    init(_ keys: ClusterKeys, _ partition: Int, epoch: Int64?, isInDoubt: Bool) {
        (self.keys, self.partition, self.epoch, self.isInDoubt) = (keys, partition, epoch, isInDoubt)
    }

    var tableName: String { "\(KeyTablesName.prefix)table (\(ClusterCache.name(partition).told))" }
    var pagesName: String { "\(KeyTablesName.prefix)page (\(ClusterCache.name(partition).told))" }

    func table() throws(KeyTablesError) -> [UInt8]? {
        try keys.ask(partition) { connection throws(SharedLogError) in try connection.keyTable(of: partition)?.bytes }
    }

    func page(_ slot: UInt32) throws(KeyTablesError) -> [UInt8]? {
        try keys.ask(partition) { connection throws(SharedLogError) in
            try connection.keyPage(of: partition, slot: slot)
        }
    }

    func put(_ change: KeyTableChange) throws(KeyTablesError) {
        let epoch = try ownEpoch()
        let flush = KeyFlush(
            partition: partition, epoch: epoch, generation: change.generation, replacing: change.replacing,
            slots: change.slots, destroyed: change.destroyed, bytes: change.bytes)
        if change.destroyed > 0 { keys.willDestroy() }
        let isTaken = try keys.ask(partition) { connection throws(SharedLogError) in
            try connection.putKeyTable(flush)
        }
        guard isTaken else { throw lost }
    }

    func put(page: [UInt8], at slot: UInt32) throws(KeyTablesError) {
        let epoch = try ownEpoch()
        let isTaken = try keys.ask(partition) { connection throws(SharedLogError) in
            try connection.putKeyPage(page, of: partition, epoch: epoch, slot: slot)
        }
        guard isTaken else { throw lost }
    }

    private func ownEpoch() throws(KeyTablesError) -> Int64 {
        guard let epoch else { throw lost }
        return epoch
    }

    private var lost: KeyTablesError {
        KeyTablesError(
            "the keys of \(ClusterCache.name(partition).told) are another worker's to change, or were changed behind this one's back"
        )
    }
}
