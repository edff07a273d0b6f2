import Shared

/// Snapshots that are small enough to be had in memory.
extension SharedLogConnection {
    func putSnapshot(
        _ sort: SnapshotSort, of partition: Int, epoch: Int64, at position: UInt64, bytes: [UInt8]
    ) throws(SharedLogError) -> Bool {
        let snapshot = SharedSnapshot(
            sort, at: position, epoch: epoch, parts: SharedSnapshot.parts(of: bytes.count))
        for part in 0..<snapshot.parts {
            let piece = bytes.dropFirst(part * SharedSnapshot.partBytes).prefix(SharedSnapshot.partBytes)
            guard try putSnapshotPart(part, of: snapshot, in: partition, bytes: Array(piece)) else { return false }
        }
        return true
    }

    /// The bytes of the newest that is whole.
    func newestSnapshot(_ sort: SnapshotSort, of partition: Int) throws(SharedLogError) -> [UInt8]? {
        guard let newest = try snapshots(sort, of: partition).first else { return nil }
        var bytes: [UInt8] = []
        for part in 0..<newest.parts {
            guard let piece = try snapshotPart(part, of: newest, in: partition) else { return nil }
            bytes += piece
        }
        return bytes
    }
}
