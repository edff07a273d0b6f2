import CivilTime
import Testing

@testable import Delivery

/// Postmark tells of its list of those who get no more mails as of mails: why somebody is on it decides what that means.
@Suite("N3 and N6, what Postmark's list says")
struct PostmarkReportTests: HearsReports {
    private func read(_ fields: String) throws -> [ProviderReport] {
        let reports = PostmarkReports(user: "belfry", password: "ding", secrets: [secret])
        let body = """
            {"RecordType":"SubscriptionChange","ChangedAt":"2025-12-31T23:58:20Z","Metadata":{"job":"\(jobToken)"},\(fields)}
            """
        return try reports.read(report(body, "Authorization: Basic \(Base64.encode(Array("belfry:ding".utf8)))"))
    }

    private func bounce(_ fields: String) throws -> [ProviderReport] {
        let reports = PostmarkReports(user: "belfry", password: "ding", secrets: [secret])
        let body = """
            {"RecordType":"Bounce","ID":42,"MessageID":"m-1","BouncedAt":"2025-12-31T23:58:20Z",
             "Metadata":{"job":"\(jobToken)"},\(fields)}
            """
        return try reports.read(report(body, "Authorization: Basic \(Base64.encode(Array("belfry:ding".utf8)))"))
    }

    @Test(arguments: [
        ("Transient", 2), ("Subscribe", 32), ("AutoResponder", 64), ("AddressChange", 128), ("OpenRelayTest", 1024),
        ("ChallengeVerification", 16384),
    ])
    func `an answer to a mail that came, or a delay, is no failure of it (N3)`(type: String, code: Int) throws {
        for fields in ["\"Type\":\"\(type)\",\"TypeCode\":\(code)", "\"TypeCode\":\(code)"] {
            #expect(try bounce(fields + ",\"Inactive\":false") == [])
            // Whatever it is called: Postmark sends nothing more there.
            #expect(try bounce(fields + ",\"Inactive\":true").map(\.status) == [.bounced])
        }
    }

    @Test func `a bounce may be the person's wish for no more (N6), and what nobody has heard of is a failure`() throws
    {
        for fields in [#""Type":"Unsubscribe","TypeCode":16"#, #""TypeCode":16"#] {
            let read = try bounce(fields)
            #expect(read.map(\.status) == [.unsubscribed] && read.map(\.job) == [ourJob])
        }
        for fields in [
            #""Type":"SoftBounce","TypeCode":4096"#, #""Type":"SomethingNew","TypeCode":2"#, #""TypeCode":1"#,
        ] {
            #expect(try bounce(fields).map(\.status) == [.failed])
        }
    }

    @Test(arguments: [
        ("HardBounce", "Recipient", ProviderReport.Status.bounced, true),
        ("SpamComplaint", "Recipient", .complained, true), ("ManualSuppression", "Recipient", .unsubscribed, false),
    ])
    func `an address is on it because it is dead, or because its person wants no more`(
        reason: String, origin: String, status: ProviderReport.Status, isPermanent: Bool
    ) throws {
        let read = try read(
            #""MessageID":"m-1","SuppressSending":true,"SuppressionReason":"\#(reason)","Origin":"\#(origin)""#)
        #expect(read.map(\.status) == [status] && read.map(\.isPermanent) == [isPermanent])
        #expect(read.map(\.code) == [reason] && read.map(\.job) == [ourJob])
    }

    @Test(arguments: [
        #""MessageID":null,"SuppressSending":true,"SuppressionReason":"ManualSuppression","Origin":"Customer""#,
        #""MessageID":null,"SuppressSending":true,"SuppressionReason":"ManualSuppression","Origin":"Admin""#,
        #""MessageID":"m-1","SuppressSending":true,"SuppressionReason":"SomethingNew","Origin":"Recipient""#,
        #""MessageID":"m-1","SuppressSending":false,"SuppressionReason":null,"Origin":"Recipient""#,
    ])
    func `what an operator does to it says nothing of the person or the address`(fields: String) throws {
        #expect(try read(fields) == [])
    }

    @Test func `a bounce without the mail that it is about is no report`() {
        #expect(throws: ReportRefusal.malformed) {
            try read(#""MessageID":null,"SuppressSending":true,"SuppressionReason":"HardBounce","Origin":"Recipient""#)
        }
    }
}
