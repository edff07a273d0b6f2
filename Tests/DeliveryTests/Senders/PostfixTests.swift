import CivilTime
import Notices
import Simulation
import Testing

@testable import Delivery

/// A relay that nobody here wrote, as strict as it can be set.
@Suite("Mail through Postfix", .unlessItHangs, .withPostfix)
struct PostfixTests {
    private let bell = Mailbox("bell@belfry.dev", name: "Zoë's Glöckchen")

    private func sender(_ postfix: ProviderServer<PassedMail>, password: String? = "ding dong") throws -> EmailSender {
        let relay = MailCall.Relay(
            address: try #require(MailRelayAddress("smtp://localhost:\(postfix.port)")),
            user: password == nil ? nil : "bell", password: password, greeting: "belfry.dev",
            caFile: password == nil ? nil : postfix.caFile)
        let settings = EmailSender.Settings(
            relay: relay, from: try #require(bell), bounceDomain: "belfry.dev", publicURL: "https://bell.example.org",
            secret: EmailMessageTests.secret, limits: .init(calls: 4))
        return EmailSender(settings, patience: .long, clock: { newYear })
    }

    private func send(
        _ sender: EmailSender, _ recipient: String, _ order: Order = sampleOrder(channels: [.email])
    ) async throws -> String {
        let address = try #require(Mailbox(recipient, name: "Anna Müller-Lüdenscheidt"))
        return await verdict { sender.send(order, to: address, lockedReason: nil, answer: $0) }.told
    }

    private func sent(_ order: Order, to recipient: String) throws -> EmailMessage.Envelope {
        EmailMessage(
            order: order, from: try #require(bell), bounceDomain: "belfry.dev", publicURL: "https://bell.example.org",
            secret: EmailMessageTests.secret
        ).envelope(to: try #require(Mailbox(recipient, name: "Anna Müller-Lüdenscheidt")))
    }

    /// Whatever a mail server could take for its own: ends of mails, of lines and of headers, and lines that are too long.
    private static let awkward = [
        "Ein Gruß: 漢字 👍🏽\n.\n..\n.dots\n\nFrom here \n--\n>From there\t", ".\r\n.\r\nQUIT\r\n",
        "\rbare\rreturns\n\nfeeds",
        String(repeating: "x", count: 3000), String(repeating: "ü", count: 3000), "=3D =\n=\n =",
        "--=_boundary--\n--\n",
        "",
    ]

    private func orders() -> [Order] {
        var chance = SeededRandom(seed: 5321)
        let letters = Array(". ..\n\r\r\n\t=-_?<>\"FromQUITüЖ漢👍🏽\u{2028}")
        let random = (0..<24).map { _ in
            String(
                (0..<Int.random(in: 1...600, using: &chance)).map { _ in letters.randomElement(using: &chance) ?? "." })
        }
        return (Self.awkward + random).map {
            sampleOrder(title: "Grüße! \($0.prefix(60))", body: $0, channels: [.email])
        }
    }

    @Test func `a mail leaves it byte for byte, for a mailbox and for the next relay`() async throws {
        let postfix = try ProviderServer<PassedMail>("postfix_server.py")
        let sender = try sender(postfix)
        let orders = orders()
        var names: [String: [String]] = [:]
        for recipient in ["anna@example.org", "berta@example.net"] {
            for order in orders {
                let told = try await send(sender, recipient, order)
                #expect(told.hasPrefix("taken as "), "\(order.job.body.text)")
                names[recipient, default: []].append(String(told.dropFirst("taken as ".count)))
            }
        }
        let passed = try postfix.end(after: 2 * orders.count)
        for (recipient, way) in [("anna@example.org", "mailbox"), ("berta@example.net", "relayed")] {
            let mails = passed.filter { $0.way == way }
            #expect(mails.count == orders.count)
            for (name, order) in zip(names[recipient, default: []], orders) {
                let mail = try #require(mails.first { $0.trace.contains("id \(name)\r\n") }, "\(name)")
                let sent = try sent(order, to: recipient)
                #expect(mail.bytes == sent.bytes, "\(order.job.body.text)")
                #expect(mail.sender == sent.sender && mail.recipient == recipient)
                // Encrypted and signed in.
                #expect(mail.trace.contains("with ESMTPSA id"))
            }
        }
    }

    @Test func `Python reads in the mailbox what was written`() async throws {
        let postfix = try ProviderServer<PassedMail>("postfix_server.py")
        let sender = try sender(postfix)
        let order = sampleOrder(
            title: "Grüße aus Köln: 漢字 und so viele Worte, daß der Betreff gefaltet wird 👍🏽", body: Self.awkward[0],
            channels: [.email])
        #expect(try await send(sender, "anna@example.org", order).hasPrefix("taken as "))
        let mails = try postfix.end(after: 1).map { bytesOf(hexadecimal: $0.mail) }
        let read = try #require(try ReadMail.all(mails).first)
        #expect(read.subject == order.job.title.text)
        #expect(read.from == "bell@belfry.dev" && read.from_name == "Zoë's Glöckchen")
        #expect(read.to == "anna@example.org" && read.to_name == "Anna Müller-Lüdenscheidt")
        #expect(read.date == "2026-01-01T00:00:00+00:00")
        #expect(read.id.hasSuffix("@belfry.dev>"))
        #expect(read.type == "multipart/alternative" && read.part_types == ["text/plain", "text/html"])
        #expect(read.text.contains(Self.awkward[0]))
        #expect(read.html.contains("<p>.dots</p>"))
        #expect(read.stop?.hasPrefix("<https://bell.example.org/u/") == true)
        #expect(read.stop_post == "List-Unsubscribe=One-Click")
        #expect(read.defects == [] && read.is_ascii && read.bare_line_ends == 0 && read.line_bytes_max <= 998)
    }

    @Test func `what it refuses means what its codes say, and what it gives back leads to the job`() async throws {
        let postfix = try ProviderServer<PassedMail>("postfix_server.py")
        let sender = try sender(postfix)
        for (recipient, meaning) in [
            ("nobody@example.org", "dead answered 550 5.1.1"),
            ("grey@example.org", "transient address answered 450 4.2.0"),
            ("policy@example.org", "misconfigured address answered 554 5.7.1"),
            ("spared@example.org", "transient address answered 450 4.2.0"), ("spared@example.org", "taken as "),
            ("gone@example.net", "taken as "),
        ] {
            #expect(try await send(sender, recipient).hasPrefix(meaning), "\(recipient)")
        }
        let long = sampleOrder(body: String(repeating: "words ", count: 20_000), channels: [.email])
        #expect(try await send(sender, "anna@example.org", long) == "final answered 552 5.3.4")
        #expect(
            try await send(self.sender(postfix, password: "wrong"), "anna@example.org").contains("answered 535 5.7.8"))
        #expect(try await send(self.sender(postfix, password: nil), "anna@example.org").contains("answered 530 5.7.0"))
        #expect(try await send(sender, "anna@example.org").hasPrefix("taken as "))
        // The bounce is a mail of its own.
        let passed = try postfix.end(after: 4)
        #expect(Set(passed.map(\.recipient).filter { $0.hasSuffix("example.org") }).count == 2)
        let bounce = try #require(passed.first { $0.sender == "" })
        let token = bounce.recipient.dropFirst("bounce+".count).prefix { $0 != "@" }
        #expect(JobToken.place(of: token, secrets: [EmailMessageTests.secret])?.seq == 1729)
        #expect(String(decoding: bounce.bytes, as: UTF8.self).contains("Status: 5.1.1"))
    }

