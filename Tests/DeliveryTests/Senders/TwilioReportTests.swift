import CivilTime
import Foundation
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("N3, what Twilio reports", .unlessItHangs, .withOracles)
struct TwilioReportTests: HearsReports {
    private let url = "https://bell.example.org/v1/providers/twilio"
    private var target: String { "/v1/providers/twilio?job=\(jobToken)" }
    private var reports: TwilioReports { TwilioReports(url: url, token: "secret", secrets: [secret]) }

    private func sign(_ fields: [String: String], query: String? = nil, at signed: String? = nil) throws -> String {
        let form = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
        return try Oracles.ask(
            "report_oracle.py",
            [
                "ask": "twilio_sign", "token": "secret", "url": (signed ?? url) + (query ?? "?job=\(jobToken)"),
                "form": form,
            ])
    }

    private func body(_ fields: [String: String]) -> String {
        String(
            decoding: FormEncoding.bytes(fields.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }), as: UTF8.self)
    }

    @Test func `what Twilio's library signs is believed, and no byte more`() throws {
        let fields = [
            "MessageSid": "SM1", "MessageStatus": "delivered", "To": "+14155550100", "Body": "é & =+ 100%", "Z": "",
        ]
        let signature = try sign(fields)
        let read = try reports.read(report(body(fields), target: target, "X-Twilio-Signature: \(signature)"))
        #expect(read == [.init(id: "twilio:SM1:delivered", job: ourJob, providerID: "SM1", status: .delivered)])
        for changed in withOneByteChanged(body(fields)) {
            let incoming = report(changed, target: target, "X-Twilio-Signature: \(signature)")
            #expect(
                told { () throws(ReportRefusal) in try reports.read(incoming) } == "\(ReportRefusal.wrongSignature)")
        }
        let moved = report(body(fields), target: target + "0", "X-Twilio-Signature: \(signature)")
        #expect(throws: ReportRefusal.wrongSignature) { try reports.read(moved) }
        #expect(throws: ReportRefusal.unsigned) { try reports.read(report(body(fields), target: target)) }
        let other = TwilioReports(url: url, token: "secrets", secrets: [secret])
        #expect(throws: ReportRefusal.wrongSignature) {
            try other.read(report(body(fields), target: target, "X-Twilio-Signature: \(signature)"))
        }
    }

    /// Its own library believes both, since Twilio signs now the one and now the other.
    @Test(arguments: [
        ("https://bell.example.org", "https://bell.example.org:443", true),
        ("https://bell.example.org:8443", "https://bell.example.org", true),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]", true),
        ("https://[2001:db8::1]", "https://[2001:db8::1]:443", true),
        ("http://bell.example.org", "http://bell.example.org:80", true),
        ("https://bell.example.org", "https://bell.example.org:8443", false),
        ("https://bell.example.org:8443", "https://bell.example.org:443", false),
    ])
    func `it signs the address with its port or without it`(told: String, signed: String, isBelieved: Bool) throws {
        let path = "/v1/providers/twilio"
        let reports = TwilioReports(url: told + path, token: "secret", secrets: [secret])
        let fields = ["MessageSid": "SM1", "MessageStatus": "delivered"]
        let signature = try sign(fields, at: signed + path)
        let incoming = report(body(fields), target: target, "X-Twilio-Signature: \(signature)")
        #expect(((try? reports.read(incoming))?.count == 1) == isBelieved)
    }

    /// Nobody who reports sends as many, and whoever is not believed yet may be anybody (`G11`).
    @Test func `so many fields are taken in, and no more`() throws {
        for (count, isRead) in [(256, true), (257, false)] {
            var fields = ["MessageSid": "SM1", "MessageStatus": "delivered"]
            for number in 2..<count { fields["F\(number)"] = "x" }
            let incoming = report(body(fields), target: target, "X-Twilio-Signature: \(try sign(fields))")
            #expect((try? reports.read(incoming).count == 1) == (isRead ? true : nil), "\(count)")
        }
    }

    @Test func `a status means what it says`() throws {
        for (status, code, meaning) in [
            ("failed", "30005", "failed, for ever"), ("undelivered", "30006", "failed, for ever"),
            ("failed", "21211", "failed, for ever"), ("failed", "21614", "failed, for ever"),
            ("undelivered", "30003", "failed"), ("failed", "21610", "failed, stopped"),
            ("undelivered", "30036", "expired"), ("queued", "", "nothing"), ("sent", "", "nothing"),
        ] {
            let fields = ["MessageSid": "SM1", "MessageStatus": status, "ErrorCode": code]
            let read = try reports.read(report(body(fields), target: target, "X-Twilio-Signature: \(sign(fields))"))
                .first
            let told =
                read.map {
                    $0.status.rawValue + ($0.isPermanent ? ", for ever" : "") + ($0.isStopped ? ", stopped" : "")
                } ?? "nothing"
            #expect(told == meaning, "\(status) \(code)")
        }
    }

    @Test func `a text that came to nothing because of a STOP has failed, and then nobody is sent more (N3, N6)`()
        throws
    {
        let scratch = try Scratch()
        let file = try scratch.write("secret", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let document = try SendersDocument(
            """
            {"public_url":"https://bell.example.org","sms":{"twilio":{"account":"AC00000000000000000000000000000000",
            "token_file":"token","from":"+14155550100"}}}
            """, folder: scratch.path)
        let office = PostOffice(document, try OpenSenders(document, ownSecret: [secret], clock: { newYear }))
        let desk = ReportDesk(
            office, read: { _ in [jobEvent(1729, channels: [.sms])] }, find: { _, answer in answer(nil) },
            clock: { newYear })
        let fields = ["MessageSid": "SM1", "MessageStatus": "failed", "ErrorCode": "21610"]
        let incoming = report(body(fields), target: target, "X-Twilio-Signature: \(try sign(fields))")
        let outcome = Mutex<ReportDesk.Outcome?>(nil)
        desk.hear("twilio", incoming) { said in outcome.withLock { $0 = said } }
        guard case .facts(let facts, _)? = outcome.withLock({ $0 }) else {
            Issue.record("nothing was told")
            return
        }
        #expect(facts.map(\.user) == ["anna", "anna"] && Set(facts.map(\.id)).count == 2)
        guard case .deliveryReported(let failure)? = facts.first?.payload,
            case .unsubscribed(let stop)? = facts.last?.payload
        else {
            Issue.record("\(facts)")
            return
        }
        #expect(failure.status == .failed && failure.isPermanent != true && failure.code?.text == "21610")
        #expect(stop.channel == .sms && stop.how == .stop)
    }

    @Test
    func `whoever answers STOP wants no more, whoever answers START wants them again, and other answers say nothing`()
        throws
    {
        func read(_ body: String, _ type: String? = nil) throws -> [ProviderReport] {
            var fields = ["MessageSid": "SM1", "SmsStatus": "received", "From": "+14155550100", "Body": body]
            fields["OptOutType"] = type
            let signature = try sign(fields, query: "")
            return try reports.read(
                report(self.body(fields), target: "/v1/providers/twilio", "X-Twilio-Signature: \(signature)"))
        }
        let stop = ProviderReport(
            id: "twilio:SM1:unsubscribed", job: .saidFrom(number: "+14155550100"), providerID: "SM1",
            status: .unsubscribed)
        for body in ["STOP", " stop\n", "Stop.", "Unsubscribe", "QUIT", "opt out"] { #expect(try read(body) == [stop]) }
        let start = ProviderReport(
            id: "twilio:SM1:resubscribed", job: .saidFrom(number: "+14155550100"), providerID: "SM1",
            status: .resubscribed)
        for body in ["START", " yes\n", "Unstop."] { #expect(try read(body) == [start]) }
        #expect(try read("WEITER", "START") == [start])
        for body in ["", "please start", "yes please", "please stop by at noon", "non-stop", "HELP"] {
            #expect(try read(body) == [])
        }
        // Twilio has understood it by itself, in the account's own words.
        #expect(try read("ARRÊT", "STOP") == [stop] && read("STOP the presses", "STOP") == [stop])
        #expect(try read("STOP", "HELP") == [])
        // In its shortest form it has no status.
        let short = ["MessageSid": "SM1", "From": "+14155550100", "Body": "STOP"]
        let signature = try sign(short, query: "")
        let incoming = report(self.body(short), target: "/v1/providers/twilio", "X-Twilio-Signature: \(signature)")
        #expect(try reports.read(incoming) == [stop])
    }

    @Test func `a report about a job that is not ours names none`() throws {
        let fields = ["MessageSid": "SM1", "MessageStatus": "delivered"]
        for query in ["", "?job=1730\(jobToken.dropFirst(4))", "?job=", "?x=1"] {
            let signature = try sign(fields, query: query)
            let incoming = report(
                body(fields), target: "/v1/providers/twilio" + query, "X-Twilio-Signature: \(signature)")
            #expect(try reports.read(incoming).first?.job == nil)
        }
    }
}
