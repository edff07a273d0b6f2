import Foundation
import Testing

@Suite("belfry senders")
struct SendersCommandTests {
    let shell = Shell()

    private func sender(_ name: String, of outcome: Outcome) throws -> Printed {
        let line = try #require(outcome.lines.first { $0.contains("\"sender\":\"\(name)\"") })
        return try Printed(line)
    }

    private func edit(_ name: String, _ old: String, _ new: String) throws {
        try shell.edit(name) { $0 = Array(String(decoding: $0, as: UTF8.self).replacing(old, with: new).utf8) }
    }

    @Test func `a document that cannot be read is told to machines as well`() throws {
        try shell.write("{", to: "senders.json")
        let outcome = shell.belfry("senders", "check", "senders.json", "--json")
        #expect(outcome.code == 3)
        let told = try Printed(try #require(outcome.lines.first))
        #expect(told["sender"] == "null" && told["ok"] == "false" && told["cure"] == "null")
        #expect(outcome.errors == "belfry: senders.json: \(told["detail"] ?? "")\n")
    }

    @Test(.withPhones) func `all is well where providers answer, and nothing is sent`() throws {
        let phones = try Phones(shell)
        let outcome = shell.belfry("senders", "check", "phones/senders.json")
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(
            outcome.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                "ok secret_file", "ok push.apns", "ok push.fcm", "ok push.webpush", "ok email.smtp", "ok sms.twilio",
            ])
        #expect(!phones.end().output.contains("┌"))
    }