    /// Debian's own settings but for the port: no sign-in, and nothing for others' domains.
    @Test func `a relay that does not know us has the mails wait`() async throws {
        let postfix = try ProviderServer<PassedMail>(
            "postfix_server.py", "smtpd_sasl_auth_enable=no", "smtpd_tls_security_level=may",
            "smtpd_relay_restrictions=permit_mynetworks, permit_sasl_authenticated, defer_unauth_destination",
            "smtpd_recipient_restrictions=")
        let signed = try sender(postfix)
        #expect(try await send(signed, "anna@example.org") == "misconfigured sender offers no way to sign in")
        let unsigned = try sender(postfix, password: nil)
        let told = try await send(unsigned, "anna@elsewhere.org")
        #expect(told == "misconfigured sender answered 454 4.7.1")
        #expect(try await send(unsigned, "anna@example.org").hasPrefix("taken as "))
        #expect(try postfix.end(after: 1).map(\.trace).allSatisfy { $0.contains("with ESMTP id") })
    }

    @Test func `a connection that it has hung up meanwhile is made anew`() async throws {
        let postfix = try ProviderServer<PassedMail>("postfix_server.py", "smtpd_timeout=1s")
        let sender = try sender(postfix)
        #expect(try await send(sender, "anna@example.org").hasPrefix("taken as "))
        // As it does with everybody who is idle for five minutes.
        try postfix.hear("timeout after END-OF-MESSAGE")
        let told = try await send(sender, "anna@example.org")
        #expect(told.hasPrefix("taken as "), "\(told)")
        #expect(try postfix.end(after: told.hasPrefix("taken") ? 2 : 1).count == 2)
    }
}
