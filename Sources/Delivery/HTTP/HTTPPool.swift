/// Whoever makes calls on a thread of its own.
protocol CallPool: Sendable {
    func ask(_ call: HTTPCall, reply: @escaping HTTPPool.Reply)
    func stop(_ done: @escaping @Sendable () -> Void)
}

/// Asks many servers at once, on a thread of its own. Connections are kept for the next call.
///
/// Every call is answered exactly once, on that thread: a slow callback delays all the others.
/// The calls under way and those that wait are bounded; the rest are refused (`busy`), on the caller's thread.
/// A pool lives until it is stopped. The process must ignore SIGPIPE.
public final class HTTPPool: CallPool {
    public typealias Reply = @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void

    private let pool: CurlPool<HTTPCall>

    /// - Parameter connectionsMax: how many connections carry the calls; `nil` for one each.
    public convenience init(concurrency: Int, waitingMax: Int, connectionsMax: Int? = nil) {
        self.init(
            PoolShape(
                concurrency: concurrency, waitingMax: waitingMax, connectionsMax: connectionsMax ?? concurrency))
    }

    init(_ shape: PoolShape) { pool = CurlPool(shape) }

    public func ask(_ call: HTTPCall, reply: @escaping Reply) { pool.ask(call, reply: reply) }

    /// Gives up what is under way (`cancelled`), ends the thread and closes the connections; `done` is called when all
    /// that is over.
    public func stop(_ done: @escaping @Sendable () -> Void) { pool.stop(done) }
}
