#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A socket's address in the kernel's form.
struct SocketAddress: Sendable {
    static let unixFamily = AF_UNIX

    let family: Int32
    private let bytes: [UInt8]

    /// A path of the file system; `nil` when it is longer than such an address can hold (107 bytes on Linux).
    init?(path: String) {
        var address = sockaddr_un()
        let utf8 = Array(path.utf8)
        guard utf8.count < MemoryLayout.size(ofValue: address.sun_path), !utf8.isEmpty else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: utf8) }
        family = AF_UNIX
        bytes = withUnsafeBytes(of: &address) { Array($0) }
    }

    private init(_ info: addrinfo) {
        family = info.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
    }

    /// The addresses a host's name stands for, in the system's order; what is wrong with it where there are none.
    static func resolving(_ host: String, port: Int) -> (addresses: [SocketAddress], problem: String) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICSERV
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        guard code == 0 else { return ([], String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let info = next {
            addresses.append(SocketAddress(info.pointee))
            next = info.pointee.ai_next
        }
        return (addresses, "")
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // Copied into storage that is aligned for every family.
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
        }
    }
}
