internal import Shared

/// Who lives and who owns what, in the simulated database.
extension SimulatedSession {
    func register(_ worker: WorkerID, at url: String, for lease: Duration) throws(SharedLogError) {
        let isNew = try send { state throws(SharedLogError) in
            let isNew = state.tables.workers[worker] == nil
            let fresh = WorkerState(id: worker, url: url, aliveUntil: state.now + lease.milliseconds)
            return Effect(answer: isNew) { tables in
                if isNew { tables.workers[worker] = fresh }
            }
        }
        if !isNew { throw .workerKnown(worker) }
    }

    func renew(_ worker: WorkerID, for lease: Duration) throws(SharedLogError) -> Bool {
        try send { state throws(SharedLogError) in
            let until = state.now + lease.milliseconds
            return Effect(answer: state.tables.workers[worker] != nil) { $0.workers[worker]?.aliveUntil = until }
        }
    }

    func announceLeaving(_ worker: WorkerID) throws(SharedLogError) -> Bool {
        try send { state throws(SharedLogError) in
            Effect(answer: state.tables.workers[worker] != nil) { $0.workers[worker]?.isLeaving = true }
        }
    }

    func leave(_ worker: WorkerID) throws(SharedLogError) {
        try send { _ throws(SharedLogError) in Effect(answer: ()) { $0.workers[worker] = nil } }
    }

    func bury(deadFor time: Duration) throws(SharedLogError) -> Int {
        try send { state throws(SharedLogError) in
            let dead = state.tables.workers.values.filter { $0.aliveUntil < state.now - time.milliseconds }
            return Effect(answer: dead.count) { tables in
                for worker in dead { tables.workers[worker.id] = nil }
            }
        }
    }

    func acquire(_ partition: Int, for worker: WorkerID, seen epoch: Int64) throws(SharedLogError) -> Acquisition {
        do throws(SharedLogError) {
            return try send { state throws(SharedLogError) in
                guard var row = state.tables.partitions[partition], row.epoch == epoch, state.isAlive(worker),
                    row.owner == worker || !(row.owner.map(state.isAlive) ?? false)
                else { return Effect(answer: .refused) }
                row.epoch += 1
                row.owner = worker
                row.since = state.now
                return Effect(answer: .acquired(epoch: row.epoch), locks: [partition]) { [row] tables in
                    tables.partitions[partition] = row
                }
            }
        } catch .busy {
            return .busy
        }
    }

    func terminateLeftovers(by me: WorkerID, sparing: [Int32]) throws(SharedLogError) -> Int {
        let doomed = try send(changes: false) { state throws(SharedLogError) in
            let doomed = state.hanging.keys.filter { backend in
                guard backend != self.backend, !sparing.contains(backend), let worker = state.sessions[backend]?.worker
                else { return false }
                return worker == me || !state.isAlive(worker)
            }
            return Effect(answer: doomed.sorted())
        }
        for backend in doomed { database.cut(backend: backend) }
        return doomed.count
    }

    func handOver(_ partition: Int, epoch: Int64, to worker: WorkerID) throws(SharedLogError) -> Bool {
        try change(partition, epoch: epoch, owner: worker)
    }

    func concede(_ partition: Int, epoch: Int64) throws(SharedLogError) -> Bool {
        try change(partition, epoch: epoch, owner: nil)
    }

    private func change(_ partition: Int, epoch: Int64, owner: WorkerID?) throws(SharedLogError) -> Bool {
        try send { state throws(SharedLogError) in
            guard var row = state.tables.partitions[partition], row.epoch == epoch, owner.map(state.isAlive) ?? true
            else { return Effect(answer: false) }
            row.epoch += 1
            row.owner = owner
            row.since = state.now
            return Effect(answer: true, locks: [partition]) { [row] tables in tables.partitions[partition] = row }
        }
    }

    func view() throws(SharedLogError) -> ClusterView {
        try send(changes: false) { state throws(SharedLogError) in
            Effect(
                answer: ClusterView(
                    now: state.now, partitions: state.tables.partitions.values.sorted { $0.number < $1.number },
                    workers: state.tables.workers.values.sorted { $0.id < $1.id }))
        }
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
