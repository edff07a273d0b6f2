/// What was fixed when the shared log was made, and what its server says of itself.
public struct Cluster: Sendable, Equatable {
    public let id: ClusterID
    /// How many partitions people are dealt over, for ever.
    public let partitions: Int
    /// The version of the schema (`FORMAT.md`).
    public let format: Int
    /// Whether what tells who people are is sealed in its logs (`E2`), with keys that lie in the database too.
    public let isSealed: Bool
    public let database: String
    /// 150018 is 15.18.
    public let serverVersion: Int
    /// The database's own setting: which standbys a commit waits for; empty where none.
    public let synchronousStandbys: String

    /// The schema of the database that holds it.
    public static let schema = "belfry"
    /// The version of it that this program makes, and the newest that it reads.
    public static let formatVersion = 2
    /// The first one with tables for keys; clusters of before have none, for ever.
    public static let formatWithKeys = 2
    public static let partitionsMax = 1024
    public static let partitionsUsual = 64
    /// The oldest PostgreSQL that is taken, in its own way of counting.
    public static let serverVersionMin = 150_000

    public init(
        id: ClusterID, partitions: Int, format: Int, isSealed: Bool, database: String, serverVersion: Int,
        synchronousStandbys: String
    ) {
        self.id = id
        self.isSealed = isSealed
        self.partitions = partitions
        self.format = format
        self.database = database
        self.serverVersion = serverVersion
        self.synchronousStandbys = synchronousStandbys
    }
}

/// The numbers that partitions have.
public enum Partition {
    /// The log of the facts about everyone (`M6`), which each owner copies into its own partitions.
    public static let everyone = -1

    /// Where this person's events lie among `count` partitions: FNV-1a over the id's UTF-8, mixed, modulo the count.
    ///
    /// It is part of the format: whoever changes it finds nobody again.
    public static func of(_ user: String, among count: Int) -> Int {
        precondition(count >= 1, "a cluster has partitions")
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in user.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(hash.mixed % UInt64(count))
    }
}

extension UInt64 {
    /// Every bit of it spread over all (the last steps of SplitMix64).
    var mixed: UInt64 {
        var mixed = (self ^ (self >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Who owns what at one moment of the database.
public struct ClusterView: Sendable, Equatable {
    /// The database's clock, in milliseconds since 1970.
    public var now: Int64
    /// Sorted by number; `Partition.everyone` is the first.
    public var partitions: [PartitionState]
    /// Sorted by id; the dead among them, until somebody buries them.
    public var workers: [WorkerState]

    public init(now: Int64, partitions: [PartitionState], workers: [WorkerState]) {
        self.now = now
        self.partitions = partitions
        self.workers = workers
    }

    public var living: [WorkerState] { workers.filter { $0.aliveUntil > now } }

    /// Those among whom partitions are dealt: the living that stay, or all of them where none does.
    public var staying: [WorkerState] {
        let staying = living.filter { !$0.isLeaving }
        return staying.isEmpty ? living : staying
    }

    /// Where the living owner of a partition is reached; `nil` while it has none (`M3`).
    public func url(ofOwnerOf partition: Int) -> String? {
        guard let owner = partitions.first(where: { $0.number == partition })?.owner else { return nil }
        return living.first { $0.id == owner }?.url
    }
}

/// A partition as the database knows it.
public struct PartitionState: Sendable, Equatable {
    public var number: Int
    /// Grows with every change of owner; a write that carries an older one is refused.
    public var epoch: Int64
    public var owner: WorkerID?
    /// When that became so, by the database's clock in milliseconds since 1970.
    public var since: Int64

    public init(number: Int, epoch: Int64, owner: WorkerID?, since: Int64) {
        self.number = number
        self.epoch = epoch
        self.owner = owner
        self.since = since
    }
}

/// A worker as the database knows it.
public struct WorkerState: Sendable, Equatable {
    public var id: WorkerID
    /// Where the others reach it.
    public var url: String
    /// By the database's clock, in milliseconds since 1970. No other clock says who lives (`M2`).
    public var aliveUntil: Int64
    /// Whether it is going to stop, and gives away what it has.
    public var isLeaving: Bool

    public init(id: WorkerID, url: String, aliveUntil: Int64, isLeaving: Bool = false) {
        self.id = id
        self.url = url
        self.aliveUntil = aliveUntil
        self.isLeaving = isLeaving
    }
}
