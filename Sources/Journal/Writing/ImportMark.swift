/// The mark of a log that is made of a history and does not hold all of it yet.
///
/// What an import leaves that was cut off is a whole log by itself, and whoever decided on it would not know what came later:
/// that somebody opted out, or left. So it is nobody's to go on with.
struct ImportMark {
    private let directory: String
    private let disk: any Disk
    private let path: String

    init(_ directory: String, on disk: any Disk) {
        (self.directory, self.disk) = (directory, disk)
        path = DiskPath.join(directory, LogFile.importing)
    }

    /// To be asked by whoever has the log's lock, so that no import runs meanwhile. An import begins with setting it, where the log
    /// holds nothing.
    func admit(_ options: JournalOptions) throws(JournalError) {
        let isMarked = try isThere()
        let isEmpty = try LogDirectory(directory, on: disk).endPosition == 0
        guard options.isImport, isEmpty else {
            guard isMarked else { return }
            // An import that took nothing has left nothing half.
            guard isEmpty else { throw .halfImported(directory: directory) }
            return try remove()
        }
        if isMarked { return }
        try onDisk { () throws(DiskError) in
            try disk.writeAtomically(path, Array("an import runs, or was cut off\n".utf8))
        }
    }

    func isThere() throws(JournalError) -> Bool {
        try onDisk { () throws(DiskError) in try disk.status(of: path) != nil }
    }

    func remove() throws(JournalError) {
        guard try isThere() else { return }
        try onDisk { () throws(DiskError) in
            try disk.remove(path)
            try disk.syncDirectory(directory)
        }
    }
}

extension Journal {
    /// Says that the log holds all of the history that it is made of: from now on it is a log as any. All of it is durable by then.
    public func endImport() throws(JournalError) {
        precondition(!hasUnwritten, "an import has ended that is not durable")
        try ImportMark(directory, on: disk).remove()
    }
}

extension LogReader {
    /// Whether an import into it runs, or was cut off.
    public func isHalfImported() throws(JournalError) -> Bool { try ImportMark(directory, on: disk).isThere() }
}
