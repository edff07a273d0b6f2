/// Finds the newest index that can be believed.
struct IndexLoader {
    let disk: any Disk
    let directory: String

    /// The snapshot's index where it belongs to this log, else an empty one.
    func load(
        _ log: LogDirectory, _ identity: LogIdentity, _ witness: Witness?, keepsFactIDs: Bool,
        through limit: UInt64 = .max
    ) throws(JournalError) -> LogIndex {
        // A snapshot that cannot be read costs time, never the log.
        guard let snapshot = try? SnapshotReader(.index, of: identity, in: directory, on: disk, under: log.seals),
            snapshot.head.position <= limit, try log.isOnChain(snapshot.head, witness),
            let index = try? IndexSnapshot.read(snapshot, identity, keepsFactIDs: keepsFactIDs)
        else { return LogIndex(identity, keepsFactIDs: keepsFactIDs) }
        return index
    }
}

extension LogDirectory {
    /// Whether the log has this very hash at this very place.
    func isOnChain(_ head: LogHead, _ witness: Witness?) throws(JournalError) -> Bool {
        guard head.position <= endPosition else { return false }
        if let witness, witness.position == head.position {
            return witness.hash == head.hash && witness.lastSeq == head.lastSeq
        }
        guard head.position < endPosition, let place = segment(holding: head.position) else { return false }
        let segment = segments[place]
        if segment.header.firstPosition == head.position { return segment.header.head == head }
        let file = try onDisk { () throws(DiskError) in try disk.open(segment.path, .read) }
        defer { disk.close(file) }
        let reader = SegmentReader(
            disk: disk, file: file, firstPosition: segment.header.firstPosition, fileEnd: segment.fileSize,
            bufferSize: 1 << 16)
        reader.seek(to: head.position)
        guard case .frame(let frame)? = try reader.next() else { return false }
        return frame.previousHash == head.hash && frame.firstSeq == head.lastSeq &+ 1 && frame.at >= head.at
    }
}
