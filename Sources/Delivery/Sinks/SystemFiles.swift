// The only file of this module that imports the C library; what differs between platforms differs here.
#if os(Linux)
    internal import CDisk
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A call of the system that failed: what was to be done, and the system's own code for why not.
public struct SystemFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public let doing: String
    public let code: Int32

    init(_ doing: String, _ code: Int32) {
        self.doing = doing
        self.code = code
    }

    /// A phrase to follow "cannot" or "could not".
    public var description: String { "\(doing): \(reason)" }

    /// Nobody will ever read the other end.
    var isReaderGone: Bool { code == EPIPE }

    private var reason: String {
        if code == EWOULDBLOCK { return "another process has it" }  // only a lock answers so here
        return strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

/// The file system's calls, tried again where a signal came between.
enum SystemFiles {
    /// An open file, closed when it goes.
    struct Open: ~Copyable {
        let descriptor: Int32

        deinit { _ = systemClose(descriptor) }
    }

    static let standardOutput: Int32 = STDOUT_FILENO

    /// A new file. What lies under its name is removed and not written to: what an earlier try left, or a link that
    /// somebody planted there.
    static func create(_ path: String) throws(SystemFailure) -> Open {
        Open(
            descriptor: try check("create \(path)") {
                let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
                let descriptor = open(path, flags, 0o640)
                guard descriptor < 0, errno == EEXIST else { return descriptor }
                unlink(path)
                return open(path, flags, 0o640)
            })
    }

    /// A new file that is its owner's alone, with this in it. `false` where there is one of this name, which stays as it is.
    ///
    /// It has its name only when all of it is on the disk: after a crash it is whole, or it is not there.
    static func createSecret(_ path: String, _ bytes: [UInt8]) throws(SystemFailure) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return false }
        // Whoever makes one at the same moment has a draft of their own.
        let draft = "\(path).\(getpid()).tmp"
        try writeDraft(draft, bytes, of: path)
        defer { remove(draft) }
        guard try name(draft, path) else { return false }
        remove(draft)
        try syncDirectory(parent(of: path))
        return true
    }

    /// A new file, its owner's alone, whose bytes are durable and whose name is not. What lies there is an earlier try's.
    private static func writeDraft(_ draft: String, _ bytes: [UInt8], of path: String) throws(SystemFailure) {
        remove(draft)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = Open(descriptor: try check("create \(path)") { systemOpen(draft, flags, 0o600) })
        do throws(SystemFailure) {
            let (_, code) = write(bytes, to: file.descriptor)
            guard code == 0 else { throw SystemFailure("write \(path)", code) }
            try sync(file, path)
        } catch {
            remove(draft)
            throw error
        }
    }

    /// Gives a draft its name; `false` where something has that. Not every file system knows a second name for a file.
    private static func name(_ draft: String, _ path: String) throws(SystemFailure) -> Bool {
        if link(draft, path) == 0 { return true }
        switch errno {
        case EEXIST: return false
        case EPERM, ENOTSUP, ENOSYS: try rename(draft, to: path)
        default: throw SystemFailure("create \(path)", errno)
        }
        return true
    }

    /// A file that is there, at whose end is written.
    static func openToAppend(_ path: String) throws(SystemFailure) -> Open {
        Open(descriptor: try check("open \(path)") { systemOpen(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) })
    }

    /// Whether an open file or directory is what lies under a path.
    static func lies(_ file: borrowing Open, at path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(file.descriptor, &own) == 0 && stat(path, &there) == 0 && own.st_dev == there.st_dev
            && own.st_ino == there.st_ino
    }

    /// A file of this content in place of whatever was there: after a crash it is the one or the other.
    static func replace(_ path: String, with bytes: [UInt8]) throws(SystemFailure) {
        let draft = path + ".tmp"
        try writeDraft(draft, bytes, of: path)
        try rename(draft, to: path)
        try syncDirectory(parent(of: path))
    }

    static func cut(_ file: borrowing Open, to size: Int) throws(SystemFailure) {
        let descriptor = file.descriptor
        _ = try check("cut a file") { ftruncate(descriptor, off_t(size)) }
    }

    static func openDirectory(_ path: String) throws(SystemFailure) -> Open {
        Open(descriptor: try check("open \(path)") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    }

    /// Whether files can be put into a directory; `false` where there is none.
    static func mayWrite(into path: String) throws(SystemFailure) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw SystemFailure("look at \(path)", errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemFailure("use \(path)", ENOTDIR) }
        guard faccessat(AT_FDCWD, path, W_OK | X_OK, 0) == 0 else {
            throw SystemFailure("write into \(path)", errno)
        }
        return true
    }

    /// Taken by one process at a time and given back when the file is closed.
    static func lock(_ file: borrowing Open, _ path: String) throws(SystemFailure) {
        let descriptor = file.descriptor
        _ = try check("lock \(path)") { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    static func sync(_ file: borrowing Open, _ path: String) throws(SystemFailure) {
        // Not tried again: after a sync that failed nobody knows what is on the disk.
        if fsync(file.descriptor) != 0 { throw SystemFailure("sync \(path)", errno) }
    }

    /// Whether a file system can be synced as a whole, and says whether that worked.
    static var canSyncTogether: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Everything that was written to the file system of an open file; not tried again either. What failed since the
    /// file was opened is told once.
    static func syncTogether(_ file: borrowing Open, _ path: String) throws(SystemFailure) {
        #if os(Linux)
            if syncfs(file.descriptor) != 0 { throw SystemFailure("sync the disk of \(path)", errno) }
        #else
            preconditionFailure("no such call here")
        #endif
    }

    static func rename(_ from: String, to path: String) throws(SystemFailure) {
        _ = try check("rename a file to \(path)") { systemRename(from, path) }
    }

    static func remove(_ path: String) { unlink(path) }

    /// Makes a directory and those above it; `true` if it was not there.
    static func makeDirectory(_ path: String) throws(SystemFailure) -> Bool {
        if mkdir(path, 0o750) == 0 { return true }
        switch errno {
        case EEXIST:
            return false
        case ENOENT where path.dropLast().contains("/"):
            let above = parent(of: path)
            if try makeDirectory(above) { try syncDirectory(parent(of: above)) }
            _ = try check("make \(path)") { mkdir(path, 0o750) }
            return true
        default:
            throw SystemFailure("make \(path)", errno)
        }
    }

    static func syncDirectory(_ path: String) throws(SystemFailure) {
        try sync(openDirectory(path), path)
    }

    /// The directory that holds a path; "." for a bare name.
    static func parent(of path: String) -> String {
        var parts = path[...]
        while parts.count > 1, parts.last == "/" { parts = parts.dropLast() }
        guard let slash = parts.lastIndex(of: "/") else { return "." }
        return slash == parts.startIndex ? "/" : String(parts[..<slash])
    }

    /// The names in a directory but "." and "..".
    static func names(in path: String) throws(SystemFailure) -> [String] {
        guard let directory = opendir(path) else { throw SystemFailure("list \(path)", errno) }
        defer { closedir(directory) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else {
            preconditionFailure("a directory entry without a name")
        }
        var names: [String] = []
        // The entry's record may be shorter than its type says, so the name is read where it lies.
        while let entry = readdir(directory) {
            let start = UnsafeRawPointer(entry).advanced(by: nameOffset)
            let name = String(cString: start.assumingMemoryBound(to: CChar.self))
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// What a file holds, and whose besides its owner's it is.
    static func read(_ path: String, bytesMax: Int) throws(SystemFailure) -> (bytes: [UInt8], access: Access) {
        let file = Open(descriptor: try check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        let access = try access(to: file, path)
        return (try read(file.descriptor, path, bytesMax: bytesMax), access)
    }

    /// What a file holds, nothing where there is none.
    static func readIfThere(_ path: String, bytesMax: Int) throws(SystemFailure) -> [UInt8] {
        do throws(SystemFailure) { return try read(path, bytesMax: bytesMax).bytes } catch {
            guard error.code == ENOENT else { throw error }
            return []
        }
    }

    private static let notYet = Int.max

    private static func read(_ descriptor: Int32, _ path: String, bytesMax: Int) throws(SystemFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let taken = try check("read \(path)") {
                let taken = bytes.withUnsafeMutableBytes { buffer in
                    systemRead(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                }
                return taken < 0 && errno == EAGAIN ? notYet : taken
            }
            if taken == notYet {
                try awaitMore(descriptor, path)
                continue
            }
            if taken == 0 { break }
            count += taken
        }
        guard count <= bytesMax else { throw SystemFailure("read \(path)", EFBIG) }
        return Array(bytes[..<count])
    }

    /// Who besides its owner may do what with a file.
    struct Access: OptionSet {
        let rawValue: Int

        static let groupReads = Access(rawValue: 0o40)
        static let groupWrites = Access(rawValue: 0o20)
        static let anybodyReads = Access(rawValue: 0o4)
        static let anybodyWrites = Access(rawValue: 0o2)
        /// It is neither this user's nor root's.
        static let isForeign = Access(rawValue: 0o1000)
    }

    /// A pipe is nobody's but its two ends'.
    private static func access(to file: borrowing Open, _ path: String) throws(SystemFailure) -> Access {
        let descriptor = file.descriptor
        var status = stat()
        _ = try check("look at \(path)") { fstat(descriptor, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { return [] }
        let access = Access(rawValue: Int(status.st_mode & 0o66))
        return status.st_uid == geteuid() || status.st_uid == 0 ? access : access.union(.isForeign)
    }

    /// What a file with a secret holds, and whose besides its owner's it is. Symbolic links are followed: what hands secrets
    /// to containers makes them. A pipe is believed, since a shell hands out passwords through one; what nobody writes to is
    /// empty, and what nobody goes on with is waited for a while.
    static func readSecret(_ path: String, bytesMax: Int) throws(SystemFailure) -> (bytes: [UInt8], access: Access) {
        let file = Open(descriptor: try check("open \(path)") { systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
        let access = try access(to: file, path)
        return (try read(file.descriptor, path, bytesMax: bytesMax), access)
    }

    /// Waits until there is more to read, or the end of it.
    private static func awaitMore(_ descriptor: Int32, _ path: String) throws(SystemFailure) {
        var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&one, 1, secretPatienceMs) != 0 else { throw SystemFailure("read \(path)", ETIMEDOUT) }
    }

    private static let secretPatienceMs: Int32 = 5000

    /// The code for "it is not there".
    static let missing: Int32 = ENOENT

    /// The code for "that is not what was meant".
    static let invalid: Int32 = EINVAL

    /// Writes on until all is written, waiting where the other side is slow; says how much was written before a failure.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> (written: Int, code: Int32) {
        bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = systemWrite(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count > 0 {
                    written += count
                } else if count == 0 {
                    return (written, EIO)
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&one, 1, -1)
                } else if errno != EINTR {
                    return (written, errno)
                }
            }
            return (written, 0)
        }
    }

    private static func check<Answer: SignedInteger>(
        _ doing: @autoclosure () -> String, _ call: () -> Answer
    ) throws(SystemFailure) -> Answer {
        while true {
            let answer = call()
            if answer >= 0 { return answer }
            let code = errno
            if code != EINTR { throw SystemFailure(doing(), code) }
        }
    }
}

// Under other names, because `SystemFiles` has verbs of these names itself.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
