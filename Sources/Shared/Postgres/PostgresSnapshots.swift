/// Snapshots beside the log, so that a new machine starts without a replay.
extension PostgresSession {
    func putSnapshotPart(
        _ part: Int, of snapshot: SharedSnapshot, in partition: Int, bytes: [UInt8]
    ) throws(SharedLogError) -> Bool {
        let parameters: [Parameter] = [
            .int4(partition), .int8(snapshot.epoch), .int2(snapshot.sort.rawValue), .position(snapshot.position),
            .int4(part), .int4(snapshot.parts), .bytea(bytes),
        ]
        return try change(.putPart, parameters) { $0.count == 1 }
    }

    func snapshots(_ sort: SnapshotSort, of partition: Int) throws(SharedLogError) -> [SharedSnapshot] {
        try read(.snapshots, [.int4(partition), .int2(sort.rawValue)]) { answer throws(SharedLogError) in
            var found: [SharedSnapshot] = []
            for row in 0..<answer.count {
                found.append(
                    SharedSnapshot(
                        sort, at: try answer.position(row, 0), epoch: try answer.number(row, 1),
                        parts: Int(try answer.number(row, 2))))
            }
            return found
        }
    }

    func snapshotPart(
        _ part: Int, of snapshot: SharedSnapshot, in partition: Int
    ) throws(SharedLogError) -> [UInt8]? {
        let parameters: [Parameter] = [
            .int4(partition), .int2(snapshot.sort.rawValue), .position(snapshot.position), .int8(snapshot.epoch),
            .int4(part), .int4(snapshot.parts),
        ]
        return try read(.part, parameters) { $0.count == 1 ? $0.bytes(0, 0) : nil }
    }

    func pruneSnapshots(
        _ sort: SnapshotSort, of partition: Int, epoch: Int64, keeping: [SharedSnapshot]
    ) throws(SharedLogError) -> Int? {
        let parameters: [Parameter] = [
            .int4(partition), .int8(epoch), .int2(sort.rawValue), .int8s(keeping.map { Int64($0.position) }),
            .int8s(keeping.map(\.epoch)), .int4(SharedSnapshot.partsPruned),
        ]
        return try change(.prune, parameters) { answer throws(SharedLogError) in
            try answer.number(0, 0) == 0 ? nil : Int(try answer.number(0, 1))
        }
    }
}
