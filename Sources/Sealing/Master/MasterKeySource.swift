internal import Journal

/// Where the master key comes from.
///
/// One that is given (a file, a command) is never written by the program: whoever gave it would give the old one again after
/// a restart, and nothing could be opened any more. One that the program makes for itself it also replaces.
public struct MasterKeySource: Sendable {
    enum Kind: Sendable {
        case given(@Sendable () throws(MasterKeyError) -> [UInt8])
        case own
    }

    let kind: Kind
    /// How sentences name it.
    public let name: String

    /// Made by the program, beside the log.
    public static let own = MasterKeySource(kind: .own, name: KeyFile.master)

    /// `--master-key-file`. Whose files are believed is for the caller to say.
    ///
    /// - Parameter contents: reads the file; an error's description is a phrase that says why it cannot.
    public static func file(_ path: String, contents: @escaping @Sendable () throws -> [UInt8]) -> MasterKeySource {
        let read: @Sendable () throws(MasterKeyError) -> [UInt8] = { () throws(MasterKeyError) in
            do { return try contents() } catch { throw .unreadable(source: path, problem: "\(error)") }
        }
        return MasterKeySource(kind: .given(read), name: path)
    }

    /// `--master-key-command`: what a line of the shell prints.
    ///
    /// - Parameter patienceMs: how long it may take.
    public static func command(_ line: String, patienceMs: Int = 30_000) -> MasterKeySource {
        let name = "the command `\(line)`"
        let read: @Sendable () throws(MasterKeyError) -> [UInt8] = { () throws(MasterKeyError) in
            do throws(CommandFailure) {
                return try ShellCommand(line).output(bytesMax: MasterKeys.textBytesMax, patienceMs: patienceMs)
            } catch { throw .unreadable(source: name, problem: "\(error)") }
        }
        return MasterKeySource(kind: .given(read), name: name)
    }
}

/// The master key that the program keeps beside the log.
struct OwnMasterKey {
    let path: String
    let disk: any Disk

    init(in directory: String, on disk: any Disk) {
        path = DiskPath.join(directory, KeyFile.master)
        self.disk = disk
    }

    func read() throws(KeyRingError) -> MasterKeys {
        let status = try onDisk { () throws(DiskError) in try disk.status(of: path) }
        guard let status else { throw .missing(file: path) }
        guard !status.isWritableByOthers else {
            let howTo = "every user may write it; `chmod 600 \(path)` keeps it to its owner"
            throw .master(.unreadable(source: path, problem: howTo))
        }
        let bytes = try onDisk { () throws(DiskError) in
            try disk.contents(of: path, limit: MasterKeys.textBytesMax)
        }
        do throws(MasterKeyError) { return try MasterKeys(bytes, from: path) } catch { throw .master(error) }
    }

    /// From now on it holds these, the newest first, durably.
    func write(_ keys: [MasterKey]) throws(DiskError) {
        try disk.replacePrivately(path, keys.flatMap(\.line))
    }
}
