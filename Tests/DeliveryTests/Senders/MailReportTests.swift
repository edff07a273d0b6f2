import CivilTime
import Foundation
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("N3, what relays of mail report", .unlessItHangs, .withOracles)
struct MailReportTests: HearsReports {
    private let time = "\(newYear.wholeSeconds)"

    private func sendGrid(_ body: String, at time: String) throws -> (SendGridReports, String) {
        let signed: [String] = try Oracles.ask(
            "report_oracle.py", ["ask": "sendgrid_sign", "time": time, "body": body])
        return (try #require(SendGridReports(key: signed[0], secrets: [secret])), signed[1])
    }

    private func incoming(_ body: String, _ signature: String, _ time: String) -> IncomingReport {
        report(
            body, "X-Twilio-Email-Event-Webhook-Signature: \(signature)",
            "X-Twilio-Email-Event-Webhook-Timestamp: \(time)")
    }

    @Test func `what SendGrid signs is believed, and no byte more`() throws {
        let body = """
            [{"sg_event_id":"e1","event":"delivered","timestamp":1767225500,"sg_message_id":"m1","smtp-id":"<\(jobToken).abc@belfry.dev>"},\
            {"sg_event_id":"e2","event":"bounce","type":"bounce","status":"5.1.1","reason":"anna@x.org unknown"},\
            {"sg_event_id":"e3","event":"bounce","type":"blocked","status":"5.7.1"},{"sg_event_id":"e4","event":"open"},\
            {"sg_event_id":"e5","event":"spamreport"},{"sg_event_id":"e6","event":"group_unsubscribe"},{"event":"delivered"},7]
            """
        let (reports, signature) = try sendGrid(body, at: time)
        let read = try reports.read(incoming(body, signature, time), at: newYear)
        #expect(read.map(\.id) == ["e1", "e2", "e3", "e5", "e6"].map { "sendgrid:\($0)" })
        #expect(read.map(\.status) == [.delivered, .bounced, .failed, .complained, .unsubscribed])
        #expect(read.map(\.isPermanent) == [false, true, false, true, false])
        #expect(read[0].job == ourJob && read[0].providerID == "m1" && read[1].job == nil)
        #expect(read.map(\.code) == [nil, "5.1.1", "5.7.1", nil, nil])
        #expect(read.map(\.at) == [Instant(seconds: 1_767_225_500), nil, nil, nil, nil])
        for changed in withOneByteChanged(String(body.prefix(80))) {
            let incoming = incoming(changed + body.dropFirst(80), signature, time)
            #expect(
                told { () throws(ReportRefusal) in try reports.read(incoming, at: newYear) }
                    == "\(ReportRefusal.wrongSignature)")
        }
        #expect(throws: ReportRefusal.wrongSignature) {
            try reports.read(incoming(body, signature, "\(newYear.wholeSeconds + 1)"), at: newYear)
        }
        #expect(throws: ReportRefusal.unsigned) { try reports.read(report(body), at: newYear) }
        #expect(SendGridReports(key: "AAAA", secrets: []) == nil)
    }

    /// Of these SendGrid's events have no `smtp-id`.
    @Test(arguments: [
        ("spamreport", ProviderReport.Status.complained), ("unsubscribe", .unsubscribed), ("delivered", .delivered),
    ])
    func `an event finds its job by what the mail's header said`(kind: String, status: ProviderReport.Status) throws {
        let body = #"[{"sg_event_id":"e1","event":"\#(kind)","belfry_job":"\#(jobToken)"}]"#
        let (reports, signature) = try sendGrid(body, at: time)
        let read = try reports.read(incoming(body, signature, time), at: newYear)
        #expect(read.map(\.job) == [ourJob] && read.map(\.status) == [status])
    }

    /// SendGrid sends nothing more to who is on one of its lists, and says so of each mail (`N3`, `N6`).
    @Test func `what SendGrid does not even try says why: the address is dead, or the person wants no more`() throws {
        let reasons = [
            "Bounced Address", "Invalid", "Unsubscribed Address", "Spam Reporting Address", "Spam Content", nil,
        ]
        let events = reasons.enumerated().map { place, reason in
            #"{"sg_event_id":"d\#(place)","event":"dropped""# + (reason.map { #","reason":"\#($0)"}"# } ?? "}")
        }
        let body = "[\(events.joined(separator: ","))]"
        let (reports, signature) = try sendGrid(body, at: time)
        let read = try reports.read(incoming(body, signature, time), at: newYear)
        #expect(read.map(\.status) == [.bounced, .bounced, .failed, .failed, .failed, .failed])
        #expect(read.map(\.isPermanent) == [true, true, false, false, false, false])
        #expect(read.map(\.isStopped) == [false, false, true, true, false, false])
    }

    /// What a provider says at length is heard as well (N3).
    @Test func `a code is its first word, and no longer than there is room for`() {
        let long = String(repeating: "5.1.1", count: 100)
        for (text, code) in [
            ("5.1.1", "5.1.1"), (" 5.1.1 <anna@example.org> unknown", "5.1.1"), ("", nil), (" \n", nil),
            ("\u{E9}", nil),
            (long, String(long.prefix(256))),
        ] as [(String, String?)] {
            #expect(ProviderReport.code(text) == code)
        }
        #expect(ProviderReport.code(nil) == nil)
    }

    @Test(arguments: [(-301, true), (-300, false), (0, false), (300, false), (301, true)])
    func `an old report is none`(offset: Int64, isRefused: Bool) throws {
        let (reports, signature) = try sendGrid("[]", at: time)
        let now = newYear.advanced(bySeconds: offset)
        let told = told { () throws(ReportRefusal) in try reports.read(incoming("[]", signature, time), at: now) }
        #expect(told == (isRefused ? "\(ReportRefusal.outOfTime)" : "[]"))
    }

    @Test func `what is signed and no report is told as that`() throws {
        for body in ["{}", "<html>", ""] {
            let (reports, signature) = try sendGrid(body, at: time)
            #expect(throws: ReportRefusal.malformed) { try reports.read(incoming(body, signature, time), at: newYear) }
        }
    }

    @Test func `Postmark is known by its password`() throws {
        let reports = PostmarkReports(user: "belfry", password: "ding dong", secrets: [secret])
        let known = "Authorization: Basic \(Base64.encode(Array("belfry:ding dong".utf8)))"
        let bounce = """
            {"RecordType":"Bounce","ID":42,"TypeCode":1,"Inactive":true,"MessageID":"m-1","BouncedAt":"2025-12-31T23:58:20.9070259Z","Metadata":{"job":"\(jobToken)"}}
            """
        let read = try reports.read(report(bounce, known))
        #expect(
            read == [
                .init(
                    id: "postmark:m-1:Bounce:42", job: ourJob, providerID: "m-1", status: .bounced, isPermanent: true,
                    code: "1", at: Instant(milliseconds: 1_767_225_500_907))
            ])
        // Each time that somebody leaves is an event of its own (N6).
        func change(at time: String) -> String {
            """
            {"RecordType":"SubscriptionChange","SuppressSending":true,"SuppressionReason":"ManualSuppression",\
            "Origin":"Recipient","MessageID":"m-1","ChangedAt":"\(time)"}
            """
        }
        let changes = try ["2025-12-31T23:58:20Z", "2025-12-31T23:59:20Z", "2025-12-31T23:59:20Z"].map {
            try #require(try reports.read(report(change(at: $0), known)).first)
        }
        #expect(changes.allSatisfy { $0.status == .unsubscribed })
        #expect(changes[0].id != changes[1].id && changes[1].id == changes[2].id)
        #expect(throws: ReportRefusal.unsigned) { try reports.read(report(bounce)) }
        #expect(throws: ReportRefusal.wrongSignature) { try reports.read(report(bounce, known + "x")) }
        #expect(throws: ReportRefusal.malformed) { try reports.read(report("{}", known)) }
        #expect(try reports.read(report("{\"RecordType\":\"Open\",\"MessageID\":\"m\"}", known)) == [])
    }

    @Test func `what Standard Webhooks' library signs is believed, and no byte more`() throws {
        let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let body = """
            {"job":"anna/reminder/#12","channel":"sms","status":"delivered","provider_id":"p1","at":"2025-12-31T23:58:20Z"}
            """
        func sign(_ body: String) throws -> String {
            try Oracles.ask(
                "report_oracle.py", ["ask": "standard_sign", "secret": key, "id": "w1", "time": time, "body": body])
        }
        let signature = try sign(body)
        let reports = StandardReports(secrets: try WebhookSecrets(key))
        func read(_ body: String, id: String = "w1", at now: Instant = newYear) throws(ReportRefusal)
            -> [ProviderReport]
        {
            try reports.read(
                report(
                    body, "webhook-id: \(id)", "webhook-timestamp: \(time)",
                    "webhook-signature: v1a,xx v1,AAAA \(signature)"),
                at: now)
        }
        #expect(
            try read(body) == [
                .init(
                    id: "standard:w1", job: .named("anna/reminder/#12"), providerID: "p1", status: .delivered,
                    at: Instant(seconds: 1_767_225_500), channel: .sms)
            ])
        for changed in withOneByteChanged(body) {
            #expect(told { () throws(ReportRefusal) in try read(changed) } == "\(ReportRefusal.wrongSignature)")
        }
        #expect(throws: ReportRefusal.wrongSignature) { try read(body, id: "w2") }
        #expect(throws: ReportRefusal.outOfTime) { try read(body, at: newYear.advanced(bySeconds: 301)) }
        #expect(throws: ReportRefusal.unsigned) { try reports.read(report(body), at: newYear) }
    }

    /// Nothing of it is signed yet: whoever sends it may be anybody.
    @Test func `a time that is none is refused, however long it is`() throws {
        let reports = StandardReports(secrets: try WebhookSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        for time in ["\(Int64.min)", "\(Int64.max)", "-1", "now"] {
            let incoming = report(
                "{}", "webhook-id: a", "webhook-timestamp: \(time)", "webhook-signature: v1,AAAA")
            #expect(throws: ReportRefusal.wrongSignature) { try reports.read(incoming, at: newYear) }
            #expect(!IncomingReport.isRecent(time, at: newYear))
        }
        for seconds in [Int.min, .max, -1] { #expect(ReportTime.instant(seconds: seconds) == nil) }
    }

    /// A field that is passed over can be a dead address that is used again.
    @Test(arguments: [
        (#""channel":"pigeon""#, #"channel: "pigeon" is not one of push, email, sms"#),
        (#""channel":null"#, "channel: is missing: it is one of push, email, sms"),
        (#""channel":7"#, "channel: 7 is not one of push, email, sms"),
        (
            #""status":"gone""#,
            #"status: "gone" is not one of delivered, bounced, failed, expired, complained, unsubscribed"#
        ),
        (#""permanent":"yes""#, #"permanent: "yes" is not true or false"#),
        (
            #""at":"yesterday""#,
            #"at: "yesterday" is not an instant such as 2026-03-02T14:00:00Z, of the years 2000 to 2099"#
        ),
        (
            #""at":"1999-12-31T23:59:59Z""#,
            #"at: "1999-12-31T23:59:59Z" is not an instant such as 2026-03-02T14:00:00Z, of the years 2000 to 2099"#
        ),
        (
            #""provider_id":"a b""#,
            #"provider_id: "a b" is not a text of 1 to 256 printable ASCII characters without spaces"#
        ),
        (
            #""permanant":true"#,
            #""permanant": is not a field of a report (known here: job, channel, status, permanent, code, at, provider_id)"#
        ),
    ])
    func `a standard report that is signed and wrong says where`(field: String, words: String) throws {
        let name = String(field.prefix { $0 != ":" })
        let usual = [
            (#""job""#, #""anna/reminder/#12""#), (#""channel""#, #""sms""#), (#""status""#, #""failed""#),
        ].filter { $0.0 != name }.map { "\($0.0):\($0.1)" }
        #expect(try problem(ofStandard: "{\((usual + [field]).joined(separator: ","))}") == words)
    }

    @Test func `a standard report that is no report says so`() throws {
        #expect(try problem(ofStandard: "delivered") == "a report is a JSON object")
        #expect(try problem(ofStandard: "[]") == "a report is a JSON object")
        #expect(
            try problem(ofStandard: #"{"channel":"sms","status":"failed"}"#)?.hasPrefix("job: is missing: it is ")
                == true)
        // What is null is left out.
        #expect(
            try problem(
                ofStandard:
                    #"{"job":"anna/a/#1","channel":"sms","status":"failed","permanent":null,"code":null,"at":null}"#)
                == nil)
    }

    private func problem(ofStandard body: String) throws -> String? {
        let secrets = try WebhookSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let signature = secrets.signature(id: "w1", at: newYear, body: Array(body.utf8))
        let incoming = report(
            body, "webhook-id: w1", "webhook-timestamp: \(newYear.wholeSeconds)", "webhook-signature: \(signature)")
        do throws(ReportRefusal) {
            _ = try StandardReports(secrets: secrets).read(incoming, at: newYear)
            return nil
        } catch {
            guard case .field(let problem) = error else { return "not believed: \(error)" }
            return "\(problem)"
        }
    }
}
