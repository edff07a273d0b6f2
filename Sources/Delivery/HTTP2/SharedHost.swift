internal import Queueing

/// One place that calls go to: its connections, and what waits for them. Belongs to its pool's thread.
final class SharedHost {
    let place: SharedPlace
    var waiting = WaitingLine<SharedCall>()
    var connections: [SharedConnection] = []
    var opening: Opening?
    /// Until when it is taken for one that speaks no HTTP/2.
    var plainUntil: ContinuousClock.Instant?

    /// Providers limit connections, and carry many calls over one.
    private static let connectionsMax = 2

    init(_ place: SharedPlace) { self.place = place }

    var underWay: Int { connections.reduce(0) { $0 + $1.underWay.count } }

    /// Whether one more connection is of use: what there is has no room, and it is known of each how much it has.
    var mayOpen: Bool {
        let staying = connections.filter { !$0.isLeaving }
        return opening == nil && staying.count < Self.connectionsMax && staying.allSatisfy { !$0.isNew && $0.room == 0 }
    }

    static func hasWaitedLonger(_ one: SharedHost, _ other: SharedHost) -> Bool {
        guard let first = one.waiting.first, let second = other.waiting.first else { return one.waiting.first != nil }
        return first.due < second.due
    }

    func isPlain(at now: ContinuousClock.Instant) -> Bool { plainUntil.map { now < $0 } ?? false }

    /// Those that have waited as long as they may, and were told so.
    func dropAnswered() { while waiting.first?.isAnswered == true { _ = waiting.popFirst() } }

    /// Whether nothing of it is worth keeping.
    var isForgotten: Bool { waiting.isEmpty && connections.isEmpty && opening == nil }

    /// There is no way to it, unless calls go on over a connection that there is.
    func failWhereUnreached(_ failure: HTTPFailure) {
        guard connections.allSatisfy(\.isLeaving) else { return }
        while let call = waiting.popFirst() { if call.mayBegin() { call.fail(failure) } }
    }
}
