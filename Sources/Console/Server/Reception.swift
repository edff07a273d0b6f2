internal import Dispatch
internal import Synchronization

/// What all exchanges of a server share: its limits, its handler, and the ledger they are entered in.
final class Reception: Sendable {
    typealias Ledger = ConnectionLedger<Exchange>

    let limits: HTTPLimits
    let handler: HTTPHandler
    let clock: @Sendable () -> SuspendingClock.Instant
    /// Where requests are answered, so that a large one does not hold up the thread of all connections.
    let work = DispatchQueue(label: "belfry.console.answers", attributes: .concurrent)
    /// Requests from their head to the end of their answer.
    let inFlight = DispatchGroup()
    /// Connections that the library has put aside. It must not be stopped while there are any.
    let suspended = DispatchGroup()
    private let watch = DispatchQueue(label: "belfry.console.watch")
    private let ledger: Mutex<Ledger>
    private let isWatching = Mutex(false)

    init(limits: HTTPLimits, clock: @escaping @Sendable () -> SuspendingClock.Instant, handler: HTTPHandler) {
        self.limits = limits
        self.clock = clock
        self.handler = handler
        ledger = Mutex(Ledger(limits: limits))
    }

    func withLedger<Result: Sendable>(_ body: (inout Ledger) -> Result) -> Result { ledger.withLock { body(&$0) } }

    var isStopping: Bool { withLedger { $0.isStopping } }

    func connect(_ descriptor: Int32) -> UInt {
        let number = withLedger { $0.connect(descriptor, now: clock()) }
        let begins = isWatching.withLock { watching in
            defer { watching = true }
            return !watching
        }
        if begins { lookLater() }
        return number
    }

    /// Ends what has taken too long.
    func look() {
        let abandoned = withLedger { ledger in
            ledger.overdue(now: clock()).compactMap { late -> Exchange? in
                switch late {
                case .giveUp(let exchange): return exchange
                case .cut(let descriptor, let isArriving):
                    // Under the lock, because the library tells of a connection's end, which takes the lock, before it
                    // closes the descriptor: until then the number is still this connection's.
                    SocketCall.cut(descriptor, saying: isArriving ? Self.tooSlow : "")
                    return nil
                }
            }
        }
        for exchange in abandoned { exchange.giveUp() }
    }

    /// Only while someone is connected: a server that nobody talks to wakes nobody.
    private func lookLater() {
        let interval = limits.lookInterval.components
        let nanoseconds = Int(interval.seconds) * 1_000_000_000 + Int(interval.attoseconds / 1_000_000_000)
        watch.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            guard let self else { return }
            look()
            let goesOn = isWatching.withLock { watching in
                watching = !self.withLedger { $0.isEmpty }
                return watching
            }
            if goesOn { lookLater() }
        }
    }

    private static let tooSlow: String = {
        let body = #"{"error":"the request did not come in time"}"#
        let head = [
            "HTTP/1.1 408 Request Timeout", "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
            "Connection: close", "", "",
        ]
        return head.joined(separator: "\r\n") + body
    }()
}
