import Journal

/// A file beside the log that says that somebody is being erased: whoever finds it writes the snapshots anew. It says nothing else.
///
/// What spool directories hold of them needs no mark: each start asks the log (`Openings.clear`).
struct ErasureMark {
    private let path: String
    private let disk: any Disk

    init(in directory: String, on disk: any Disk) {
        path = DiskPath.join(directory, LogFile.erasing)
        self.disk = disk
    }

    func make() throws(DiskError) { try disk.writeAtomically(path, []) }

    var isThere: Bool { ((try? disk.status(of: path)) ?? nil) != nil }

    /// To be called when nothing is left to be done.
    func remove() throws(DiskError) {
        guard try disk.status(of: path) != nil else { return }
        try disk.remove(path)
        try disk.syncDirectory(DiskPath.parent(of: path))
    }
}
