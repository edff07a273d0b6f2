import CivilTime
import Foundation
import Hashing
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("Sending mail through a relay", .unlessItHangs, .withOracles)
struct EmailSenderTests {
    private func sender(
        _ server: ProviderServer<SeenMail>, password: String? = "ding dong", calls: Int = 2, scheme: String = "smtp",
        namesAuthority: Bool? = nil
    ) throws -> EmailSender {
        let relay = MailCall.Relay(
            address: try #require(MailRelayAddress("\(scheme)://127.0.0.1:\(server.port)")),
            user: password == nil ? nil : "bell", password: password, greeting: "belfry.dev",
            caFile: namesAuthority ?? (password != nil) ? server.caFile : nil)
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

    /// The relay answers these two once another mail was taken: whoever waits for it with all others waits for ever.
    @Test(arguments: [("slow", "taken as Q2"), ("rude", "dead answered 550 5.1.1")])
    func `a relay that thinks long about one mail, or its farewell, keeps no other waiting`(
        name: String, meaning: String
    ) async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        let sender = try sender(server)
        let addresses = try [name, "anna"].map { try #require(Mailbox("\($0)@example.org")) }
        let told = Mutex<Set<String>>([])
        // One after the other: the one that is thought about is there first.
        await withCheckedContinuation { done in
            let left = Countdown(2) { done.resume() }
            for address in addresses {
                sender.send(sampleOrder(channels: [.email]), to: address, lockedReason: nil) { verdict in
                    told.withLock { _ = $0.insert(verdict.told) }
                    left.one()
                }
            }
        }
        #expect(told.withLock { $0 } == [meaning, "taken as Q1"])
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

    @Test func `who is refused on a connection that was kept is named once`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        let sender = try sender(server, calls: 1)
        for name in ["anna", "gone", "berta", "grey", "carl"] { _ = try await send(sender, name) }
        #expect(try server.end().map(\.recipients_named) == [1, 3, 5])
    }

    @Test(arguments: [
        ("banner", "misconfigured sender answered 554 5.1.0 to our greeting"),
        ("ehlo", "misconfigured sender answered 502 5.5.1 to our greeting"),
        ("starttls", "misconfigured sender answered 454 4.7.0 to STARTTLS"),
        ("mail", "misconfigured sender answered 550 5.2.1 to our sender"),
    ])
    func `a relay that refuses us before it hears the recipient kills no address`(
        stage: String, meaning: String
    ) async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py", stage)
        let sender = try sender(server)
        for name in ["anna", "berta"] { #expect(try await send(sender, name) == meaning) }
        #expect(try server.end().isEmpty)
    }

    @Test func `nothing is sent without signing in to a relay that we are to sign in to`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py", "unsigned")
        let signed = try sender(server)
        for name in ["anna", "berta"] {
            #expect(try await send(signed, name) == "misconfigured sender offers no way to sign in")
        }
        #expect(try server.end().isEmpty)
    }

    @Test func `a relay named with the other port's scheme is told how to name it`() throws {
        for (url, advice) in [
            ("smtp://mail.example.org:465", "name it smtps://"), ("smtps://mail.example.org:587", "name it smtp://"),
        ] {
            #expect(try #require(MailRelayAddress(url)?.doubt).hasPrefix(advice))
        }
        for url in [
            "smtp://mail.example.org:587", "smtps://mail.example.org", "smtps://mail.example.org:465", "smtp://465",
        ] {
            #expect(try #require(MailRelayAddress(url)).doubt == nil)
        }
    }

    @Test func `a wrong password, no encryption and a wrong certificate are told for what they are`() async throws {
        let server = try ProviderServer<SeenMail>("mail_server.py")
        #expect(
            try await send(sender(server, password: "wrong"), "anna").hasPrefix("misconfigured sender answered 535"))
        // On this machine and without a password it would go in the clear, and this relay does not take that.
        #expect(try await send(sender(server, password: nil), "anna").hasPrefix("misconfigured sender answered 530"))
        let plain = try ProviderServer<SeenMail>("mail_server.py", "plain")
        #expect(try await send(sender(plain), "anna").hasPrefix("misconfigured sender offers no encryption (STARTTLS)"))
        #expect(try await send(sender(plain, password: nil), "anna") == "taken as Q1")
        #expect(try plain.end().map(\.is_encrypted) == [false])
        let unsigned = try ProviderServer<SeenMail>("mail_server.py", "unsigned")
        #expect(try await send(sender(unsigned, password: nil, namesAuthority: true), "anna") == "taken as Q1")
        #expect(try unsigned.end().map(\.is_encrypted) == [true])
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
