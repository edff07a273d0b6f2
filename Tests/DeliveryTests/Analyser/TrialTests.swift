import CivilTime
import Notices
import Testing

@testable import Delivery

/// Test runs of the analyser cost money and places, and what people wait for is not to pay for them (`A7`, `G11`).
@Suite("Test runs of the analyser (A7, G11)", .unlessItHangs)
struct TrialTests {
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

    @Test(.withOracle("openai")) func `one of a person runs at a time`() async throws {
        let server = try ProviderServer<SeenTrial>("analyser_server.py")
        let analyser = Analyser(
            .init(url: "http://127.0.0.1:\(server.port)/v1/chat/completions", model: "late", key: "sk-demo", calls: 8))
        let desk = AnalystDesk({ Analyser.Loan(analyser, giveBack: {}) }, clock: { newYear })
        for user in ["anna", "bert"] {
            var message = MessageReceived()
            (message.conversation, message.message) = (Identifier("lunch"), Identifier("m1"))
            message.messageText = PrivateText("the word is xyzzy")
            desk.hear(.messageReceived(message), about: user)
        }
        let (answers, answered) = AsyncStream<String>.makeStream()
        for user in ["anna", "anna", "bert"] { desk.tryOut("lunch", of: user) { _ in answered.yield(user) } }
        var heard = answers.makeAsyncIterator()
        // The others are still asked when the worker stops.
        #expect(await heard.next() == "anna")
        analyser.close {}
        #expect(Set([await heard.next(), await heard.next()]) == ["anna", "bert"])
        // It has ended: the next is begun.
        let next = await withCheckedContinuation { done in
            desk.tryOut("dinner", of: "anna") { done.resume(returning: $0) }
        }
        #expect(next == .failure(.noConversation))
    }

    private struct SeenTrial: Decodable {}
}
