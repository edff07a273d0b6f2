import CivilTime
import Foundation
import Hashing
import Notices
import Synchronization
import Testing

@testable import Delivery

/// A clock that goes past every `not_after` once it has been read so many times.
final class ClockThatRunsOut: Sendable {
    private let reads: Mutex<Int>

    init(after reads: Int) { self.reads = Mutex(reads) }

    var read: @Sendable () -> Instant {
        {
            self.reads.withLock { left in
                left -= 1
                return left >= 0 ? newYear : newYear.advanced(bySeconds: 91)
            }
        }
    }
}

/// Takes connections and never says a word.
final class MuteServer {
    private let descriptor: Int32
    let port: Int

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        (self.descriptor, port) = (descriptor, Int(UInt16(bigEndian: address.sin_port)))
        try #require(isListening)
    }

    deinit { Foundation.close(descriptor) }
}

@Suite("Nothing is sent after not_after (SPEC §11)", .unlessItHangs, .withOracles)
struct LateSenderTests {
    typealias Clock = @Sendable () -> Instant
    typealias Answer = @Sendable (SenderVerdict) -> Void

    /// The time of the job runs out at each of the moments at which it is looked at, until the job goes. How many there are.
    private func untilItGoes(_ send: (@escaping Clock, @escaping Answer) -> Void) async -> Int {
        for reads in 0..<32 {
            let told = await verdict { send(ClockThatRunsOut(after: reads).read, $0) }.told
            if told.hasPrefix("taken") { return reads }
            #expect(told == "final too_late", "after \(reads)")
        }
        Issue.record("it never goes")
        return 0
    }

