import CivilTime
import Delivery
import Foundation
import Testing

/// What comes back to a worker that sends: links, reports, answers (`N3`, `N6`).
@Suite("What comes back to belfry run --senders", .withProviders)
final class ProviderReportsTests: SendersBench {
    private static let standardSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// A worker that sends by a relay, and hears of standard reports at a door of their own.
    private func startForReports(_ relay: Provider) throws -> (worker: Running, door: WorkerDoor, port: WorkerPort) {
        try secret(Self.standardSecret, "standard.secret")
        let (worker, door) = try start(
            #"{\#(try mail(relay)),"reports":{"standard":{"secret_file":"standard.secret"}}}"#, "--public-listen",
            "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) })
        return (worker, door, WorkerPort(port))
    }

    @Test func `a link or a report does nothing to whoever has an erased person's id`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door, port) = try startForReports(relay)
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

    @Test func `a standard report that is wrong is 400 and says where, and nothing of it is recorded`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door, port) = try startForReports(relay)
        _ = door.append(enrol() + request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        let emitted = try #require(lines("job_emitted").first?.firstMatch(of: #/"job":"([^"]+)"/#)).1
        func report(_ id: String, _ fields: String, of job: String? = nil) throws -> (status: Int, text: String) {
            let body = #"{"job":"\#(job ?? String(emitted))",\#(fields)}"#
            let time = Int(Date().timeIntervalSince1970)
            let secrets = try WebhookSecrets(Self.standardSecret)
            let answer = try port.ask(
                .post, "v1/providers/standard", nil, Array(body.utf8),
                headers: [
                    ("webhook-id", id), ("webhook-timestamp", "\(time)"),
                    (
                        "webhook-signature",
                        secrets.signature(id: id, at: Instant(seconds: Int64(time)), body: Array(body.utf8))
                    ),
                ])
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }
        // What a field is called that nobody knows may say who somebody is.
        #expect(try report("w1", #""channel":"email","status":"bounced","ben@example.org":true"#).status == 400)
        #expect(worker.complaint(of: "a report is signed, and wrong")?.contains(#""an unknown field""#) == true)
        for (fields, problem) in [
            (#""channel":"email","status":"bounced","permanent":"yes""#, "permanent: "),
            (#""channel":"email","status":"bounced","at":"yesterday""#, "at: "),
            (#""channel":"fax","status":"bounced""#, "channel: "),
            (
                #""channel":"sms","status":"bounced","permanent":true"#,
                "channel: sms is not one that this job went out on (email)"
            ),
            (
                #""channel":"push","status":"unsubscribed""#,
                "channel: push is not one that this job went out on (email)"
            ),
        ] {
            let answer = try report("w1", fields)
            #expect(answer.status == 400 && answer.text.contains(problem), "\(answer.text)")
        }
        #expect(lines("delivery_reported") + lines("unsubscribed") == [])
        // The id was not used up.
        #expect(try report("w1", #""channel":"email","status":"bounced","permanent":true"#).status == 200)
        #expect(lines("delivery_reported").count == 1)
        // A job that nobody knows is the gateway's affair, and coming again would not help.
        let delivered = #""channel":"email","status":"delivered""#
        for stranger in ["anna/mail/#999", "nobody/mail/#3"] {
            #expect(try report("w2", delivered, of: stranger).status == 200, "\(stranger)")
        }
        #expect(lines("delivery_reported").count == 1)
        #expect(try report("w2", delivered).status == 200)
        #expect(lines("delivery_reported").count == 2)
        // A code that is too long is cut; what it is about is heard.
        let long = String(repeating: "5", count: 300)
        #expect(
            try report("w3", #""channel":"email","status":"bounced","permanent":true,"code":"\#(long)""#).status == 200)
        #expect(lines("delivery_reported").contains { $0.contains(#""code":"\#(long.prefix(256))""#) })
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `reports that lead nowhere are told in the log, once, and counted`() throws {
        let relay = try Provider(.mail, shell)
        try secret("dong ding", "postmark.secret")
        let (worker, door) = try start(
            #"{\#(try mail(relay)),"reports":{"postmark":{"user":"belfry","password_file":"postmark.secret"}}}"#,
            "--public-listen", "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = WorkerPort(try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) }))
        let nowhere = JobPlace(position: 1 << 40, seq: 999)
        let foreign = JobToken.text(nowhere, secret: Array("another's secret".utf8))
        func report(_ number: Int, of token: String, _ password: String) throws -> Int {
            let body = """
                {"RecordType":"Bounce","ID":\(number),"MessageID":"m-\(number)","Inactive":true,
                 "Email":"anna@example.org","Metadata":{"job":"\(token)"}}
                """
            return try port.ask(
                .post, "v1/providers/postmark", nil, Array(body.utf8),
                headers: [("Authorization", "Basic \(Data("belfry:\(password)".utf8).base64EncodedString())")]
            ).status
        }
        for number in 0..<20 {
            #expect(try report(number, of: foreign, "dong ding") == 200, "coming again would not help")
            #expect(try report(number, of: foreign, "dong dong") == 403)
        }
        let ownSecret = Array(try shell.read("events/log/senders.secret").dropLast())
        #expect(try report(99, of: JobToken.text(nowhere, secret: ownSecret), "dong ding") == 200)
        #expect(worker.complaint(of: "a report is about a job that is not in the log") != nil)
        let metrics = try #require(door.get("metrics")).text
        #expect(metrics.contains(#"belfry_provider_reports_total{provider="postmark",result="no_job"} 20"#))
        #expect(metrics.contains(#"belfry_provider_reports_total{provider="postmark",result="not_believed"} 20"#))
        worker.send(signal: SIGTERM)
        let told = worker.waitForEnd().errors.split(separator: "\n").map(String.init)
        for words in ["a report names no job of ours", "a report is not believed"] {
            // The first is told by itself, and those of the minute that follows in one line.
            let lines = told.filter { $0.contains(words) }
            let counts = lines.map { line in line.firstMatch(of: #/"reports":"([0-9]+)"/#).flatMap { Int($0.1) } ?? 1 }
            #expect(counts.first == 1 && counts.reduce(0, +) == 20 && lines.count < 20, "\(lines)")
        }
        #expect(!told.contains { $0.contains("anna@example.org") || $0.contains(foreign) })
        #expect(lines("delivery_reported") == [])
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
            _ = door.append(
                fact("user_enrolled", user: user, data: #"{"timezone":"UTC","phone":"\#(number)"}"#)
                    + fact("preferences_changed", user: user, data: #"{"patch":{"channels":{"sms":true}}}"#))
        }
        let words = WordsToTwilio(shell, token: "ding dong")
        func say(_ word: String, signing signed: String, _ sid: String = "SM1") throws -> HTTPAnswer {
            try words.say(word, from: "+14155550111", to: port, sid, signing: signed)
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
        // START takes it back, once, and takes back nothing else.
        func changes() throws -> [LoggedEvent] { try shell.belfry("log", "--type", "preferences_changed").events() }
        func hasTexts() throws -> Bool {
            try shell.belfry("state", "--user", "anna", "--json").json()["preferences.channels.sms"] == "true"
        }
        #expect(try !hasTexts())
        for _ in 1...2 { #expect(try say("Start", signing: "Start", "SM2").status == 200) }
        #expect(try changes().map(\.user) == ["anna", "ben", "anna"] && hasTexts())
        #expect(try say("YES", signing: "YES", "SM3").status == 200)
        #expect(try changes().count == 3)
        _ = door.append(fact("preferences_changed", data: #"{"patch":{"channels":{"sms":false}}}"#))
        for (word, sid) in [("UNSTOP", "SM4"), ("STOP", "SM5"), ("START", "SM6")] {
            #expect(try say(word, signing: word, sid).status == 200)
        }
        #expect(try changes().count == 4 && !hasTexts())
        #expect(shell.belfry("audit").code == 0)
    }
}
