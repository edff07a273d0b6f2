import CivilTime
import Foundation
import Hashing
import Notices
import Testing

@testable import Delivery

@Suite("N1, the senders' document")
struct SendersDocumentTests {
    private static let whole = """
        {"public_url": "https://bell.example.org/", "secret_file": "links.secret",
         "push": {"fallback": true,
                  "apns": {"key_file": "AuthKey.p8", "key_id": "ABC123DEFG", "team_id": "TEAM456789",
                           "topic": "org.example.app", "url": "https://localhost:8443", "ca_file": "/etc/ca.pem"},
                  "fcm": {"key_file": "service-account.json", "calls": 50, "per_second": 500},
                  "webpush": {"key_file": "vapid.pem", "subject": "mailto:ops@belfry.dev",
                              "trusted": ["https://localhost:8444"]}},
         "email": {"smtp": {"url": "smtp://mail.example.org:587", "user": "bell", "password_file": "smtp.secret",
                            "from": "Belfry <bell@belfry.dev>", "bounce_domain": "bounce.belfry.dev"}},
         "sms": {"twilio": {"account": "AC00000000000000000000000000000000", "token_file": "twilio.secret",
                            "from": "+14155550199"}},
         "analyser": {"url": "https://api.example.org/v1/chat/completions", "model": "m", "key_file": "ai.key", "calls": 4}}
        """

    private func read(_ text: String) throws -> SendersDocument { try SendersDocument(text, folder: "/etc/belfry") }

    /// What is said of the whole document with one part put in place of another.
    private func refusal(_ part: String, _ other: String) throws -> String {
        try #require(Self.whole.contains(part))
        do { _ = try read(Self.whole.replacing(part, with: other)) } catch { return "\(error)" }
        return "nothing"
    }

    @Test func `everything it says is read`() throws {
        let document = try read(Self.whole)
        #expect(document.publicURL == "https://bell.example.org")
        #expect(document.secretFile == "/etc/belfry/links.secret")
        #expect(document.fallback == [.push])
        #expect(document.channels == [.push, .email, .sms])
        #expect(document.apns?.keyFile == "/etc/belfry/AuthKey.p8" && document.apns?.server.caFile == "/etc/ca.pem")
        #expect(document.apns?.server.url == "https://localhost:8443" && document.apns?.mayBeCritical == false)
        #expect(document.fcm?.server.limits == .init(calls: 50, perSecond: 500))
        #expect(document.webPush?.trusted == ["https://localhost:8444"])
        #expect(
            document.smtp?.from == "Belfry <bell@belfry.dev>"
                && document.smtp?.passwordFile == "/etc/belfry/smtp.secret")
        #expect(document.twilio?.from == "+14155550199")
        #expect(document.analyser?.model == "m" && document.analyser?.server.limits.calls == 4)
        #expect(try read("{}").channels == [])
    }

    @Test(arguments: [
        (
            "\"push\": {", "\"push\": {\"apn\": {}, ",
            "push.apn is not known here; what is: fallback, apns, fcm, webpush"
        ),
        (
            "\"calls\": 50", "\"call\": 50",
            "push.fcm.call is not known here; what is: key_file, url, ca_file, calls, per_second"
        ),
        (
            "{\"public_url\"", "{\"sender\": 1, \"public_url\"",
            "sender is not known here; what is: public_url, secret_file, push, email, sms, in_app, all, reports, analyser"
        ),
        ("\"key_id\": \"ABC123DEFG\", ", "", "push.apns.key_id is missing"),
        ("ABC123DEFG", "abc", "push.apns.key_id is not 10 letters and digits"),
        ("\"org.example.app\"", "\"a b\"", "push.apns.topic is not the bundle id of an app"),
        ("\"https://localhost:8443\"", "\"http://apns.example.org\"", "push.apns.url is not an origin of https"),
        ("\"https://localhost:8443\"", "\"https://a:b@example.org\"", "push.apns.url is not an origin of https"),
        ("\"calls\": 50", "\"calls\": 0", "push.fcm.calls is not a whole number from 1 to 1000"),
        ("\"calls\": 50", "\"calls\": \"many\"", "push.fcm.calls is not a whole number from 1 to 1000"),
        ("mailto:ops@belfry.dev", "mailto:ops@localhost", "push.webpush.subject leads nowhere"),
        ("\"https://localhost:8444\"", "\"https://localhost:8444/x\"", "push.webpush.trusted[0] is not an origin"),
        ("\"https://localhost:8444\"", "\"http://localhost:8444\"", "push.webpush.trusted[0] is not an origin"),
        ("smtp://mail.example.org:587", "http://mail.example.org", "email.smtp.url is not smtp://host:587"),
        ("smtp://mail.example.org:587", "smtp://a:secret@mail.example.org", "email.smtp.url is not smtp://host:587"),
        ("bell@belfry.dev>\"", "bell@belfry.dev\"", "email.smtp.from is not an address"),
        ("\"password_file\": \"smtp.secret\",", "", "email.smtp.password_file is missing beside the other"),
        ("\"public_url\": \"https://bell.example.org/\", ", "", "push.webpush.page is missing"),
        ("https://bell.example.org/", "https://bell.example.org/x?y", "public_url is not an https: URL"),
        ("AC0000", "XX0000", "sms.twilio.account is not an account SID"),
        ("+14155550199", "4155550199", "sms.twilio.from is not a number"),
        ("\"fallback\": true", "\"fallback\": 1", "push.fallback is neither true nor false"),
        ("https://api.example.org/v1", "http://api.example.org/v1", "analyser.url is not a URL of https"),
        ("\"sms\": {", "\"sms\": [{", "the document is not JSON"),
        ("{\"twilio\"", "7, \"x\": {\"twilio\"", "sms is not an object"),
    ])
    func `what does not belong is refused by its path, and what is missing is named`(
        part: String, other: String, refusal: String
    ) throws {
        #expect(try self.refusal(part, other).hasPrefix(refusal))
    }

    @Test func `no value of it is told, since it may be a secret in the wrong place`() throws {
        for (part, secret) in [
            ("smtp://mail.example.org:587", "smtp://a:hunter2@x"), ("+14155550199", "hunter2hunter2"),
        ] {
            let said = try refusal(part, secret)
            #expect(said != "nothing" && !said.contains("hunter2"), "\(said)")
        }
    }
}

