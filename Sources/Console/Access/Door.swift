/// By which way requests come in, which decides how it is found out who asks.
public enum Door: Sendable {
    /// The worker's own socket: whoever may open it is its owner.
    case socket
    /// A port: whoever comes by it has to show who they are.
    case port(Bearer)

    func access(of head: HTTPRequest) -> Access {
        switch self {
        case .socket: .operator(.owner)
        case .port(let bearer):
            bearer.isShown(by: head) ? .operator(Operator(name: "worker", role: .admin)) : .stranger
        }
    }
}
