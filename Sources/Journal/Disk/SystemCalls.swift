// The only file of the journal that imports the C library; what differs between platforms differs here.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file system's calls as a kernel answers them: a result of 0 or more, or the negated `errno`.
///
/// `errno` is read at once after the call, before anything else can set it.
enum SystemCall {
    static func openFile(_ path: String, _ mode: OpenMode) -> Int {
        let flags: Int32 =
            switch mode {
            case .read: O_RDONLY
            case .write: O_RDWR
            case .create, .createPrivate: O_RDWR | O_CREAT | O_EXCL
            case .createOrOpen: O_RDWR | O_CREAT
            }
        // Not to wait matters for a pipe alone, which is refused once it is open.
        let permissions: mode_t = mode == .createPrivate ? 0o600 : 0o640
        return answer(Int(open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, permissions)))
    }

    static func openDirectory(_ path: String) -> Int {
        answer(Int(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    }

    /// Never to be tried again: after EINTR too, Linux has closed the descriptor.
    static func closeFile(_ descriptor: Int32) -> Int { answer(Int(close(descriptor))) }

    static func readBytes(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        answer(pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
    }

    static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        answer(pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)))
    }

    static func syncFileData(_ descriptor: Int32) -> Int {
        #if canImport(Darwin)
            answer(Int(fcntl(descriptor, F_FULLFSYNC)))  // fsync there stops at the drive's cache
        #else
            answer(Int(fdatasync(descriptor)))
        #endif
    }

    static func syncEntries(_ descriptor: Int32) -> Int { answer(Int(fsync(descriptor))) }

    static func resize(_ descriptor: Int32, to size: Int) -> Int { answer(Int(ftruncate(descriptor, off_t(size)))) }

    static func renameFile(_ from: String, to: String) -> Int { answer(Int(rename(from, to))) }

    static func removeFile(_ path: String) -> Int { answer(Int(unlink(path))) }

    static func makeDirectory(_ path: String) -> Int { answer(Int(mkdir(path, 0o750))) }

    static func lockFile(_ descriptor: Int32) -> Int { answer(Int(flock(descriptor, LOCK_EX | LOCK_NB))) }

    private static func answer(_ result: Int) -> Int { result < 0 ? -Int(errno) : result }
}

extension SystemCall {
    /// Calls `found` with what is at the path; 0, or the negated `errno`.
    static func look(at path: String, found: (DiskStatus) -> Void) -> Int {
        var answered = stat()
        let result = answer(Int(stat(path, &answered)))
        if result >= 0 { found(DiskStatus(answered)) }
        return result
    }

    /// Calls `found` with what the open file is; 0, or the negated `errno`.
    static func look(at descriptor: Int32, found: (DiskStatus) -> Void) -> Int {
        var answered = stat()
        let result = answer(Int(fstat(descriptor, &answered)))
        if result >= 0 { found(DiskStatus(answered)) }
        return result
    }

    /// The bytes free for those who are not root, or the negated `errno`.
    static func freeBytes(at path: String) -> Int {
        var answered = statvfs()
        let result = answer(Int(statvfs(path, &answered)))
        guard result >= 0 else { return result }
        let (bytes, overflow) = Int(clamping: answered.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: answered.f_frsize))
        return overflow ? Int.max : bytes
    }

    /// Calls `found` with each name in a directory but "." and ".."; 0, or the negated `errno`.
    static func eachName(in path: String, found: (String) -> Void) -> Int {
        guard let directory = opendir(path) else { return -Int(errno) }
        defer { closedir(directory) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return -Int(ENOSYS) }
        while true {
            errno = 0  // the end and an error both answer null; only errno tells them apart
            guard let entry = readdir(directory) else { return -Int(errno) }
            // Read where it lies: the record may be shorter than the declared 256 bytes of name, so it is not copied.
            let start = UnsafeRawPointer(entry).advanced(by: nameOffset)
            let name = String(cString: start.assumingMemoryBound(to: CChar.self))
            if name != "." && name != ".." { found(name) }
        }
    }
}

extension DiskStatus {
    fileprivate init(_ answered: stat) {
        let kind: Kind =
            switch answered.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFCHR, S_IFBLK: .device
            default: .other
            }
        let owner = UInt32(answered.st_uid)
        self.init(
            kind: kind, owner: owner, size: Int(answered.st_size), isMine: owner == UInt32(geteuid()),
            identity: FileIdentity(device: UInt64(answered.st_dev), node: UInt64(answered.st_ino)),
            names: Int(answered.st_nlink), isWritableByOthers: answered.st_mode & S_IWOTH != 0)
    }
}

/// The system's error codes that the journal, its messages and its tests tell apart.
public enum ErrorCode {
    public static let notPermitted = EPERM
    public static let notFound = ENOENT
    public static let interrupted = EINTR
    public static let inputOutput = EIO
    public static let badFile = EBADF
    public static let accessDenied = EACCES
    public static let alreadyThere = EEXIST
    public static let notADirectory = ENOTDIR
    public static let isADirectory = EISDIR
    public static let invalid = EINVAL
    public static let notSupported = EOPNOTSUPP
    public static let tooLarge = EFBIG
    public static let tooManyFiles = EMFILE
    public static let tooManyFilesOnMachine = ENFILE
    public static let noSpace = ENOSPC
    public static let readOnly = EROFS
    public static let notEmpty = ENOTEMPTY
    public static let quotaExceeded = EDQUOT
    public static let wouldBlock = EWOULDBLOCK
    public static let symbolicLink = ELOOP
    public static let noSuchDevice = ENXIO
    #if os(Linux)
        public static let noKey = ENOKEY
    #else
        public static let noKey = ENOATTR
    #endif

    /// The system's sentence for a code.
    public static func message(_ code: Int32) -> String {
        guard let text = strerror(code) else { return "error" }
        return String(cString: text)
    }

    /// The code's symbol as manuals write it, for what a file system is known to answer.
    public static func name(_ code: Int32) -> String { names[code] ?? "errno \(code)" }

    private static let names: [Int32: String] = [
        EPERM: "EPERM", ENOENT: "ENOENT", EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO", EBADF: "EBADF",
        EAGAIN: "EAGAIN", ENOMEM: "ENOMEM", EACCES: "EACCES", EBUSY: "EBUSY", EEXIST: "EEXIST", EXDEV: "EXDEV",
        ENODEV: "ENODEV", ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EINVAL: "EINVAL", ENFILE: "ENFILE",
        EMFILE: "EMFILE", ETXTBSY: "ETXTBSY", EFBIG: "EFBIG", ENOSPC: "ENOSPC", EROFS: "EROFS", EMLINK: "EMLINK",
        ENAMETOOLONG: "ENAMETOOLONG", ENOLCK: "ENOLCK", ENOSYS: "ENOSYS", ENOTEMPTY: "ENOTEMPTY", ELOOP: "ELOOP",
        EOVERFLOW: "EOVERFLOW", EOPNOTSUPP: "EOPNOTSUPP", ETIMEDOUT: "ETIMEDOUT", ESTALE: "ESTALE",
        EDQUOT: "EDQUOT", ErrorCode.noKey: "ENOKEY",
    ]
}
