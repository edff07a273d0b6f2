public import CivilTime
internal import Hashing

/// The senders of a document, with their secrets read and ready to send.
public struct OpenSenders: Sendable {
    public let apns: APNsSender?
    public let fcm: FCMSender?
    public let webPush: WebPushSender?
    public let email: EmailSender?
    public let sms: TwilioSender?
    /// What links and bounce addresses are read back with; the first signs.
    public let secrets: [[UInt8]]
    let reports: ReportReaders

    /// Every one is opened, or none.
    ///
    /// - Parameter ownSecret: what links are signed with where the document names no file; older ones behind it.
    public init(
        _ document: SendersDocument, ownSecret: [[UInt8]], clock: @escaping @Sendable () -> Instant
    ) throws(SendersError) {
        let named = try Self.secrets(document)
        secrets = named.isEmpty ? ownSecret : named
        apns = try Self.apns(document, clock)
        fcm = try Self.fcm(document, clock)
        webPush = try Self.webPush(document, clock)
        email = try Self.email(document, secrets.first, clock)
        sms = try Self.sms(document, secrets.first, clock)
        reports = try ReportReaders(document, secrets)
    }

    /// What is wrong with any of them, each by its path: for `senders check`, which tells everything at once.
    public static func problems(_ document: SendersDocument) -> [SendersError] {
        let clock: @Sendable () -> Instant = { Instant(milliseconds: 0) }
        return [
            problem { () throws(SendersError) in _ = try secrets(document) },
            problem { () throws(SendersError) in _ = try apns(document, clock) },
            problem { () throws(SendersError) in _ = try fcm(document, clock) },
            problem { () throws(SendersError) in _ = try webPush(document, clock) },
            problem { () throws(SendersError) in _ = try email(document, [0], clock) },
            problem { () throws(SendersError) in _ = try sms(document, [0], clock) },
            problem { () throws(SendersError) in _ = try ReportReaders(document, []) },
        ].compactMap { $0 }
    }

    private static func problem(_ part: () throws(SendersError) -> Void) -> SendersError? {
        do throws(SendersError) { try part() } catch { return error }
        return nil
    }

    private static func secrets(_ document: SendersDocument) throws(SendersError) -> [[UInt8]] {
        guard let file = document.secretFile else { return [] }
        return try NamedSecret.signingSecrets(file, for: "secret_file")
    }

    private static func apns(
        _ document: SendersDocument, _ clock: @escaping @Sendable () -> Instant
    ) throws(SendersError) -> APNsSender? {
        guard let part = document.apns else { return nil }
        let key = try NamedSecret.key(part.keyFile, for: "push.apns.key_file", .es256)
        try check(part.server, "push.apns")
        let settings = APNsSender.Settings(
            keyID: part.keyID, teamID: part.teamID, topic: part.topic, origin: part.server.url,
            mayBeCritical: part.mayBeCritical, caFile: part.server.caFile, limits: part.server.limits.over(calls: 256))
        return APNsSender(settings, key: key, clock: clock)
    }

    private static func fcm(
        _ document: SendersDocument, _ clock: @escaping @Sendable () -> Instant
    ) throws(SendersError) -> FCMSender? {
        guard let part = document.fcm else { return nil }
        let path = "push.fcm.key_file"
        let text = String(decoding: try NamedSecret.bytes(part.keyFile, for: path), as: UTF8.self)
        let account: ServiceAccount
        do throws(ServiceAccountError) { account = try ServiceAccount(text) } catch {
            throw SendersError(path, "names \(part.keyFile), which \(error)")
        }
        try check(part.server, "push.fcm")
        let settings = FCMSender.Settings(
            origin: part.server.url, page: document.webPush?.page ?? document.publicURL, caFile: part.server.caFile,
            limits: part.server.limits.over(calls: 256))
        return FCMSender(settings, account: account, clock: clock)
    }

    private static func webPush(
        _ document: SendersDocument, _ clock: @escaping @Sendable () -> Instant
    ) throws(SendersError) -> WebPushSender? {
        guard let part = document.webPush else { return nil }
        let key = try NamedSecret.key(part.keyFile, for: "push.webpush.key_file", .es256)
        try check(part.server, "push.webpush")
        let settings = WebPushSender.Settings(
            subject: part.subject, page: part.page ?? document.publicURL ?? "", trustedOrigins: Set(part.trusted),
            caFile: part.server.caFile, limits: part.server.limits.over(calls: 128))
        return WebPushSender(settings, key: key, clock: clock)
    }

    private static func email(
        _ document: SendersDocument, _ secret: [UInt8]?, _ clock: @escaping @Sendable () -> Instant
    ) throws(SendersError) -> EmailSender? {
        guard let part = document.smtp, let from = Mailbox(written: part.from),
            let address = MailRelayAddress(part.url), let publicURL = document.publicURL, let secret
        else { return nil }
        var password: String?
        if let file = part.passwordFile { password = try NamedSecret.word(file, for: "email.smtp.password_file") }
        try check(part.server, "email.smtp")
        let relay = MailCall.Relay(
            address: address, user: part.user, password: password, greeting: String(from.domain),
            caFile: part.server.caFile)
        let settings = EmailSender.Settings(
            relay: relay, from: from, bounceDomain: part.bounceDomain, publicURL: publicURL, secret: secret,
            limits: part.server.limits.over(calls: 8))
        return EmailSender(settings, clock: clock)
    }

    private static func sms(
        _ document: SendersDocument, _ secret: [UInt8]?, _ clock: @escaping @Sendable () -> Instant
    ) throws(SendersError) -> TwilioSender? {
        guard let part = document.twilio, let sender = TwilioMessage.Sender(part.from) else { return nil }
        let token = try NamedSecret.word(part.tokenFile, for: "sms.twilio.token_file")
        try check(part.server, "sms.twilio")
        let settings = TwilioSender.Settings(
            account: part.account, token: token, sender: sender, origin: part.server.url,
            reports: reports(document, secret), caFile: part.server.caFile,
            limits: part.server.limits.over(calls: 16))
        return TwilioSender(settings, clock: clock)
    }

    /// Twilio reports where it can reach Belfry; without a secret it could not say about which job.
    private static func reports(_ document: SendersDocument, _ secret: [UInt8]?) -> TwilioSender.Reports? {
        guard let publicURL = document.publicURL, let secret else { return nil }
        return .init(url: "\(publicURL)/v1/providers/twilio", secret: secret)
    }

    /// Whether certificates that a part names can be read: libcurl would say so only at the first job.
    private static func check(_ server: SendersDocument.Server, _ path: String) throws(SendersError) {
        guard let file = server.caFile else { return }
        do throws(SystemFailure) {
            let bytes = try SystemFiles.read(file, bytesMax: 4 << 20).bytes
            guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
                throw SystemFailure("find a certificate in \(file)", SystemFiles.invalid)
            }
        } catch { throw SendersError("\(path).ca_file", "is of no use: cannot \(error)") }
    }

    /// Gives up what is under way; `done` is called when all that is over.
    public func close(_ done: @escaping @Sendable () -> Void) {
        let left = Countdown([apns != nil, fcm != nil, webPush != nil, email != nil, sms != nil].count { $0 }, done)
        apns?.close { left.one() }
        fcm?.close { left.one() }
        webPush?.close { left.one() }
        email?.close { left.one() }
        sms?.close { left.one() }
    }
}

extension SendersDocument.Limits {
    /// Those of the document, over what is usual for a provider.
    fileprivate func over(calls usual: Int) -> SenderGate.Limits { .init(calls: calls ?? usual, perSecond: perSecond) }
}
