import CivilTime
import Foundation
import Notices
import Testing

@testable import Delivery

/// A document may name another account, or another URL, for what waits in a lane: it has asked for nothing.
@Suite("N1, N5, pauses and failures of whoever took the jobs before", .unlessItHangs)
struct AnotherTakerTests {
    /// Mails that wait for a relay.
    private struct Mails {
        var plan = DeliveryPlan(sinks: [], mustSort: true)
        let lane: Int

        init(_ count: UInt64) {
            lane = plan.add(Self.relay("one"))
            plan.handOver((1...count).map { JobPlace(position: $0, seq: $0) })
            while let job = plan.nextUnsorted(at: newYear) {
                let route = RoutePlan(channels: [.email], targets: [Target(carrier: lane, address: .email)])
                plan.sorted(job, order(job.place.seq, channels: [.email]), [route], at: newYear)
            }
        }

        private static func relay(_ user: String?, calls: Int = 2) -> Carrier {
            var carrier = Carrier(name: "smtp", limits: .init(calls: calls))
            carrier.taker = user.map { Taker.account($0, at: "smtp://relay.example") }
            return carrier
        }

        mutating func change(to user: String?, calls: Int = 2) {
            plan.change(lane, to: Self.relay(user, calls: calls))
        }

        mutating func begin() -> Attempt? { plan.nextAttempt(at: newYear) }

        mutating func settle(_ attempt: Attempt, _ verdict: SenderVerdict) {
            plan.settle(attempt, order(attempt.place.seq, channels: [.email]), verdict, at: newYear)
        }

        var isBroken: Bool { plan.standing(of: lane, at: newYear).isBroken }
    }

    private static let pause = SenderVerdict.wait(seconds: 3600, reason: "answered 429", whom: .sender)

