/// The lock that makes a second writer impossible, and the file that says who the first one is.
///
/// The witness is locked as well: people remove files called `lock` that they take for forgotten, and two writers would
/// write over each other's commits.
enum WriterLock {
    /// Makes the directory where it is missing, and holds it until the files are closed or the process ends.
    static func take(
        _ directory: String, on disk: any Disk, holder: String, patience: LockPatience = .none
    ) throws(JournalError) -> [DiskFile] {
        try prepare(directory, on: disk)
        while true {
            do throws(JournalError) {
                return try take(directory, on: disk, as: holder)
            } catch {
                guard case .inUse(_, let other) = error, patience.mayTryAgain(other) else { throw error }
            }
        }
    }

    private static func take(
        _ directory: String, on disk: any Disk, as holder: String
    ) throws(JournalError) -> [DiskFile] {
        let lock = try take(LogFile.lock, .createOrOpen, in: directory, on: disk)
        var files = [lock]
        do throws(JournalError) {
            // A log that has none yet gets it from its first writer, who locks it then.
            let witness = DiskPath.join(directory, LogFile.witness)
            if try onDisk({ () throws(DiskError) in try disk.status(of: witness) }) != nil {
                files.append(try take(LogFile.witness, .write, in: directory, on: disk))
            }
            try onDisk { () throws(DiskError) in
                try disk.truncate(lock, to: 0)
                try disk.writeAll(lock, Array(holder.utf8), at: 0)
            }
        } catch {
            for file in files { disk.close(file) }
            throw error
        }
        return files
    }

    private static func take(
        _ name: String, _ mode: OpenMode, in directory: String, on disk: any Disk
    ) throws(JournalError) -> DiskFile {
        let file = try onDisk { () throws(DiskError) in try disk.open(DiskPath.join(directory, name), mode) }
        let isOurs: Bool
        do throws(DiskError) { isOurs = try disk.lock(file) } catch {
            disk.close(file)
            throw .disk(error)
        }
        guard isOurs else {
            disk.close(file)
            throw .inUse(directory: directory, holder: Self.holder(directory, on: disk) ?? "another process")
        }
        return file
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
    ///
    /// - Parameter isOwn: whether the path is the log's own directory, whose name must be durable; of those above it a
    ///   file system that cannot sync directories is put up with.
    private static func syncNames(of path: String, on disk: any Disk, isOwn: Bool = true) throws(JournalError) {
        let parent = DiskPath.parent(of: path)
        if parent == path { return }
        do throws(DiskError) {
            try disk.syncDirectory(parent)
        } catch  where error.isNotAllowed || (!isOwn && error.isNotSupported) {
            // Not ours to read, so it was not made here.
        } catch {
            throw .disk(error)
        }
        try syncNames(of: parent, on: disk, isOwn: false)
    }
}