    @Test func `a mail is not given to a relay that took its time, at whatever point`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        let relay = MailCall.Relay(
            address: try #require(MailRelayAddress("smtp://127.0.0.1:\(server.port)")), user: "bell",
            password: "ding dong", greeting: "belfry.dev", caFile: server.caFile)
        let from = try #require(Mailbox("bell@belfry.dev"))
        let to = try #require(Mailbox("anna@example.org"))
        let moments = await untilItGoes { clock, answer in
            let settings = EmailSender.Settings(
                relay: relay, from: from, publicURL: "https://bell.example.org", secret: EmailMessageTests.secret)
            EmailSender(settings, patience: .long, clock: clock)
                .send(sampleOrder(channels: [.email]), to: to, lockedReason: nil, answer: answer)
        }
        // When it is asked for, begun and measured; when the relay has greeted; when it asks for the mail.
        #expect(moments >= 5)
        #expect(try server.end().count == 1)
    }

    @Test func `a message is not posted over a connection that took its time`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let (origin, caFile) = ("https://localhost:\(server.port)", server.caFile)
        let subscription = try WebPushSubscription(
            endpoint: "\(origin)/push/ok", p256dh: SampleBrowser.point, auth: SampleBrowser.auth, trusted: [origin])
        let moments = await untilItGoes { clock, answer in
            let settings = WebPushSender.Settings(
                subject: "mailto:ops@belfry.dev", page: "https://app.example.org/", trustedOrigins: [origin],
                caFile: caFile)
            WebPushSender(settings, key: .newP256(), patience: .long, clock: clock)
                .send(sampleOrder(), to: subscription, answer: answer)
        }
        #expect(moments >= 4)
        #expect(try server.end().count == 1)
    }

    @Test func `nor by the other senders of push, nor is a text sent`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let (origin, caFile) = (server.origin, server.caFile)
        let address = try #require(
            APNsAddress(token: Hexadecimal.text(("ok" + String(repeating: ".", count: 30)).utf8)))
        let device = Device(name: "phone", registeredAt: newYear, address: .apns(address))
        let toApple = await untilItGoes { clock, answer in
            let settings = APNsSender.Settings(
                keyID: "K", teamID: "T", topic: "org.example.app", origin: origin, caFile: caFile)
            APNsSender(settings, key: .newP256(), patience: .long, clock: clock)
                .send(sampleOrder(), to: address, of: device, answer: answer)
        }
        let account = try ServiceAccount(SampleKeys.account(["token_uri": origin + "/token"]))
        let toGoogle = await untilItGoes { clock, answer in
            FCMSender(.init(origin: origin, caFile: caFile), account: account, patience: .long, clock: clock)
                .send(sampleOrder(), to: FCMAddress(kind: .fid, value: "ok", platform: .android), answer: answer)
        }
        let byText = await untilItGoes { clock, answer in
            let settings = TwilioSender.Settings(
                account: "AC1", token: "secret", sender: .number("+14155550199"), origin: origin, caFile: caFile)
            TwilioSender(settings, patience: .long, clock: clock)
                .send(sampleOrder(), to: "+14155550100", answer: answer)
        }
        #expect(min(toApple, toGoogle, byText) >= 4)
        let seen = try server.end().map(\.path)
        #expect(seen.count { $0.hasPrefix("/3/device/") } == 1)
        #expect(seen.count { $0.hasSuffix("messages:send") } == 1)
        #expect(seen.count { $0.hasSuffix("Messages.json") } == 1)
    }

    @Test func `nor by a webhook`() async throws {
        let receiver = try Receiver()
        let secrets = try WebhookSecrets(WebhookTests.secret)
        let last = newYear.advanced(bySeconds: 90)
        var moments = 0
        while moments < 32 {
            let sink = try WebhookSink(
                receiver.address("ok"), secrets: secrets, patience: .long, clock: ClockThatRunsOut(after: moments).read)
            let outcome = await sink.take(order(1, notAfter: last))
            await sink.close()
            if outcome == .taken(providerID: "r-1") { break }
            #expect(outcome == .refused(reason: "too_late"), "after \(moments)")
            moments += 1
        }
        #expect((3..<32).contains(moments))
        #expect(try receiver.seen().count == 1)
    }

    @Test func `whoever says nothing is waited for until then and no longer`() async throws {
        let server = try MuteServer()
        let origin = "https://127.0.0.1:\(server.port)"
        let start = ContinuousClock.now
        // A fifth of a second is left, by a clock that stands still.
        let clock: Clock = { newYear.advanced(byMilliseconds: 89_800) }
        let subscription = try WebPushSubscription(
            endpoint: "\(origin)/push/ok", p256dh: SampleBrowser.point, auth: SampleBrowser.auth, trusted: [origin])
        let push = WebPushSender(
            .init(subject: "mailto:ops@belfry.dev", page: "https://app.example.org/", trustedOrigins: [origin]),
            key: .newP256(), patience: .long, clock: clock)
        #expect(await verdict { push.send(sampleOrder(), to: subscription, answer: $0) }.told == "final too_late")
        let relay = MailCall.Relay(
            address: try #require(MailRelayAddress("smtp://127.0.0.1:\(server.port)")), user: nil, password: nil,
            greeting: "belfry.dev", caFile: nil)
        let mail = EmailSender(
            .init(
                relay: relay, from: try #require(Mailbox("bell@belfry.dev")), publicURL: "https://bell.example.org",
                secret: [1]), patience: .long, clock: clock)
        let to = try #require(Mailbox("anna@example.org"))
        let order = sampleOrder(channels: [.email])
        #expect(
            await verdict { mail.send(order, to: to, lockedReason: nil, answer: $0) }.told == "final too_late")
        // However slow the machine is: its patience is ten minutes.
        #expect(ContinuousClock.now - start < .seconds(300))
    }

    @Test func `one that is late costs the others on its connection nothing`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let settings = APNsSender.Settings(
            keyID: "K", teamID: "T", topic: "org.example.app", origin: server.origin, caFile: server.caFile)
        let clock = Mutex<Clock>({ newYear })
        let sender = APNsSender(settings, key: .newP256(), patience: .long, clock: { clock.withLock { $0 }() })
        let address = try #require(
            APNsAddress(token: Hexadecimal.text(("ok" + String(repeating: ".", count: 30)).utf8)))
        let device = Device(name: "phone", registeredAt: newYear, address: .apns(address))
        var told: [String] = []
        for reads in [99, 4, 99, 3, 99] {
            clock.withLock { $0 = ClockThatRunsOut(after: reads).read }
            told.append(await verdict { sender.send(sampleOrder(), to: address, of: device, answer: $0) }.told)
        }
        #expect(told.filter { $0.hasPrefix("taken") }.count >= 3)
        #expect(told.allSatisfy { $0.hasPrefix("taken") || $0 == "final too_late" })
        #expect(told.contains("final too_late"))
        #expect(Set(try server.end().map(\.connection)) == [1])
    }
}
