internal import CivilTime

/// How a sender asks its provider: a pool of its own, with few connections.
struct ProviderClient: Sendable {
    typealias Reply = @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void

    let pool: any CallPool
    let route: HTTPCall.Route
    let patience: HTTPCall.Patience

    static let usualPatience = HTTPCall.Patience(connectMs: 5000, totalMs: 10_000)
    /// Providers limit connections, and carry many calls over one.
    static let connectionsMax = 2

    /// - Parameters:
    ///   - calls: that a lane has under way.
    ///   - lanes: that ask, each a server of its own: none is refused because others have filled the pool (`N5`).
    init(route: HTTPCall.Route, calls: Int, lanes: Int = 1, connectionsMax: Int, patience: HTTPCall.Patience) {
        // One that is asked anew at once takes a place of its own, behind those under way.
        let shape = PoolShape(concurrency: calls, waitingMax: lanes * calls, connectionsMax: connectionsMax)
        pool = route.connections == .shared ? SharedPool(shape) : HTTPPool(shape)
        self.route = route
        self.patience = patience
    }

    /// Asks, and once more at once where the connection was lost under the call: a server that goes away (GOAWAY) takes
    /// the calls with it that had just begun. That is no failure and uses up no try.
    ///
    /// - Parameters:
    ///   - mayRepeat: whether asking twice does no harm.
    ///   - mustBePublic: in place of what the route says.
    ///   - deadline: until when it may be asked; `nil` for whenever.
    func ask(
        _ request: ProviderRequest, mayRepeat: Bool, mustBePublic: Bool? = nil, by deadline: Deadline? = nil,
        reply: @escaping Reply
    ) {
        var call = request.call(patience: patience)
        call.route = route
        call.deadline = deadline
        if let mustBePublic { call.route.mustBePublic = mustBePublic }
        ask(call, mayRepeat: mayRepeat, reply: reply)
    }

    private func ask(_ call: HTTPCall, mayRepeat: Bool, reply: @escaping Reply) {
        pool.ask(call) { result in
            guard mayRepeat, case .failure(let failure) = result, failure.isConnectionLost else { return reply(result) }
            self.ask(call, mayRepeat: false, reply: reply)
        }
    }
}

extension Order {
    /// `too_late`, if its time has passed: tokens take their time, so it is asked when there is one. Connections do too, which
    /// is what a `Deadline` is for.
    func objection(at now: Instant) -> SenderVerdict? { notAfter.map { now > $0 } ?? false ? .tooLate : nil }
}
