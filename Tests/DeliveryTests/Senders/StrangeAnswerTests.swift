import CivilTime
import Notices
import Testing

@testable import Delivery

/// A status that says yes above what the provider never sends: a proxy, or the page of a network that wants a sign-in.
@Suite("Answers that are not the provider's")
struct StrangeAnswerTests {
    private static let page = Array("<html>Please sign in</html>".utf8)
    private static let bodies: [[UInt8]] = [page, Array("{}".utf8), [], Array(#"{"name":7,"sid":[]}"#.utf8)]

    private static func tooLong(_ status: Int) throws -> ProviderAnswer {
        var failure = HTTPFailure(.tooLarge, "more than 1 bytes")
        failure.status = status
        return try #require(ProviderAnswer(.failure(failure)))
    }

    private static func cutOff(_ status: Int) throws -> ProviderAnswer {
        var failure = HTTPFailure(.broken, "closed")
        failure.status = status
        return try #require(ProviderAnswer(.failure(failure)))
    }

    @Test func `Firebase names every message that it takes`() throws {
        let strange = Self.bodies.map { ProviderAnswer(status: 200, body: $0) } + [try Self.tooLong(200)]
        for answer in strange {
            let verdict = FCMAnswer.verdict(answer, at: newYear)
            #expect(
                verdict
                    == .misconfigured(
                        .init(
                            "answered 200 without a message's name, as Firebase never does",
                            cure: "see whether url leads to Firebase, and not to a proxy or a page")))
            // Sending it again does no harm: the message has a name of ours.
            var tries = SenderTries()
            guard case .again = tries.next(after: verdict, key: "k", notAfter: nil, at: newYear) else {
                Issue.record("it is not tried again")
                return
            }
        }
        let named = ProviderAnswer(status: 200, body: Array(#"{"name":"a b"}"#.utf8))
        #expect(FCMAnswer.verdict(named, at: newYear) == .taken(providerID: nil), "it has a name, if none we can keep")
        #expect(FCMAnswer.verdict(try Self.cutOff(200), at: newYear) == .taken(providerID: nil), "the status decides")
    }

    @Test func `a text that something else took is not sent again, and somebody is told what to mend`() throws {
        let strange = Self.bodies.map { ProviderAnswer(status: 201, body: $0) } + [try Self.tooLong(201)]
        for answer in strange {
            let verdict = TwilioAnswer.verdict(answer, at: newYear)
            guard case .misconfigured(let problem) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(problem.reason.hasSuffix("; it may have been taken, and is not sent again"))
            #expect(problem.cure == "see whether url leads to Twilio, and not to a proxy or a page")
            #expect(verdict.isAgainstSender, "others wait until it is mended")
            var tries = SenderTries()
            #expect(
                tries.next(after: verdict, key: "k", notAfter: nil, at: newYear) == .failed(reason: problem.reason))
        }
        #expect(TwilioAnswer.verdict(try Self.cutOff(201), at: newYear) == .taken(providerID: nil))
    }

    @Test func `Apple says nothing, but for the id that every answer has`() throws {
        func verdict(_ answer: ProviderAnswer) -> String {
            APNsAnswer.verdict(answer, registeredAt: newYear, topicOf: .sender, at: newYear).told
        }
        var headers = AnswerHeaders()
        headers.add(name: "apns-id", value: "A1")
        #expect(verdict(ProviderAnswer(status: 200, headers: headers)) == "taken as A1")
        for answer in [
            ProviderAnswer(status: 200), ProviderAnswer(status: 200, body: Self.page), try Self.tooLong(200),
        ] {
            #expect(verdict(answer) == "misconfigured sender answered 200 without an apns-id, as Apple never does")
        }
        var nameless = AnswerHeaders()
        nameless.add(name: "apns-id", value: "")
        #expect(verdict(ProviderAnswer(status: 200, headers: nameless)).hasPrefix("misconfigured sender answered 200"))
        let nothing = ProviderAnswer(status: 204)
        #expect(verdict(nothing) == "misconfigured sender answered 204 without an apns-id, as Apple never does")
    }

    @Test func `a push service says 201, or 202, or nothing more than yes`() throws {
        func verdict(_ answer: ProviderAnswer) -> String {
            WebPushAnswer.verdict(answer, origin: "https://push.example", at: newYear).told
        }
        for answer in [
            ProviderAnswer(status: 201, body: Self.page), ProviderAnswer(status: 202, body: Array("{}".utf8)),
            ProviderAnswer(status: 200), ProviderAnswer(status: 204), try Self.cutOff(200),
        ] {
            #expect(verdict(answer) == "taken", "\(answer)")
        }
        for answer in [ProviderAnswer(status: 200, body: Self.page), try Self.tooLong(200)] {
            #expect(verdict(answer) == "misconfigured sender answered 200 with a page in place of 201")
            // Nobody has it, and what stands in between may go away.
            var tries = SenderTries(Tries())
            let page = WebPushAnswer.verdict(answer, origin: "https://push.example", at: newYear)
            guard case .again = tries.next(after: page, key: "k", notAfter: nil, at: newYear) else {
                Issue.record("it is not tried again")
                continue
            }
        }
    }

    @Test func `it is said once for each sender, until it takes jobs again`() {
        var complaint = SinkComplaint(sink: "twilio")
        let verdict = TwilioAnswer.verdict(ProviderAnswer(status: 200, body: Self.page), at: newYear)
        #expect(complaint.hear(verdict).map(\.level) == [.error])
        for _ in 0..<100 { #expect(complaint.hear(verdict).isEmpty) }
        #expect(complaint.hear(.taken(providerID: "SM1")).map(\.level) == [.info])
        #expect(complaint.hear(verdict).count == 1)
    }
}
