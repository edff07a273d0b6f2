/// Held by the one who takes snapshots beside a writer: two at once would write the same drafts.
public final class SnapshotLock {
    private let disk: any Disk
    private let file: DiskFile

    /// `nil` while somebody else takes one. Given back with the last reference, or when the process dies.
    public init?(_ directory: String, on disk: any Disk) throws(JournalError) {
        try LogDirectory.check(directory, on: disk)
        // Else whose log it is could not replace what is left here.
        if let status = try onDisk({ () throws(DiskError) in try disk.status(of: directory) }), !status.isMine {
            throw .notMine(directory: directory, owner: status.owner)
        }
        let file = try onDisk { () throws(DiskError) in
            try disk.open(DiskPath.join(directory, LogFile.snapshotLock), .createOrOpen)
        }
        let isOurs: Bool
        do throws(DiskError) { isOurs = try disk.lock(file) } catch {
            disk.close(file)
            throw .disk(error)
        }
        guard isOurs else {
            disk.close(file)
            return nil
        }
        self.disk = disk
        self.file = file
    }

    deinit { disk.close(file) }
}
