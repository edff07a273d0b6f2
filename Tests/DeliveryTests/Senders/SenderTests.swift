import CivilTime
import Foundation
import Hashing
import Notices
import Synchronization
import Testing

@testable import Delivery

extension HTTPCall.Patience {
    /// For a call that is to hang.
    fileprivate static let none = HTTPCall.Patience(connectMs: 600_000, totalMs: 300)
}

/// The time that senders believe it is.
private final class Clock: Sendable {
    let now = Mutex(newYear)
    var read: @Sendable () -> Instant { { self.now.withLock { $0 } } }

    func advance(minutes: Int64) { now.withLock { $0 = $0.advanced(byMinutes: minutes) } }
}

@Suite("Sending to Apple over HTTP/2", .unlessItHangs, .withOracles)
struct APNsSenderTests {
    private let clock = Clock()

    private func sender(_ server: ProviderServer<SeenRequest>, calls: Int = 64, patience: HTTPCall.Patience = .long)
        -> APNsSender
    {
        let settings = APNsSender.Settings(
            keyID: "K", teamID: "T", topic: "org.example.app", origin: server.origin, caFile: server.caFile,
            limits: .init(calls: calls))
        return APNsSender(settings, key: .newP256(), patience: patience, clock: clock.read)
    }

    /// A device whose token says how the server behaves.
    private func device(_ behaviour: String) throws -> (APNsAddress, Device) {
        let padded = behaviour + String(repeating: ".", count: max(0, 32 - behaviour.utf8.count))
        let address = try #require(APNsAddress(token: Hexadecimal.text(padded.utf8)))
        return (address, Device(name: "phone", registeredAt: newYear, address: .apns(address)))
    }

    private func send(_ sender: APNsSender, _ behaviour: String, _ order: Order = sampleOrder()) async throws -> String
    {
        let (address, device) = try device(behaviour)
        return await verdict { sender.send(order, to: address, of: device, answer: $0) }.told
    }

