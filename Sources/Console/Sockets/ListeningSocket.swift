internal import Synchronization

/// A socket that listens: on a path, for those whom the directory's permissions let in, or on a TCP port.
///
/// A port is listened on before the worker opens its log, so that one that is taken is said at once. A path lies in the
/// log's directory, and is listened on by whoever holds the log.
public final class ListeningSocket: Sendable {
    /// What was made in the file system, to be taken away again, and only if it still is what was made.
    private struct Name: Sendable {
        let path: String
        let identity: SocketCall.FileIdentity
    }

    /// The port that TCP clients connect to; `nil` for a Unix socket.
    public let port: Int?
    /// For people: a path, or `127.0.0.1:8080`.
    public let address: String
    private let name: Name?
    /// `nil` once it is closed.
    private let descriptor: Mutex<Int32?>

    private init(descriptor: Int32, port: Int?, address: String, name: Name?) {
        self.descriptor = Mutex(descriptor)
        self.port = port
        self.address = address
        self.name = name
    }

    deinit { close() }

    /// Nobody can connect from here on, and the name in the file system is gone.
    public func close() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let open else { return }
        if let name, SocketCall.identity(of: name.path) == name.identity { _ = SocketCall.remove(name.path) }
        // For those too who have a descriptor of their own. Who has connected and was never accepted hears of it when
        // the last descriptor is closed.
        SocketCall.stopListening(open)
        SocketCall.close(open)
    }

    /// A descriptor of the caller's own; the negated `errno` where there is none to be had.
    func duplicate() -> Int32 {
        descriptor.withLock { $0.map { SocketCall.duplicate($0) } ?? -SocketCall.badDescriptor }
    }
}

// MARK: Unix

extension ListeningSocket {
    /// Listens on a path, readable and writable by its owner alone.
    ///
    /// A socket that nobody answers on is left over from a worker that died, and is taken over. The caller holds the lock
    /// of the data directory: whoever answers is another program, and is named.
    public static func unix(_ path: String) throws(ListeningProblem) -> ListeningSocket {
        let descriptor = SocketCall.open(UnixPath.family)
        guard descriptor >= 0 else { throw .system(what: "open a Unix socket", code: -descriptor) }
        do throws(ListeningProblem) {
            try bind(descriptor, to: path)
            let code = SocketCall.listen(descriptor)
            guard code >= 0 else { throw .system(what: "listen on \(path)", code: -code) }
            guard let identity = SocketCall.identity(of: path) else {
                throw .system(what: "find \(path) again", code: SocketCall.notFound)
            }
            return ListeningSocket(
                descriptor: descriptor, port: nil, address: path, name: Name(path: path, identity: identity))
        } catch {
            SocketCall.close(descriptor)
            throw error
        }
    }

    private static func bind(_ descriptor: Int32, to path: String) throws(ListeningProblem) {
        let place = try UnixPath(path)
        SocketCall.forOwnerOnly(descriptor)
        var code = SocketCall.bind(descriptor, place.address)
        if code == -SocketCall.inUse {
            try removeLeftOver(at: place)
            code = SocketCall.bind(descriptor, place.address)
        }
        guard code >= 0 else { throw .system(what: "make the socket \(path)", code: -code) }
        let answer = SocketCall.forOwnerOnly(path: path)
        guard answer >= 0 else { throw .system(what: "set the permissions of \(path)", code: -answer) }
    }

    private static func removeLeftOver(at place: borrowing UnixPath) throws(ListeningProblem) {
        let path = place.path
        guard SocketCall.identity(of: path)?.isSocket == true else { throw .notASocket(path: path) }
        let probe = SocketCall.open(UnixPath.family)
        guard probe >= 0 else { throw .system(what: "open a Unix socket", code: -probe) }
        defer { SocketCall.close(probe) }
        let code = SocketCall.connect(probe, place.address)
        guard code == -SocketCall.refused || code == -SocketCall.notFound else {
            // Connected, or nobody had time for us: it is alive either way.
            guard code >= 0 || code == -SocketCall.tryAgain else {
                throw .system(what: "find out who answers on \(path)", code: -code)
            }
            let process = code >= 0 ? SocketCall.peerProcess(probe) : nil
            throw .answered(path: path, by: process.map { SocketHolder(process: $0) })
        }
        _ = SocketCall.remove(path)
    }
}

// MARK: TCP

extension ListeningSocket {
    /// Listens on a port. Whoever comes that way must show a token (`Bearer`).
    public static func tcp(_ wanted: ListenAddress) throws(ListeningProblem) -> ListeningSocket {
        let (addresses, reason) = SocketAddress.resolving(wanted.host, port: wanted.port)
        guard let address = addresses.first else { throw .unknownHost(wanted.host, reason: reason) }
        let descriptor = SocketCall.open(address.family)
        guard descriptor >= 0 else { throw .system(what: "open a TCP socket", code: -descriptor) }
        do throws(ListeningProblem) {
            SocketCall.reuseAddress(descriptor)
            var code = SocketCall.bind(descriptor, address)
            if code >= 0 { code = SocketCall.listen(descriptor) }
            guard code != -SocketCall.inUse else {
                throw .taken(wanted, by: SocketHolder(listeningOn: wanted.port))
            }
            guard code >= 0 else { throw .system(what: "listen on \(wanted)", code: -code) }
            let port = SocketCall.port(of: descriptor)
            return ListeningSocket(
                descriptor: descriptor, port: port, address: "\(ListenAddress(host: wanted.host, port: port))",
                name: nil)
        } catch {
            SocketCall.close(descriptor)
            throw error
        }
    }
}
