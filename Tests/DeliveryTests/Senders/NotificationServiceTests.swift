import CivilTime
import Foundation
import Notices
import Testing

@testable import Delivery

@Suite("N3, what Amazon reports of mails", .unlessItHangs, .withOracles)
struct NotificationServiceTests: HearsReports {
    private static let ownTopic = "arn:aws:sns:eu-west-1:1:bounces"

    private let reports = NotificationServiceReports(topic: Self.ownTopic, secrets: [EmailMessageTests.secret])

    private var event: String {
        """
        {"notificationType":"Bounce","bounce":{"bounceType":"Permanent","bounceSubType":"General",\
        "timestamp":"2025-12-31T23:58:20.000Z"},"mail":\
        {"messageId":"ses-1","commonHeaders":{"messageId":"<\(jobToken).abc@belfry.dev>"}}}
        """
    }

    /// A message of the believed topic, with these fields otherwise.
    private func message(_ fields: [String: String] = [:]) -> [String: String] {
        [
            "Type": "Notification", "MessageId": "sns-1", "TopicArn": Self.ownTopic, "Message": event,
            "Timestamp": "2026-01-01T00:00:00.000Z", "SignatureVersion": "2",
            "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
        ].merging(fields) { $1 }
    }

    private func text(_ message: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
    }

    /// With Amazon's signature, and the certificate of its key.
    private func signed(_ message: [String: String]) throws -> (text: String, certificate: [UInt8]) {
        let signed: [String] = try Oracles.ask(
            "report_oracle.py", ["ask": "amazon_sign", "message": try text(message)])
        return (signed[0], Array(signed[1].utf8))
    }

    private func read(_ text: String, _ certificate: [UInt8]) throws(ReportRefusal)
        -> NotificationServiceReports.Content
    {
        try reports.read(try reports.open(report(text)), certificate: certificate)
    }