    @Test func `a job arrives as it was meant, under one token`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        let id = MessageNames.uuid(sampleOrder().id, for: "phone")
        #expect(try await send(sender, "ok") == "taken as \(id)")
        clock.advance(minutes: 1)
        #expect(try await send(sender, "ok", sampleOrder(.medium, notAfter: nil)) == "taken as \(id)")
        let seen = try server.end()
        #expect(seen.map(\.connection) == [1, 1])
        #expect(seen[0].bytes == (try APNsMessage(order: sampleOrder()).payload()))
        #expect(seen[0].headers["apns-topic"] == "org.example.app" && seen[0].headers["apns-id"] == id)
        #expect(seen[0].headers["apns-expiration"] == "\(newYear.wholeSeconds + 90)")
        #expect(seen[0].headers["authorization"]?.hasPrefix("bearer ") == true)
        #expect(seen[0].headers["authorization"] == seen[1].headers["authorization"])
    }

    @Test func `many at once go over one connection`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let (sender, (address, device)) = (sender(server, calls: 400), try device("ok"))
        let all = await verdicts(400) { sender.send(sampleOrder(), to: address, of: device, answer: $1) }
        #expect(all.allSatisfy { $0.told.hasPrefix("taken") })
        let seen = try server.end()
        #expect(seen.count == 400)
        #expect(Set(seen.map(\.connection)).count == 1)
    }

    @Test func `a server that allows one stream at first is asked over two connections at most`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py", "one-stream")
        let (sender, (address, device)) = (sender(server, calls: 200), try device("ok"))
        let all = await verdicts(200) { sender.send(sampleOrder(), to: address, of: device, answer: $1) }
        #expect(all.allSatisfy { $0.told.hasPrefix("taken") })
        #expect(Set(try server.end().map(\.connection)).count <= 2)
    }

    @Test(arguments: ["goaway", "reset", "close"])
    func `what is lost under a call is sent once more at once`(behaviour: String) async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        #expect(try await send(sender, "ok").hasPrefix("taken"))
        #expect(try await send(sender, behaviour).hasPrefix("taken"))
        #expect(try await send(sender, "ok").hasPrefix("taken"))
        #expect(try server.end().count == 4)
    }

    @Test func `a GOAWAY amid many loses none of them`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        // As patient as the real one: what a server leaves without a word costs its time.
        let sender = sender(server, calls: 300, patience: ProviderClient.usualPatience)
        let (plain, leaving) = (try device("ok"), try (0..<3).map { try device("goaway-\($0)") })
        let all = await verdicts(300) { number, answer in
            let (address, device) = number % 100 == 50 ? leaving[number / 100] : plain
            sender.send(sampleOrder(), to: address, of: device, answer: answer)
        }
        let lost = all.map(\.told).filter { !$0.hasPrefix("taken") }
        // One resend each: a call that two servers left in turn, or left without a word, is left to its next try.
        #expect(lost.allSatisfy { $0.hasPrefix("transient ") } && lost.count < 100, "\(lost.count): \(Set(lost))")
    }

    @Test func `a server that hangs costs a try, and not those after it`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server, patience: .none)
        for _ in 0..<4 { #expect(try await send(sender, "hang").hasPrefix("transient timed out")) }
        let (address, device) = try device("ok")
        // Its patience is short, and a busy machine is slow: one of some is answered.
        var isTaken = false
        for _ in 0..<50 where !isTaken {
            isTaken = await verdict { sender.send(sampleOrder(), to: address, of: device, answer: $0) }.told.hasPrefix(
                "taken")
        }
        #expect(isTaken)
        // After three that hung the connection was given up.
        #expect(Set(try server.end().map(\.connection)).count > 1)
    }

    @Test func `answers mean what they say`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        let before = newYear.milliseconds - 1
        let after = newYear.milliseconds + 1
        for (behaviour, meaning) in [
            ("410-Unregistered-\(before)", "transient answered 410 Unregistered, for an older registration"),
            ("410-Unregistered-\(after)", "dead answered 410 Unregistered"),
            ("400-BadDeviceToken", "misconfigured address answered 400 BadDeviceToken"), ("ok", "taken"),
            ("400-BadDeviceToken", "dead answered 400 BadDeviceToken"),
            ("429-TooManyRequests", "wait 60 address answered 429 TooManyRequests"),
            ("503-x", "transient answered 503 x"),
            ("after-7", "wait 7 sender answered 503"), ("html", "transient answered 502"), ("huge", "taken"),
            ("redirect", "misconfigured sender answered 307; redirects are not followed"),
            ("403-InvalidProviderToken", "misconfigured sender answered 403 InvalidProviderToken"),
        ] {
            #expect(try await send(sender, behaviour).hasPrefix(meaning), "\(behaviour)")
        }
    }

    @Test func `a token that has expired is renewed once, for all`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        let (address, device) = try device("expired")
        // While it is young, the clock is to blame.
        let young = await verdict { sender.send(sampleOrder(), to: address, of: device, answer: $0) }
        #expect(young == .misconfigured(.init("answered 403 ExpiredProviderToken", cure: APNsAnswer.clockCure)))
        clock.advance(minutes: 30)
        let late = sampleOrder(notAfter: nil)
        let all = await verdicts(20) { sender.send(late, to: address, of: device, answer: $1) }
        #expect(all.allSatisfy { $0.told.hasPrefix("taken") })
        #expect(Set(try server.end().map { $0.headers["authorization"] }).count == 2)
    }

    @Test func `nothing is sent after not_after`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        clock.advance(minutes: 2)
        #expect(try await send(sender, "ok") == "final too_late")
        #expect(try server.end().isEmpty)
    }

    @Test func `a certificate that does not fit is told as one`() async throws {
        let (server, other) = (
            try ProviderServer<SeenRequest>("provider_server.py"), try ProviderServer<SeenRequest>("provider_server.py")
        )
        let settings = APNsSender.Settings(
            keyID: "K", teamID: "T", topic: "t", origin: server.origin, caFile: other.caFile, limits: .init(calls: 1))
        let sender = APNsSender(settings, key: .newP256(), clock: clock.read)
        #expect(try await send(sender, "ok").hasPrefix("misconfigured sender could not be trusted"))
    }

    @Test func `nobody is there`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        _ = try server.end()
        #expect(try await send(sender, "ok").hasPrefix("transient could not be reached"))
    }
}

@Suite("Sending through Firebase over HTTP/2", .unlessItHangs, .withOracles)
struct FCMSenderTests {
    private let clock = Clock()

    private func sender(_ server: ProviderServer<SeenRequest>) throws -> FCMSender {
        let account = try ServiceAccount(SampleKeys.account(["token_uri": server.origin + "/token"]))
        let settings = FCMSender.Settings(origin: server.origin, caFile: server.caFile)
        return FCMSender(settings, account: account, patience: .long, clock: clock.read)
    }

