internal import Synchronization

/// Where a log that is being written lies: whether its path still leads to the directory and the files that are open.
///
/// Files that were deleted, or whose directory was moved away or covered by another mount, still accept writes and
/// syncs from a process that has them open. What is acknowledged then is in no log that anybody will find.
///
/// May be called from any thread: it looks files up by name only.
public final class LogSite: Sendable {
    private let directory: String
    private let disk: any Disk
    private let directoryIdentity: FileIdentity?
    private let held = Mutex<[String: FileIdentity]>([:])

    init(_ directory: String, on disk: any Disk) throws(DiskError) {
        self.directory = directory
        self.disk = disk
        directoryIdentity = try disk.status(of: directory)?.identity
    }

    /// From now on this file is to be found under its name.
    func hold(_ file: DiskFile) throws(DiskError) {
        let identity = try disk.status(of: file).identity
        held.withLock { $0[file.path] = identity }
    }

    /// It may be anywhere from now on.
    func release(_ file: DiskFile) { held.withLock { $0[file.path] = nil } }

    /// Why what is written is not found any more where the log is looked for; `nil` where all is in its place.
    public func displacement() -> JournalError? {
        if let problem = problem(with: directory, directoryIdentity, "directory") { return problem }
        let held = held.withLock { $0 }
        for (path, identity) in held.sorted(by: { $0.key < $1.key }) {
            if let problem = problem(with: path, identity, "file") { return problem }
        }
        return nil
    }

    private func problem(with path: String, _ identity: FileIdentity?, _ what: String) -> JournalError? {
        do throws(DiskError) {
            guard let status = try disk.status(of: path) else { return .displaced("\(path) is not there any more") }
            return status.identity == identity
                ? nil : .displaced("\(path) is another \(what) than the one that was opened")
        } catch {
            return .displaced("\(error)")
        }
    }
}
