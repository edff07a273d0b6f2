internal import CivilTime
public import Notices
internal import Synchronization

/// The senders of the document in force, each asked by the address it serves.
///
/// Safe to share: the document is read again while jobs go out.
public final class PostOffice: Sendable {
    private struct Counter: Sendable {
        var document: SendersDocument
        var senders: OpenSenders
        /// Counts the documents that were in force.
        var reading = 0
        /// Calls under way, by the document whose senders make them.
        var underWay: [Int: Int] = [:]
        /// Senders of documents before, until what they were given is answered.
        var leaving: [Int: OpenSenders] = [:]
        /// Who believed Twilio, as long as a document did. It tells later what became of texts, and people answer to them.
        var twilioBefore: TwilioReports?
    }

    private let counter: Mutex<Counter>

    public init(_ document: SendersDocument, _ senders: OpenSenders) {
        counter = Mutex(Counter(document: document, senders: senders))
    }

    /// Whether these are the document and the secrets in force.
    public func isInForce(_ document: SendersDocument, _ senders: OpenSenders) -> Bool {
        counter.withLock { $0.document == document && $0.senders.secretsDigest == senders.secretsDigest }
    }

    /// Another document from now on. The senders before end when what they were given is answered: of a text that was cut
    /// off nobody would know whether it was taken.
    public func change(to document: SendersDocument, _ senders: OpenSenders) {
        let idle = counter.withLock { counter -> OpenSenders? in
            if let twilio = counter.senders.reports.twilio { counter.twilioBefore = twilio }
            defer { (counter.document, counter.senders, counter.reading) = (document, senders, counter.reading + 1) }
            guard counter.underWay[counter.reading] != nil else { return counter.senders }
            counter.leaving[counter.reading] = counter.senders
            return nil
        }
        idle?.close {}
    }

    /// The senders in force, and what to call when they have answered.
    private func begin() -> (senders: OpenSenders, ended: @Sendable () -> Void) {
        counter.withLock { counter in
            let reading = counter.reading
            counter.underWay[reading, default: 0] += 1
            return (counter.senders, { self.end(reading) })
        }
    }

    private func end(_ reading: Int) {
        let idle = counter.withLock { counter -> OpenSenders? in
            guard let count = counter.underWay[reading], count == 1 else {
                counter.underWay[reading]? -= 1
                return nil
            }
            counter.underWay[reading] = nil
            return counter.leaving.removeValue(forKey: reading)
        }
        idle?.close {}
    }

    /// Who sends, as far as it decides what gives way.
    public var inForce: SendersInForce {
        let rules = rules
        let bySink = Dictionary(grouping: rules.sinks.keys) { rules.sinks[$0] }
        return SendersInForce(
            channels: rules.channels, fallback: rules.fallback, together: Set(bySink.values.map { ChannelSet($0) }))
    }

    /// Who takes what, by the document in force.
    var rules: PostRules { counter.withLock { PostRules($0.document, $0.senders) } }

    /// Whether nothing is left for the sinks of the command line.
    public var leavesNothing: Bool { counter.withLock { $0.document.leavesNothing } }

    func limits(of post: Post) -> SenderGate.Limits {
        counter.withLock { $0.senders.limits(of: post) } ?? SenderGate.Limits(calls: 1)
    }

    /// `nil` for a push service, which is who its lane is named for, and where nobody is named now.
    func taker(of post: Post) -> Taker? { counter.withLock { $0.senders.taker(of: post) } }

