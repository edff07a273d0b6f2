import CivilTime
import Delivery
import Foundation
import Journal
import Notices
import Shared
import Worker

/// A worker on its way into a cluster: the cluster was found, and this machine's copy of it.
struct Joining {
    let options: ClusterOptions
    let cluster: Cluster
    let cache: ClusterCache

    init(_ options: ClusterOptions, _ all: RunOptions, _ world: World) throws(Failure) {
        self.options = options
        cluster = try options.cluster()
        cache = ClusterCache(
            try DataDirectory.copy(all.directory, of: cluster, on: world.disk), of: cluster.id, on: world.disk)
    }

    var directory: DataDirectory { cache.directory }
    /// What persons' tokens are about: the same at every worker.
    var identity: LogIdentity { cache.identity(Partition.everyone) }

    struct Joined {
        var town: Town
        var membership: Membership
        var neighbours: Neighbours
    }

    /// - Parameter failed: the process is to end.
    func join(
        at url: String, _ opener: PartitionOpener, _ zones: ZoneDatabase, _ log: RunLog,
        failed: @escaping @Sendable (Failure) -> Void
    ) -> Joined {
        let neighbours = Neighbours(bearer: options.bearer)
        let crier = Crier(tellOthers: { neighbours.tell(through: $0, $1) }, failed: failed)
        let town = Town(directory, [], crier)
        let membership = Membership(
            options.log, cache, of: cluster.id, at: url, options.terms, town, crier, neighbours, log,
            Membership.Surroundings(
                open: { (holding, lease) throws(Failure) in try opener.open(holding, lease, town, crier) },
                preparation: Preparation(options.log, cache, of: cluster.id, zones, log),
                failed: failed))
        return Joined(town: town, membership: membership, neighbours: neighbours)
    }
}
