internal import Hashing
internal import Notices

/// What Amazon SES says of mails through SNS: RSA over the fields in their order, with a key whose certificate lies at
/// Amazon's own address.
public struct NotificationServiceReports: Sendable {
    /// The one topic that is believed: anybody can have Amazon sign a message of another.
    let topic: String
    let secrets: [[UInt8]]

    public init(topic: String, secrets: [[UInt8]]) {
        (self.topic, self.secrets) = (topic, secrets)
    }

    /// What came in, before its signature is checked.
    public struct Envelope: Sendable {
        let message: JSONValue
        /// Where the certificate is to be fetched.
        public let certificateURL: String
    }

    /// Takes the envelope apart; the certificate's address is Amazon's or the report is refused.
    public func open(_ report: IncomingReport) throws(ReportRefusal) -> Envelope {
        guard let message = Self.json(report.body), message["TopicArn"]?.string == topic else { throw .wrongSignature }
        guard let url = message["SigningCertURL"]?.string, Self.isOfAmazon(url) else { throw .wrongSignature }
        return Envelope(message: message, certificateURL: url)
    }

    /// `https://sns.REGION.amazonaws.com/SimpleNotificationService-….pem`, and nothing that only looks like it.
    static func isOfAmazon(_ url: String) -> Bool {
        guard let address = HTTPAddress(url), !address.hasPassword, address.origin == "https://" + address.host else {
            return false
        }
        let labels = address.host.split(separator: ".", omittingEmptySubsequences: false)
        let isRegion =
            labels.count > 1
            && labels[1].utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
        let rest = labels.dropFirst(2).joined(separator: ".")
        return labels.first == "sns" && isRegion && !labels[1].isEmpty
            && (rest == "amazonaws.com" || rest == "amazonaws.com.cn") && url.hasSuffix(".pem")
    }

    public enum Content: Sendable, Equatable {
        case reports([ProviderReport])
        /// Amazon wants to know whether this is a subscriber: the URL is to be asked once.
        case confirmation(url: String)
    }

    public func read(_ envelope: Envelope, certificate: [UInt8]) throws(ReportRefusal) -> Content {
        let message = envelope.message
        guard let type = message["Type"]?.string, let key = VerifyingKey(certificate: certificate),
            let signature = message["Signature"]?.string.flatMap({ Base64.decode($0) })
        else { throw .unsigned }
        let hash: VerifyingKey.Hash = message["SignatureVersion"]?.string == "1" ? .sha1 : .sha256
        guard key.hasSigned(Self.signed(message, type), signature, hash) else { throw .wrongSignature }
        if type == "SubscriptionConfirmation" {
            guard let url = message["SubscribeURL"]?.string, let address = HTTPAddress(url),
                Self.isOfAmazon(address.origin + "/x.pem")
            else { throw .malformed }
            return .confirmation(url: url)
        }
        guard let id = message["MessageId"]?.string,
            let event = message["Message"]?.string.flatMap({ Self.json(Array($0.utf8)) })
        else { throw .malformed }
        return .reports(report(event, id).map { [$0] } ?? [])
    }

    private static func json(_ bytes: [UInt8]) -> JSONValue? {
        let limits = JSONLimits(bytesMax: IncomingReport.bytesMax, depthMax: 16)
        return bytes.withUnsafeBytes { (try? JSONTape(limits: limits).parse($0)).map { JSONValue($0) } }
    }

    /// The fields that are signed, each with its name, in the order of their names.
    private static func signed(_ message: JSONValue, _ type: String) -> [UInt8] {
        let names =
            type == "Notification"
            ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
            : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
        var text = ""
        for name in names { if let value = message[name]?.string { text += "\(name)\n\(value)\n" } }
        return Array(text.utf8)
    }

    private func report(_ event: JSONValue, _ id: String) -> ProviderReport? {
        let mail = event["mail"]
        let headers = mail?["commonHeaders"]?["messageId"]?.string
        var report = ProviderReport(
            id: "ses:\(id)", job: headers.flatMap { MailID.job(of: $0, secrets: secrets) },
            providerID: ProviderAnswer.providerID(mail?["messageId"]?.string), status: .delivered)
        switch event["notificationType"]?.string ?? event["eventType"]?.string {
        case "Delivery": break
        case "Bounce":
            report.isPermanent = event["bounce"]?["bounceType"]?.string == "Permanent"
            report.status = report.isPermanent ? .bounced : .failed
            report.code = ProviderReport.code(event["bounce"]?["bounceSubType"]?.string)
        case "Complaint": (report.status, report.isPermanent) = (.complained, true)
        case "Reject", "Rendering Failure": report.status = .failed
        default: return nil
        }
        let word = ["delivery", "bounce", "complaint"].lazy.compactMap { event[$0]?["timestamp"]?.string }.first
        report.at = word.flatMap { ReportTime.instant($0) }
        return report
    }
}
