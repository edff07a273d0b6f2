import CivilTime
import Delivery
import Foundation
import Testing

@Suite("--jobs webhook:URL", .unlessItHangs, .enabled(if: Python.path != nil))
struct WebhookTests {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func sink(
        _ address: HTTPAddress, window: Int = 64, patience: HTTPCall.Patience = .long
    ) throws -> WebhookSink {
        try WebhookSink(
            address, secrets: WebhookSecrets(Self.secret), window: window, patience: patience, clock: { newYear })
    }

    /// What one job comes to.
    private func outcome(_ path: String, patience: HTTPCall.Patience = .long) async throws -> SinkOutcome {
        let receiver = try Receiver()
        let sink = try sink(receiver.address(path), patience: patience)
        let outcome = await sink.take(order(1))
        await sink.close()
        return outcome
    }

    @Test func `a job comes as its line, with its id and a signature that a stranger can check`() async throws {
        let receiver = try Receiver()
        let sink = try sink(receiver.address("ok"))
        #expect(await sink.take(order(1)) == .taken(providerID: "r-1"))
        let seen = try #require(try receiver.seen().first)
        let order = order(1)
        #expect(seen.body == String(decoding: order.line, as: UTF8.self))
        #expect(seen.id == order.id)
        #expect(seen.timestamp == "1767225600")
        #expect(seen.type == "application/json")
        #expect(seen.expect == nil)
        let question = """
            {"key":"\(Self.secret.dropFirst(6))","id":"\(order.id)","timestamp":"1767225600",\
            "body":"\(Data(order.line).base64EncodedString())"}
            """
        #expect(try Python.answers("signature_oracle.py", [question]) == [seen.signature])
        await sink.close()
    }

    @Test func `500 and then 204: the same id and the same bytes`() async throws {
        let receiver = try Receiver()
        let sink = try sink(receiver.address("twice"))
        #expect(await sink.take(order(1)) == .retry(after: nil, reason: "answered 500"))
        #expect(await sink.take(order(1)) == .taken)
        let seen = try receiver.seen()
        #expect(seen.count == 2)
        #expect(seen[0].id == seen[1].id)
        #expect(seen[0].body == seen[1].body)
        await sink.close()
    }

    @Test func `a redirect is a failure that may pass, and is not followed`() async throws {
        let receiver = try Receiver()
        let sink = try sink(receiver.address("redirect"))
        #expect(await sink.take(order(1)) == .retry(after: nil, reason: "answered 302; redirects are not followed"))
        #expect(try receiver.seen().map(\.path) == ["/redirect"])
        await sink.close()
    }

    @Test func `a receiver that says when to come again is heard`() async throws {
        #expect(try await outcome("slow-down") == .retry(after: 7, reason: "answered 429"))
        #expect(try await outcome("away") == .retry(after: 30, reason: "answered 503"))
        #expect(try await outcome("early") == .retry(after: nil, reason: "answered 425"))
        // A rate limit that does not say how long is one all the same.
        #expect(try await outcome("limit") == .retry(after: 60, reason: "answered 429"))
    }

    @Test(arguments: [304, 400, 401, 403, 404, 405, 411, 413, 422, 500, 501, 503, 599])
    func `whatever else is no 2xx may pass: a secret is put right, a route comes back`(status: Int) async throws {
        let told = status / 100 == 3 ? "; redirects are not followed" : ""
        #expect(try await outcome("status-\(status)") == .retry(after: nil, reason: "answered \(status)\(told)"))
    }

    @Test func `a receiver that is gone is not asked again`() async throws {
        #expect(try await outcome("gone") == .refused(reason: "answered 410"))
    }

    @Test func `a receiver that hangs is waited for so long and no longer`() async throws {
        let outcome = try await outcome("hang", patience: .init(connectMs: 600_000, totalMs: 200))
        guard case .retry(nil, let reason) = outcome else { throw Unexpected(outcome) }
        #expect(reason.hasPrefix("timed out: "))
    }

