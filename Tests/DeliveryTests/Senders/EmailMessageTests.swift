import CivilTime
import Foundation
import Notices
import Simulation
import Testing

@testable import Delivery

/// What Python's `email` finds in a mail.
struct ReadMail: Decodable {
    var subject: String
    var from: String
    var from_name: String
    var to: String
    var to_name: String
    var date: String
    var id: String
    var type: String
    var part_types: [String]
    var text: String
    var html: String
    var stop: String?
    var stop_post: String?
    var headers: Int
    var defects: [String]
    var line_bytes_max: Int
    var is_ascii: Bool
    var bare_line_ends: Int

    static func all(_ mails: [[UInt8]]) throws -> [ReadMail] {
        try Oracles.ask("email_oracle.py", mails.map { ["mail": Base64.encode($0)] })
    }
}

@Suite("A job as a mail", .unlessItHangs)
struct EmailMessageTests {
    static let secret = Array("a-secret-of-the-tests-32-bytes!!".utf8)

    static func message(_ order: Order, from: String = "Belfry <bell@belfry.dev>", locked: String? = nil) throws
        -> EmailMessage
    {
        EmailMessage(
            order: order, from: try #require(Mailbox(written: from)), bounceDomain: "bounce.belfry.dev",
            publicURL: "https://bell.example.org", secret: secret, lockedReason: locked)
    }

    private func mail(
        _ order: Order, from: String = "Belfry <bell@belfry.dev>", name: String? = "Anna", locked: String? = nil
    ) throws -> [UInt8] {
        try Self.message(order, from: from, locked: locked).envelope(
            to: try #require(Mailbox("anna@example.org", name: name))
        ).bytes
    }