    private func send(_ sender: FCMSender, _ behaviour: String) async -> String {
        let address = FCMAddress(kind: .fid, value: behaviour, platform: .android)
        return await verdict { sender.send(sampleOrder(notAfter: nil), to: address, answer: $0) }.told
    }

    @Test func `a hundred at once share one access token, for as long as it lasts`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = try sender(server)
        let address = FCMAddress(kind: .token, value: "ok", platform: .android)
        let order = sampleOrder(notAfter: nil)
        let all = await verdicts(100) { sender.send(order, to: address, answer: $1) }
        #expect(all.allSatisfy { $0.told.hasPrefix("taken as projects/p/messages/") })
        clock.advance(minutes: 54)
        #expect(await send(sender, "ok").hasPrefix("taken"))
        clock.advance(minutes: 1)
        #expect(await send(sender, "ok").hasPrefix("taken"))
        let seen = try server.end()
        #expect(seen.filter { $0.path == "/token" }.count == 2)
        #expect(
            seen.filter { $0.path != "/token" }.map { $0.headers["authorization"] }.dropLast().allSatisfy {
                $0 == "Bearer t-1"
            })
        #expect(seen.last?.headers["authorization"] == "Bearer t-2")
    }

    @Test func `one that is refused is renewed once`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = try sender(server)
        #expect(await send(sender, "unauthorized").hasPrefix("taken"))
        #expect(await send(sender, "401") == "misconfigured sender answered 401")
        let seen = try server.end()
        #expect(seen.map(\.path).filter { $0 == "/token" }.count == 3)
        #expect(seen.count == 3 + 4)
    }

    @Test func `answers mean what they say`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = try sender(server)
        for (behaviour, meaning) in [
            ("404-UNREGISTERED", "dead answered 404 UNREGISTERED"), ("after-7", "wait 7 sender answered 503"),
            ("403-SENDER_ID_MISMATCH", "misconfigured address answered 403 SENDER_ID_MISMATCH"),
            ("html", "transient answered 502"), ("goaway", "taken"), ("huge", "taken"),
        ] {
            #expect(await send(sender, behaviour).hasPrefix(meaning), "\(behaviour)")
        }
    }
}

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
            ("429", "wait 60 sender answered 429"), ("reset", "taken"),
        ] {
            let to = try subscription(server, behaviour)
            let told = await verdict { sender.send(sampleOrder(), to: to, answer: $0) }.told
            #expect(told.hasPrefix(meaning), "\(behaviour)")
        }
    }
}

@Suite("Sending mail through a relay", .unlessItHangs, .withOracles)
struct EmailSenderTests {
    private func sender(
        _ server: ProviderServer<SeenMail>, password: String? = "ding dong", calls: Int = 2, scheme: String = "smtp"
    ) throws -> EmailSender {
        let relay = MailCall.Relay(
            address: try #require(MailRelayAddress("\(scheme)://127.0.0.1:\(server.port)")),
            user: password == nil ? nil : "bell", password: password, greeting: "belfry.dev", caFile: server.caFile)
        let settings = EmailSender.Settings(
            relay: relay, from: try #require(Mailbox("bell@belfry.dev", name: "Belfry")), bounceDomain: "belfry.dev",
            publicURL: "https://bell.example.org", secret: EmailMessageTests.secret, limits: .init(calls: calls))
        return EmailSender(settings, patience: .long, clock: { newYear })
    }

    private func send(_ sender: EmailSender, _ name: String, _ order: Order = sampleOrder(channels: [.email]))
        async throws
        -> String
    {
        let address = try #require(Mailbox("\(name)@example.org"))
        return await verdict { sender.send(order, to: address, lockedReason: nil, answer: $0) }.told
    }

