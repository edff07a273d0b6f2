public import CivilTime
internal import Synchronization

/// Sends codes for phones (`N9`). One that was surely not taken is tried again as jobs are, for as long as it is good; one that
/// may have been taken is not, since the person can ask for another.
public final class CodeDesk: Sendable {
    public typealias Answer = @Sendable (SenderVerdict) -> Void
    public typealias Send =
        @Sendable (_ code: String, _ phone: String, _ goodForSeconds: Int, _ answer: @escaping Answer) -> Void
    public typealias Later = @Sendable (_ milliseconds: Int64, _ then: @escaping @Sendable () -> Void) -> Void

    private struct Errand: Sendable {
        var code: String
        var phone: String
        var request: UInt64
        var end: Instant
    }

    private let clock: @Sendable () -> Instant
    private let later: Later
    private let send: Send
    /// The request that each number is being sent a code for, and whose it is: an older code is good for nothing.
    private let newest = Mutex<[String: (request: UInt64, user: String)]>([:])

    private static let goodForMinutes: Int64 = 10

    public init(clock: @escaping @Sendable () -> Instant, later: @escaping Later, send: @escaping Send) {
        (self.clock, self.later, self.send) = (clock, later, send)
    }

    /// Answers once, when it was taken or is given up.
    ///
    /// - Parameter request: the number of the event that asked for the code.
    public func send(_ code: String, to phone: String, of user: String, request: UInt64, answer: @escaping Answer) {
        newest.withLock { $0[phone] = (request, user) }
        let end = clock().advanced(byMinutes: Self.goodForMinutes)
        attempt(Errand(code: code, phone: phone, request: request, end: end), SenderTries(), answer)
    }

    /// What waits to be tried again for somebody is not (`E1`).
    public func erase(_ user: String) { newest.withLock { $0 = $0.filter { $0.value.user != user } } }

    private func attempt(_ errand: Errand, _ before: SenderTries, _ answer: @escaping Answer) {
        let left = errand.end.milliseconds(since: clock()) / 1000
        guard left > 0, newest.withLock({ $0[errand.phone]?.request == errand.request }) else {
            return end(errand, .final(reason: "was given nothing: the code is good for nothing any more"), answer)
        }
        send(errand.code, errand.phone, Int(left)) { verdict in
            var tries = before
            let now = self.clock()
            switch verdict {
            case .wait, .transient, .renew:
                let next = tries.next(
                    after: verdict, key: "code/\(errand.request)", notAfter: errand.end, at: now)
                guard case .again(let due) = next else { return self.end(errand, verdict, answer) }
                let again = tries
                self.later(due.milliseconds(since: now)) { self.attempt(errand, again, answer) }
            case .taken, .dead, .stopped, .misconfigured, .final: self.end(errand, verdict, answer)
            }
        }
    }

    private func end(_ errand: Errand, _ verdict: SenderVerdict, _ answer: Answer) {
        newest.withLock { if $0[errand.phone]?.request == errand.request { $0[errand.phone] = nil } }
        answer(verdict)
    }
}
