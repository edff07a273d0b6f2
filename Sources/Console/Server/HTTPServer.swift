internal import Dispatch
internal import Queueing
internal import Synchronization

/// Serves HTTP/1.1 on one listening socket.
///
/// One thread moves the bytes of all connections and never waits: heads are read strictly (`HeadReader`), bodies put together
/// up to a limit, a request that is whole is handed to the handler, and its connection left alone until the reply. A client
/// that is slow, stuck or greedy runs into `HTTPLimits` by itself and costs the others nothing (`G11`).
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
    private let thread: Lane
    private let hasEnded = DispatchSemaphore(value: 0)
    private let isStopped = Mutex(false)

    /// Serves from now on. Where the socket listens, it says itself.
    ///
    /// - Parameter streams: who goes on with answers that come in pieces; it is its owner's to stop.
    public init(
        on socket: ListeningSocket, limits: HTTPLimits, clocks: HTTPClocks, streams: StreamServer? = nil,
        handler: HTTPHandler
    ) throws(Problem) {
        // The loop closes what it is given; the socket stays its owner's.
        let descriptor = socket.duplicate()
        guard descriptor >= 0 else { throw .cannotStart(code: -descriptor) }
        guard let mailbox = Mailbox() else {
            let code = SocketCall.lastError
            SocketCall.close(descriptor)
            throw .cannotStart(code: code)
        }
        self.socket = socket
        reception = Reception(limits: limits, clocks: clocks, handler: handler, mailbox: mailbox, streams: streams)
        thread = Lane("belfry.http", threads: 1, waitingMax: 1)
        let loop = ServerLoop(listener: descriptor, reception)
        _ = thread.take { [hasEnded] in
            loop.run()
            hasEnded.signal()
        }
    }

    deinit { stop(within: .zero) }

    /// Stops for good: takes no further connection and no further request, lets those that have begun be answered for
    /// as long as `patience` lasts, tells the rest that the worker stops, and closes the socket.
    ///
    /// Blocks that long, so it is called from a thread that may wait. Calling it again does nothing.
    public func stop(within patience: Duration) {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        reception.withLedger { ledger, _ in ledger.isStopping = true }
        reception.mailbox.post(.stopListening)
        socket.close()
        _ = reception.inFlight.wait(timeout: .now() + patience.inSeconds)
        for exchange in reception.withLedger({ ledger, _ in ledger.close() }) { exchange.stop() }
        // Who has an answer now gets a moment to take it.
        _ = reception.inFlight.wait(timeout: .now() + .milliseconds(patience > .zero ? 500 : 0))
        reception.mailbox.post(.end)
        hasEnded.wait()
    }

    /// Ends what has taken too long. Happens by itself every `lookInterval` of real time; whoever sets the clock calls it.
    public func look() { reception.mailbox.post(.look) }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
