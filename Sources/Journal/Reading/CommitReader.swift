/// Reads single commits by their position, for whoever follows a pointer.
struct CommitReader {
    private let log: LogDirectory

    init(_ log: LogDirectory) { self.log = log }

    /// Gives the commit that begins at `position` to `body`; the bytes are good for as long as that runs.
    func withCommit<Result>(
        at position: UInt64, _ body: (Frame) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        guard let place = log.segment(holding: position) else {
            throw .damaged(Damage(log.path, "no segment holds position \(position)"))
        }
        let segment = log.segments[place]
        let file = try onDisk { () throws(DiskError) in try log.disk.open(segment.path, .read) }
        defer { log.disk.close(file) }
        let reader = SegmentReader(
            disk: log.disk, file: file, firstPosition: segment.header.firstPosition, fileEnd: segment.fileSize,
            bufferSize: 1 << 14)
        reader.seek(to: position)
        guard case .success(let frame)? = try reader.next() else {
            throw .damaged(Damage(segment.path, at: reader.offset, "no whole commit begins at position \(position)"))
        }
        return try body(frame)
    }
}