    @Test func `a mail arrives byte for byte, encrypted and signed in, over a connection that is kept`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        let sender = try sender(server)
        let order = sampleOrder(body: ".starts with a dot\n..two\n\nend", channels: [.email])
        #expect(try await send(sender, "anna", order) == "taken as Q1")
        #expect(try await send(sender, "berta") == "taken as Q2")
        let seen = try server.end()
        let envelope = try EmailMessageTests.message(order).envelope(to: try #require(Mailbox("anna@example.org")))
        #expect(seen[0].bytes == envelope.bytes)
        #expect(seen[0].recipients == ["anna@example.org"])
        #expect(
            seen[0].sender
                == "bounce+\(JobToken.text(JobPlace(position: 4096, seq: 1729), secret: EmailMessageTests.secret))@belfry.dev"
        )
        #expect(seen[0].greeting == "belfry.dev")
        #expect(seen.allSatisfy { $0.is_encrypted && $0.is_known })
        #expect(seen.map(\.connection) == [1, 1])
    }

    @Test func `many go over few connections`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        let sender = try sender(server, calls: 4)
        let address = try #require(Mailbox("anna@example.org"))
        let all = await verdicts(8) { sender.send(sampleOrder(), to: address, lockedReason: nil, answer: $1) }
        #expect(all.allSatisfy { $0.told.hasPrefix("taken as Q") })
        #expect(Set(try server.end().map(\.connection)).count <= 4)
    }

    @Test func `a refusal means what its codes say, and the next mail goes`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        let sender = try sender(server)
        for (name, meaning) in [
            ("gone", "dead answered 550 5.1.1"), ("full", "final answered 552 5.2.2"), ("odd", "final answered 550"),
            ("grey", "transient answered 451 4.7.1"), ("policy", "misconfigured address answered 550 5.7.1"),
            ("late", "final answered 554 5.6.0"), ("drop", "transient "), ("anna", "taken as Q1"),
        ] {
            #expect(try await send(sender, name).hasPrefix(meaning), "\(name)")
        }
    }

    @Test func `a wrong password, no encryption and a wrong certificate are told for what they are`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        #expect(
            try await send(sender(server, password: "wrong"), "anna").hasPrefix("misconfigured sender answered 535"))
        // On this machine and without a password it would go in the clear, and this relay does not take that.
        #expect(try await send(sender(server, password: nil), "anna").hasPrefix("misconfigured sender answered 530"))
        let plain = try ProviderServer<SeenMail>("mail_server.py", "plain")
        #expect(try await send(sender(plain), "anna").hasPrefix("misconfigured sender could not be trusted"))
        #expect(try await send(sender(plain, password: nil), "anna") == "taken as Q1")
        #expect(try plain.end().map(\.is_encrypted) == [false])
        let other = try ProviderServer<SeenMail>("mail_server.py")
        let relay = MailCall.Relay(
            address: try #require(MailRelayAddress("smtp://127.0.0.1:\(server.port)")), user: "bell",
            password: "ding dong", greeting: "belfry.dev", caFile: other.caFile)
        let settings = EmailSender.Settings(
            relay: relay, from: try #require(Mailbox("bell@belfry.dev")), publicURL: "https://b", secret: [1])
        #expect(
            try await send(EmailSender(settings, patience: .long, clock: { newYear }), "anna")
                .hasPrefix("misconfigured sender could not be trusted"))
    }
}

@Suite("Sending texts through Twilio", .unlessItHangs, .withOracles)
struct TwilioSenderTests {
    /// The account says how the server behaves.
    private func send(
        _ server: ProviderServer<SeenRequest>, _ behaviour: String, to phone: String = "+14155550100",
        patience: HTTPCall.Patience = .long
    ) async throws -> String {
        let settings = TwilioSender.Settings(
            account: behaviour, token: "secret", sender: .number("+14155550199"), origin: server.origin,
            caFile: server.caFile)
        let sender = TwilioSender(settings, patience: patience, clock: { newYear })
        return await verdict { sender.send(sampleOrder(), to: phone, answer: $0) }.told
    }

    @Test func `a text arrives as a form, from whom it says`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        #expect(try await send(server, "AC1") == "taken as SM1")
        #expect(try await send(server, "400-21610") == "stopped answered 400 21610")
        #expect(try await send(server, "AC1", to: "4155550100").hasPrefix("dead the number is not written as E.164"))
        let seen = try server.end()
        #expect(seen[0].path == "/2010-04-01/Accounts/AC1/Messages.json" && seen.count == 2)
        #expect(seen[0].headers["authorization"] == "Basic " + Base64.encode(Array("AC1:secret".utf8)))
        #expect(String(decoding: seen[0].bytes, as: UTF8.self).hasPrefix("To=%2B14155550100&From=%2B14155550199&Body="))
        #expect(try await send(server, "AC1").hasPrefix("transient could not be reached"))
    }

    @Test(arguments: ["hang", "close", "reset", "goaway", "503"])
    func `what may have been taken is sent once`(behaviour: String) async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let told = try await send(
            server, behaviour, patience: behaviour == "hang" ? .init(connectMs: 600_000, totalMs: 3000) : .long)
        #expect(told.hasSuffix("it may have been taken, and is not sent again"))
        #expect(try server.end().count == 1)
    }
}
