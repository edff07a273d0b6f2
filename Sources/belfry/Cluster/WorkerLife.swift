import Shared

/// A life of this worker as the database knows it: each has an id of its own.
struct WorkerLife {
    let lease: Lease
    let heartbeat: Heartbeat
    var assignment: Assignment
    /// Whether the database was told of it.
    var isKnown = false
    /// The partitions that it has had and never gave away.
    var had: Set<Int> = []

    init(of worker: WorkerID, _ terms: LeaseTerms, _ shared: any SharedLog, of cluster: ClusterID, _ town: Town) {
        lease = Lease(of: worker, terms, clock: { .current })
        heartbeat = Heartbeat(
            of: lease, askQueue: { town.whenEveryQueueHasTurned($0) },
            connect: { () throws(SharedLogError) in
                try shared.connect(ConnectionTerms(worker: worker, cluster: cluster))
            })
        assignment = Assignment(for: worker, lifetime: terms.lifetime)
    }

    func end() { if isKnown { heartbeat.stop() } }
}
