/// What a worker does next about who owns what (SPEC M2).
public enum Move: Sendable, Equatable {
    /// Gives a partition to the worker it belongs to.
    case handOver(Int, epoch: Int64, to: WorkerID)
    /// Takes a partition whose owner is gone.
    case take(PartitionState)
}

/// Deals the partitions over the living. There is no leader: every worker looks at the same view and makes its own moves.
public struct Assignment: Sendable {
    public let me: WorkerID
    public let lifetime: Duration
    /// How many partitions a worker takes or gives away at a time: each takes a snapshot to be read.
    public static let movesMax = 4

    /// Since when this worker has seen each partition without a living owner, by its own clock.
    private var orphanedSince: [Int: BootInstant] = [:]
    /// After an outage of the database all leases look dead. Nobody else's partition is taken before this.
    private var quietUntil: BootInstant?

    public init(for me: WorkerID, lifetime: Duration) {
        self.me = me
        self.lifetime = lifetime
    }

    /// The database answers again after it did not: the others get one lifetime to renew, and a little more, a different
    /// little for each, so that not all take at once.
    public mutating func databaseReturned(at now: BootInstant) {
        let jitter = Duration.nanoseconds(Int64(me.words.1.mixed % UInt64(max(1, lifetime.wholeNanoseconds / 2))))
        quietUntil = now + lifetime + jitter
        orphanedSince = [:]
    }

    /// The moves that this view calls for, at most `movesMax`.
    ///
    /// - Parameters:
    ///   - underway: partitions that are being taken or given away already.
    ///   - spared: partitions that this worker does not take for now, whoever they belong to.
    public mutating func moves(
        in view: ClusterView, at now: BootInstant, underway: Set<Int> = [], sparing spared: Set<Int> = []
    ) -> [Move] {
        let living = view.living.map(\.id)
        guard living.contains(me) else { return [] }
        let candidates = view.staying.map(\.id)
        noteOrphans(in: view, living: Set(living), at: now)
        var moves: [Move] = []
        for partition in view.partitions where !underway.contains(partition.number) {
            guard underway.count + moves.count < Self.movesMax else { break }
            guard let target = Rendezvous.owner(of: partition.number, among: candidates) else { continue }
            if partition.owner == me {
                if target != me { moves.append(.handOver(partition.number, epoch: partition.epoch, to: target)) }
            } else if candidates.contains(me), !spared.contains(partition.number),
                mayTake(partition, belongsTo: target, at: now)
            {
                moves.append(.take(partition))
            }
        }
        return moves
    }

    /// Whether a worker that owns nothing is dealt less than half of an even share: of workers that come at the same time none has
    /// seen the others when it draws its name. It has nothing to lose by drawing another.
    public func isLeftShort(in view: ClusterView) -> Bool {
        let staying = view.staying.map(\.id)
        guard staying.contains(me), !view.partitions.contains(where: { $0.owner == me }) else { return false }
        let dealt = view.partitions.count { Rendezvous.owner(of: $0.number, among: staying) == me }
        return dealt * 2 < view.partitions.count / staying.count
    }

    /// An orphan is taken by whom it belongs to; by anyone once that one has let it lie for two lifetimes.
    private func mayTake(_ partition: PartitionState, belongsTo target: WorkerID, at now: BootInstant) -> Bool {
        guard let since = orphanedSince[partition.number] else { return false }
        if partition.owner != nil, let quietUntil, now < quietUntil { return false }
        return target == me || now - since >= lifetime * 2
    }

    private mutating func noteOrphans(in view: ClusterView, living: Set<WorkerID>, at now: BootInstant) {
        for partition in view.partitions {
            if let owner = partition.owner, living.contains(owner) {
                orphanedSince[partition.number] = nil
            } else if orphanedSince[partition.number] == nil {
                orphanedSince[partition.number] = now
            }
        }
    }
}