    /// Answers exactly once, on any thread.
    func send(
        _ order: Order, to address: PostalAddress, isLocked: Bool,
        answer reply: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        let (senders, ended) = begin()
        let answer: @Sendable (SenderVerdict) -> Void = { verdict in
            reply(verdict)
            ended()
        }
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
        case .sink(let post, let channels):
            guard let sink = senders.sinks[post]?.sink else { return answer(Self.noSender) }
            var part = order.part(for: channels)
            if channels.contains(.email) { part.stopLink = senders.stopLink(of: order, isLocked: isLocked) }
            sink.take(part) { answer($0.verdict(of: .sender)) }
        }
    }

    private static let noSender = SenderVerdict.misconfigured(
        .init("is no longer in the senders' document", cure: "name it there again, and send SIGHUP"))
    private static let locked = "Mails like this one always come, because they are about something you must not miss."

    /// What a code for a phone is made with; `nil` where no sender sends texts, and so no codes.
    public var codes: VerificationCode? {
        let senders = counter.withLock { $0.senders }
        guard senders.sms != nil, let secret = senders.secrets.first else { return nil }
        return VerificationCode(secret: secret, older: Array(senders.secrets.dropFirst()))
    }

    /// Sends a code that is of no use later than so many seconds from now (`N9`).
    public func send(
        code: String, to phone: String, goodForSeconds: Int, answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        let (senders, ended) = begin()
        guard let sms = senders.sms else {
            answer(Self.noSender)
            return ended()
        }
        sms.send(VerificationCode.message(code), to: phone, goodForSeconds: goodForSeconds) { verdict in
            answer(verdict)
            ended()
        }
    }

    /// Who is asked about messages now, if anybody is. It is not closed for another document before it is given back.
    public func lendAnalyser() -> Analyser.Loan? {
        let (senders, ended) = begin()
        guard let analyser = senders.analyser else {
            ended()
            return nil
        }
        return Analyser.Loan(analyser, giveBack: ended)
    }

    /// By the document in force. A document that names no Twilio any more leaves it believed until the next start, as it is not named
    /// for its reports.
    var reports: ReportReaders {
        counter.withLock { counter in
            var reports = counter.senders.reports
            reports.twilio = reports.twilio ?? counter.twilioBefore
            return reports
        }
    }

    /// Whose mails a link from one of them is to stop (`N6`); `nil` for a link that is none of ours.
    public func stop(token: String) -> StopLink? {
        StopLink(token: token, secrets: counter.withLock { $0.senders.secrets })
    }

    /// As the sinks of the document may be shown to anybody.
    public var shownSinks: [String] { counter.withLock { $0.senders.sinks.shown } }

    /// The spools of the document, and of those before it, that the command line does not name.
    public var spools: [SpoolSink] { sinks.compactMap { $0 as? SpoolSink } }

    /// Sinks of the document that the command line does not name, for whom erases somebody.
    var sinks: [any Sink] { counter.withLock { $0.senders.sinks.rack }.own }

    /// Gives up the texts that are under way: those that may have been taken are answered so.
    func giveUpTexts() { for senders in all { senders.sms?.close {} } }

    /// Gives up what is under way; `done` is called when all that is over.
    func close(_ done: @escaping @Sendable () -> Void) {
        let all = counter.withLock { counter -> [OpenSenders] in
            // Those that are leaving are not closed once more when they have answered.
            defer { counter.leaving = [:] }
            return [counter.senders] + counter.leaving.values
        }
        let left = Countdown(all.count, done)
        for senders in all { senders.close { left.one() } }
    }

    private var all: [OpenSenders] { counter.withLock { [$0.senders] + $0.leaving.values } }
}

extension OpenSenders {
    fileprivate func limits(of post: Post) -> SenderGate.Limits? {
        switch post {
        case .apns: apns?.limits
        case .fcm: fcm?.limits
        case .webPush: webPush?.limits
        case .email: email?.limits
        case .sms: sms?.limits
        case .sink: sinks[post]?.limits
        }
    }

    fileprivate func taker(of post: Post) -> Taker? {
        switch post {
        case .apns: apns.map { Taker.account($0.settings.teamID, at: $0.settings.origin) }
        case .fcm: fcm.map { Taker.account($0.access.account.project, at: $0.settings.origin) }
        case .webPush: nil
        case .email: email.map { Taker.account($0.settings.relay.user, at: $0.settings.relay.address.url) }
        case .sms: sms.map { Taker.account($0.settings.account, at: $0.settings.origin) }
        case .sink: sinks[post].map { Taker.sink($0.spec) }
        }
    }
}
