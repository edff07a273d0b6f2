/// The one door to the file system: the journal makes every system call for files here.
///
/// There are two implementations, the real disk and the simulated one of the tests, which loses power, fills up
/// and fails. The verbs promise no more than POSIX does. In particular nothing is durable until it is synced, and
/// a file has two things to sync: its bytes (`syncData`) and its name (`syncDirectory` of its parent).
///
/// A failed sync must never be tried again: the kernel may have marked the lost pages clean, and the second call
/// would report a success that never reached the disk (SPEC G4).
public protocol Disk: Sendable {
    /// Who keeps the keys of the logs on it; `nil` where logs are begun without seals, and sealed fields stay closed.
    var keys: (any KeyKeeper)? { get }

    /// Opens a regular file. A file made here has a durable name only after `syncDirectory` of its parent.
    ///
    /// The last name of the path is never followed where it is a symbolic link, and a pipe or a socket is refused: who
    /// can plant a name in the directory must not lead a writer elsewhere, nor make a reader wait.
    func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile

    /// Ends the use of a file and releases its lock. Syncs nothing. Closing twice is a programming error.
    func close(_ file: DiskFile)

    /// The length in bytes, unsynced writes included.
    func size(of file: DiskFile) throws(DiskError) -> Int

    /// May read fewer bytes than asked; 0 at the end of the file.
    func read(_ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int

    /// May write fewer bytes than asked, never 0 for a non-empty buffer. Writing past the end leaves zeros between.
    func write(_ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int

    /// Returns when the bytes and the length of the file are durable (`fdatasync`). Says nothing of its name.
    func syncData(_ file: DiskFile) throws(DiskError)

    /// Sets the length; a longer file ends in zeros. Not durable until synced.
    func truncate(_ file: DiskFile, to size: Int) throws(DiskError)

    /// Returns when what was created, renamed and removed in this directory is durable.
    func syncDirectory(_ path: String) throws(DiskError)

    /// Gives a file another name, replacing a file of that name in one step: readers see the one or the other.
    func rename(_ from: String, to: String) throws(DiskError)

    /// Removes a file's name. Those who have it open may go on reading.
    func remove(_ path: String) throws(DiskError)

    /// The names in a directory, without "." and "..", sorted; complete, or an error.
    func list(_ path: String) throws(DiskError) -> [String]

    /// Makes one level of directory, readable by owner and group. A directory that is there already is fine.
    func makeDirectory(_ path: String) throws(DiskError)

    /// What is at a path, links followed; `nil` when nothing is there.
    func status(of path: String) throws(DiskError) -> DiskStatus?

    /// What an open file is, wherever its name has got to.
    func status(of file: DiskFile) throws(DiskError) -> DiskStatus

    /// The bytes an ordinary user may still write to the file system that holds this path.
    func freeSpace(at path: String) throws(DiskError) -> Int

    /// Takes the exclusive lock without waiting; false when another process or another handle holds it.
    ///
    /// Held until the file is closed or the process dies, whichever way it dies.
    func lock(_ file: DiskFile) throws(DiskError) -> Bool
}

/// What a file is opened for.
public enum OpenMode: Sendable {
    /// To read; it must exist.
    case read
    /// To read and write; it must exist.
    case write
    /// To read and write; it must not exist.
    case create
    /// To read and write; it must not exist, and is its owner's alone: it holds secrets.
    case createPrivate
    /// To read and write; made when it does not exist.
    case createOrOpen
}

/// An open file. Only the disk that opened it knows what to do with it.
public struct DiskFile: Sendable, Hashable {
    public let descriptor: Int32
    public let path: String

    public init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// What there is at a path.
public struct DiskStatus: Sendable, Equatable {
    public enum Kind: Sendable {
        case file, directory, device, other
    }

    public let kind: Kind
    /// The user id of the owner.
    public let owner: UInt32
    public let size: Int
    /// Whether the owner is the user this process acts as.
    public let isMine: Bool
    /// Tells a file or directory from another that took its name.
    public let identity: FileIdentity
    /// How many names it has; a file that was removed has none.
    public let names: Int
    /// Whether users other than its owner and its group may write it.
    public let isWritableByOthers: Bool

    public init(
        kind: Kind, owner: UInt32, size: Int, isMine: Bool, identity: FileIdentity, names: Int,
        isWritableByOthers: Bool
    ) {
        self.kind = kind
        self.owner = owner
        self.size = size
        self.isMine = isMine
        self.identity = identity
        self.names = names
        self.isWritableByOthers = isWritableByOthers
    }
}

/// Which file it is, among all of this machine.
public struct FileIdentity: Sendable, Equatable {
    public let device: UInt64
    public let node: UInt64

    public init(device: UInt64, node: UInt64) {
        self.device = device
        self.node = node
    }
}

extension Disk {
    public var keys: (any KeyKeeper)? { nil }
}
