import CivilTime
import Foundation
import Hashing
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("Sending texts through Twilio", .unlessItHangs, .withOracles)
struct TwilioSenderTests {
    /// The account says how the server behaves.
    private func sender(
        _ server: ProviderServer<SeenRequest>, _ behaviour: String, patience: HTTPCall.Patience = .long
    ) -> TwilioSender {
        let settings = TwilioSender.Settings(
            account: behaviour, token: "secret", sender: .number("+14155550199"), origin: server.origin,
            caFile: server.caFile)
        return TwilioSender(settings, patience: patience, clock: { newYear })
    }

    private func send(
        _ server: ProviderServer<SeenRequest>, _ behaviour: String, to phone: String = "+14155550100",
        patience: HTTPCall.Patience = .long
    ) async throws -> String {
        let sender = sender(server, behaviour, patience: patience)
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
        let settings = TwilioSender.Settings(
            account: "AC1", token: "secret", sender: .number("+14155550199"), origin: "https://127.0.0.1:1")
        let nowhere = TwilioSender(settings, clock: { newYear })
        let told = await verdict { nowhere.send(sampleOrder(), to: "+14155550100", answer: $0) }.told
        #expect(told.hasPrefix("transient could not be reached"))
    }

    @Test(arguments: ["hang", "close", "reset", "goaway", "503", "huge", "page-200", "nothing-201"])
    func `what may have been taken is sent once`(behaviour: String) async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let told = try await send(
            server, behaviour, patience: behaviour == "hang" ? .init(connectMs: 600_000, totalMs: 3000) : .long)
        #expect(told.hasSuffix("it may have been taken, and is not sent again"))
        #expect(try server.end().count == 1)
    }

    @Test func `a text behind others is sent once too, where the connection is cut off`() async throws {
        let server = try ProviderServer<SeenRequest>("provider_server.py")
        let sender = sender(server, "abort")
        #expect(await verdict { sender.send(sampleOrder(), to: "+14155550100", answer: $0) }.told.hasPrefix("taken"))
        let told = await verdict { sender.send(sampleOrder(), to: "+14155550101", answer: $0) }.told
        #expect(told.hasSuffix("it may have been taken, and is not sent again"))
        #expect(try server.end().count == 2)
    }
}
