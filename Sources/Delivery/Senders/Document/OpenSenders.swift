public import CivilTime
internal import Hashing

/// The senders of a document, with their secrets read and ready to send.
public struct OpenSenders: Sendable {
    public let apns: APNsSender?
    public let fcm: FCMSender?
    public let webPush: WebPushSender?
    public let email: EmailSender?
    public let sms: TwilioSender?
    let sinks: OpenSinks
    /// Who is asked about messages (`N10`); no sender, but a part of the same document.
    public let analyser: Analyser?
    /// What links and bounce addresses are read back with; the first signs.
    public let secrets: [[UInt8]]
    private let publicURL: String?
    let reports: ReportReaders
    /// What is to be said of files that more people may read, or change, than need to.
    public let warnings: [SendersError]
    private typealias Closer = @Sendable (@escaping @Sendable () -> Void) -> Void
    private let closers: [Closer]
    /// Of all that was read of files: another means that some secret has changed.
    let secretsDigest: Digest

    /// Every one is opened, or none.
    ///
    /// - Parameters:
    ///   - ownSecret: what links are signed with where the document names no file; older ones behind it.
    ///   - rack: the sinks that are open already.
    ///   - open: the senders that are open already.
    public init(
        _ document: SendersDocument, ownSecret: [[UInt8]], clock: @escaping @Sendable () -> Instant,
        rack: SinkRack = SinkRack(), senders open: SenderRack = SenderRack()
    ) throws(SendersError) {
        var files = NamedSecrets()
        var closers: [Closer] = []
        do throws(SendersError) {
            let named = try Self.secrets(document, &files)
            secrets = named.isEmpty ? ownSecret : named
            let secret = secrets.first
            publicURL = document.publicURL
            apns = try Self.take(open.apns, &files, &closers) { (files) throws(SendersError) in
                try Self.apns(document, clock, &files)
            }
            fcm = try Self.take(open.fcm, &files, &closers) { (files) throws(SendersError) in
                try Self.fcm(document, clock, &files)
            }
            webPush = try Self.take(open.webPush, &files, &closers) { (files) throws(SendersError) in
                try Self.webPush(document, clock, &files)
            }
            email = try Self.take(open.email, &files, &closers) { (files) throws(SendersError) in
                try Self.email(document, secret, clock, &files)
            }
            sms = try Self.take(open.sms, &files, &closers) { (files) throws(SendersError) in
                try Self.sms(document, secret, clock, &files)
            }
            reports = try ReportReaders(document, secrets, &files)
            analyser = try Self.take(open.analyser, &files, &closers) { (files) throws(SendersError) in
                try Self.analyser(document, &files)
            }
            sinks = try OpenSinks(document, rack, clock, &files)
            closers.append(sinks.close)
        } catch {
            // Those that are open have threads of their own.
            for close in closers { close {} }
            throw error
        }
        self.closers = closers
        warnings = files.warnings
        secretsDigest = files.digest
    }

    /// Reads a part, and takes what it wants: opened, unless it is open.
    private static func take<Sender: DocumentSender>(
        _ shelf: SenderShelf<Sender>, _ files: inout NamedSecrets, _ closers: inout [Closer],
        _ read: (inout NamedSecrets) throws(SendersError) -> SenderPlan<Sender>?
    ) throws(SendersError) -> Sender? {
        var own = NamedSecrets()
        let plan = try read(&own)
        files.add(own)
        guard let plan else { return nil }
        let key = SenderShelf<Sender>.Key(settings: plan.settings, files: own.digest)
        closers.append { shelf.giveBack(key, $0) }
        return shelf.take(key, open: plan.open)
    }

    /// What stops mails like a job's, for a sink that sees to them (`N6`); `nil` where nobody is told what people reach of Belfry.
    func stopLink(of order: Order, isLocked: Bool) -> String? {
        guard let publicURL, let secret = secrets.first else { return nil }
        return StopLink(of: order, isLocked: isLocked)?.url(at: publicURL, secret: secret)
    }