    @Test func `a status is believed though the rest of the answer never ends`() async throws {
        #expect(try await outcome("huge") == .taken)
        #expect(try await outcome("drip", patience: .init(connectMs: 600_000, totalMs: 5_000)) == .taken)
    }

    @Test func `what is no HTTP, and nobody at all, is tried again`() async throws {
        let nonsense = try await outcome("nonsense")
        guard case .retry(nil, let why) = nonsense else { throw Unexpected(nonsense) }
        #expect(why.hasPrefix("broke off: "))
        // Nobody listens there.
        let sink = try sink(#require(HTTPAddress("http://127.0.0.1:1/")))
        let refused = await sink.take(order(1))
        guard case .retry(nil, let reason) = refused else { throw Unexpected(refused) }
        #expect(reason.hasPrefix("could not be reached: "))
        await sink.close()
    }

    @Test func `connections are kept for the next job`() async throws {
        let receiver = try Receiver()
        let sink = try sink(receiver.address("ok"), window: 4)
        let taken = SinkOutcome.taken(providerID: "r-1")
        for seq in 1...20 as ClosedRange<UInt64> { #expect(await sink.take(order(seq)) == taken) }
        #expect(Set(try receiver.seen().map(\.connection)).count == 1)
        #expect(await sink.takeAll((33...40).map { order($0) }) == Array(repeating: taken, count: 8))
        #expect(Set(try receiver.seen().map(\.connection)).count <= 4)
        await sink.close()
    }

    @Test func `one that hangs does not keep back the others`() async throws {
        let receiver = try Receiver()
        let pool = HTTPPool(concurrency: 4, waitingMax: 100)
        let hanging = Awaited<Result<HTTPAnswer, HTTPFailure>>()
        let others = Awaited<Result<HTTPAnswer, HTTPFailure>>()
        for _ in 0..<3 { pool.ask(call(receiver, "hang")) { hanging.append(contentsOf: [$0]) } }
        for _ in 0..<20 { pool.ask(call(receiver, "ok")) { others.append(contentsOf: [$0]) } }
        #expect(try await others.first(20).allSatisfy { try $0.get().status == 200 })
        #expect(hanging.values.isEmpty)
        await withCheckedContinuation { continuation in pool.stop { continuation.resume() } }
        // Stopped means answered: all of them, and before anybody is told.
        #expect(hanging.values.count == 3)
        for result in hanging.values {
            #expect(throws: HTTPFailure.self) { try result.get() }
            guard case .failure(let failure) = result else { continue }
            #expect(failure.reason == .cancelled)
        }
    }

    @Test func `a pool takes so many calls and refuses the rest; after its end it refuses all`() async throws {
        let receiver = try Receiver()
        let pool = HTTPPool(concurrency: 1, waitingMax: 1)
        let results = Awaited<Result<HTTPAnswer, HTTPFailure>>()
        for _ in 0..<3 { pool.ask(call(receiver, "hang")) { results.append(contentsOf: [$0]) } }
        #expect(reasons(try await results.first(1)) == [.busy])
        await withCheckedContinuation { continuation in pool.stop { continuation.resume() } }
        await withCheckedContinuation { continuation in pool.stop { continuation.resume() } }
        pool.ask(call(receiver, "ok")) { results.append(contentsOf: [$0]) }
        #expect(reasons(try await results.first(4)) == [.busy, .cancelled, .cancelled, .cancelled])
    }

    private func call(_ receiver: Receiver, _ path: String) -> HTTPCall {
        HTTPCall(.post, receiver.url(path), patience: .long, answerBytesMax: 1000)
    }

    private func reasons(_ results: [Result<HTTPAnswer, HTTPFailure>]) -> [HTTPFailure.Reason?] {
        results.map { result in
            guard case .failure(let failure) = result else { return nil }
            return failure.reason
        }
    }
}
