public import Hashing

/// The one door to the shared database: whatever workers ask of it, they ask here.
///
/// There are two implementations: PostgreSQL through libpq, and the simulated database of the tests. One contract suite
/// runs on both.
public protocol SharedLog: Sendable {
    /// Makes a cluster in this database: the schema, its partitions, and an id that no other has.
    func create(_ plan: ClusterPlan) throws(SharedLogError) -> Cluster

    /// Opens one connection and looks whether it leads to the right place: a primary that may be written, of a version that
    /// is known, with the cluster that was expected, without a pooler in between.
    func connect(_ terms: ConnectionTerms) throws(SharedLogError) -> any SharedLogConnection
}

/// What a new cluster shall be.
public struct ClusterPlan: Sendable {
    public var id: ClusterID
    public var partitions: Int
    /// Whether its logs have seals.
    public var isSealed: Bool

    public init(id: ClusterID, partitions: Int = Cluster.partitionsUsual, isSealed: Bool = true) {
        self.id = id
        self.partitions = partitions
        self.isSealed = isSealed
    }
}

/// Who connects, and what they expect to find.
public struct ConnectionTerms: Sendable {
    /// Whose backend the server shall know it as, so that a successor can end what its owner left behind; `nil` for a
    /// command that owns nothing.
    public var worker: WorkerID?
    /// What the worker's cache belongs to; `nil` where it has none yet.
    public var cluster: ClusterID?
    /// What the operator said; `nil` where nothing.
    public var partitions: Int?
    /// How long any one call may take.
    public var patience: Duration
    /// Whether nothing is to be written: a user who may only read, and a database that takes no writes, will do.
    public var isReading: Bool

    public init(
        worker: WorkerID? = nil, cluster: ClusterID? = nil, partitions: Int? = nil, patience: Duration = .seconds(5),
        isReading: Bool = false
    ) {
        self.isReading = isReading
        self.worker = worker
        self.cluster = cluster
        self.partitions = partitions
        self.patience = patience
    }
}

/// One connection to the shared database. A worker has four: one that appends (`AppendLine`), one that renews its lease
/// (`Heartbeat`), one for people's keys, and one for everything else; and more for as long as it prepares for partitions or puts snapshots.
///
/// Every call waits for its answer, at most as long as `ConnectionTerms.patience`, so none is made on a worker's queue.
/// Calls from several threads take turns. A call that changes something throws `.unknown` when nobody can say whether it
/// did; any other error means that nothing was changed. After `.unreachable` and after an unknown outcome of a broken
/// connection it `isOpen` no more.
public protocol SharedLogConnection: AnyObject, Sendable {
    var cluster: Cluster { get }
    /// The server's number for it.
    var backend: Int32 { get }
    var isOpen: Bool { get }

    /// Makes a worker known, alive for `lease` from now. Its id is new.
    func register(_ worker: WorkerID, at url: String, for lease: Duration) throws(SharedLogError)

    /// Renews a worker's lease. `false` where the database does not know the worker any more: it must drop everything and
    /// begin again with a new id.
    func renew(_ worker: WorkerID, for lease: Duration) throws(SharedLogError) -> Bool

    /// Says that a worker is going to stop: it takes nothing more, and is given nothing. `false` where the database does not know
    /// it any more.
    func announceLeaving(_ worker: WorkerID) throws(SharedLogError) -> Bool

    /// Takes a worker out that stops on purpose, so that it does not count as alive for the rest of its lease.
    func leave(_ worker: WorkerID) throws(SharedLogError)

    /// Forgets workers that have been dead for so long. Returns how many.
    func bury(deadFor time: Duration) throws(SharedLogError) -> Int

    /// Makes a worker the owner of a partition whose epoch is still the one that it saw, if the owner is gone, is not
    /// alive, or is the worker itself. The worker itself must be alive.
    func acquire(_ partition: Int, for worker: WorkerID, seen epoch: Int64) throws(SharedLogError) -> Acquisition

    /// Ends the connections that hang with something in their hands: those of workers that are not alive, and the caller's
    /// own but for those listed. Nothing happens to another worker that is alive; it does this itself. Returns how many
    /// were ended.
    func terminateLeftovers(by me: WorkerID, sparing: [Int32]) throws(SharedLogError) -> Int

    /// Where a partition's log ends. Always a statement of its own: one that also took the partition would not see an
    /// append that committed while it waited.
    func tail(of partition: Int) throws(SharedLogError) -> LogTail

    /// Appends a row to each of these partitions, in one statement; the outcomes are in the order of the flushes.
    ///
    /// An error means that nothing was written anywhere.
    /// - Precondition: no partition is there twice.
    func append(_ flushes: [Flush]) throws(SharedLogError) -> [FlushOutcome]

    /// The rows from the one that holds `position`, in order, with about as many bytes; at least one, unless the log ends
    /// there.
    func rows(of partition: Int, from position: UInt64, bytes: Int) throws(SharedLogError) -> [LogRow]

    /// What the database has at a place where a log was acknowledged: at the end of a row, or between two frames of one.
    func presence(of head: AcknowledgedHead) throws(SharedLogError) -> HeadPresence

    /// Tells the other workers what the database has lost; what the same worker had told of that partition before goes.
    func tellMissing(_ missing: MissingHead) throws(SharedLogError)

    /// What workers have told of it.
    func missing() throws(SharedLogError) -> [MissingHead]

    /// The worker at an address misses nothing any more. Whether it had told that it does.
    func missNothing(at url: String) throws(SharedLogError) -> Bool

