import CivilTime
import Delivery
import Foundation
import Journal
import Notices
import Sealing
import Shared
import Synchronization
import Worker

/// A worker on its way into a cluster: the cluster was found, and this machine's copy of it.
struct Joining {
    let options: ClusterOptions
    let cluster: Cluster
    let cache: ClusterCache
    /// `nil` where its logs have no seals.
    let keys: ClusterKeys?
    let neighbours: Neighbours
    /// That which opens its logs.
    let world: World

    init(_ options: ClusterOptions, _ all: RunOptions, _ world: World) throws(Failure) {
        self.options = options
        cluster = try options.cluster()
        let keys = cluster.isSealed ? ClusterKeys(options.log, of: cluster.id) : nil
        self.keys = keys
        neighbours = Neighbours(bearer: options.bearer)
        self.world =
            try keys.map { (keys) throws(Failure) in try world.withKeys(keys, database: options.word) }
            ?? world.withoutKeys
        cache = ClusterCache(
            try DataDirectory.copy(all.directory, of: cluster, on: world.disk), of: cluster.id, on: self.world.disk,
            keys: keys)
        try expectMasterKey()
    }

    /// Before any other worker hears of this one: the log of everyone, which is begun first, is opened by the key that was given.
    private func expectMasterKey() throws(Failure) {
        guard let keys, let master = world.master else { return }
        do {
            let identity = try keys.identity(Partition.everyone) ?? cache.newIdentity(Partition.everyone)
            try KeyRing.expectOpen(keys.tables(of: Partition.everyone), of: identity, on: world.disk, master: master)
        } catch let error as KeyTablesError {
            throw Failure(.environment, error.words)
        } catch {
            throw Failure(.environment, "\(error)")
        }
    }

    var directory: DataDirectory { cache.directory }
    /// What persons' tokens are about: the same at every worker.
    var identity: LogIdentity { cache.newIdentity(Partition.everyone) }

    /// Has old tables of keys dropped a while after somebody was erased.
    func oldKeySweep(_ log: RunLog) -> OldKeySweep? {
        keys.map { keys in
            let isTold = Mutex(false)
            return OldKeySweep {
                let isGone = keys.dropOldTables()
                let wasTold = isTold.withLock { isTold in
                    defer { isTold = !isGone }
                    return isTold
                }
                if !isGone, !wasTold { log.warning("somebody who was erased is still in \(Eraser.oldVersions)") }
                if isGone, wasTold {
                    log.info("the table of keys as it was before is gone from the database's file of it")
                }
                return isGone
            }
        }
    }

    /// Tells the other workers whom retention has erased here.
    func tellingOfLeavers(_ log: RunLog) -> RetentionDesk.TellOthers {
        let news = LeaverNews(
            others: { [neighbours] in neighbours.others },
            send: { [neighbours] in neighbours.erase($0, at: $1, $2) },
            unreached: { url in
                log.warning(
                    "a worker could not be told whom retention erased; it will end the tokens of all persons",
                    ("url", url))
            })
        return { [keys] people, partition in
            news.tell(people, of: partition, erased: keys?.erased(people.count, in: partition))
        }
    }

    struct Joined {
        var town: Town
        var membership: Membership
    }

    /// - Parameter failed: the process is to end.
    func join(
        at url: String, _ opener: PartitionOpener, _ zones: ZoneDatabase, _ log: RunLog,
        _ surroundings: OthersErasures.Surroundings, _ deliveries: Departures.Deliveries,
        failed: @escaping @Sendable (Failure) -> Void
    ) -> Joined {
        let crier = Crier(tellOthers: { [neighbours] in neighbours.tell(through: $0, $1) }, failed: failed)
        let town = Town(directory, [], crier)
        let beginning = Beginning.standard(zones)
        let fetched = FetchedState(cache: cache, beginning: beginning, log: log)
        let preparation = Preparation(options.log, cache, of: cluster.id, fetched, zones, log)
        let erasures = keys.map { _ in
            OthersErasures(surroundings, cache, log) { [cache, shared = options.log, cluster] in
                guard let connection = try? shared.connect(ConnectionTerms(cluster: cluster.id)) else { return nil }
                return { partition in
                    guard town.log(partition) != nil || preparation.catchUp(partition, connection) else { return nil }
                    return cache.forgotten(in: partition)
                }
            }
        }
        let revocations = MissedRevocations(
            surroundings.persons, log,
            ask: { [neighbours] other, revoked, reply in
                neighbours.revoked(at: other, for: url, telling: revoked, reply)
            },
            wake: { [neighbours] in neighbours.wantLook(isAtOnce: $0) })
        let membership = Membership(
            options.log, cache, of: cluster.id, at: url, options.terms, town, crier, neighbours, log,
            Membership.Surroundings(
                open: { (holding, lease) throws(MembershipProblem) in try opener.open(holding, lease, town, crier) },
                preparation: preparation, fetched: fetched,
                statesForOthers: StatesForOthers(options.log, cache, of: cluster.id, beginning, log),
                deliveries: deliveries, revocations: revocations,
                erasures: erasures, failed: failed))
        return Joined(town: town, membership: membership)
    }
}
