/// The lock file that makes a second writer impossible, and says who the first one is.
enum WriterLock {
    /// Makes the directory where it is missing, and holds it until the file is closed or the process ends.
    static func take(_ directory: String, on disk: any Disk, holder: String) throws(JournalError) -> DiskFile {
        try prepare(directory, on: disk)
        let path = DiskPath.join(directory, LogFile.lock)
        let file = try onDisk { () throws(DiskError) in try disk.open(path, .createOrOpen) }
        let isOurs: Bool
        do throws(DiskError) { isOurs = try disk.lock(file) } catch {
            disk.close(file)
            throw .disk(error)
        }
        guard isOurs else {
            disk.close(file)
            throw .inUse(directory: directory, holder: Self.holder(directory, on: disk) ?? "another process")
        }
        do throws(DiskError) {
            try disk.truncate(file, to: 0)
            try disk.writeAll(file, Array(holder.utf8), at: 0)
            return file
        } catch {
            disk.close(file)
            throw .disk(error)
        }
    }

    /// What the present writer says of itself.
    static func holder(_ directory: String, on disk: any Disk) -> String? {
        guard let bytes = try? disk.contents(of: DiskPath.join(directory, LogFile.lock), limit: 4096), !bytes.isEmpty
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func prepare(_ directory: String, on disk: any Disk) throws(JournalError) {
        try make(directory, on: disk)
        guard let status = try onDisk({ () throws(DiskError) in try disk.status(of: directory) }) else {
            throw .noLog(directory: directory)
        }
        guard status.kind == .directory else { throw .notALog(directory: directory, found: "it is a file") }
        guard status.isMine else { throw .notMine(directory: directory, owner: status.owner) }
        // Before the lock file is left in a directory that is not a log.
        if try LogDirectory(directory, on: disk).isEmpty { try syncNames(of: directory, on: disk) }
    }

    private static func make(_ path: String, on disk: any Disk) throws(JournalError) {
        guard try onDisk({ () throws(DiskError) in try disk.status(of: path) }) == nil else { return }
        let parent = DiskPath.parent(of: path)
        if parent != path { try make(parent, on: disk) }
        try onDisk { () throws(DiskError) in try disk.makeDirectory(path) }
    }

    /// Makes durable the names of the directory and of those above it. They are made durable for every log that has
    /// nothing yet, since whoever made them may have died before they were.
    private static func syncNames(of path: String, on disk: any Disk) throws(JournalError) {
        let parent = DiskPath.parent(of: path)
        if parent == path { return }
        do throws(DiskError) {
            try disk.syncDirectory(parent)
        } catch  where error.isNotAllowed {
            // Not ours to read, so it was not made here.
        } catch {
            throw .disk(error)
        }
        try syncNames(of: parent, on: disk)
    }
}
