import CivilTime
import Notices
import Testing

@testable import Delivery

/// Test runs of the analyser cost money and places, and what people wait for is not to pay for them (`A7`, `G11`).
@Suite("Test runs of the analyser (A7, G11)")
struct TrialTests {
    @Test func `one of a person runs at a time, whoever asks for it`() {
        var tally = TrialTally()
        let outcomes = [true, false, true].map { tally.begin("anna", isTheirOwn: $0, at: newYear) }
        #expect(outcomes == [nil, .unavailable, .unavailable])
        let another = tally.begin("bert", isTheirOwn: true, at: newYear)
        #expect(another == nil)
        tally.end("anna")
        let next = tally.begin("anna", isTheirOwn: true, at: newYear)
        #expect(next == nil)
    }

    @Test func `somebody may ask for ten an hour, an operator for more, and without a call none is counted`() {
        var tally = TrialTally()
        func begins(_ isTheirOwn: Bool = true, minutes: Int64) -> AnalysisTrial.Failure? {
            let refusal = tally.begin("anna", isTheirOwn: isTheirOwn, at: newYear.advanced(byMinutes: minutes))
            if refusal == nil { tally.end("anna") }
            return refusal
        }
        for minute in 0..<10 {
            #expect(begins(minutes: Int64(minute)) == nil)
            tally.count("anna", at: newYear.advanced(byMinutes: Int64(minute)))
        }
        #expect(begins(minutes: 10) == .tooMany(retryAfterSeconds: 50 * 60))
        #expect(begins(false, minutes: 10) == nil)
        for _ in 0..<2 { #expect(begins(minutes: 60) == nil) }
        // Whoever has the name after an erasure has asked for none (`E4`).
        tally.forget("anna")
        #expect(begins(minutes: 10) == nil)
    }

    @Test func `half of the calls are left to what people wait for, and none waits for its turn`() async {
        for (calls, most) in [(1, 1), (2, 1), (4, 2), (5, 2)] {
            let analyser = Analyser(.init(url: "http://127.0.0.1:9/v1/chat/completions", model: "m", calls: calls))
            let begun = (0..<calls).filter { _ in analyser.beginTrial() }.count
            #expect(begun == most, "of \(calls)")
            analyser.endTrial()
            #expect(analyser.beginTrial())
            await withCheckedContinuation { done in analyser.close { done.resume() } }
        }
    }

    @Test(.withOracle("openai")) func `beside analyses that use all the calls none is made`() async throws {
        let server = try ProviderServer<SeenTrial>("analyser_server.py")
        let analyser = Analyser(
            .init(url: "http://127.0.0.1:\(server.port)/v1/chat/completions", model: "late", key: "sk-demo", calls: 1))
        let message = HeardMessage(message: "m1", sender: nil, text: "hello", mentionsUser: false, at: newYear)
        let (answers, answered) = AsyncStream<Payload>.makeStream()
        analyser.ask(about: "lunch", [message]) { answered.yield($0) }
        #expect(!analyser.beginTrial())
        analyser.close {}
        var heard = answers.makeAsyncIterator()
        #expect(await heard.next() != nil)
        #expect(analyser.beginTrial())
    }

    @Test func `what a person asks for through their own door is counted where a call is made`() async {
        // Nobody listens there.
        let analyser = Analyser(.init(url: "http://127.0.0.1:9/v1/chat/completions", model: "m"))
        let desk = AnalystDesk({ Analyser.Loan(analyser, giveBack: {}) }, clock: { newYear })
        func tries(_ isTheirOwn: Bool) async -> AnalysisTrial.Failure? {
            let outcome = await withCheckedContinuation { done in
                desk.tryOut("lunch", of: "anna", isTheirOwn: isTheirOwn) { done.resume(returning: $0) }
            }
            guard case .failure(let failure) = outcome else { return nil }
            return failure
        }
        for _ in 0..<12 { #expect(await tries(true) == .noConversation) }
        var message = MessageReceived()
        message.conversation = Identifier("lunch")
        message.message = Identifier("m1")
        message.messageText = PrivateText("the word is xyzzy")
        desk.hear(.messageReceived(message), about: "anna")
        for isTheirOwn in [false] + Array(repeating: true, count: 10) + [false] {
            #expect(await tries(isTheirOwn) == .unavailable)
        }
        #expect(await tries(true) == .tooMany(retryAfterSeconds: 3600))
        #expect(await tries(false) == .unavailable)
        await withCheckedContinuation { done in analyser.close { done.resume() } }
    }

    private struct SeenTrial: Decodable {}
}