    /// Gives a partition to a worker that is alive. `false` where it is not the caller's to give, or that worker is gone.
    func handOver(_ partition: Int, epoch: Int64, to worker: WorkerID) throws(SharedLogError) -> Bool

    /// Leaves a partition without an owner. `false` where it is not the caller's to leave.
    func concede(_ partition: Int, epoch: Int64) throws(SharedLogError) -> Bool

    /// Who owns what, and who lives.
    func view() throws(SharedLogError) -> ClusterView

    // Snapshots beside the log, part by part: whoever writes or reads one has a part of it in memory.

    /// Puts one part of a snapshot beside the log; its epoch is the writer's. `false` where the partition has another by now.
    func putSnapshotPart(
        _ part: Int, of snapshot: SharedSnapshot, in partition: Int, bytes: [UInt8]
    ) throws(SharedLogError) -> Bool

    /// The snapshots of a partition that are whole, the newest first.
    func snapshots(_ sort: SnapshotSort, of partition: Int) throws(SharedLogError) -> [SharedSnapshot]

    /// One part of a snapshot; `nil` where it is gone: its owner may have removed it meanwhile.
    func snapshotPart(
        _ part: Int, of snapshot: SharedSnapshot, in partition: Int
    ) throws(SharedLogError) -> [UInt8]?

    /// Removes parts of all snapshots of a partition but these, and of what is left of those that were never whole: at most
    /// `SharedSnapshot.partsPruned` of them. `nil` where the partition has another epoch by now: nothing is removed then, because
    /// who has it may be reading them. Otherwise how many parts were removed.
    func pruneSnapshots(
        _ sort: SnapshotSort, of partition: Int, epoch: Int64, keeping: [SharedSnapshot]
    ) throws(SharedLogError) -> Int?

    // Keys, in a cluster whose logs have seals. What changes them is fenced by the epoch like an append.

    /// The table of a partition's keys; `nil` where none were made.
    func keyTable(of partition: Int) throws(SharedLogError) -> SharedKeyTable?

    /// A page of a partition's keys; `nil` where there is none in this slot.
    func keyPage(of partition: Int, slot: UInt32) throws(SharedLogError) -> [UInt8]?

    /// Puts a page of keys into a slot. `false` where the partition has another epoch by now.
    func putKeyPage(_ page: [UInt8], of partition: Int, epoch: Int64, slot: UInt32) throws(SharedLogError) -> Bool

    /// Makes a table the one in force, and removes the pages that it does not refer to. `false` where the partition has another
    /// epoch by now, or the table in force is not the one that this was made from.
    func putKeyTable(_ flush: KeyFlush) throws(SharedLogError) -> Bool

    /// How many people's keys have been destroyed, by partition: of those that have keys.
    func erasures() throws(SharedLogError) -> [Int: Int]

    /// Pages that the tables in force name and that are not there as a whole, of one partition or of all: without them nobody opens
    /// the keys that they held, but for who has a copy.
    func missingKeyPages(of partition: Int?) throws(SharedLogError) -> [KeyPageName]

    /// Has the database give up the versions of the tables of keys that it still holds beside those in force, as far as it can:
    /// not what its log of changes, standbys and backups have. `false` where it could not, or not now.
    func dropOldKeyTables() throws(SharedLogError) -> Bool

    func close()
}

/// What opens the pages of a partition's keys.
public struct SharedKeyTable: Sendable, Equatable {
    public var generation: UInt64
    /// How many people's keys have been destroyed.
    public var destroyed: Int
    public var bytes: [UInt8]

    public init(generation: UInt64, destroyed: Int, bytes: [UInt8]) {
        (self.generation, self.destroyed, self.bytes) = (generation, destroyed, bytes)
    }
}

/// A page of a partition's keys, by where it lies.
public struct KeyPageName: Sendable, Hashable {
    public var partition: Int
    /// `nil` for the table that names the pages.
    public var slot: UInt32?

    public init(partition: Int, slot: UInt32?) { (self.partition, self.slot) = (partition, slot) }
}

extension SharedLogError {
    /// What is to be said of pages that are missing; `nil` where none is.
    public init?(missing pages: [KeyPageName]) {
        guard let first = pages.first else { return nil }
        let log = first.partition == Partition.everyone ? "everyone" : "partition \(first.partition)"
        let others = pages.count == 1 ? "" : ", and \(pages.count - 1) more"
        self = .keysMissing(
            first.slot.map { "belfry.key_page has no whole row for slot \($0) of \(log)\(others)" }
                ?? "belfry.key_table has no row for \(log)\(others)")
    }
}

/// A table of keys on its way to be the one in force.
public struct KeyFlush: Sendable {
    public var partition: Int
    /// Under which the writer holds the partition.
    public var epoch: Int64
    public var generation: UInt64
    /// The one that it was made from; `nil` for the first.
    public var replacing: UInt64?
    /// Where its pages lie.
    public var slots: [UInt32]
    /// How many keys are gone with it.
    public var destroyed: Int
    public var bytes: [UInt8]

    public init(
        partition: Int, epoch: Int64, generation: UInt64, replacing: UInt64?, slots: [UInt32], destroyed: Int,
        bytes: [UInt8]
    ) {
        (self.partition, self.epoch, self.generation, self.replacing) = (partition, epoch, generation, replacing)
        (self.slots, self.destroyed, self.bytes) = (slots, destroyed, bytes)
    }
}

/// A place up to which a log was once acknowledged, as the witness of a cache has it.
public struct AcknowledgedHead: Sendable, Equatable {
    public var partition: Int
    public var position: UInt64
    public var hash: Digest

    public init(partition: Int, position: UInt64, hash: Digest) {
        self.partition = partition
        self.position = position
        self.hash = hash
    }
}
