import CivilTime
import Foundation
import Hashing
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("Sending to browsers", .unlessItHangs, .withOracles)
struct WebPushSenderTests {
    private func sender(_ server: ProviderServer<SeenRequest>, isTrusted: Bool) -> WebPushSender {
        let settings = WebPushSender.Settings(
            subject: "mailto:ops@belfry.dev", page: "https://app.example.org/",
            trustedOrigins: isTrusted ? ["https://localhost:\(server.port)"] : [], caFile: server.caFile)
        return WebPushSender(settings, key: .newP256(), patience: .long, clock: { newYear })
    }

    private func subscription(_ server: ProviderServer<SeenRequest>, _ behaviour: String) throws -> WebPushSubscription
    {
        try WebPushSubscription(
            endpoint: "https://localhost:\(server.port)/push/\(behaviour)", p256dh: SampleBrowser.point,
            auth: SampleBrowser.auth, trusted: ["https://localhost:\(server.port)"])
    }

    @Test func `what arrives is opened by http-ece and says who sent it`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let (sender, to) = (sender(server, isTrusted: true), try subscription(server, "ok"))
        let told = await verdict { sender.send(sampleOrder(), to: to, answer: $0) }.told
        #expect(told.hasPrefix("taken as https://push.example/"))
        let seen = try #require(try server.end().first)
        let opened: String = try Oracles.ask(
            "token_oracle.py",
            [
                "ask": "opened", "sealed": Base64.encode(seen.bytes), "secret": SampleBrowser.secret,
                "auth": SampleBrowser.auth,
            ])
        let payload = try WebPushMessage(order: sampleOrder(), page: "https://app.example.org/").payload()
        #expect(Base64.decode(opened) == payload)
        let authorization = try #require(seen.headers["authorization"])
        #expect(try Oracles.ask("token_oracle.py", ["ask": "vapid", "authorization": authorization]) as Bool)
        #expect(
            seen.headers["ttl"] == "90" && seen.headers["urgency"] == "high" && seen.headers["topic"] == sampleCollapse)
    }

    @Test func `a name that leads to this machine is not connected to`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let (sender, to) = (sender(server, isTrusted: false), try subscription(server, "ok"))
        let told = await verdict { sender.send(sampleOrder(), to: to, answer: $0) }.told
        #expect(told.hasPrefix("final is not on the public internet"))
        #expect(try server.end().isEmpty)
    }

    @Test func `answers mean what they say, and no redirect is followed`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server, isTrusted: true)
        for (behaviour, meaning) in [
            ("410", "dead answered 410"), ("redirect", "final answered 307"),
            ("403", "misconfigured address answered 403"),
            ("429", "wait 60 address answered 429"), ("reset", "taken"),
        ] {
            let to = try subscription(server, behaviour)
            let told = await verdict { sender.send(sampleOrder(), to: to, answer: $0) }.told
            #expect(told.hasPrefix(meaning), "\(behaviour)")
        }
    }

    /// RFC 8030 leaves open whose limit it is.
    @Test func `a limit of one subscription is waited for by it alone, one that many meet by all (N5)`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server, isTrusted: true)
        func told(_ number: Int) async throws -> String {
            let to = try subscription(server, "429-x-\(number)")
            return await verdict { sender.send(sampleOrder(), to: to, answer: $0) }.told
        }
        for number in [1, 1] + Array(2..<LimitDoubt.inARowMax) {
            #expect(try await told(number) == "wait 60 address answered 429")
        }
        #expect(try await told(99) == "wait 60 sender answered 429")
        _ = try server.end()
    }
}
