internal import CivilTime
internal import Notices
internal import Synchronization

/// The senders of the document in force, each asked by the address it serves.
///
/// Safe to share: the document is read again while jobs go out.
public final class PostOffice: Sendable {
    private struct Counter: Sendable {
        var document: SendersDocument
        var senders: OpenSenders
    }

    private let counter: Mutex<Counter>

    public init(_ document: SendersDocument, _ senders: OpenSenders) {
        counter = Mutex(Counter(document: document, senders: senders))
    }

    /// Another document from now on. What is under way with the senders before is answered.
    public func change(to document: SendersDocument, _ senders: OpenSenders) {
        let before = counter.withLock { counter in
            defer { counter = Counter(document: document, senders: senders) }
            return counter.senders
        }
        before.close {}
    }

    /// Who takes what, by the document in force.
    var rules: PostRules { counter.withLock { PostRules($0.document) } }

    func limits(of post: Post) -> SenderGate.Limits {
        counter.withLock { $0.senders.limits(of: post) } ?? SenderGate.Limits(calls: 1)
    }

    /// Answers exactly once, on any thread.
    func send(
        _ order: Order, to address: PostalAddress, isLocked: Bool, answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        let senders = counter.withLock { $0.senders }
        switch address {
        case .device(let device):
            switch device.address {
            case .apns(let address):
                guard let apns = senders.apns else { return answer(Self.noSender) }
                apns.send(order, to: address, of: device, answer: answer)
            case .fcm(let address):
                guard let fcm = senders.fcm else { return answer(Self.noSender) }
                fcm.send(order, to: address, answer: answer)
            case .webPush(let subscription):
                guard let webPush = senders.webPush else { return answer(Self.noSender) }
                webPush.send(order, to: subscription, answer: answer)
            }
        case .email(let text):
            guard let email = senders.email else { return answer(Self.noSender) }
            guard let mailbox = Mailbox(text) else { return answer(.dead(reason: "is given an address that is none")) }
            email.send(order, to: mailbox, lockedReason: isLocked ? Self.locked : nil, answer: answer)
        case .phone(let number):
            guard let sms = senders.sms else { return answer(Self.noSender) }
            sms.send(order, to: number, answer: answer)
        }
    }

    private static let noSender = SenderVerdict.misconfigured(
        .init("is no longer in the senders' document", cure: "name it there again, and send SIGHUP"))
    private static let locked = "Mails like this one always come, because they are about something you must not miss."

    /// What a code for a phone is made with; `nil` where no sender sends texts, and so no codes.
    public var codes: VerificationCode? {
        counter.withLock { counter in
            counter.senders.sms == nil ? nil : counter.senders.secrets.first.map { VerificationCode(secret: $0) }
        }
    }

    /// Sends a code once: asked for too late or not taken, the person asks for another (`N9`).
    public func send(code: String, to phone: String, answer: @escaping @Sendable (SenderVerdict) -> Void) {
        guard let sms = counter.withLock({ $0.senders.sms }) else { return answer(Self.noSender) }
        sms.send(VerificationCode.message(code), to: phone, goodForSeconds: 600, answer: answer)
    }

    /// Who is asked about messages now, if anybody is.
    public var analyser: Analyser? { counter.withLock { $0.senders.analyser } }

    var reports: ReportReaders { counter.withLock { $0.senders.reports } }

    /// Whose mails a link from one of them is to stop (`N6`); `nil` for a link that is none of ours.
    public func stop(token: String) -> StopLink? {
        StopLink(token: token, secrets: counter.withLock { $0.senders.secrets })
    }

    /// Gives up what is under way; `done` is called when all that is over.
    func close(_ done: @escaping @Sendable () -> Void) { counter.withLock { $0.senders }.close(done) }
}

extension OpenSenders {
    fileprivate func limits(of post: Post) -> SenderGate.Limits? {
        switch post {
        case .apns: apns?.limits
        case .fcm: fcm?.limits
        case .webPush: webPush?.limits
        case .email: email?.limits
        case .sms: sms?.limits
        }
    }
}
