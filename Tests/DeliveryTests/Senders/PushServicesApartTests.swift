import CivilTime
import Foundation
import Hashing
import Notices
import Testing

@testable import Delivery

@Suite("N5, no push service waits for another", .unlessItHangs)
struct PushServicesApartTests {
    /// Far longer than an answer of this machine takes. A service that waits for one that hangs waits so long, and is found out.
    private static let patience = HTTPCall.Patience(connectMs: 60_000, totalMs: 60_000)

    private func subscription(_ origin: String, _ behaviour: String) throws -> WebPushSubscription {
        try WebPushSubscription(
            endpoint: "\(origin)/push/\(behaviour)", p256dh: SampleBrowser.point, auth: SampleBrowser.auth,
            trusted: [origin])
    }

    @Test(.withOracles) func `one that hangs with all its calls takes no room of another`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        // One server under two names is two services.
        let (slow, quick) = (server.origin, "https://localhost:\(server.port)")
        let settings = WebPushSender.Settings(
            subject: "mailto:ops@belfry.dev", page: "https://app.example.org/", trustedOrigins: [slow, quick],
            caFile: server.caFile, limits: .init(calls: 2))
        let sender = WebPushSender(settings, key: .newP256(), patience: Self.patience, clock: { newYear })
        let (toSlow, toQuick) = (try subscription(slow, "hang"), try subscription(quick, "ok"))
        let hanging = Awaited<SenderVerdict>()
        // As many as are under way and wait where a pool serves one service alone.
        for _ in 0..<4 { sender.send(sampleOrder(), to: toSlow) { hanging.append(contentsOf: [$0]) } }
        // The first may be there before those that hang.
        for _ in 0..<5 {
            let told = await verdict { sender.send(sampleOrder(), to: toQuick, answer: $0) }.told
            #expect(told.hasPrefix("taken"), "\(told)")
        }
        #expect(hanging.values.isEmpty)
        await withCheckedContinuation { continuation in sender.close { continuation.resume() } }
        #expect(hanging.values.count == 4)
    }

    @Test(.enabled(if: Python.path != nil))
    func `one without HTTP/2 that hangs keeps no other of its sort waiting`() async throws {
        let (slow, quick) = (try Receiver(), try Receiver())
        let pool = SharedPool(PoolShape(concurrency: 2, waitingMax: 8, connectionsMax: 2))
        let hanging = Awaited<Result<HTTPAnswer, HTTPFailure>>()
        let others = Awaited<Result<HTTPAnswer, HTTPFailure>>()
        for _ in 0..<3 { pool.ask(call(slow, "hang")) { hanging.append(contentsOf: [$0]) } }
        for _ in 0..<3 { pool.ask(call(quick, "ok")) { others.append(contentsOf: [$0]) } }
        #expect(try await others.first(3).allSatisfy { try $0.get().status == 200 })
        #expect(hanging.values.isEmpty)
        await withCheckedContinuation { continuation in pool.stop { continuation.resume() } }
        #expect(hanging.values.count == 3)
    }

    private func call(_ receiver: Receiver, _ path: String) -> HTTPCall {
        HTTPCall(.post, receiver.url(path), patience: Self.patience, answerBytesMax: 1000)
    }

    @Test func `what our own pool has no room for waits a moment, and is no failure of anybody's`() {
        let verdict = HTTPFailure(.busy, "256 calls").verdict
        #expect(verdict.told == "wait 1 sender has too many callers waiting: 256 calls")
        var tries = SenderTries()
        for _ in 0..<20 {
            guard case .again = tries.next(after: verdict, key: "k", notAfter: nil, at: newYear) else {
                Issue.record("it is not tried again")
                return
            }
        }
        #expect(tries.tries.failed == 0)
        var gate = SenderGate(.init(calls: 30))
        let entered = (0..<25).map { _ in gate.enter(at: newYear) }
        #expect(entered == Array(repeating: .go, count: 25))
        for _ in 0..<25 { gate.ended(verdict, at: newYear) }
        let (isBroken, next) = (gate.isBroken, gate.enter(at: newYear))
        #expect(!isBroken)
        #expect(next == .later(newYear.advanced(bySeconds: 1)), "the others of its lane wait as long")
    }
}
