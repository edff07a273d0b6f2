import Testing

@testable import Delivery

/// Asked without a sender: it would ask once more by itself.
@Suite("Calls that share a connection", .unlessItHangs, .withOracles)
struct SharedPoolTests {
    @Test func `what a server has not looked at before it went away begins anew, and nobody hears of it`() async throws
    {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let pool = SharedPool(PoolShape(concurrency: 1, waitingMax: 1, connectionsMax: 1))
        var call = HTTPCall(.post, server.origin + "/push/goaway", patience: .long, answerBytesMax: 1000)
        call.route.caFile = server.caFile
        let answers = Awaited<Result<HTTPAnswer, HTTPFailure>>()
        pool.ask(call) { answers.append(contentsOf: [$0]) }
        #expect(try await answers.first(1).map { try $0.get().status } == [201])
        await withCheckedContinuation { continuation in pool.stop { continuation.resume() } }
        // Once before it went away.
        #expect(try server.end().count == 2)
    }
}
