import Foundation
import Testing

/// A worker's mails through a relay that nobody here wrote.
@Suite("belfry run --senders, through Postfix", .withPostfix)
final class PostfixMailTests: SendersBench {
    private func document(_ postfix: Provider) throws -> String {
        try secret("ding dong\n", "smtp.secret")
        return """
            {"public_url":"https://bell.example.org",
             "email":{"smtp":{"url":"smtp://localhost:\(postfix.port)","user":"bell","password_file":"smtp.secret",
             "from":"Zoë's Glöckchen <bell@belfry.dev>","bounce_domain":"belfry.dev","ca_file":"\(postfix.caFile)"}}}
            """
    }

    private func enrol(as user: String) -> String {
        fact("user_enrolled", user: user, data: #"{"timezone":"UTC","email":"\#(user)@example.org"}"#)
            + fact(
                "preferences_changed", user: user,
                data: #"{"patch":{"channels":{"email":true},"quiet_hours":{"enabled":false}}}"#)
    }

    private func request(for user: String) -> String {
        fact("notice_requested", user: user, data: #"{"kind":"mail","title":"Grüße, 漢字 👍🏽","body":".\n..ü\nFrom = "}"#)
    }

    @Test(.withCurl) func `mails arrive as they were written, and the link in them stops the next one`() throws {
        let postfix = try Provider(.postfix, shell)
        let (worker, door) = try start(try document(postfix), "--public-listen", "127.0.0.1:0")
        let port = try worker.publicPort()
        _ = door.append(enrol(as: "anna") + request(for: "anna"))
        _ = try events("job_delivered", 1, while: worker)
        let delivered = try Printed(try #require(lines("job_delivered").first))
        let passed = try #require(try postfix.end(after: 1).first)
        let trace = try #require(passed["trace"] as? String)
        #expect(trace.contains("with ESMTPSA id \(delivered["data.provider_id"] ?? "none")\r\n"))
        let mail = try Provider.read(Self.bytes(try #require(passed["mail"] as? String)), shell)
        #expect(mail["subject"] == "Grüße, 漢字 👍🏽" && mail["defects"] == "[]" && mail["bare_line_ends"] == "0")
        #expect(mail["from"] == "bell@belfry.dev" && mail["from_name"] == "Zoë's Glöckchen")
        #expect(mail["to"] == "anna@example.org" && mail["part_types"] == #"["text/plain","text/html"]"#)
        #expect(mail["text"]?.contains("\n.\n..ü\nFrom = \n") == true && mail["html"]?.contains("<p>..ü</p>") == true)
        #expect(mail["stop_post"] == "List-Unsubscribe=One-Click")
        let link = try #require(mail["stop"]?.wholeMatch(of: #/<https:\/\/bell\.example\.org(\/u\/[^>]+)>/#)).1
        #expect(mail["text"]?.contains("https://bell.example.org\(link)") == true)
        let pressed = curl(link, at: port, "--data", "List-Unsubscribe=One-Click")
        #expect(pressed.output.hasPrefix("HTTP/1.1 200 "), "\(pressed)")
        #expect(lines("unsubscribed").first?.contains(#""channel":"email","kind":"mail","how":"one_click""#) == true)
        _ = door.append(request(for: "anna"))
        #expect(lines("notice_dropped").first?.contains(#""reason":"no_channel""#) == true)
        #expect(lines("job_emitted").count == 1)
        worker.expectStopped()
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `a mailbox that is none is not asked again, one that is busy is`() throws {
        let postfix = try Provider(.postfix, shell)
        let (worker, door) = try start(try document(postfix))
        let users = ["nobody", "spared", "policy"]
        _ = door.append(users.map { enrol(as: $0) + request(for: $0) }.joined())
        _ = try events("job_delivered", 1, while: worker)
        _ = try events("job_failed", 2, while: worker)
        // Which Postfix deferred at first.
        #expect(lines("job_delivered").first?.contains(#""user":"spared""#) == true)
        let reasons = try lines("job_failed").map { line in
            let event = try Printed(line)
            return ["user", "data.reason", "data.permanent"].map { event[$0] ?? "" }.joined(separator: " ")
        }
        #expect(reasons.sorted() == ["nobody smtp answered 550 5.1.1 true", "policy smtp answered 554 5.7.1 false"])
        // No mail goes to an address that is dead (P16).
        func email(of user: String) throws -> String? {
            try Printed(shell.belfry("state", "--user", user, "--json").line(0))["email"]
        }
        #expect(try users.map(email) == ["bounced", "known", "known"])
        _ = door.append(request(for: "nobody"))
        #expect(lines("notice_dropped").first?.contains(#""user":"nobody""#) == true)
        worker.expectStopped()
        #expect(try postfix.end(after: 1).compactMap { $0["recipient"] as? String } == ["spared@example.org"])
        #expect(shell.belfry("audit").code == 0)
    }
}
