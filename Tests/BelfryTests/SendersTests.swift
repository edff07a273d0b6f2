import Delivery
import Foundation
import Testing

/// `belfry run --senders`: jobs reach providers, and what providers say comes back.
@Suite("belfry run --senders", .withProviders)
struct SendersTests {
    private let shell = Shell()

    private static let policy = """
        {"name":"mine","cooldown_minutes":0,"kinds":[
         {"name":"note","on_request":true,"channels":["push"]},
         {"name":"mail","on_request":true,"channels":["email"]}]}
        """

    // MARK: Starting

    private func secret(_ text: String, _ name: String) throws {
        try shell.write(text, to: name)
        #expect(chmod(shell.path(name), 0o600) == 0)
    }

    /// Starts a worker with these senders, one on whom nobody ever rings too late.
    private func start(_ senders: String, _ words: String...) throws -> (worker: Running, door: WorkerDoor) {
        try shell.write(senders, to: "senders.json")
        try shell.write(Self.policy, to: "mine.json")
        let worker = shell.start(
            ["run", "--policy", "mine.json", "--senders", "senders.json", "--jobs", "spool:spool"] + words)
        try worker.expectReady()
        return (worker, WorkerDoor(shell))
    }

    private func push(_ provider: Provider, isGivingWay: Bool = false) throws -> String {
        let keys = try Provider.keys(shell)
        try secret(try #require(keys["p256"]), "apns.p8")
        let account = [
            "type": "service_account", "project_id": "p", "private_key_id": "k1",
            "client_email": "bell@p.iam.gserviceaccount.com", "private_key": try #require(keys["rsa"]),
            "token_uri": "https://127.0.0.1:\(provider.port)/token",
        ]
        try secret(
            String(decoding: try JSONSerialization.data(withJSONObject: account), as: UTF8.self), "account.json")
        let server = "\"url\":\"https://127.0.0.1:\(provider.port)\",\"ca_file\":\"\(provider.caFile)\""
        return """
            "push":{"fallback":\(isGivingWay),
             "apns":{"key_file":"apns.p8","key_id":"ABC123DEFG","team_id":"TEAM456789","topic":"org.example.app",\(server)},
             "fcm":{"key_file":"account.json",\(server)}}
            """
    }

    private func mail(_ relay: Provider) throws -> String {
        try secret("ding dong\n", "smtp.secret")
        return """
            "public_url":"https://bell.example.org",
            "email":{"smtp":{"url":"smtp://localhost:\(relay.port)","user":"bell","password_file":"smtp.secret",
             "from":"Bell <bell@belfry.dev>","ca_file":"\(relay.caFile)"}}
            """
    }

    private func enrol(_ channels: String = #"{"push":true,"email":true}"#) -> String {
        fact("user_enrolled", data: #"{"timezone":"UTC","email":"anna@example.org"}"#)
            + fact(
                "preferences_changed",
                data: #"{"patch":{"channels":\#(channels),"quiet_hours":{"enabled":false}}}"#)
    }

    private func request(_ kind: String) -> String {
        fact("notice_requested", data: #"{"kind":"\#(kind)","title":"Hello","body":"There"}"#)
    }

    /// What `provider_server.py` reads an address of APNs as.
    private func token(_ name: String) -> String {
        let padded = name.padding(toLength: 32, withPad: ".", startingAt: 0)
        return padded.utf8.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
    }

    private func register(_ device: String, _ behaviour: String, platform: String = "ios") -> String {
        let address = platform == "ios" ? token(behaviour) : behaviour
        return fact(
            "device_registered",
            data: #"{"device":"\#(device)","platform":"\#(platform)","token":"\#(address)"}"#)
    }

    /// Waits until the log holds so many events of a type.
    private func events(_ type: String, _ count: Int, while worker: Running) throws -> [LoggedEvent] {
        while worker.isAlive {
            let events = try shell.belfry("log", "--type", type).events()
            if events.count >= count { return events }
            poll(nil, 0, 20)
        }
        Issue.record("the worker ended: \(worker.end().errors)")
        return []
    }

    private func lines(_ type: String) -> [String] { shell.belfry("log", "--type", type).lines }

    // MARK: Mail

    @Test func `a mail goes through the relay, and its link stops the next one`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door) = try start("{\(try mail(relay))}", "--public-listen", "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) })
        _ = door.append(enrol() + request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        let seen = try relay.end()
        let bytes = try #require(seen.first?["mail"] as? String)
        let text = String(decoding: Self.bytes(bytes), as: UTF8.self)
        let link = try #require(text.firstMatch(of: #/List-Unsubscribe: <https:\/\/bell\.example\.org(\/u\/[^>]+)>/#)).1
        func ask(_ method: HTTPCall.Method, _ path: String, _ body: String = "") throws -> HTTPAnswer {
            setenv("no_proxy", "127.0.0.1,localhost", 1)
            return try HTTPClient().ask(
                HTTPCall(
                    method, "http://127.0.0.1:\(port)\(path)", body: Array(body.utf8),
                    patience: .init(connectMs: 600_000, totalMs: 600_000), answerBytesMax: 1 << 20))
        }
        // Mail scanners follow links.
        #expect(try ask(.get, String(link)).status == 200)
        #expect(lines("unsubscribed") == [])
        #expect(try ask(.get, String(link.dropLast())).status == 404)
        #expect(try ask(.post, String(link), "List-Unsubscribe=One-Click").status == 200)
        #expect(lines("unsubscribed").first?.contains(#""channel":"email","kind":"mail","how":"one_click""#) == true)
        // The door serves nothing else.
        #expect(try ask(.get, "/health").status == 404)
        #expect(try ask(.post, "/v1/facts", "{}").status == 404)
        #expect(try ask(.post, "/v1/providers/twilio", "{}").status == 404)
    }

    @Test func `a link or a report does nothing to whoever has an erased person's id`() throws {
        let relay = try Provider(.mail, shell)
        try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "standard.secret")
        let (worker, door) = try start(
            #"{\#(try mail(relay)),"reports":{"standard":{"secret_file":"standard.secret"}}}"#, "--public-listen",
            "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = WorkerPort(try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) }))
        _ = door.append(fact("app_opened", user: "zoe") + enrol() + request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        let emitted = try #require(lines("job_emitted").first?.firstMatch(of: #/"job":"([^"]+)"/#)).1
        let bytes = try #require(try relay.end().first?["mail"] as? String)
        let text = String(decoding: Self.bytes(bytes), as: UTF8.self)
        let link = try #require(text.firstMatch(of: #/List-Unsubscribe: <https:\/\/bell\.example\.org\/(u\/[^>]+)>/#)).1
        // As links were before they said of when they are.
        let ownSecret = Array(try shell.read("events/log/senders.secret").dropLast())
        let older = "u/" + StopLink(user: "anna", kind: "mail", at: nil).token(secret: ownSecret)
        let olderOfZoe = "u/" + StopLink(user: "zoe", kind: "mail", at: nil).token(secret: ownSecret)
        func follow(_ link: some StringProtocol) throws -> Int {
            try port.ask(.post, String(link), nil, Array("List-Unsubscribe=One-Click".utf8)).status
        }
        func report(_ id: String) throws -> Int {
            let body = #"{"job":"\#(emitted)","channel":"email","status":"bounced","permanent":true}"#
            let time = Int(Date().timeIntervalSince1970)
            let key = Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")!.map { String(format: "%02x", $0) }
                .joined()
            let signed = shell.bash(
                "printf %s '\(id).\(time).\(body)' | openssl dgst -sha256 -mac HMAC -macopt hexkey:\(key) -binary | base64"
            )
            return try port.ask(
                .post, "v1/providers/standard", nil, Array(body.utf8),
                headers: [
                    ("webhook-id", id), ("webhook-timestamp", "\(time)"),
                    ("webhook-signature", "v1," + signed.output.dropLast()),
                ]
            ).status
        }
        // While the person is there, all of them mean something.
        #expect(try report("w1") == 200)
        #expect(lines("delivery_reported").count == 1)
        #expect(try follow(older) == 200 && lines("unsubscribed").count == 1)
        #expect(shell.belfry("erase", "--user", "anna", "--yes").code == 0)
        func nothingHappens() throws {
            let before = shell.belfry("log").lines.count
            #expect(try follow(link) == 200)
            // Nobody can tell whose this one is.
            #expect(try follow(older) == 410)
            #expect(try report("w2") == 200)
            #expect(shell.belfry("log").lines.count == before)
        }
        try nothingHappens()
        _ = door.append(enrol())
        try nothingHappens()
        #expect(try follow(olderOfZoe) == 200 && lines("unsubscribed").count == 2)
        #expect(shell.belfry("audit").code == 0)
    }

    // MARK: Texts

    @Test func `whoever answers STOP gets no more texts, and nobody else is meant`() throws {
        try secret("ding dong", "twilio.token")
        let (worker, door) = try start(
            """
            {"public_url":"https://bell.example.org",
             "sms":{"twilio":{"account":"AC00000000000000000000000000000000","token_file":"twilio.token","from":"+14155550100"}}}
            """, "--public-listen", "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = WorkerPort(try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) }))
        for (user, number) in [("anna", "+14155550111"), ("ben", "+14155550112")] {
            _ = door.append(fact("user_enrolled", user: user, data: #"{"timezone":"UTC","phone":"\#(number)"}"#))
        }
        func say(_ word: String, signing signed: String) throws -> HTTPAnswer {
            // Twilio's signature: the URL, then every field's name and value in their order.
            let fields = [("Body", signed), ("From", "+14155550111"), ("MessageSid", "SM1"), ("SmsStatus", "received")]
            let message = fields.reduce("https://bell.example.org/v1/providers/twilio") { $0 + $1.0 + $1.1 }
            let signature = shell.bash(
                "printf %s '\(message)' | openssl dgst -sha1 -hmac 'ding dong' -binary | base64")
            let body = "Body=\(word)&From=%2B14155550111&MessageSid=SM1&SmsStatus=received"
            return try port.ask(
                .post, "v1/providers/twilio", nil, Array(body.utf8),
                headers: [
                    ("X-Twilio-Signature", String(signature.output.dropLast())),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                ])
        }
        #expect(try say("STOP", signing: "STOPP").status == 403)
        #expect(try say("Hello", signing: "Hello").status == 200)
        #expect(lines("unsubscribed") == [])
        // Twilio may say it twice; and what we answered could be sent as a text.
        for _ in 1...2 {
            let answer = try say("STOP", signing: "STOP")
            #expect(answer.status == 200 && answer.body.isEmpty)
        }
        let stopped = try shell.belfry("log", "--type", "unsubscribed").events()
        #expect(stopped.map(\.user) == ["anna"])
        #expect(lines("unsubscribed").first?.contains(#""channel":"sms","how":"stop""#) == true)
        #expect(shell.belfry("audit").code == 0)
    }

    // MARK: Push

    @Test func `push goes to every device, and one that is dead is not used again`() throws {
        let provider = try Provider(.push, shell)
        let (worker, door) = try start("{\(try push(provider))}")
        _ = door.append(
            enrol() + register("phone", "ok") + register("old", "410-Unregistered-99999999999999")
                + register("android", "ok", platform: "android") + request("note"))
        _ = try events("device_removed", 1, while: worker)
        let delivered = try events("job_delivered", 1, while: worker)
        #expect(delivered.count == 1)
        _ = door.append(request("note"))
        _ = try events("job_delivered", 2, while: worker)
        let removed = try #require(lines("device_removed").first)
        #expect(removed.contains(#""device":"old""#) && removed.contains("410"))
        let paths = try provider.end().compactMap { $0["path"] as? String }
        #expect(paths.count { $0 == "/3/device/\(token("ok"))" } == 2)
        #expect(paths.count { $0.contains(token("410-Unregistered-99999999999999")) } == 1)
        #expect(paths.count { $0.hasSuffix("messages:send") } == 2)
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `push that finds no device gives way to email, and it is the same job`() throws {
        let (provider, relay) = (try Provider(.push, shell), try Provider(.mail, shell))
        let (worker, door) = try start("{\(try push(provider, isGivingWay: true)),\(try mail(relay))}")
        _ = door.append(enrol() + request("note"))
        _ = try events("job_delivered", 1, while: worker)
        #expect(lines("job_failed").first?.contains(#""channel":"push","reason":"no device is registered""#) == true)
        #expect(lines("job_delivered").first?.contains(#""channel":"email""#) == true)
        #expect(lines("job_emitted").count == 1)
        #expect(try relay.end().count == 1)
    }

    // MARK: Codes for phones (N9)

    @Test func `a code comes by text, is in no log, and is right after a restart too`() throws {
        let provider = try Provider(.push, shell)
        try secret("token\n", "twilio.secret")
        let document = """
            {"sms":{"twilio":{"account":"AC\(String(repeating: "0", count: 32))","token_file":"twilio.secret",
             "from":"+14155550199","url":"https://127.0.0.1:\(provider.port)","ca_file":"\(provider.caFile)"}}}
            """
        let first = try start(document, "--log-level", "debug")
        _ = first.door.append(
            enrol() + fact("phone_verification_requested", data: #"{"phone":"+14155550123"}"#))
        #expect(first.worker.complaint(of: "a code was sent") != nil)
        first.worker.send(signal: SIGTERM)
        #expect(first.worker.waitForEnd().code == 0)
        let asked = try provider.end().compactMap { $0["body"] as? String }
        let text = String(decoding: Self.bytes(try #require(asked.last)), as: UTF8.self)
        let code = String(try #require(text.firstMatch(of: #/Body=([0-9]{6})%20is/#)).1)
        let second = try start(document)
        let wrong = String(format: "%06d", (try #require(Int(code)) + 1) % 1_000_000)
        for given in [wrong, code] {
            _ = second.door.append(fact("phone_code_entered", data: #"{"code":"\#(given)"}"#))
        }
        #expect(lines("phone_code_entered").map { $0.contains(#""correct":true"#) } == [false, true])
        #expect(lines("phone_verified").count == 1)
        #expect(!shell.belfry("log").output.contains(code))
    }

    // MARK: What is wrong

    @Test func `a document that is wrong ends it at once, with its path and without the secret`() throws {
        try shell.write(#"{"push":{"apns":{"key_file":"nothing.p8"}}}"#, to: "senders.json")
        let end = shell.belfry("run", "--senders", "senders.json")
        #expect(end.code == 3)
        #expect(end.errorLine(0).contains("push.apns.key_id is missing"), "\(end.errors)")
        let stray = shell.belfry("run", "--public-listen", "127.0.0.1:0")
        #expect(stray.code == 2 && stray.errors.contains("--senders is not given"))
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }
}
