import CivilTime
import Foundation
import Notices
import Synchronization
import Testing

@testable import Delivery

/// In a cluster a report comes to any worker, and its job lies in a log that another may have (`M3`).
@Suite("N3, where the jobs are that reports name")
struct ReportDeskTests: HearsReports {
    private struct Unreadable: Error {}

    private let ourPlace = JobPlace(position: 4096, seq: 1729)
    private let bounced = ReportedJob(name: NoticeName("anna/reminder/goal:g1729/#1729~1"), user: "anna")

    /// What a bounce that Postmark reports of our job comes to.
    private func hear(
        read: @escaping ReportDesk.Read,
        elsewhere: @escaping ReportDesk.ReadElsewhere = { _, answer in
            Issue.record("nobody else is asked")
            answer(nil)
        }
    ) throws -> ReportDesk.Outcome? {
        let scratch = try Scratch()
        for name in ["token", "password"] {
            let file = try scratch.write("secret", to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        let document = try SendersDocument(
            """
            {"public_url":"https://bell.example.org","sms":{"twilio":{"account":"AC00000000000000000000000000000000",
            "token_file":"token","from":"+14155550100"}},
            "reports":{"postmark":{"user":"belfry","password_file":"password"}}}
            """, folder: scratch.path)
        let office = PostOffice(document, try OpenSenders(document, ownSecret: [secret], clock: { newYear }))
        let desk = ReportDesk(
            office, read: read, readElsewhere: elsewhere, find: { _, answer in answer(nil) }, clock: { newYear })
        let body = """
            {"RecordType":"Bounce","ID":42,"MessageID":"m-1","Inactive":true,"Metadata":{"job":"\(jobToken)"}}
            """
        let password = Data("belfry:secret".utf8).base64EncodedString()
        let outcome = Mutex<ReportDesk.Outcome?>(nil)
        let incoming = report(body, "Authorization: Basic \(password)")
        desk.hear("postmark", incoming) { said in outcome.withLock { $0 = said } }
        return outcome.withLock { $0 }
    }

    private func users(_ outcome: ReportDesk.Outcome?) -> [String?]? {
        guard case .facts(let facts, let strays)? = outcome, strays.isEmpty else { return nil }
        return facts.map(\.user)
    }

    @Test func `a job of a log that is here is told of its person`() throws {
        #expect(users(try hear(read: { _ in [jobEvent(1729, channels: [.email])] })) == ["anna"])
    }

    @Test func `whose a job of another worker's log is that worker says`() throws {
        let asked = Mutex<[JobPlace]>([])
        let outcome = try hear(
            read: { _ in throw JobElsewhere("partition 6 is another worker's now") },
            elsewhere: { [ourPlace, bounced] places, answer in
                asked.withLock { $0 += places }
                answer([ourPlace: bounced])
            })
        #expect(users(outcome) == ["anna"])
        #expect(asked.withLock { $0 } == [ourPlace])
    }

    @Test func `where that worker does not say, the report has to come again`() throws {
        let outcome = try hear(
            read: { _ in throw JobElsewhere("partition 6 is another worker's now") },
            elsewhere: { _, answer in answer(nil) })
        guard case .later? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }

    @Test func `where the log cannot be read just now, the report has to come again`() throws {
        let outcome = try hear(read: { _ in throw Unreadable() })
        guard case .later? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }

    @Test func `a job that no log holds need not come again`() throws {
        #expect(try hear(read: { _ in [] }) == .facts([], leadingNowhere: [.unknownJob]))
        let elsewhere = try hear(
            read: { _ in throw JobElsewhere("partition 6 is another worker's now") },
            elsewhere: { _, answer in answer([:]) })
        #expect(elsewhere == .facts([], leadingNowhere: [.unknownJob]))
    }

    /// Else the second would be taken for the first one come again, and lost.
    @Test func `two events are never one fact, whatever their provider calls them`() {
        let long = String(repeating: "m", count: 200)
        let names = ["msg-1", "msg/1", "msg 1", "msg-1/", "m\u{E9}g-1", "me\u{301}g-1", long + "1", long + "2", ""]
        let ids = names.map { ReportDesk.factID("standard:\($0)") }
        #expect(Set(ids).count == names.count && ids.allSatisfy { Identifier.isAccepted($0) }, "\(ids)")
        #expect(ids[0] == "standard:msg-1" && ids == names.map { ReportDesk.factID("standard:\($0)") })
    }
}
