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

    /// What SNS signs of each sort, in the order of the fields' names.
    private enum Sort: String {
        case notification = "Notification"
        case subscription = "SubscriptionConfirmation"
        case unsubscription = "UnsubscribeConfirmation"

        var signedFields: [String] {
            switch self {
            case .notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
            case .subscription, .unsubscription:
                ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
            }
        }
    }

    /// Takes the envelope apart; the certificate's address is Amazon's or the report is refused.
    public func open(_ report: IncomingReport) throws(ReportRefusal) -> Envelope {
        guard let message = Self.json(report.body), message["TopicArn"]?.string == topic else { throw .wrongSignature }
        guard let url = message["SigningCertURL"]?.string, Self.isCertificate(url) else { throw .wrongSignature }
        return Envelope(message: message, certificateURL: url)
    }

    /// `https://sns.REGION.amazonaws.com/SimpleNotificationService-….pem`, and nothing that only looks like it.
    static func isCertificate(_ url: String) -> Bool {
        guard let address = HTTPAddress(url), isOfAmazon(address) else { return false }
        let (start, end) = (address.origin + "/SimpleNotificationService-", ".pem")
        guard url.hasPrefix(start), url.hasSuffix(end) else { return false }
        let name = url.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        return !name.isEmpty && name.allSatisfy { isDigit($0) || isSmallLetter($0 | 0x20) }
    }

    /// Whether a URL leads to SNS itself. Under Amazon's name are also hosts whose pages are their customers', such as the
    /// bucket `sns.s3.amazonaws.com`; none of them is called like a region.
    private static func isOfAmazon(_ address: HTTPAddress) -> Bool {
        guard !address.hasPassword, address.origin == "https://" + address.host else { return false }
        let labels = address.host.split(separator: ".", omittingEmptySubsequences: false)
        let rest = labels.dropFirst(2).joined(separator: ".")
        return labels.count > 2 && labels[0] == "sns" && isRegion(labels[1])
            && (rest == "amazonaws.com" || rest == "amazonaws.com.cn")
    }

    /// Such as `eu-west-1`: words of letters, and a number.
    private static func isRegion(_ label: Substring) -> Bool {
        let parts = label.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 2, parts.allSatisfy({ !$0.isEmpty }), let number = parts.last else { return false }
        return number.utf8.allSatisfy(isDigit) && parts.dropLast().allSatisfy { $0.utf8.allSatisfy(isSmallLetter) }
    }

    private static func isSmallLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    public enum Content: Sendable, Equatable {
        case reports([ProviderReport])
        /// Amazon wants to know whether this is a subscriber: the URL is to be asked once.
        case confirmation(url: String)
    }

    public func read(_ envelope: Envelope, certificate: [UInt8]) throws(ReportRefusal) -> Content {
        let message = envelope.message
        guard let key = VerifyingKey(certificate: certificate),
            let signature = message["Signature"]?.string.flatMap({ Base64.decode($0) })
        else { throw .unsigned }
        guard let sort = message["Type"]?.string.flatMap({ Sort(rawValue: $0) }) else { throw .wrongSignature }
        let hash: VerifyingKey.Hash = message["SignatureVersion"]?.string == "1" ? .sha1 : .sha256
        guard key.hasSigned(try Self.signed(message, sort), signature, hash) else { throw .wrongSignature }
        switch sort {
        case .subscription:
            guard let url = message["SubscribeURL"]?.string, let address = HTTPAddress(url), Self.isOfAmazon(address)
            else { throw .malformed }
            return .confirmation(url: url)
        // Nothing more comes of the topic, which is for whoever ended it to know.
        case .unsubscription: return .reports([])
        case .notification:
            guard let id = message["MessageId"]?.string,
                let event = message["Message"]?.string.flatMap({ Self.json(Array($0.utf8)) })
            else { throw .malformed }
            return .reports(report(event, id).map { [$0] } ?? [])
        }
    }

    private static func json(_ bytes: [UInt8]) -> JSONValue? {
        let limits = JSONLimits(bytesMax: IncomingReport.bytesMax, depthMax: 16)
        return bytes.withUnsafeBytes { (try? JSONTape(limits: limits).parse($0)).map { JSONValue($0) } }
    }

    /// The fields that are signed, each with its name.
    ///
    /// A line end parts them, and Amazon puts none into any but the two that hold others' text. Taken elsewhere, one would let what
    /// was signed for one topic be cut into the fields of another.
    private static func signed(_ message: JSONValue, _ sort: Sort) throws(ReportRefusal) -> [UInt8] {
        var text = ""
        for name in sort.signedFields {
            guard let value = message[name]?.string else { continue }
            guard name == "Message" || name == "Subject" || !value.utf8.contains(UInt8(ascii: "\n")) else {
                throw .wrongSignature
            }
            text += "\(name)\n\(value)\n"
        }
        return Array(text.utf8)
    }

    private func report(_ event: JSONValue, _ id: String) -> ProviderReport? {
        let mail = event["mail"]
        var report = ProviderReport(
            id: "ses:\(id)", job: mail.flatMap { job(of: $0) },
            providerID: ProviderAnswer.providerID(mail?["messageId"]?.string), status: .delivered)
        switch event["notificationType"]?.string ?? event["eventType"]?.string {
        case "Delivery": break
        case "Bounce":
            report.isPermanent = event["bounce"]?["bounceType"]?.string == "Permanent"
            report.status = report.isPermanent ? .bounced : .failed
            report.code = ProviderReport.code(event["bounce"]?["bounceSubType"]?.string)
        case "Complaint":
            // Somebody took the mail out of the junk (RFC 6430).
            if event["complaint"]?["complaintFeedbackType"]?.string == "not-spam" { return nil }
            (report.status, report.isPermanent) = (.complained, true)
        case "Reject", "Rendering Failure": report.status = .failed
        default: return nil
        }
        let word = ["delivery", "bounce", "complaint"].lazy.compactMap { event[$0]?["timestamp"]?.string }.first
        report.at = word.flatMap { ReportTime.instant($0) }
        return report
    }

    /// Which mail it is: by the Message-ID that we gave it, else by where its bounces go. What the common headers call so is SES's own
    /// id where a configuration set reports.
    private func job(of mail: JSONValue) -> ProviderReport.Job? {
        let headers = (mail["headers"]?.elements ?? []).filter { $0["name"]?.string?.lowercased() == "message-id" }
        let named =
            headers.compactMap { $0["value"]?.string }
            + [mail["commonHeaders"]?["messageId"]?.string].compactMap(\.self)
        return named.lazy.compactMap { MailID.job(of: $0, secrets: secrets) }.first
            ?? mail["source"]?.string.flatMap { MailID.job(ofBounces: $0, secrets: secrets) }
    }
}