    @Test(.withPhones) func `what is wrong is told by sender, with what to do, and no secret`() throws {
        let phones = try Phones(shell)
        #expect(shell.belfry("senders", "keys", "vapid", "phones/other.p8").code == 0)
        try edit("phones/senders.json", "apns.p8", "other.p8")
        try edit("phones/smtp.password", "ding dong", "hunter2")
        try edit("phones/twilio.token", "demo", "hunter2")
        try edit("phones/vapid.pem", "PRIVATE", "PUBLIC")
        #expect(chmod(shell.path("phones/google.json"), 0o644) == 0)
        let outcome = shell.belfry("senders", "check", "--json", "phones/senders.json")
        #expect(
            outcome.errors
                == "belfry: needs attention: push.apns, push.fcm, push.webpush, email.smtp, sms.twilio\n")
        #expect(outcome.code == 1)
        for (name, detail, cure) in [
            ("push.apns", "answered 403 InvalidProviderToken", "key_id and team_id belong together"),
            ("push.fcm", "every user of this machine may read", "let nobody but the worker's user"),
            ("push.webpush", "push.webpush.key_file names", "belfry senders keys vapid"),
            ("email.smtp", "answered 535 5.7.8", "user and password_file"),
            ("sms.twilio", "answered 401 20003", "account and token_file"),
        ] {
            let found = try sender(name, of: outcome)
            #expect(found["ok"] == "false")
            #expect(found["detail"]?.contains(detail) == true, "\(found.text)")
            #expect(found["cure"]?.contains(cure) == true, "\(found.text)")
        }
        #expect(!outcome.output.contains("hunter2") && !outcome.output.contains("BEGIN"))
        _ = phones.end()
    }

    @Test(.withPhones) func `a certificate that does not fit, a relay without encryption, and nobody there`() throws {
        let phones = try Phones(shell)
        try edit("phones/senders.json", "\"ca_file\": \"ca.pem\"", "\"per_second\": 9")
        let untrusted = shell.belfry("senders", "check", "--json", "phones/senders.json")
        for name in ["push.apns", "push.fcm", "email.smtp", "sms.twilio"] {
            let found = try sender(name, of: untrusted)
            #expect(found["detail"]?.contains("could not be trusted") == true, "\(found.text)")
            #expect(found["cure"]?.contains("ca_file") == true)
        }
        _ = phones.end()
        let gone = shell.belfry("senders", "check", "phones/senders.json")
        #expect(gone.code == 1 && gone.output.contains("could not be reached"))
        #expect(gone.output.contains("to do: see whether url and its port are right"))
    }

    @Test func `each provider's reports are told of by themselves, and what others may write is locked, not made anew`()
        throws
    {
        try shell.write(
            """
            {"public_url":"https://bell.example.org","secret_file":"links.secret",
             "reports":{"sendgrid":{"key_file":"sendgrid.pub"},"ses":{"topic":"arn:aws:sns:eu-west-1:1:bell"},
                        "postmark":{"user":"bell","password_file":"postmark.password"},
                        "standard":{"secret_file":"standard.secret"}}}
            """, to: "senders.json")
        #expect(shell.belfry("senders", "keys", "secret", "links.secret").code == 0)
        #expect(chmod(shell.path("links.secret"), 0o666) == 0)
        let outcome = shell.belfry("senders", "check", "--json", "senders.json")
        #expect(outcome.code == 1)
        for (name, cure) in [
            ("secret_file", "let nobody but the worker's user"), ("reports.sendgrid", "SendGrid's console"),
            ("reports.postmark", "Postmark's console"), ("reports.standard", "whsec_"),
        ] {
            let found = try sender(name, of: outcome)
            #expect(found["ok"] == "false" && found["cure"]?.contains(cure) == true, "\(found.text)")
        }
        #expect(try sender("reports.ses", of: outcome)["ok"] == "true")
    }

    @Test func `a document that is none is bad input, and one without senders is well`() throws {
        try shell.write("{\"push\":{\"apn\":{}}}", to: "bad.json")
        #expect(
            shell.belfry("senders", "check", "bad.json")
                == .failed(
                    3,
                    "bad.json: push.apn is not known here; what is: fallback, apns, fcm, webpush, stdout, spool, webhook"
                ))
        #expect(shell.belfry("senders", "check", "nothing.json").code == 3)
        try shell.write("{}", to: "none.json")
        #expect(
            shell.belfry("senders", "check", "none.json").lines
                == ["no sender is named: every job goes where --jobs says"])
        #expect(shell.belfry("senders", "check").code == 2 && shell.belfry("senders", "mend", "x").code == 2)
    }

    @Test func `a worker that was given a wrong document can be started with a right one`() throws {
        try shell.write("{\"push\":{\"apn\":{}}}", to: "senders.json")
        let refused = shell.belfry("run", "--senders", "senders.json", "--jobs", "spool:out")
        #expect(refused.code == 3 && refused.errors.contains("push.apn is not known here"))
        #expect(shell.names(in: "events/log").contains("senders.secret"))
        try shell.write("{}", to: "senders.json")
        let worker = shell.start(["run", "--senders", "senders.json", "--jobs", "spool:out"])
        try worker.expectReady()
        worker.expectStopped()
    }

    @Test func `keys are made for their owner alone, and never over another file`() throws {
        let made = shell.belfry("senders", "keys", "vapid", "vapid.pem")
        let publicKey = made.line(0)
        #expect(made.code == 0 && publicKey.count == 87 && publicKey.allSatisfy { $0.isASCII && $0 != "=" })
        #expect(shell.belfry("senders", "keys", "public", "vapid.pem").lines == [publicKey])
        #expect(shell.belfry("senders", "keys", "secret", "links.secret").code == 0)
        let secret = try shell.read("links.secret")
        #expect(secret.count == 44)
        for name in ["vapid.pem", "links.secret"] {
            let mode = try FileManager.default.attributesOfItem(atPath: shell.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        for what in ["vapid", "secret"] {
            #expect(
                shell.belfry("senders", "keys", what, "links.secret")
                    == .failed(3, "links.secret is there already and is not written over; name another file"))
        }
        #expect(try shell.read("links.secret") == secret)
        #expect(symlink("nowhere", shell.path("link")) == 0)
        #expect(shell.belfry("senders", "keys", "secret", "link").code == 3)
        #expect(shell.names(in: ".") == ["link", "links.secret", "vapid.pem"])
        #expect(shell.belfry("senders", "keys", "public", "links.secret").code == 3)
    }
}