    /// What is wrong with any of them, each by its path, told at once.
    public static func problems(_ document: SendersDocument) -> [SendersError] {
        let clock: @Sendable () -> Instant = { Instant(milliseconds: 0) }
        return [
            problem { (files) throws(SendersError) in _ = try secrets(document, &files) },
            problem { (files) throws(SendersError) in _ = try apns(document, clock, &files) },
            problem { (files) throws(SendersError) in _ = try fcm(document, clock, &files) },
            problem { (files) throws(SendersError) in _ = try webPush(document, clock, &files) },
            problem { (files) throws(SendersError) in _ = try email(document, [0], clock, &files) },
            problem { (files) throws(SendersError) in _ = try sms(document, [0], clock, &files) },
            problem { (files) throws(SendersError) in _ = try ReportReaders(document, [], &files) },
            problem { (files) throws(SendersError) in _ = try analyser(document, &files) },
            problem { (files) throws(SendersError) in
                for part in document.sinks { try OpenSinks.read(part, of: document, &files) }
            },
        ].compactMap { $0 }
    }

    private static func problem(_ part: (inout NamedSecrets) throws(SendersError) -> Void) -> SendersError? {
        var files = NamedSecrets()
        do throws(SendersError) { try part(&files) } catch { return error }
        return nil
    }

    static func secrets(
        _ document: SendersDocument, _ files: inout NamedSecrets
    ) throws(SendersError) -> [[UInt8]] {
        guard let file = document.secretFile else { return [] }
        return try files.signingSecrets(file, for: "secret_file")
    }

    static func apns(
        _ document: SendersDocument, _ clock: @escaping @Sendable () -> Instant,
        _ files: inout NamedSecrets
    ) throws(SendersError) -> SenderPlan<APNsSender>? {
        guard let part = document.apns else { return nil }
        let key = try files.key(part.keyFile, for: "push.apns.key_file", .es256)
        try check(part.server, "push.apns", &files)
        let settings = APNsSender.Settings(
            keyID: part.keyID, teamID: part.teamID, topic: part.topic, origin: part.server.url,
            mayBeCritical: part.mayBeCritical, caFile: part.server.caFile, limits: part.server.limits.over(calls: 256))
        return SenderPlan(settings) { APNsSender(settings, key: key, clock: clock) }
    }

    static func fcm(
        _ document: SendersDocument, _ clock: @escaping @Sendable () -> Instant,
        _ files: inout NamedSecrets
    ) throws(SendersError) -> SenderPlan<FCMSender>? {
        guard let part = document.fcm else { return nil }
        let path = "push.fcm.key_file"
        let text = String(decoding: try files.bytes(part.keyFile, for: path), as: UTF8.self)
        let account: ServiceAccount
        do throws(ServiceAccountError) { account = try ServiceAccount(text) } catch {
            throw SendersError(path, "names \(part.keyFile), which \(error)")
        }
        try check(part.server, "push.fcm", &files)
        let settings = FCMSender.Settings(
            origin: part.server.url, page: document.webPush?.page ?? document.publicURL, caFile: part.server.caFile,
            limits: part.server.limits.over(calls: 256))
        return SenderPlan(settings) { FCMSender(settings, account: account, clock: clock) }
    }

    static func webPush(
        _ document: SendersDocument, _ clock: @escaping @Sendable () -> Instant,
        _ files: inout NamedSecrets
    ) throws(SendersError) -> SenderPlan<WebPushSender>? {
        guard let part = document.webPush else { return nil }
        let key = try files.key(part.keyFile, for: "push.webpush.key_file", .es256)
        try check(part.server, "push.webpush", &files)
        let settings = WebPushSender.Settings(
            subject: part.subject, page: part.page ?? document.publicURL ?? "", trustedOrigins: Set(part.trusted),
            caFile: part.server.caFile, limits: part.server.limits.over(calls: 128))
        return SenderPlan(settings) { WebPushSender(settings, key: key, clock: clock) }
    }

