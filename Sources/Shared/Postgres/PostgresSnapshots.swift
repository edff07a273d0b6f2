/// Snapshots beside the log, so that a new machine starts without a replay.
extension PostgresSession {
    func putSnapshot(
        _ sort: SnapshotSort, of partition: Int, epoch: Int64, at position: UInt64, bytes: [UInt8]
    ) throws(SharedLogError) -> Bool {
        let parts = SharedSnapshot.parts(of: bytes.count)
        for part in 0..<parts {
            let piece = bytes[min(bytes.count, part * SharedSnapshot.partBytes)...].prefix(SharedSnapshot.partBytes)
            let parameters: [Parameter] = [
                .int4(partition), .int8(epoch), .int2(sort.rawValue), .position(position), .int4(part), .int4(parts),
                .bytea(Array(piece)),
            ]
            guard try change(.putPart, parameters, { $0.count == 1 }) else { return false }
        }
        return true
    }

    func snapshot(
        _ sort: SnapshotSort, of partition: Int, upTo position: UInt64
    ) throws(SharedLogError) -> SharedSnapshot? {
        let key: [Parameter] = [.int4(partition), .int2(sort.rawValue)]
        let head: (UInt64, Int64, Int64)? = try read(.snapshotHead, key + [.position(position)]) {
            answer throws(SharedLogError) in
            guard answer.count == 1 else { return nil }
            return (try answer.position(0, 0), try answer.number(0, 1), try answer.number(0, 2))
        }
        guard let (position, epoch, parts) = head else { return nil }
        return try read(.parts, key + [.position(position), .int8(epoch)]) { answer throws(SharedLogError) in
            // Its owner may have removed it in between.
            guard answer.count == parts else { return nil }
            return SharedSnapshot(
                position: position, epoch: epoch, bytes: (0..<answer.count).flatMap { answer.bytes($0, 0) })
        }
    }

    func pruneSnapshots(
        _ sort: SnapshotSort, of partition: Int, epoch: Int64, before position: UInt64
    ) throws(SharedLogError) -> Int? {
        let parameters: [Parameter] = [.int4(partition), .int8(epoch), .int2(sort.rawValue), .position(position)]
        return try change(.prune, parameters) { answer throws(SharedLogError) in
            try answer.number(0, 0) == 0 ? nil : Int(try answer.number(0, 1))
        }
    }
}