    @Test(arguments: ["1", "2"]) func `what Amazon signs is believed, of its own topic`(version: String) throws {
        let (text, certificate) = try signed(message(["SignatureVersion": version, "Subject": "Amazon\nSES"]))
        let envelope = try reports.open(report(text))
        #expect(envelope.certificateURL.hasSuffix("SimpleNotificationService-1.pem"))
        #expect(
            try reports.read(envelope, certificate: certificate)
                == .reports([
                    .init(
                        id: "ses:sns-1", job: ourJob, providerID: "ses-1", status: .bounced, isPermanent: true,
                        code: "General", at: Instant(seconds: 1_767_225_500))
                ]))
        #expect(throws: ReportRefusal.wrongSignature) {
            try read(text.replacing("sns-1", with: "sns-2"), certificate)
        }
        let other = NotificationServiceReports(topic: "arn:aws:sns:eu-west-1:1:other", secrets: [secret])
        #expect(throws: ReportRefusal.wrongSignature) { _ = try other.open(report(text)) }
    }

    /// As Amazon's documentation shows them: the common headers have its own id, and of the mail's own headers the original.
    @Test(arguments: [
        #""headers":[{"name":"From","value":"a@b.c"},{"name":"Message-ID","value":"<TOKEN.abc@belfry.dev>"}],"#,
        #""headers":[{"name":"message-id","value":"<TOKEN.abc@belfry.dev>"}],"#,
        #""headersTruncated":true,"source":"bounce+TOKEN@bounce.belfry.dev","#,
    ])
    func `what a configuration set reports names its job by the mail itself`(mail: String) throws {
        let event = """
            {"eventType":"Bounce","bounce":{"bounceType":"Permanent","bounceSubType":"General"},"mail":\
            {\(mail.replacing("TOKEN", with: jobToken))"messageId":"EXAMPLE7c191be45-e9aedb9a-000000",\
            "commonHeaders":{"messageId":"EXAMPLE7c191be45-e9aedb9a-000000","subject":"Hi"}}}
            """
        let (text, certificate) = try signed(message(["Message": event]))
        guard case .reports(let reports) = try read(text, certificate) else {
            Issue.record("a confirmation")
            return
        }
        #expect(reports.map(\.job) == [ourJob] && reports.map(\.status) == [.bounced])
    }

    @Test func `who takes a mail out of the junk has not complained`() throws {
        for (kind, count) in [("not-spam", 0), ("abuse", 1)] {
            let event = """
                {"eventType":"Complaint","complaint":{"complaintFeedbackType":"\(kind)"},"mail":\
                {"source":"bounce+\(jobToken)@bounce.belfry.dev"}}
                """
            let (text, certificate) = try signed(message(["Message": event]))
            guard case .reports(let reports) = try read(text, certificate) else {
                Issue.record("a confirmation")
                return
            }
            #expect(reports.count == count, "\(kind)")
        }
    }

    @Test func `a topic that begins is confirmed, and one that ends brings nothing`() throws {
        let url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription"
        let fields = ["Message": "You have chosen to subscribe", "SubscribeURL": url, "Token": "t"]
        let begun = try signed(message(fields.merging(["Type": "SubscriptionConfirmation"]) { $1 }))
        #expect(try read(begun.text, begun.certificate) == .confirmation(url: url))
        let ended = try signed(message(fields.merging(["Type": "UnsubscribeConfirmation"]) { $1 }))
        #expect(try read(ended.text, ended.certificate) == .reports([]))
    }

    /// Anybody has a topic of their own, and Amazon signs what they publish there.
    @Test func `what was signed for another topic is not cut into a message of ours`() throws {
        let cut = "\(event)\nMessageId\nforged-1\nTimestamp\nT\nTopicArn\n\(Self.ownTopic)\nType\nX"
        let theirs = message(["TopicArn": "arn:aws:sns:eu-west-1:2:theirs", "Message": cut])
        let (text, certificate) = try signed(theirs)
        let signature = try #require(JSONValue(parsing: text)?["Signature"]?.string)
        let rest = ["MessageId", "Timestamp", "TopicArn", "Type"].map { "\($0)\n\(theirs[$0] ?? "")" }
        let forged = message([
            "MessageId": "forged-1", "Timestamp": "T", "Type": "X\n" + rest.joined(separator: "\n"),
            "Signature": signature,
        ])
        let body = try self.text(forged)
        #expect(throws: ReportRefusal.wrongSignature) { try read(body, certificate) }
    }

    @Test(arguments: [
        ["Type": "Other"], ["Type": "notification"], ["MessageId": "sns-1\nTimestamp\nT"],
        ["Timestamp": "T\r\nTopicArn\r\nX"],
    ])
    func `a sort that Amazon does not send, and a line end where it puts none, are not believed`(
        fields: [String: String]
    ) throws {
        let (text, certificate) = try signed(message(fields))
        #expect(throws: ReportRefusal.wrongSignature) { try read(text, certificate) }
    }

    @Test(arguments: [
        ("https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0aZ9.pem", true),
        ("https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-1.pem", true),
        ("https://sns.us-gov-west-1.amazonaws.com/SimpleNotificationService-1.pem", true),
        ("http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem", false),
        ("https://sns.eu-west-1.amazonaws.com.evil.org/SimpleNotificationService-1.pem", false),
        ("https://sns.evil.org/SimpleNotificationService-1.pem", false),
        ("https://evil.sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem", false),
        ("https://a@sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem", false),
        ("https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-1.pem", false),
        ("https://sns..amazonaws.com/SimpleNotificationService-1.pem", false),
        ("https://sns.eu.west.amazonaws.com/SimpleNotificationService-1.pem", false),
        // Buckets, in which anybody puts what they like.
        ("https://sns.s3.amazonaws.com/SimpleNotificationService-1.pem", false),
        ("https://sns.s3-eu-west-1.amazonaws.com/SimpleNotificationService-1.pem", false),
        ("https://sns.s3-website-eu-west-1.amazonaws.com/SimpleNotificationService-1.pem", false),
        ("https://sns.eu-west-1.amazonaws.com/a.pem", false),
        ("https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-.pem", false),
        ("https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1/a.pem", false),
        ("https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem?a=.pem", false),
        ("https://sns.eu-west-1.amazonaws.com/?a=/SimpleNotificationService-1.pem", false), ("", false),
    ])
    func `a certificate lies at Amazon's own address`(url: String, isAmazons: Bool) {
        #expect(NotificationServiceReports.isCertificate(url) == isAmazons)
    }
}
