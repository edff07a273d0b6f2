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

    /// A name that nobody had, with which the partitions are shared out evenly.
    static func name(_ shared: any SharedLog, _ cluster: ClusterID) throws(SharedLogError) -> WorkerID {
        let connection = try shared.connect(ConnectionTerms(cluster: cluster))
        defer { connection.close() }
        let view = try connection.view()
        let names = (0..<namesDrawn).map { _ in WorkerID.random() }
        return Rendezvous.fairest(of: names, beside: view.staying.map(\.id), partitions: view.partitions.map(\.number))
            ?? names[0]
    }

    private static let namesDrawn = 32

    func end() {
        lease.end()
        if isKnown { heartbeat.stop() }
    }
}
