#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process that holds a socket we wanted, as far as the system lets us see.
public struct SocketHolder: Sendable, Equatable, CustomStringConvertible {
    public let process: Int32
    /// What the process is called; `nil` where that cannot be read.
    public let name: String?

    init(process: Int32) {
        self.process = process
        name = Self.contents(of: "/proc/\(process)/comm").map { text in
            String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
        }
    }

    public var description: String { name.map { "process \(process) (\($0))" } ?? "process \(process)" }

    /// Who listens on a TCP port. The kernel's tables tell the socket's inode, and the process that has it open can be
    /// seen by its own user and by root.
    init?(listeningOn port: Int) {
        let inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { Self.listeners(on: port, in: $0) }
        guard !inodes.isEmpty, let process = Self.process(holding: Set(inodes.map { "socket:[\($0)]" })) else {
            return nil
        }
        self.init(process: process)
    }

    /// Lines such as `0: 0100007F:1F90 00000000:0000 0A …`: number, local, remote, state (0A listens), …, inode.
    private static func listeners(on port: Int, in table: String) -> [Substring] {
        let text = String(decoding: contents(of: table) ?? [], as: UTF8.self)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count > 9, columns[3] == "0A", let digits = columns[1].split(separator: ":").last else {
                return nil
            }
            return Int(digits, radix: 16) == port ? columns[9] : nil
        }
    }

    private static func process(holding sockets: Set<String>) -> Int32? {
        for process in entries(of: "/proc").compactMap({ Int32($0) }) {
            let descriptors = "/proc/\(process)/fd"
            for descriptor in entries(of: descriptors) {
                if let link = link(at: "\(descriptors)/\(descriptor)"), sockets.contains(link) { return process }
            }
        }
        return nil
    }

    private static func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func link(at path: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }

    /// Files of the kernel's say that they are empty, so they are read to the end.
    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }
}
