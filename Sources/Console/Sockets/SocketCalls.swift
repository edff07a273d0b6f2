// The only file of the console that imports the C library; what differs between platforms differs here.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The calls on sockets as a kernel answers them: 0 or more, or the negated `errno`.
enum SocketCall {
    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let unlessClosed = Int32(MSG_NOSIGNAL)
        private static let unlessItWaits = Int32(MSG_DONTWAIT)
    #else
        private static let stream = SOCK_STREAM
        private static let unlessClosed = MSG_NOSIGNAL
        private static let unlessItWaits = MSG_DONTWAIT
    #endif

    static let inUse = EADDRINUSE
    static let refused = ECONNREFUSED
    static let notFound = ENOENT
    static let accessDenied = EACCES
    static let noSuchAddress = EADDRNOTAVAIL
    static let tryAgain = EAGAIN
    static let badDescriptor = EBADF
    static let interrupted = EINTR
    /// This program, or the machine, has as many descriptors open as it may.
    static let tooManyOpen = [EMFILE, ENFILE]
    /// The connection was given up before it was accepted.
    static let aborted = ECONNABORTED

    static var lastError: Int32 { errno }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// A socket that does not wait and that no other program inherits.
    static func open(_ family: Int32) -> Int32 {
        let descriptor = answer(socket(family, stream, 0))
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return descriptor
    }

    static func openDirectory(_ path: String) -> Int32 {
        #if canImport(Glibc)
            answer(Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        #elseif canImport(Musl)
            answer(Musl.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        #else
            answer(Darwin.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        #endif
    }

    static func duplicate(_ descriptor: Int32) -> Int32 { answer(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    static func listen(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            answer(Glibc.listen(descriptor, 128))
        #elseif canImport(Musl)
            answer(Musl.listen(descriptor, 128))
        #else
            answer(Darwin.listen(descriptor, 128))
        #endif
    }

    static func bind(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        address.withPointer { pointer, length in
            #if canImport(Glibc)
                answer(Glibc.bind(descriptor, pointer, length))
            #elseif canImport(Musl)
                answer(Musl.bind(descriptor, pointer, length))
            #else
                answer(Darwin.bind(descriptor, pointer, length))
            #endif
        }
    }

    static func connect(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        address.withPointer { pointer, length in
            #if canImport(Glibc)
                answer(Glibc.connect(descriptor, pointer, length))
            #elseif canImport(Musl)
                answer(Musl.connect(descriptor, pointer, length))
            #else
                answer(Darwin.connect(descriptor, pointer, length))
            #endif
        }
    }

    /// An address that was used a moment ago may be used again; one that is listened on may not.
    static func reuseAddress(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Nobody can connect any more, whoever else has the socket.
    static func stopListening(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Only its owner is to use the socket that will be made by binding. Linux makes it with the mode of the descriptor,
    /// so that there is no moment in which others could.
    static func forOwnerOnly(_ descriptor: Int32) { fchmod(descriptor, 0o600) }

    static func forOwnerOnly(path: String) -> Int32 { answer(chmod(path, 0o600)) }

    static func remove(_ path: String) -> Int32 { answer(unlink(path)) }

    private static func answer(_ result: Int32) -> Int32 { result < 0 ? -errno : result }
}

// MARK: Connections

extension SocketCall {
    /// The next connection, which does not wait and which no other program inherits, and where it comes from.
    static func accept(_ listening: Int32) -> (descriptor: Int32, origin: Origin?) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                #if canImport(Glibc)
                    answer(Glibc.accept(listening, address, &length))
                #elseif canImport(Musl)
                    answer(Musl.accept(listening, address, &length))
                #else
                    answer(Darwin.accept(listening, address, &length))
                #endif
            }
        }
        guard descriptor >= 0 else { return (descriptor, nil) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        // A small answer is not kept back to be sent together with the next. No such option on a Unix socket: no harm.
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return (descriptor, Origin(storage))
    }

    static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, unlessItWaits)
        return count < 0 ? -Int(errno) : count
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, unlessClosed | unlessItWaits)
        #elseif canImport(Musl)
            let count = Musl.send(descriptor, bytes.baseAddress, bytes.count, unlessClosed | unlessItWaits)
        #else
            let count = Darwin.send(descriptor, bytes.baseAddress, bytes.count, unlessClosed | unlessItWaits)
        #endif
        return count < 0 ? -Int(errno) : count
    }

    /// Sends of three pieces in a row what lies behind the first `start` bytes, without putting them together.
    static func send(_ descriptor: Int32, _ parts: [[UInt8]], from start: Int) -> Int {
        var vectors: [iovec] = []
        var skipped = start
        // The pieces are held by `parts` for as long as this call takes.
        for part in parts {
            let passed = min(skipped, part.count)
            skipped -= passed
            guard part.count > passed else { continue }
            part.withUnsafeBytes { bytes in
                let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                vectors.append(iovec(iov_base: base.map { $0 + passed }, iov_len: bytes.count - passed))
            }
        }
        let count = withExtendedLifetime(parts) {
            vectors.withUnsafeMutableBufferPointer { vectors in
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = .init(vectors.count)
                return sendmsg(descriptor, &message, unlessClosed | unlessItWaits)
            }
        }
        return count < 0 ? -Int(errno) : count
    }

    /// What a stream's client has not read is the system's to keep, and must be little where there are thousands. Who is
    /// gone without a word is found out about.
    static func prepareForStream(_ descriptor: Int32, bufferBytes: Int) {
        var size = Int32(clamping: bufferBytes)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #if !canImport(Darwin)
            for (option, seconds) in [(TCP_KEEPIDLE, Int32(60)), (TCP_KEEPINTVL, 15), (TCP_KEEPCNT, 4)] {
                var seconds = seconds
                setsockopt(descriptor, Int32(IPPROTO_TCP), option, &seconds, socklen_t(MemoryLayout<Int32>.size))
            }
        #endif
    }

    /// Nothing more is sent; what the other side still sends can be read.
    static func finishSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }
}

extension Origin {
    fileprivate init?(_ storage: sockaddr_storage) {
        let bytes = withUnsafeBytes(of: storage) { Array($0) }
        // The address stands behind family and port, in IPv6 behind the flow's label as well.
        switch Int32(storage.ss_family) {
        case AF_INET: self.init(address: Array(bytes[4..<8]))
        case AF_INET6: self.init(address: Array(bytes[8..<24]))
        default: return nil
        }
    }
}

extension SocketCall {
    /// Which file a path leads to, for telling it from another that took its place.
    struct FileIdentity: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64
        let isSocket: Bool
    }

    static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return FileIdentity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), isSocket: status.st_mode & S_IFMT == S_IFSOCK)
    }

    /// Who listens at the other end of a connected Unix socket.
    static func peerProcess(_ descriptor: Int32) -> Int32? {
        #if canImport(Darwin)
            return nil
        #else
            // `struct ucred`, which glibc shows to GNU programs only: process, user, group.
            var credentials: [Int32] = [0, 0, 0]
            var length = socklen_t(3 * MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
            return credentials[0] > 0 ? credentials[0] : nil
        #endif
    }

    /// The port a bound socket has.
    static func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let answer = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard answer == 0 else { return 0 }
        // The port stands at the same place in both families, in the order of the network.
        return withUnsafeBytes(of: &storage) { Int($0[2]) << 8 | Int($0[3]) }
    }
}
