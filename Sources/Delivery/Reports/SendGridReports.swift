public import CivilTime
internal import Hashing
internal import Notices

/// What SendGrid says of mails: a list of events, signed with ECDSA over the time and the body.
public struct SendGridReports: Sendable {
    let key: VerifyingKey
    let secrets: [[UInt8]]

    private static let eventsMax = 10_000

    /// - Parameter key: the verification key of SendGrid's console, in Base64; `nil` comes of what is none.
    public init?(key: String, secrets: [[UInt8]]) {
        guard let der = Base64.decode(key.filter { !$0.isWhitespace }), let key = VerifyingKey(der: der) else {
            return nil
        }
        (self.key, self.secrets) = (key, secrets)
    }

    public func read(_ report: IncomingReport, at now: Instant) throws(ReportRefusal) -> [ProviderReport] {
        guard let signature = report.headers["x-twilio-email-event-webhook-signature"].flatMap({ Base64.decode($0) }),
            let time = report.headers["x-twilio-email-event-webhook-timestamp"]
        else { throw .unsigned }
        guard key.hasSigned(Array(time.utf8) + report.body, signature) else { throw .wrongSignature }
        guard IncomingReport.isRecent(time, at: now) else { throw .outOfTime }
        let limits = JSONLimits(bytesMax: IncomingReport.bytesMax, depthMax: 8)
        let events: [JSONValue]? = report.body.withUnsafeBytes { bytes in
            (try? JSONTape(limits: limits).parse(bytes)).flatMap { JSONValue($0).elements }
        }
        guard let events, events.count <= Self.eventsMax else { throw .malformed }
        return events.compactMap { self.report($0) }
    }

    private func report(_ event: JSONValue) -> ProviderReport? {
        guard let id = event["sg_event_id"]?.string, let kind = event["event"]?.string else { return nil }
        let status: ProviderReport.Status
        switch kind {
        case "delivered": status = .delivered
        case "bounce": status = event["type"]?.string == "blocked" ? .failed : .bounced
        case "dropped": status = Self.isUseless(event) ? .bounced : .failed
        case "spamreport": status = .complained
        case "unsubscribe", "group_unsubscribe": status = .unsubscribed
        default: return nil
        }
        var report = ProviderReport(
            id: "sendgrid:\(id)", job: job(of: event),
            providerID: ProviderAnswer.providerID(event["sg_message_id"]?.string), status: status)
        report.code = ProviderReport.code(event["status"]?.string)
        report.isPermanent = status == .bounced || status == .complained
        report.isStopped = kind == "dropped" && Self.isStopped(event)
        report.at = event["timestamp"]?.integer.flatMap { ReportTime.instant(seconds: $0) }
        return report
    }

    /// By what the mail's header `X-SMTPAPI` named it; of a complaint, or that somebody leaves, there is no Message-ID.
    private func job(of event: JSONValue) -> ProviderReport.Job? {
        let named = event[Self.argument]?.string.flatMap { JobToken.place(of: $0, secrets: secrets) }
        return named.map { .place($0) } ?? event["smtp-id"]?.string.flatMap { MailID.job(of: $0, secrets: secrets) }
    }

    /// What the argument is called that comes back with each event.
    static let argument = "belfry_job"

    // MARK: What it does not even try

    /// Why it dropped a mail, in the words of its documentation: an address on one of its lists gets no mail ever again.
    private static func isUseless(_ event: JSONValue) -> Bool {
        ["Bounced Address", "Invalid"].contains(event["reason"]?.string)
    }

    private static func isStopped(_ event: JSONValue) -> Bool {
        ["Unsubscribed Address", "Spam Reporting Address"].contains(event["reason"]?.string)
    }
}

/// The Message-ID of a mail of ours: `<TOKEN.UUID@domain>`; and where its bounces go: `bounce+TOKEN@domain`.
enum MailID {
    static let bounces = "bounce+"

    static func job(ofBounces address: String, secrets: [[UInt8]]) -> ProviderReport.Job? {
        guard address.hasPrefix(bounces) else { return nil }
        let token = address.dropFirst(bounces.count).prefix { $0 != "@" }
        return JobToken.place(of: token, secrets: secrets).map { .place($0) }
    }

    static func job(of text: String, secrets: [[UInt8]]) -> ProviderReport.Job? {
        let bare = text.trimmed.drop { $0 == "<" }
        return JobToken.place(of: bare.prefix { $0 != "." && $0 != "@" }, secrets: secrets).map { .place($0) }
    }
}
