internal import CivilTime
internal import Synchronization

/// Sends mail through a relay (SMTP submission).
public final class EmailSender: Sendable {
    public struct Settings: Sendable, Equatable {
        var relay: MailCall.Relay
        public var from: Mailbox
        public var bounceDomain: String?
        public var publicURL: String
        /// What links and bounce addresses are signed with.
        public var secret: [UInt8]
        /// Whose reports name jobs by what each mail says of its own.
        var reporters: Set<MailReporter> = []
        public var limits = SenderGate.Limits(calls: 8)
    }

    let settings: Settings
    let pool: MailPool
    let patience: HTTPCall.Patience
    private let refusals = Mutex(RefusalDoubt())
    private let clock: @Sendable () -> Instant

    /// A relay may look at a mail for a while before it takes it (RFC 5321 §4.5.3.2 says minutes).
    static let usualPatience = HTTPCall.Patience(connectMs: 10_000, totalMs: 60_000)

    init(
        _ settings: Settings, patience: HTTPCall.Patience = EmailSender.usualPatience,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.settings = settings
        self.patience = patience
        self.clock = clock
        pool = MailPool(calls: settings.limits.calls)
    }

    public var limits: SenderGate.Limits { settings.limits }

    /// Answers exactly once, on any thread.
    ///
    /// - Parameter lockedReason: why mails of this kind come all the same, for a locked kind (`N6`).
    public func send(
        _ order: Order, to address: Mailbox, lockedReason: String?,
        answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        if let objection = order.objection(at: clock()) { return answer(objection) }
        let message = EmailMessage(
            order: order, from: settings.from, bounceDomain: settings.bounceDomain, publicURL: settings.publicURL,
            secret: settings.secret, lockedReason: lockedReason, reporters: settings.reporters)
        let call = MailCall(
            relay: settings.relay, errand: .mail(message.envelope(to: address)), patience: patience,
            deadline: order.deadline(by: clock))
        ask(call) { [self] verdict in
            answer(refusals.withLock { $0.judge(verdict, of: address.address) })
        }
    }

    /// Relays hang up on connections that are idle. A mail that meets one goes at once over another; that uses up no try.
    private func ask(_ call: MailCall, _ answer: @escaping @Sendable (SenderVerdict) -> Void) {
        pool.ask(call) { [self] result in
            switch result {
            case .success(let reply): answer(EmailAnswer.verdict(reply))
            case .failure(let failure) where failure.isConnectionLost && !call.isOnNewConnection:
                var call = call
                call.isOnNewConnection = true
                ask(call, answer)
            case .failure(let failure): answer(EmailAnswer.verdict(failure))
            }
        }
    }

    /// Gives up what is under way; `done` is called when that is over.
    public func close(_ done: @escaping @Sendable () -> Void) { pool.stop(done) }
}
