/// Held by the one who takes snapshots beside a writer: two at once would write the same drafts.
public final class SnapshotLock {
    private let directory: String
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
        self.directory = directory
        self.disk = disk
        self.file = file
    }

    /// Removes the drafts of whoever was killed while they had this lock: they tell of people who may have been erased since.
    public func removeLeftovers() throws(JournalError) {
        try onDisk { () throws(DiskError) in
            let left = try disk.list(directory).filter { LogFile.isDraftBesideWriter($0) || $0 == LogFile.erasing }
            for name in left { try disk.remove(DiskPath.join(directory, name)) }
            if !left.isEmpty { try disk.syncDirectory(directory) }
        }
    }

    deinit { disk.close(file) }
}