    @Test func `a pause that one provider asked for does not hold the next one's jobs`() throws {
        var mails = Mails(4)
        let begun = mails.begin()
        mails.settle(try #require(begun), Self.pause)
        // With other limits it is the same.
        mails.change(to: "one", calls: 3)
        let held = mails.begin()
        #expect(held == nil)
        mails.change(to: "two")
        let next = mails.begin()
        #expect(next?.place.seq == 2)
    }

    @Test(arguments: ["two", nil])
    func `nor does it hold who heard it, nor what goes elsewhere because nobody is named any more`(user: String?) throws
    {
        var mails = Mails(3)
        let begun = mails.begin()
        mails.settle(try #require(begun), Self.pause)
        mails.change(to: user)
        let next = [mails.begin(), mails.begin()]
        #expect(next.map { $0?.place.seq } == [2, 1])
    }

    @Test func `nor do the failures of the one before`() {
        var mails = Mails(30)
        while let attempt = mails.begin() { mails.settle(attempt, .transient(reason: "could not be reached")) }
        #expect(mails.isBroken)
        mails.change(to: "two")
        #expect(!mails.isBroken)
        let next = mails.begin()
        #expect(next?.place.seq == 21)
    }

    @Test func `what the one before says late makes room, and holds nobody`() throws {
        var mails = Mails(5)
        let late = mails.begin()
        mails.change(to: "two")
        mails.settle(try #require(late), Self.pause)
        let both = [mails.begin(), mails.begin(), mails.begin()]
        #expect(both.map { $0?.place.seq } == [2, 3, nil])
        mails.settle(try #require(both[0]), Self.pause)
        let held = mails.begin()
        #expect(held == nil)
    }

    @Test func `nor does what it says late of codes`() throws {
        let count = SenderGate.failuresMax + 1
        var mails = Mails(3)
        mails.change(to: "one", calls: count)
        for number in 1...UInt64(count) { mails.plan.lineUp(errand: number, at: mails.lane) }
        var late: [ErrandTurn] = []
        while let turn = mails.plan.nextErrand(at: newYear) { late.append(turn) }
        #expect(late.count == count)
        mails.change(to: "two", calls: count)
        let full = mails.begin()
        #expect(full == nil)
        for turn in late.dropLast() {
            _ = mails.plan.ended(turn, .transient(reason: "could not be reached"), at: newYear)
        }
        // Whoever sent it is told to wait all the same.
        let told = mails.plan.ended(try #require(late.last), Self.pause, at: newYear)?.told
        #expect(told == Self.pause.told && !mails.isBroken)
        let next = mails.begin()
        #expect(next?.place.seq == 1)
        // What it says of its own codes counts.
        mails.plan.lineUp(errand: 99, at: mails.lane)
        let own = mails.plan.nextErrand(at: newYear)
        _ = mails.plan.ended(try #require(own), Self.pause, at: newYear)
        let held = mails.begin()
        #expect(held == nil)
    }

    // MARK: Who is another

    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        for (name, text) in [("token", "t1"), ("other", "t2"), ("hook", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")] {
            let path = try scratch.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    private func open(_ text: String) throws -> (SendersDocument, OpenSenders) {
        let document = try SendersDocument(text, folder: scratch.path)
        let secret = Array("secret".utf8)
        return (document, try OpenSenders(document, ownSecret: [secret], clock: { newYear }))
    }

    private func taker(_ text: String, of post: Post) async throws -> Taker? {
        let (document, senders) = try open(text)
        let office = PostOffice(document, senders)
        let taker = office.taker(of: post)
        await withCheckedContinuation { done in office.close { done.resume() } }
        return taker
    }

    private static func texts(_ account: Int, token: String = "token", rest: String = "") -> String {
        let twilio =
            #""account":"AC0000000000000000000000000000000\#(account)","token_file":"\#(token)","from":"Belfry""#
        return #"{"sms":{"twilio":{\#(twilio)\#(rest)}}}"#
    }

    @Test func `another account or another URL is somebody else, another secret or limit is not`() async throws {
        let first = try await taker(Self.texts(1), of: .sms)
        #expect(first == .account("AC00000000000000000000000000000001", at: nil))
        #expect(try await taker(Self.texts(1, token: "other", rest: #","per_second":3"#), of: .sms) == first)
        #expect(try await taker(Self.texts(2), of: .sms) != first)
        #expect(try await taker("{}", of: .sms) == nil)
        func hook(_ url: String) async throws -> Taker? {
            let webhook = #"{"email":{"webhook":{"url":"\#(url)","secret_file":"hook"}}}"#
            return try await taker(webhook, of: .sink(path: "email.webhook"))
        }
        let (one, same) = (try await hook("https://a.example/x"), try await hook("https://a.example/x"))
        #expect(one != nil && one == same)
        #expect(try await hook("https://b.example/x") != one)
        func relay(_ url: String) async throws -> Taker? {
            let smtp = #""smtp":{"url":"\#(url)","from":"bell@belfry.dev"}"#
            return try await taker(#"{"public_url":"https://bell.example.org","email":{\#(smtp)}}"#, of: .email)
        }
        let (near, far) = (try await relay("smtp://127.0.0.1:1"), try await relay("smtp://127.0.0.1:2"))
        #expect(near != nil && far != nil && near != far)
    }

    @Test func `the next document's account is given at once what waits for its sender`() async throws {
        let (document, senders) = try open(Self.texts(1))
        let office = PostOffice(document, senders)
        let courier = Courier(
            sinks: [],
            mail: Courier.Mail(
                office: office, texts: try TextLedger(in: scratch.path), book: { _, answer in answer([]) },
                registration: { _, _ in nil }),
            clock: { newYear }, read: { _ in [] }, record: { _, done in done(true) }, log: { _, _, _ in })
        let (begun, ended) = (Awaited<Int>(), Awaited<SenderVerdict>())
        func code(_ number: Int) -> Errand {
            Errand { answer in
                begun.append(contentsOf: [number])
                answer(Self.pause)
            } ended: { verdict in
                ended.append(contentsOf: [verdict])
            }
        }
        courier.start()
        courier.sendText(code(1))
        _ = try await ended.first(1)
        _ = courier.erase(["nobody"], through: newYear)
        // A code is a try like any other, and what is said to it is said of the sender.
        #expect(courier.figures.all.map(\.tries) == [[.waited: 1]])
        #expect(
            courier.carriers.first { $0.waiting == 0 && $0.nextTryAt != nil }?.problem?.hasPrefix("answered") == true)
        courier.sendText(code(2))
        for (account, expected) in [(1, [1]), (2, [1, 2])] {
            let (next, others) = try open(Self.texts(account, rest: #","calls":9"#))
            office.change(to: next, others)
            courier.sendersChanged()
            // Waits for the courier to have done what there was to do.
            _ = courier.erase(["nobody"], through: newYear)
            #expect(begun.values == expected, "account \(account)")
        }
        await withCheckedContinuation { done in courier.stop(within: 60) { done.resume() } }
    }
}
