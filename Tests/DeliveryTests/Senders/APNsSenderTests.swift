import CivilTime
import Foundation
import Hashing
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("Sending to Apple over HTTP/2", .unlessItHangs, .withOracles)
struct APNsSenderTests {
    private let clock = SenderClock()

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

    /// What is said of a device that names its app.
    private func refusal(_ sender: APNsSender, of app: String?) async throws -> String {
        let token = Hexadecimal.text(("400-TopicDisallowed" + String(repeating: ".", count: 13)).utf8)
        let address = try #require(APNsAddress(token: token, topic: app))
        let device = Device(name: "phone", registeredAt: newYear, address: .apns(address))
        return await verdict { sender.send(sampleOrder(), to: address, of: device, answer: $0) }.told
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

    @Test func `an app that a device names itself holds up nobody else (N5)`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        #expect(try await refusal(sender, of: "evil.bundle") == "misconfigured address answered 400 TopicDisallowed")
        for app in [nil, "org.example.app"] {
            #expect(try await refusal(sender, of: app) == "misconfigured sender answered 400 TopicDisallowed")
        }
        let topics = try server.end().map { $0.headers["apns-topic"] }
        #expect(topics == ["evil.bundle", "org.example.app", "org.example.app"])
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

    /// Servers end a connection on which many are broken off.
    @Test func `an answer whose end comes behind its last byte is not broken off`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server)
        let (address, device) = try device("late")
        #expect(try await send(sender, "ok").hasPrefix("taken"))
        let (late, heard) = AsyncStream.makeStream(of: SenderVerdict.self)
        sender.send(sampleOrder(), to: address, of: device) { heard.yield($0) }
        // What is answered here comes behind that body, on the same connection.
        #expect(try await send(sender, "ok").hasPrefix("taken"))
        #expect(try await send(sender, "finish").hasPrefix("taken"))
        #expect(await late.first { _ in true }?.told.hasPrefix("taken") == true)
        #expect(try server.end().allSatisfy { !$0.is_reset })
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
            ("410-Unregistered-\(before)", "final answered 410 Unregistered, for an older registration"),
            ("410-Unregistered-\(after)", "dead answered 410 Unregistered"),
            ("400-BadDeviceToken", "misconfigured address answered 400 BadDeviceToken"), ("ok", "taken"),
            ("400-BadDeviceToken", "dead answered 400 BadDeviceToken"),
            ("429-TooManyRequests", "wait 60 address answered 429 TooManyRequests"),
            ("503-x", "transient answered 503 x"),
            ("after-7", "wait 7 sender answered 503"), ("html", "transient answered 502"),
            ("huge", "misconfigured sender answered 200 without an apns-id"),
            ("page-200", "misconfigured sender answered 200 without an apns-id"),
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
        let settings = APNsSender.Settings(
            keyID: "K", teamID: "T", topic: "t", origin: "https://127.0.0.1:1", limits: .init(calls: 1))
        let sender = APNsSender(settings, key: .newP256(), clock: clock.read)
        #expect(try await send(sender, "ok").hasPrefix("transient could not be reached"))
    }
}
