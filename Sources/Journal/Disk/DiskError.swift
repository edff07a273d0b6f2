/// Why the disk did not do what it was asked: the verb, the path and the system's own code.
public struct DiskError: Error, Equatable, Sendable {
    /// The verbs of `Disk`, in the words of a message.
    public enum Operation: String, Sendable {
        case open
        case size = "measure"
        case read
        case write
        case syncData = "sync"
        case truncate
        case syncDirectory = "sync directory"
        case rename
        case remove
        case list
        case makeDirectory = "make directory"
        case status = "look at"
        case freeSpace = "find the free space of"
        case lock
        case find
    }

    public let operation: Operation
    public let path: String
    /// The `errno` of the system call; see `ErrorCode`.
    public let code: Int32

    public init(_ operation: Operation, _ path: String, _ code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }
}

extension DiskError {
    /// No room on the disk, or in the user's quota.
    public var isOutOfSpace: Bool { code == ErrorCode.noSpace || code == ErrorCode.quotaExceeded }

    /// The process, or the whole machine, has as many files open as it may.
    var isOutOfDescriptors: Bool { code == ErrorCode.tooManyFiles || code == ErrorCode.tooManyFilesOnMachine }

    public var isNotFound: Bool { code == ErrorCode.notFound }

    public var isAlreadyThere: Bool { code == ErrorCode.alreadyThere }

    /// The file system does not know this verb, as some of those in user space do not know the sync of a directory.
    public var isNotSupported: Bool { code == ErrorCode.invalid || code == ErrorCode.notSupported }

    /// The user may not do this, or the file system is mounted to be read only.
    public var isNotAllowed: Bool {
        code == ErrorCode.accessDenied || code == ErrorCode.notPermitted || code == ErrorCode.readOnly
    }
}

extension DiskError {
    /// What whoever runs the program can do about it.
    public var advice: String {
        if isOutOfSpace { return "Make room there, then try again" }
        if code == ErrorCode.tooLarge { return "Raise the limit on the size of files (`ulimit -f`), then try again" }
        if isOutOfDescriptors { return "Raise the limit on open files (`ulimit -n`), then try again" }
        if code == ErrorCode.symbolicLink {
            return "It is a symbolic link, and none is followed inside a log's directory: put the file itself there"
        }
        if operation == .open, code == ErrorCode.noSuchDevice {
            return "It is no regular file: move away what lies there"
        }
        if code == ErrorCode.noKey {
            return
                "What the log says of people is sealed, and its keys are not open here: no snapshot is written in the clear"
        }
        if isNotAllowed { return "Look at its owner, its permissions and how its disk is mounted" }
        return "Look at the directory that --data names, and at the disk (`belfry doctor`)"
    }
}

extension DiskError: CustomStringConvertible {
    public var description: String {
        "cannot \(operation.rawValue) \(path): \(ErrorCode.message(code)) (\(ErrorCode.name(code)))"
    }
}
