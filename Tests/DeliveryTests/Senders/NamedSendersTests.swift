import CivilTime
import Foundation
import Hashing
import Notices
import Testing

@testable import Delivery

/// A sender has a lane once it has had a job; how it is can be asked before.
@Suite("V1, how the senders are", .unlessItHangs)
struct NamedSendersTests {
    private let scratch: Scratch
    private let courier: Courier

    init() throws {
        scratch = try Scratch()
        let path = try scratch.write(SigningKey.newP256().pem, to: "vapid")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let text = #"""
            {"public_url":"https://bell.example.org",
             "push":{"webpush":{"key_file":"vapid","subject":"mailto:ops@belfry.dev"}},
             "email":{"smtp":{"url":"smtp://127.0.0.1:1","from":"bell@belfry.dev"}},"sms":{"spool":{"directory":"d"}}}
            """#
        let document = try SendersDocument(text, folder: scratch.path)
        let senders = try OpenSenders(
            document, ownSecret: [Array("secret".utf8)], clock: { newYear }, rack: SinkRack())
        courier = Courier(
            sinks: [],
            mail: Courier.Mail(
                office: PostOffice(document, senders), texts: try TextLedger(in: scratch.path),
                book: { _, answer in answer(nil) }, registration: { _, _ in nil }),
            clock: { newYear }, read: { _ in [] }, record: { _, done in done(true) }, log: { _, _, _ in })
    }

    @Test func `each that the document names is told of before its first job`() async {
        courier.start()
        #expect(courier.carriers.map(\.name) == ["webpush", "smtp", "sms.spool"])
        #expect(courier.carriers.allSatisfy { $0.waiting == 0 && !$0.isBroken && $0.problem == nil })
        await withCheckedContinuation { done in courier.stop(within: 60) { done.resume() } }
    }

    @Test func `one that has had a job is told of once, and browsers' push services by their names`() {
        func standing(_ name: String) -> CarrierStanding {
            CarrierStanding(name: name, waiting: 3, isBroken: true, problem: "is down")
        }
        let met = [standing("smtp"), standing("webpush https://fcm.googleapis.com")]
        let all = courier.withUnmet(met)
        #expect(Array(all.prefix(2)) == met && all.dropFirst(2).map(\.name) == ["sms.spool"])
    }
}