@Suite("N1, the secrets that the senders' document names", .unlessItHangs)
struct SenderSecretTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func file(_ text: String, _ name: String, mode: Int = 0o600) throws {
        let path = try scratch.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func problems(_ text: String) throws -> [String] {
        OpenSenders.problems(try SendersDocument(text, folder: scratch.path)).map {
            "\($0)".replacing(scratch.path + "/", with: "")
        }
    }

    private let apns =
        "{\"push\":{\"apns\":{\"key_file\":\"k\",\"key_id\":\"ABC123DEFG\",\"team_id\":\"TEAM456789\",\"topic\":\"a.b\"}}}"
    private let twilio =
        "{\"sms\":{\"twilio\":{\"account\":\"AC00000000000000000000000000000000\",\"token_file\":\"k\",\"from\":\"Belfry\"}}}"

    private func warnings(_ text: String) throws -> [String] {
        let document = try SendersDocument(text, folder: scratch.path)
        let senders = try OpenSenders(document, ownSecret: [], clock: { newYear })
        defer { senders.close {} }
        return senders.warnings.map { "\($0)".replacing(scratch.path + "/", with: "") }
    }

    @Test func `a file that others may read is told of, and one that anybody may write is not believed`() throws {
        for mode in [0o600, 0o400, 0o640] {
            try file("secret", "k", mode: mode)
            #expect(try warnings(twilio) == [])
        }
        let words = [
            0o644: "every user of this machine may read what is secret in k; `chmod 600 k` keeps it to its owner",
            0o620: "the group of k may change what is secret in it; `chmod 600 k` keeps it to its owner",
        ]
        for (mode, words) in words {
            try file("secret", "k", mode: mode)
            #expect(try warnings(twilio) == ["sms.twilio.token_file needs care: \(words)"])
            #expect(try problems(twilio) == [])
        }
        for mode in [0o602, 0o666] {
            try file("secret", "k", mode: mode)
            #expect(try problems(twilio).first?.contains("every user of this machine may change k") == true)
        }
        // Whoever can change the document has secrets sent elsewhere.
        try file(twilio, "senders.json", mode: 0o666)
        let path = scratch.path + "/senders.json"
        let problem = #expect(throws: SendersError.self) { try SendersDocument.read(path) }
        #expect(problem.map { "\($0)" }?.contains("every user of this machine may change \(path)") == true)
        #expect(problem.map { "\($0)" }?.hasPrefix("the document is not believed: every user ") == true)
        try file(twilio, "senders.json", mode: 0o644)
        _ = try SendersDocument.read(path)
    }

