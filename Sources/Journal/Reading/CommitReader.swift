/// Reads single commits by their position, for whoever follows a pointer.
package struct CommitReader {
    private let disk: any Disk
    private let directory: String

    package init(disk: any Disk, directory: String) {
        self.disk = disk
        self.directory = directory
    }

    /// Gives the commit that begins at `position` to `body`; the bytes are good for as long as that runs.
    package func withCommit<Result>(
        at position: UInt64, _ body: (Frame) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        let log = try LogDirectory(directory, on: disk)
        guard let place = log.segment(holding: position) else {
            throw .damaged(Damage(directory, "no segment holds position \(position)"))
        }
        let segment = log.segments[place]
        let file = try onDisk { () throws(DiskError) in try disk.open(segment.path, .read) }
        defer { disk.close(file) }
        let reader = SegmentReader(
            disk: disk, file: file, firstPosition: segment.header.firstPosition, fileEnd: segment.fileSize,
            bufferSize: 1 << 16)
        reader.seek(to: position)
        guard case .success(let frame)? = try reader.next() else {
            throw .damaged(Damage(segment.path, at: reader.offset, "no whole commit begins at position \(position)"))
        }
        return try body(frame)
    }
}