    @Test func `where Postmark or SendGrid reports, each mail says what they name it by`() throws {
        let order = sampleOrder(channels: [.email])
        var message = try Self.message(order)
        let recipient = try #require(Mailbox("anna@example.org"))
        let token = JobToken.text(order.place, secret: Self.secret)
        func fields() -> String {
            String(decoding: message.envelope(to: recipient).bytes, as: UTF8.self)
                .replacing("\r\n ", with: " ").split(separator: "\r\n").filter { $0.hasPrefix("X-") }
                .joined(separator: "\n")
        }
        #expect(fields() == "")
        message.reporters = [.postmark]
        #expect(fields() == "X-PM-Metadata-job: \(token)")
        message.reporters = [.sendGrid, .postmark]
        #expect(
            fields() == "X-PM-Metadata-job: \(token)\nX-SMTPAPI: {\"unique_args\": {\"belfry_job\": \"\(token)\"}}")
    }

    @Test(.withOracles) func `Python reads from it what was written`() throws {
        let order = sampleOrder(body: "Zwei Zeilen:\n.beginnt mit Punkt = & <b>ß</b>\r\nFrom here ", channels: [.email])
        let read = try #require(try ReadMail.all([mail(order, name: "Zoë \"Z\" Müller")]).first)
        #expect(read.subject == "Prêt ?")
        #expect(read.from == "bell@belfry.dev" && read.from_name == "Belfry")
        #expect(read.to == "anna@example.org" && read.to_name == "Zoë \"Z\" Müller")
        #expect(read.date == "2026-01-01T00:00:00+00:00")
        let name =
            "\(JobToken.text(JobPlace(position: 4096, seq: 1729), secret: Self.secret)).\(MessageNames.uuid(order.id, for: "anna@example.org"))"
        #expect(read.id == "<\(name)@belfry.dev>")
        #expect(read.type == "multipart/alternative" && read.part_types == ["text/plain", "text/html"])
        #expect(read.text.contains("Zwei Zeilen:\n.beginnt mit Punkt = & <b>ß</b>\nFrom here "))
        #expect(read.html.contains("<p>.beginnt mit Punkt = &amp; &lt;b&gt;ß&lt;/b&gt;</p>"))
        #expect(read.html.contains("<a href=\"https://app.example.org/g1\">"))
        #expect(read.defects == [] && read.is_ascii && read.bare_line_ends == 0)
    }

    @Test(.withOracles) func `every subject and name comes back as it was`() throws {
        var chance = SeededRandom(seed: 2047)
        let letters = Array("abc xyz =?_\"\\<>@,;:ÄßéçЖ漢字👍🏽\u{301}")
        let texts = (0..<200).map { _ in
            String(
                (0..<Int.random(in: 1...120, using: &chance)).map { _ in letters.randomElement(using: &chance) ?? "x" })
        }
        let mails = try texts.map { text in
            try mail(sampleOrder(title: text, body: text, channels: [.email]), name: text)
        }
        let reads = try ReadMail.all(mails)
        try #require(reads.count == texts.count)
        for (text, read) in zip(texts, reads) {
            // Header fields may not begin or end with blanks, and readers fold runs of them.
            func words(_ text: String) -> [Substring] { text.split(separator: " ") }
            #expect(words(read.subject) == words(text), "\(text)")
            #expect(words(read.to_name) == words(text), "\(text)")
            #expect(read.text.contains(text))
            #expect(read.defects == [] && read.is_ascii && read.bare_line_ends == 0)
        }
        // The stop link alone is longer than a line should be, and shorter than one may be (998).
        #expect(reads.allSatisfy { $0.line_bytes_max < 998 })
    }

    @Test(.withOracles) func `a line end in a title begins no header`() throws {
        let order = sampleOrder(title: "Hello\r\nBcc: all@example.org\n\nx", channels: [.email])
        let reads = try ReadMail.all([mail(order), mail(sampleOrder(channels: [.email]))])
        #expect(reads[0].subject.split(separator: " ") == ["Hello", "Bcc:", "all@example.org", "x"])
        #expect(reads[0].headers == reads[1].headers)
    }

    @Test(arguments: [
        "", "anna", "@example.org", "anna@", "a b@example.org", "anna@example.org\r\nBcc: x", "anna@exam\nple.org",
        "<anna@example.org>", "anna@[127.0.0.1]", "a..b@example.org", "anna@-a.org", "anna@example..org",
        "ann\"a@example.org",
        "änna@example.org", "anna@" + String(repeating: "a.", count: 130) + "org", "a@b@example.org",
    ])
    func `what is no address is none`(text: String) { #expect(Mailbox(text) == nil) }

    @Test func `addresses as people write them`() {
        #expect(Mailbox(written: "Belfry <bell@belfry.dev>") == Mailbox("bell@belfry.dev", name: "Belfry"))
        #expect(Mailbox(written: "\"Bell, big\" <a@b.org>")?.name == "Bell, big")
        #expect(Mailbox(written: " bell+x@belfry.dev ") == Mailbox("bell+x@belfry.dev"))
        #expect(Mailbox(written: "A\nB <a@b.org>") == nil)
    }

    @Test(.withOracles) func `every mail can be stopped with one click`() throws {
        let read = try #require(try ReadMail.all([mail(sampleOrder(channels: [.email]))]).first)
        let stop = try #require(read.stop?.dropFirst().dropLast())
        #expect(read.stop_post == "List-Unsubscribe=One-Click")
        #expect(stop.hasPrefix("https://bell.example.org/u/"))
        #expect(read.text.contains("Stop these emails: \(stop)") && read.html.contains("href=\"\(stop)\""))
        let token = String(stop.dropFirst("https://bell.example.org/u/".count))
        #expect(
            StopLink(token: token, secrets: [Self.secret])
                == StopLink(user: "anna", kind: "goal_reminder", at: sampleOrder().at))
        // So can one that came in place of a push.
        let spare = try #require(try ReadMail.all([mail(sampleOrder(channels: [.push]))]).first)
        #expect(spare.stop == read.stop)
        // A locked kind goes on; what can be stopped is the rest.
        let locked = try #require(
            try ReadMail.all([mail(sampleOrder(channels: [.email]), locked: "You get this because you pay.")]).first)
        let other = String(try #require(locked.stop?.dropFirst("<https://bell.example.org/u/".count).dropLast()))
        #expect(
            StopLink(token: other, secrets: [Self.secret])
                == StopLink(user: "anna", kind: nil, at: sampleOrder().at))
        #expect(locked.text.contains("You get this because you pay.\nStop other emails: "))
    }

    @Test func `a stop link is good for ever, with any secret that is still known, and cannot be made up`() {
        let link = StopLink(user: "anna:x@y", kind: "goal_reminder", at: newYear)
        let token = link.token(secret: Self.secret)
        #expect(StopLink(token: token, secrets: [[1, 2, 3], Self.secret]) == link)
        #expect(StopLink(token: token, secrets: [[1, 2, 3]]) == nil)
        #expect(StopLink(token: token, secrets: []) == nil)
        let others = [
            StopLink(user: "anna", kind: nil, at: newYear), StopLink(user: "anna:x@y", kind: "goal_reminder", at: nil),
        ]
        // Those of mails that were sent before links said of when they are.
        for other in others {
            #expect(StopLink(token: other.token(secret: Self.secret), secrets: [Self.secret]) == other)
        }
        for token in [token] + others.map({ $0.token(secret: Self.secret) }) {
            for place in token.indices {
                for digit in "ABPQRgwx_-.=" where digit != token[place] {
                    var changed = token
                    changed.replaceSubrange(place...place, with: [digit])
                    #expect(StopLink(token: changed, secrets: [Self.secret]) == nil, "\(digit) at \(place)")
                }
            }
            #expect(StopLink(token: token + "=", secrets: [Self.secret]) == nil)
        }
        for token in ["", ".", "a", "a.b.c", "YQ.YQ", String(repeating: "a", count: 600)] {
            #expect(StopLink(token: token, secrets: [Self.secret]) == nil)
        }
    }

    @Test func `a bounce leads back to its job`() throws {
        let envelope = try Self.message(sampleOrder(channels: [.email])).envelope(
            to: try #require(Mailbox("anna@example.org")))
        #expect(envelope.recipient == "anna@example.org")
        let token = envelope.sender.dropFirst("bounce+".count).prefix { $0 != "@" }
        #expect(envelope.sender == "bounce+\(token)@bounce.belfry.dev")
        #expect(JobToken.place(of: token, secrets: [[1], Self.secret])?.seq == 1729)
        // Relays may write it in capitals.
        #expect(JobToken.place(of: token.uppercased(), secrets: [Self.secret])?.seq == 1729)
        for forged in ["1730" + token.dropFirst(4), token.dropLast() + "0", "0" + token, "1729", "", "-"] {
            #expect(
                JobToken.place(of: String(forged), secrets: [Self.secret]) == nil || String(forged) == String(token))
        }
        #expect(try #require(Mailbox(envelope.sender)).address == envelope.sender)
    }

    @Test func `the same job is the same mail, byte for byte`() throws {
        let order = sampleOrder(channels: [.email])
        #expect(try mail(order) == mail(order))
    }
}
