/// Why a socket could not be listened on, and what to do about it.
public enum ListeningProblem: Error, Equatable, CustomStringConvertible {
    /// Somebody listens there; who, if the system lets us see it.
    case taken(ListenAddress, by: SocketHolder?)
    case unknownHost(String, reason: String)
    /// Another program answers on the Unix socket.
    case answered(path: String, by: SocketHolder?)
    /// Something else has the socket's name.
    case notASocket(path: String)
    case pathTooLong(path: String, bytesMax: Int)
    case system(what: String, code: Int32)

    public var description: String {
        switch self {
        case .taken(let address, let holder):
            "port \(address.port) on \(address.host) is taken by \(Self.named(holder)). Stop it, or choose another "
                + "port\(Self.advice(holder, address.port))"
        case .unknownHost(let host, let reason):
            "cannot listen on \"\(host)\": \(reason). Name an address of this machine"
        case .answered(let path, let holder):
            "\(path) is answered by \(Self.named(holder)). Stop it, then try again"
        case .notASocket(let path): "\(path) is in the way: it is no socket. Move it away, then try again"
        case .pathTooLong(let path, let bytesMax):
            "\(path) is too long for the name of a socket (\(bytesMax) bytes). Choose a data directory with a shorter path"
        case .system(let what, let code): "cannot \(what): \(SocketCall.reason(code))\(Self.advice(code))"
        }
    }

    private static func named(_ holder: SocketHolder?) -> String {
        holder.map { "\($0)" } ?? "a process that this user may not see"
    }

    private static func advice(_ holder: SocketHolder?, _ port: Int) -> String {
        holder == nil ? " (`sudo ss -ltnp 'sport = :\(port)'` shows which it is)" : ""
    }

    private static func advice(_ code: Int32) -> String {
        switch code {
        case SocketCall.accessDenied: ". This user may not; ports below 1024 are often reserved"
        case SocketCall.noSuchAddress: ". Name an address that this machine has"
        default: ""
        }
    }
}
