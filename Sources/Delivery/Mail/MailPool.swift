internal import Queueing
internal import Synchronization

/// Hands many mails to a relay at once, each over a connection and a thread of its own.
///
/// libcurl waits for a relay's last word about a mail, and for its answer to a farewell, on the thread that performs the transfer
/// (`smtp_done`, up to 8.9 at least): in one pool a relay that thinks about one mail would keep all others. Lanes are opened as
/// they are needed, and the one that was free last is used first, so that few connections are kept.
final class MailPool: Sendable {
    typealias Reply = CurlPool<MailCall>.Reply
    private typealias Lane = CurlPool<MailCall>

    private struct Asked {
        var call: MailCall
        var reply: Reply
    }

    private struct State {
        var lanes: [Lane] = []
        var free: [Lane] = []
        var waiting = WaitingLine<Asked>()
        var isStopping = false
    }

    private enum Place {
        case lane(Lane)
        case waits
        case refused(HTTPFailure)
    }

    private let calls: Int
    private let state = Mutex(State())

    /// Each takes a thread, for as long as the pool lives.
    static let callsMax = 64

    /// - Parameter calls: at most so many at once, and as many waiting behind them.
    init(calls: Int) { self.calls = min(calls, Self.callsMax) }

    func ask(_ call: MailCall, reply: @escaping Reply) {
        let asked = Asked(call: call, reply: reply)
        switch place(for: asked) {
        case .lane(let lane): give(asked, to: lane)
        case .waits: break
        case .refused(let failure): reply(.failure(failure))
        }
    }

    private func place(for asked: Asked) -> Place {
        state.withLock { state in
            guard !state.isStopping else { return .refused(Self.stopping) }
            if let lane = state.free.popLast() { return .lane(lane) }
            if state.lanes.count < calls {
                let lane = Lane(PoolShape(concurrency: 1, waitingMax: 1, connectionsMax: 1))
                state.lanes.append(lane)
                return .lane(lane)
            }
            guard state.waiting.count < calls else { return .refused(HTTPFailure(.busy, "\(2 * calls) calls")) }
            state.waiting.append(asked)
            return .waits
        }
    }

    private func give(_ asked: Asked, to lane: Lane) {
        lane.ask(asked.call) { [self] result in
            goOn(with: lane)
            asked.reply(result)
        }
    }

    private func goOn(with lane: Lane) {
        let next: Asked? = state.withLock { state in
            if let next = state.waiting.popFirst() { return next }
            if !state.isStopping { state.free.append(lane) }
            return nil
        }
        if let next { give(next, to: lane) }
    }

    /// Gives up what waits and what is under way; `done` is called when all is answered and the connections are closed.
    func stop(_ done: @escaping @Sendable () -> Void) {
        let (lanes, waiting) = state.withLock { state in
            state.isStopping = true
            var waiting: [Asked] = []
            while let asked = state.waiting.popFirst() { waiting.append(asked) }
            state.free = []
            return (state.lanes, waiting)
        }
        for asked in waiting { asked.reply(.failure(Self.stopping)) }
        let left = Countdown(lanes.count, done)
        for lane in lanes { lane.stop { left.one() } }
    }

    private static let stopping = HTTPFailure(.cancelled, "stopping")
}
