internal import CMicrohttpd
internal import Dispatch
internal import Synchronization

/// Serves HTTP/1.1 on one listening socket, with libmicrohttpd.
///
/// One thread of the library's moves the bytes of all connections and never waits: bodies are put together up to a limit,
/// a request that is whole is handed to the handler on a queue, and its connection put aside until the reply. A client
/// that is slow, stuck or greedy runs into `HTTPLimits` by itself and costs the others nothing.
public final class HTTPServer: Sendable {
    public enum Problem: Error, CustomStringConvertible {
        case cannotStart(code: Int32)

        public var description: String {
            switch self {
            case .cannotStart(let code): "the HTTP server cannot start: \(SocketCall.reason(code))"
            }
        }
    }

    private let socket: ListeningSocket
    private let reception: Reception
    /// The address of the library's daemon, until it is stopped.
    private let running: Mutex<UInt?>

    /// Serves from now on. Where the socket listens, it says itself.
    ///
    /// - Parameter clock: by which limits of time are kept, other than that on idling, which is the library's.
    public init(
        on socket: ListeningSocket, limits: HTTPLimits, clock: @escaping @Sendable () -> SuspendingClock.Instant,
        handler: HTTPHandler
    ) throws(Problem) {
        let reception = Reception(limits: limits, clock: clock, handler: handler)
        self.socket = socket
        self.reception = reception
        // The library closes what it is given; the socket stays its owner's.
        let descriptor = socket.duplicate()
        guard descriptor >= 0 else { throw .cannotStart(code: -descriptor) }
        let context = Unmanaged.passRetained(reception)
        let daemon = belfry_http_start(
            descriptor, UInt32(limits.connectionsMax), limits.connectionBytesMax, UInt32(limits.idleSeconds),
            requestArrived, requestContinues, requestCompleted, connectionChanged, context.toOpaque())
        guard let daemon else {
            let code = SocketCall.lastError
            context.release()
            throw .cannotStart(code: code)
        }
        running = Mutex(UInt(bitPattern: daemon))
    }

    deinit { stop(within: .zero) }

    /// Stops for good: takes no further connection and no further request, lets those that have begun be answered for
    /// as long as `patience` lasts, tells the rest that the worker stops, and closes the socket.
    ///
    /// Blocks that long, so it is called from a thread that may wait. Calling it again does nothing.
    public func stop(within patience: Duration) {
        let daemon = running.withLock { running -> UInt? in
            defer { running = nil }
            return running
        }
        guard let daemon = daemon.flatMap({ OpaquePointer(bitPattern: $0) }) else { return }
        reception.withLedger { $0.isStopping = true }
        let descriptor = MHD_quiesce_daemon(daemon)
        socket.close()
        _ = reception.inFlight.wait(timeout: .now() + patience.inSeconds)
        for exchange in reception.withLedger({ $0.close() }) { exchange.stop() }
        // Who has an answer now gets a moment to take it.
        _ = reception.inFlight.wait(timeout: .now() + .milliseconds(patience > .zero ? 500 : 0))
        // A reply that is being given right now has not yet let go of its connection.
        reception.suspended.wait()
        MHD_stop_daemon(daemon)
        if descriptor >= 0 { SocketCall.close(descriptor) }
        Unmanaged.passUnretained(reception).release()
    }

    /// Ends what has taken too long. Happens by itself every `lookInterval` of real time; whoever sets the clock calls it.
    public func look() { reception.look() }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