    static func email(
        _ document: SendersDocument, _ secret: [UInt8]?, _ clock: @escaping @Sendable () -> Instant,
        _ files: inout NamedSecrets
    ) throws(SendersError) -> SenderPlan<EmailSender>? {
        guard let part = document.smtp, let from = Mailbox(written: part.from),
            let address = MailRelayAddress(part.url), let publicURL = document.publicURL, let secret
        else { return nil }
        var password: String?
        if let file = part.passwordFile { password = try files.word(file, for: "email.smtp.password_file") }
        try check(part.server, "email.smtp", &files)
        let relay = MailCall.Relay(
            address: address, user: part.user, password: password, greeting: String(from.domain),
            caFile: part.server.caFile)
        let settings = EmailSender.Settings(
            relay: relay, from: from, bounceDomain: part.bounceDomain, publicURL: publicURL, secret: secret,
            reporters: document.reports.ofMails, limits: part.server.limits.over(calls: 8))
        return SenderPlan(settings) { EmailSender(settings, clock: clock) }
    }

    static func sms(
        _ document: SendersDocument, _ secret: [UInt8]?, _ clock: @escaping @Sendable () -> Instant,
        _ files: inout NamedSecrets
    ) throws(SendersError) -> SenderPlan<TwilioSender>? {
        guard let part = document.twilio, let sender = TwilioMessage.Sender(part.from) else { return nil }
        let token = try files.word(part.tokenFile, for: "sms.twilio.token_file")
        try check(part.server, "sms.twilio", &files)
        let settings = TwilioSender.Settings(
            account: part.account, token: token, sender: sender, origin: part.server.url,
            reports: reports(document, secret), caFile: part.server.caFile,
            limits: part.server.limits.over(calls: 16))
        return SenderPlan(settings) { TwilioSender(settings, clock: clock) }
    }

    /// Twilio reports where it can reach Belfry; without a secret it could not say about which job.
    private static func reports(_ document: SendersDocument, _ secret: [UInt8]?) -> TwilioSender.Reports? {
        guard let publicURL = document.publicURL, let secret else { return nil }
        return .init(url: "\(publicURL)/v1/providers/twilio", secret: secret)
    }

    static func analyser(
        _ document: SendersDocument, _ files: inout NamedSecrets
    ) throws(SendersError) -> SenderPlan<Analyser>? {
        guard let part = document.analyser else { return nil }
        var key: String?
        if let file = part.keyFile { key = try files.word(file, for: "analyser.key_file") }
        try check(part.server, "analyser", &files)
        let settings = Analyser.Settings(
            url: part.url, model: part.model, key: key, caFile: part.server.caFile,
            calls: part.server.limits.calls ?? Analyser.Settings.usualCalls)
        return SenderPlan(settings) { Analyser(settings) }
    }

    /// Whether certificates that a part names can be read: libcurl would say so only at the first job.
    ///
    /// - Returns: what they are, where some are named.
    @discardableResult
    static func check(
        _ server: SendersDocument.Server, _ path: String, _ files: inout NamedSecrets
    ) throws(SendersError) -> Digest? {
        guard let file = server.caFile else { return nil }
        do throws(SystemFailure) {
            let bytes = try SystemFiles.read(file, bytesMax: 4 << 20).bytes
            guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
                throw SystemFailure("find a certificate in \(file)", SystemFiles.invalid)
            }
            files.note(bytes)
            return Digest(of: bytes)
        } catch {
            throw SendersError(
                "\(path).ca_file", "is of no use: cannot \(error)",
                cure: "name a file with the certificate (PEM) of who signs this server's, or leave ca_file out")
        }
    }

    /// Gives up what is under way; `done` is called when all that is over.
    public func close(_ done: @escaping @Sendable () -> Void) {
        let left = Countdown(closers.count, done)
        for close in closers { close { left.one() } }
    }
}

extension SendersDocument.Limits {
    /// Those of the document, over what is usual for a provider.
    fileprivate func over(calls usual: Int) -> SenderGate.Limits { .init(calls: calls ?? usual, perSecond: perSecond) }
}
