public import CivilTime
internal import Synchronization

/// Sends codes for phones (`N9`). One that was surely not taken is tried again as jobs are, for as long as it is good; one that
/// may have been taken is not, since the person can ask for another.
public final class CodeDesk: Sendable {
    public typealias Answer = @Sendable (SenderVerdict) -> Void
    public typealias Send =
        @Sendable (_ code: String, _ phone: String, _ goodForSeconds: Int, _ answer: @escaping Answer) -> Void
    /// Has an errand done when the sender has room for it.
    public typealias LineUp = @Sendable (Errand) -> Void
    public typealias Later = @Sendable (_ milliseconds: Int64, _ then: @escaping @Sendable () -> Void) -> Void

    private struct Order: Sendable {
        var code: String
        var to: Addressee
        var request: UInt64
        var end: Instant
        /// Whether the log that asked for it is surely here.
        var isOurs: @Sendable () -> Bool
    }

    private let clock: @Sendable () -> Instant
    private let later: Later
    private let lineUp: LineUp
    private let send: Send
    /// Who is sent a code, and where. Others may ask for one to the same number, which says nothing of this one.
    private struct Addressee: Hashable {
        var user: String
        var phone: String
    }

    /// The request that each is being sent a code for: an older code is good for nothing.
    private let newest = Mutex<[Addressee: UInt64]>([:])

    private static let goodForMinutes: Int64 = 10

    public init(
        clock: @escaping @Sendable () -> Instant, later: @escaping Later, lineUp: @escaping LineUp,
        send: @escaping Send
    ) {
        (self.clock, self.later, self.lineUp, self.send) = (clock, later, lineUp, send)
    }

    /// Answers once, when it was taken or is given up.
    ///
    /// - Parameters:
    ///   - request: the number of the event that asked for the code.
    ///   - isOurs: asked at its turn. A worker that was frozen may have lost the log meanwhile, and with it the person (`E1`, `M2`).
    public func send(
        _ code: String, to phone: String, of user: String, request: UInt64,
        while isOurs: @escaping @Sendable () -> Bool = { true }, answer: @escaping Answer
    ) {
        let to = Addressee(user: user, phone: phone)
        newest.withLock { $0[to] = request }
        let end = clock().advanced(byMinutes: Self.goodForMinutes)
        attempt(Order(code: code, to: to, request: request, end: end, isOurs: isOurs), SenderTries(), answer)
    }

    /// What waits to be tried again for somebody is not (`E1`).
    public func erase(_ user: String) { newest.withLock { $0 = $0.filter { $0.key.user != user } } }

    private func attempt(_ order: Order, _ before: SenderTries, _ answer: @escaping Answer) {
        lineUp(
            Errand { given in
                // The line may have been long.
                let left = order.end.milliseconds(since: self.clock()) / 1000
                guard left > 0, order.isOurs(), self.newest.withLock({ $0[order.to] == order.request })
                else {
                    given(nil)
                    let late = SenderVerdict.final(reason: "was given nothing: the code is good for nothing any more")
                    return self.end(order, late, answer)
                }
                self.send(order.code, order.to.phone, Int(left), given)
            } ended: { verdict in
                self.hear(verdict, order, before, answer)
            })
    }

    private func hear(_ verdict: SenderVerdict, _ order: Order, _ before: SenderTries, _ answer: @escaping Answer) {
        switch verdict {
        case .wait, .transient, .renew:
            var tries = before
            let now = clock()
            let next = tries.next(after: verdict, key: "code/\(order.request)", notAfter: order.end, at: now)
            guard case .again(let due) = next else { return end(order, verdict, answer) }
            let again = tries
            later(due.milliseconds(since: now)) { self.attempt(order, again, answer) }
        case .taken, .dead, .stopped, .misconfigured, .final: end(order, verdict, answer)
        }
    }

    private func end(_ order: Order, _ verdict: SenderVerdict, _ answer: Answer) {
        newest.withLock { if $0[order.to] == order.request { $0[order.to] = nil } }
        answer(verdict)
    }
}
