/// Who lives, and who owns what.
extension PostgresSession {
    func register(_ worker: WorkerID, at url: String, for lease: Duration) throws(SharedLogError) {
        let parameters: [Parameter] = [.uuid(worker), .text(url), .int8(lease.wholeMilliseconds)]
        guard try change(.register, parameters, { $0.count == 1 }) else { throw .workerKnown(worker) }
    }

    func renew(_ worker: WorkerID, for lease: Duration) throws(SharedLogError) -> Bool {
        try change(.renew, [.uuid(worker), .int8(lease.wholeMilliseconds)]) { $0.count == 1 }
    }

    func announceLeaving(_ worker: WorkerID) throws(SharedLogError) -> Bool {
        try change(.announce, [.uuid(worker)]) { $0.count == 1 }
    }

    func leave(_ worker: WorkerID) throws(SharedLogError) {
        try change(.leave, [.uuid(worker)]) { _ in }
    }

    func bury(deadFor time: Duration) throws(SharedLogError) -> Int {
        try change(.bury, [.int8(time.wholeMilliseconds)]) { $0.count }
    }

    func acquire(_ partition: Int, for worker: WorkerID, seen epoch: Int64) throws(SharedLogError) -> Acquisition {
        do throws(SharedLogError) {
            return try change(.acquire, [.int4(partition), .uuid(worker), .int8(epoch)]) {
                answer throws(SharedLogError) in
                answer.count == 1 ? .acquired(epoch: try answer.number(0, 0)) : .refused
            }
        } catch .busy {
            return .busy
        }
    }

    func terminateLeftovers(by me: WorkerID, sparing: [Int32]) throws(SharedLogError) -> Int {
        try read(.terminate, [.uuid(me), .int4s(sparing.map(Int.init))]) { answer throws(SharedLogError) in
            (0..<answer.count).count { answer.bool($0, 0) }
        }
    }

    func handOver(_ partition: Int, epoch: Int64, to worker: WorkerID) throws(SharedLogError) -> Bool {
        try change(.handOver, [.int4(partition), .int8(epoch), .uuid(worker)]) { $0.count == 1 }
    }

    func concede(_ partition: Int, epoch: Int64) throws(SharedLogError) -> Bool {
        try change(.concede, [.int4(partition), .int8(epoch)]) { $0.count == 1 }
    }

    func view() throws(SharedLogError) -> ClusterView {
        let partitions = try read(.partitions, []) { answer throws(SharedLogError) in
            var partitions: [PartitionState] = []
            for row in 0..<answer.count {
                partitions.append(
                    PartitionState(
                        number: Int(try answer.number(row, 0)), epoch: try answer.number(row, 1),
                        owner: answer.identity(row, 2), since: try answer.number(row, 3)))
            }
            return partitions
        }
        // After the partitions, so that whoever is an owner there and lives is among them.
        return try read(.workers, []) { answer throws(SharedLogError) in
            var view = ClusterView(now: try answer.number(0, 3), partitions: partitions, workers: [])
            for row in 0..<answer.count where !answer.isNull(row, 0) {
                guard let id: WorkerID = answer.identity(row, 0) else {
                    throw .unintelligible("a worker without an id")
                }
                view.workers.append(
                    WorkerState(
                        id: id, url: answer.text(row, 1), aliveUntil: try answer.number(row, 2),
                        isLeaving: answer.bool(row, 4)))
            }
            return view
        }
    }
}
