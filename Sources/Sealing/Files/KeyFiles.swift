internal import Journal

/// What the files of the keys are called, and how they are replaced.
public enum KeyFile {
    /// Everybody's keys.
    public static let keys = "keys"
    /// What opens them, under the master key.
    public static let table = "keys.table"
    /// The master key that the program makes for itself where it is given none.
    public static let master = "master.key"
    static let draftSuffix = ".tmp"
}

extension Disk {
    /// Puts these bytes at `path`, its owner's alone, so that a crash at any moment leaves the old file or the new one. When
    /// it returns the new one is durable, and the old one's bytes are written over.
    func replacePrivately(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let old = try openToForget(path)
        defer { if let old { close(old) } }
        let draft = path + KeyFile.draftSuffix
        try createDurably(draft, bytes)
        try rename(draft, to: path)
        try syncDirectory(DiskPath.parent(of: path))
        if let old { forget(old) }
    }

    /// A new file with these bytes, which are durable; its name is not yet.
    private func createDurably(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let file = try createPrivately(path)
        defer { close(file) }
        try writeAll(file, bytes, at: 0)
        try syncData(file)
    }

    /// A new and empty file, its owner's alone. What lies there was left by a crash, or planted.
    func createPrivately(_ path: String) throws(DiskError) -> DiskFile {
        do throws(DiskError) { return try open(path, .createPrivate) } catch  where error.isAlreadyThere {
            try remove(path)
            return try open(path, .createPrivate)
        }
    }

    /// What a crash left of a file that was being replaced: it may hold a key, so it does not stay.
    func removeDraft(of path: String) throws(DiskError) {
        let draft = path + KeyFile.draftSuffix
        guard try status(of: draft) != nil else { return }
        try remove(draft)
        try syncDirectory(DiskPath.parent(of: path))
    }

    private func openToForget(_ path: String) throws(DiskError) -> DiskFile? {
        do throws(DiskError) { return try open(path, .write) } catch  where error.isNotFound { return nil }
    }

    /// Writes zeros over a file that has lost its name. It proves nothing on a disk that writes elsewhere what it writes
    /// again, but on others nobody will undelete it; so it is no failure where it fails. A backup that is a second name of
    /// the same file is left alone.
    private func forget(_ file: DiskFile) {
        do throws(DiskError) {
            guard try status(of: file).names == 0 else { return }
            try writeAll(file, [UInt8](repeating: 0, count: try size(of: file)), at: 0)
            try syncData(file)
        } catch {}
    }
}
