#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The directory of a tz database, and every system call made to read it.
struct ZoneDirectory: Sendable {
    let path: String

    /// The bytes of a regular file; the system's error code where it cannot be had.
    func contents(of name: String) throws(FileError) -> [UInt8] {
        // Not blocking: a name might lead to a pipe.
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(code: ENOENT) }
        guard status.st_size <= Self.largestFile else { throw FileError(code: EFBIG) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(code: errno) }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes.prefix(filled))
    }

    /// The names of all zones below the directory, sorted.
    func zoneNames() -> [String] {
        var names: [String] = []
        collect(below: "", depth: 0, into: &names)
        return names.sorted()
    }

    private func collect(below prefix: String, depth: Int, into names: inout [String]) {
        guard depth < Self.deepest, let stream = opendir("\(path)/\(prefix)") else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = prefix + Self.name(of: entry)
            guard ZoneName(name) != nil else { continue }
            var status = stat()
            guard stat("\(path)/\(name)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                collect(below: name + "/", depth: depth + 1, into: &names)
            } else if status.st_mode & S_IFMT == S_IFREG, beginsLikeZone(name) {
                names.append(name)
            }
        }
    }

    private func beginsLikeZone(_ name: String) -> Bool {
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var magic: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
        let count = withUnsafeMutableBytes(of: &magic) { read(descriptor, $0.baseAddress!, 4) }
        return count == 4 && magic == (0x54, 0x5A, 0x69, 0x66)
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                String(cString: $0)
            }
        }
    }

    /// Far beyond any zone there is; the largest has 4 KB.
    private static let largestFile = 1 << 20
    /// `America/Argentina/Buenos_Aires` is three deep; a loop of links ends here.
    private static let deepest = 4
}

/// What the system answered instead of a file.
struct FileError: Error, Equatable {
    let code: Int32

    /// Whether there is no such file, rather than one that cannot be read.
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR || code == EISDIR }
}
