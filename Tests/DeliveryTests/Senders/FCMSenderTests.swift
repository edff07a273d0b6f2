import CivilTime
import Foundation
import Hashing
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("Sending through Firebase over HTTP/2", .unlessItHangs, .withOracles)
struct FCMSenderTests {
    private let clock = SenderClock()

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

    /// Firebase says the same of one device and of the project.
    @Test func `a limit of one device is waited for by it alone, one that many meet by all (N5)`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = try sender(server)
        for _ in 0..<2 * LimitDoubt.inARowMax {
            #expect(await send(sender, "429-QUOTA_EXCEEDED-1").hasPrefix("wait 60 address"))
        }
        for number in 2..<LimitDoubt.inARowMax {
            #expect(await send(sender, "429-QUOTA_EXCEEDED-\(number)").hasPrefix("wait 60 address"))
        }
        #expect(await send(sender, "429-QUOTA_EXCEEDED-99").hasPrefix("wait 60 sender answered 429"))
        #expect(await send(sender, "ok").hasPrefix("taken"))
        #expect(await send(sender, "429-QUOTA_EXCEEDED-99").hasPrefix("wait 60 address answered 429"))
        _ = try server.end()
    }

    @Test func `answers mean what they say`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = try sender(server)
        for (behaviour, meaning) in [
            ("404-UNREGISTERED", "dead answered 404 UNREGISTERED"), ("after-7", "wait 7 sender answered 503"),
            ("403-SENDER_ID_MISMATCH", "misconfigured address answered 403 SENDER_ID_MISMATCH"),
            ("html", "transient answered 502"), ("goaway", "taken"),
            ("huge", "misconfigured sender answered 200 without a message's name"),
            ("page-200", "misconfigured sender answered 200 without a message's name"),
            ("nothing-200", "misconfigured sender answered 200 without a message's name"),
        ] {
            #expect(await send(sender, behaviour).hasPrefix(meaning), "\(behaviour)")
        }
    }
}
