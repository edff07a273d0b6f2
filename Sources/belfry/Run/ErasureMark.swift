import Journal

/// A file beside the log that says that somebody is being erased: whoever finds it goes on to the end. It says nothing else.
struct ErasureMark {
    private let path: String
    private let disk: any Disk

    init(in directory: String, on disk: any Disk) {
        path = DiskPath.join(directory, LogFile.erasing)
        self.disk = disk
    }

    /// What is still to be done.
    enum Left {
        /// The snapshots beside the log, and then the spools.
        case snapshots
        /// What spool directories hold; only a worker knows which are its own.
        case spools
    }

    private static let spools = Array("spools\n".utf8)

    func make(_ left: Left = .snapshots) throws(DiskError) {
        try disk.writeAtomically(path, left == .spools ? Self.spools : [])
    }

    /// `nil` where nobody is being erased.
    var left: Left? {
        guard let bytes = try? disk.contents(of: path, limit: 64) else { return nil }
        return bytes == Self.spools ? .spools : .snapshots
    }

    var isThere: Bool { left != nil }

    /// To be called when nothing is left to be done.
    func remove() throws(DiskError) {
        guard try disk.status(of: path) != nil else { return }
        try disk.remove(path)
        try disk.syncDirectory(DiskPath.parent(of: path))
    }
}
