import CivilTime
import Foundation
import Hashing
import Notices
import Testing

@testable import Delivery

/// A document that is read again changes what it says otherwise, and nothing else.
@Suite("N1, senders that one document hands on to the next", .unlessItHangs)
struct SenderRackTests {
    private let scratch: Scratch
    private let rack = SenderRack()

    init() throws {
        scratch = try Scratch()
        try secret(SigningKey.newP256().pem, "apns")
        try secret(SigningKey.newP256().pem, "vapid")
        try secret("token", "twilio")
    }

    private func secret(_ text: String, _ name: String) throws {
        let path = try scratch.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func document(perSecond: Int = 5, topic: String = "a.b", model: String = "m") throws -> SendersDocument {
        try SendersDocument(
            """
            {"public_url":"https://b.example.org",
             "push":{"apns":{"key_file":"apns","key_id":"ABC123DEFG","team_id":"TEAM456789","topic":"\(topic)"},
                     "webpush":{"key_file":"vapid","subject":"mailto:ops@belfry.dev","per_second":\(perSecond)}},
             "email":{"smtp":{"url":"smtp://127.0.0.1:1","from":"bell@belfry.dev"}},
             "sms":{"twilio":{"account":"AC00000000000000000000000000000000","token_file":"twilio","from":"Belfry"}},
             "analyser":{"url":"http://127.0.0.1:1/v1/chat/completions","model":"\(model)"}}
            """, folder: scratch.path)
    }

    private func open(_ document: SendersDocument) throws -> OpenSenders {
        try OpenSenders(document, ownSecret: [Array("secret".utf8)], clock: { newYear }, senders: rack)
    }

    private func close(_ senders: OpenSenders) async {
        await withCheckedContinuation { done in senders.close { done.resume() } }
    }

    /// What comes of a question. Nobody listens there.
    private func reason(_ analyser: Analyser) async -> String {
        let message = HeardMessage(message: "m1", sender: nil, text: "Hello", mentionsUser: false, at: newYear)
        let fact = await withCheckedContinuation { done in
            analyser.ask(about: "lunch", [message]) { done.resume(returning: $0) }
        }
        guard case .analysisFailed(let failed) = fact else { return "it answered" }
        return failed.reason.text
    }

    private static let isClosed = "the worker is stopping"

    /// Apple punishes whoever makes new tokens often, and what was learnt of its answers would be forgotten.
    @Test func `whoever the next document wants alike stays, with what they were told and have learnt`() async throws {
        let first = try open(document())
        let token = try #require(first.apns).shownToken(at: newYear)
        let second = try open(document(perSecond: 6))
        #expect(first.apns === second.apns && first.email === second.email && first.sms === second.sms)
        #expect(first.analyser === second.analyser && first.webPush !== second.webPush)
        await close(first)
        let third = try open(document())
        #expect(try #require(third.apns).shownToken(at: newYear) == token)
        await close(second)
        await close(third)
    }

    @Test func `another setting or another secret is another sender`() async throws {
        let first = try open(document())
        let renamed = try open(document(topic: "c.d"))
        #expect(first.apns !== renamed.apns && first.webPush === renamed.webPush && first.sms === renamed.sms)
        try secret(SigningKey.newP256().pem, "apns")
        try secret("another", "twilio")
        let changed = try open(document())
        #expect(first.apns !== changed.apns && first.webPush === changed.webPush && first.sms !== changed.sms)
        for senders in [first, renamed, changed] { await close(senders) }
    }

    @Test func `one is closed when the last document that names it has left`() async throws {
        let (first, second) = (try open(document()), try open(document(perSecond: 6)))
        let analyser = try #require(first.analyser)
        await close(first)
        #expect(await reason(analyser) != Self.isClosed)
        await close(second)
        #expect(await reason(analyser) == Self.isClosed)
        let third = try open(document())
        let anew = try #require(third.analyser)
        #expect(await reason(anew) != Self.isClosed)
        await close(third)
    }

    @Test func `another document ends no analysis that is under way (N10)`() async throws {
        let before = try document()
        let office = PostOffice(before, try open(before))
        let loan = try #require(office.lendAnalyser())
        let next = try document(model: "n")
        office.change(to: next, try open(next))
        let other = try #require(office.lendAnalyser())
        #expect(other.analyser !== loan.analyser)
        other.giveBack()
        #expect(await reason(loan.analyser) != Self.isClosed)
        loan.giveBack()
        #expect(await reason(loan.analyser) == Self.isClosed)
        #expect(await reason(other.analyser) != Self.isClosed)
        await withCheckedContinuation { done in office.close { done.resume() } }
        #expect(await reason(other.analyser) == Self.isClosed)
    }

    @Test func `Twilio is heard of what it was given, though the next document names it no more (N3, N6)`() async throws
    {
        let before = try document()
        let office = PostOffice(before, try open(before))
        let url = try #require(office.reports.twilio?.url)
        for _ in 0..<2 {
            let next = try SendersDocument("{}", folder: scratch.path)
            office.change(to: next, try open(next))
            #expect(office.reports.twilio?.url == url)
        }
        await withCheckedContinuation { done in office.close { done.resume() } }
    }

    @Test func `a worker that stops gives up what two documents have in common`() async throws {
        let before = try document()
        let office = PostOffice(before, try open(before))
        let loan = try #require(office.lendAnalyser())
        let next = try document(perSecond: 6)
        office.change(to: next, try open(next))
        await withCheckedContinuation { done in office.close { done.resume() } }
        #expect(await reason(loan.analyser) == Self.isClosed)
        // What was given up has answered, and nothing is closed once more.
        loan.giveBack()
    }
}