    @Test func `a secret may come through a pipe, as a shell hands one out`() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        #expect(write(ends[1], "hunter2\n", 8) == 8)
        close(ends[1])
        defer { close(ends[0]) }
        let document = twilio.replacing("\"k\"", with: "\"/proc/self/fd/\(ends[0])\"")
        #expect(try problems(document) == [])
    }

    @Test func `what is no file, empty, not there or has many lines is told`() throws {
        #expect(
            try problems(twilio) == [
                "sms.twilio.token_file names a file that is of no use: cannot open k: No such file or directory"
            ])
        try file("", "k")
        #expect(try problems(twilio) == ["sms.twilio.token_file names k, which is empty"])
        try file("one\ntwo\n", "k")
        #expect(try problems(twilio) == ["sms.twilio.token_file names k, which does not hold one line"])
        try FileManager.default.removeItem(atPath: scratch.path + "/k")
        #expect(mkfifo(scratch.path + "/k", 0o600) == 0)
        // Nobody writes to it, and nobody waits for that.
        #expect(try problems(twilio) == ["sms.twilio.token_file names k, which is empty"])
    }

    @Test(.withOracles) func `a key of the wrong kind is told for what it is`() throws {
        let keys = try SampleKeys.made()
        for (text, problem) in [
            (keys.p256, nil), (keys.p256_older, nil),
            (keys.rsa, "which holds a key of another kind: it takes EC P-256"),
            (keys.p256_locked, "which holds a private key under a password"),
            (keys.p384, "which holds a private key that is neither"),
            ("{}", "which holds no private key in PEM"),
        ] as [(String, String?)] {
            try file(text, "k")
            let told = try problems(apns)
            #expect(told.count == (problem == nil ? 0 : 1))
            #expect(told.first?.hasPrefix("push.apns.key_file names k, \(problem ?? "")") ?? true, "\(told)")
        }
        try file(keys.p256, "k")
        #expect(
            try problems("{\"push\":{\"fcm\":{\"key_file\":\"k\"}}}") == [
                "push.fcm.key_file names k, which is not JSON"
            ])
        try file(SampleKeys.account(), "k")
        #expect(try problems("{\"push\":{\"fcm\":{\"key_file\":\"k\"}}}") == [])
        #expect(
            try problems("{\"push\":{\"fcm\":{\"key_file\":\"k\",\"ca_file\":\"k\"}}}")
                == ["push.fcm.ca_file is of no use: cannot find a certificate in k: Invalid argument"])
    }

    @Test func `everything that is wrong is told at once`() throws {
        let text = """
            {"public_url":"https://b.example.org","secret_file":"s","push":{"apns":{"key_file":"k","key_id":"ABC123DEFG",\
            "team_id":"TEAM456789","topic":"a.b"},"webpush":{"key_file":"v","subject":"https://b.example.org"}},\
            "email":{"smtp":{"url":"smtps://m.example.org","from":"a@b.org"}}}
            """
        try file("short", "s")
        #expect(
            try problems(text).map { $0.prefix { $0 != " " } } == [
                "secret_file", "push.apns.key_file", "push.webpush.key_file",
            ])
        try file(String(repeating: "x", count: 32), "s")
        try file(SigningKey.newP256().pem, "k")
        try file(SigningKey.newP256().pem, "v")
        let document = try SendersDocument(text, folder: scratch.path)
        let senders = try OpenSenders(document, ownSecret: [], clock: { newYear })
        #expect(senders.apns != nil && senders.webPush != nil && senders.email != nil && senders.fcm == nil)
        #expect(senders.secrets == [Array(repeating: UInt8(ascii: "x"), count: 32)])
    }

    @Test func `senders are closed together`() async throws {
        try file("secret", "k")
        // Nobody listens there.
        let text =
            twilio.dropLast(3) + """
                ,"url":"https://127.0.0.1:1"}},"analyser":{"url":"https://127.0.0.1:1/v1","model":"m"}}
                """
        let senders = try OpenSenders(
            try SendersDocument(String(text), folder: scratch.path), ownSecret: [], clock: { newYear })
        let (sms, analyser) = (try #require(senders.sms), try #require(senders.analyser))
        await withCheckedContinuation { done in senders.close { done.resume() } }
        // Closed, they do not even try.
        let told = await verdict { sms.send(sampleOrder(), to: "+14155550100", answer: $0) }.told
        #expect(told == "transient was given up: stopping")
        let message = HeardMessage(message: "m1", sender: nil, text: "hello", mentionsUser: false, at: newYear)
        let answer = await withCheckedContinuation { done in
            analyser.ask(about: "lunch", [message]) { done.resume(returning: $0) }
        }
        guard case .analysisFailed(let failed) = answer else {
            Issue.record("a closed analyser answered")
            return
        }
        #expect(failed.reason.text == "the worker is stopping")
        let none = try OpenSenders(try SendersDocument("{}", folder: scratch.path), ownSecret: [], clock: { newYear })
        await withCheckedContinuation { done in none.close { done.resume() } }
    }
}
