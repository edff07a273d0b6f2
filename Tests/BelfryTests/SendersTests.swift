import CivilTime
import Delivery
import Foundation
import Testing

/// Jobs reach providers, and not those who stopped them.
@Suite("belfry run --senders", .withProviders)
final class SendersTests: SendersBench {
    @Test func `a mail goes through the relay, and its link stops the next one`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door) = try start("{\(try mail(relay))}", "--public-listen", "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) })
        // Before it has had a job.
        #expect(door.health()?.text.contains(#""name":"smtp","waiting":0,"broken":false"#) == true)
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
        let question = try ask(.get, String(link))
        #expect(question.status == 200)
        #expect(String(decoding: question.body, as: UTF8.self).contains("(News &amp; &lt;b&gt;offers&lt;/b&gt;)"))
        #expect(lines("unsubscribed") == [])
        #expect(try ask(.get, String(link.dropLast())).status == 404)
        #expect(try ask(.post, String(link), "List-Unsubscribe=One-Click").status == 200)
        #expect(lines("unsubscribed").first?.contains(#""channel":"email","kind":"mail","how":"one_click""#) == true)
        // Pressed once more, by a person or by a mail program: the same answer, and nothing more to record.
        let again = try ask(.post, String(link), "stop=yes")
        #expect(again.status == 200 && String(decoding: again.body, as: UTF8.self).contains("<h1>Stopped</h1>"))
        #expect(try ask(.post, String(link), "List-Unsubscribe=One-Click").status == 200)
        #expect(lines("unsubscribed").count == 1)
        // Whoever wants them again gets them, and may stop them again by the same link.
        _ = door.append(
            fact("preferences_changed", data: #"{"patch":{"kinds":{"mail":{"channels":["email"]}}}}"#))
        #expect(try ask(.post, String(link), "stop=yes").status == 200)
        #expect(lines("unsubscribed").count == 2 && lines("unsubscribed")[1].contains(#""how":"link""#))
        // On the page of a link for one kind all email can be stopped as well.
        let all = try #require(
            String(decoding: question.body, as: UTF8.self).firstMatch(of: #/name="stop" value="all"/#))
        #expect(!all.0.isEmpty)
        let none = try ask(.post, String(link), "stop=all")
        #expect(String(decoding: none.body, as: UTF8.self).contains("no more emails from this app"))
        #expect(lines("unsubscribed").count == 3)
        #expect(lines("unsubscribed").last?.contains(#""data":{"channel":"email","how":"link"}"#) == true)
        // The door serves nothing else.
        #expect(try ask(.get, "/health").status == 404)
        #expect(try ask(.post, "/v1/facts", "{}").status == 404)
        #expect(try ask(.post, "/v1/providers/twilio", "{}").status == 404)
    }

    @Test(.withCurl) func `the link works for curl, however it encodes the form of one click (N6)`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door) = try start("{\(try mail(relay))}", "--public-listen", "127.0.0.1:0")
        let port = try worker.publicPort()
        _ = door.append(enrol() + request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        let text = String(decoding: Self.bytes(try #require(try relay.end().first?["mail"] as? String)), as: UTF8.self)
        let link = try #require(text.firstMatch(of: #/List-Unsubscribe: <https:\/\/bell\.example\.org(\/u\/[^>]+)>/#)).1
        // A scanner looks at it, and somebody makes one up.
        for looking in [curl(link, at: port), curl(link, at: port, "--head")] {
            #expect(looking.output.hasPrefix("HTTP/1.1 200 "), "\(looking)")
        }
        let oneClick = "List-Unsubscribe=One-Click"
        #expect(curl("\(link)x", at: port, "--data", oneClick).output.hasPrefix("HTTP/1.1 404 "))
        #expect(lines("unsubscribed") == [])
        for option in ["--form", "--data"] {
            let pressed = curl(link, at: port, option, oneClick)
            #expect(pressed.code == 0 && pressed.output.hasPrefix("HTTP/1.1 200 "), "\(pressed)")
            #expect(!pressed.output.lowercased().contains("set-cookie:"))
            let stopped = lines("unsubscribed")
            #expect(stopped.count == 1 && stopped[0].contains(#""kind":"mail","how":"one_click""#), "\(option)")
        }
    }

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
        // A job is delivered when the first of its devices has it.
        let patience = ContinuousClock.now + .seconds(300)
        while door.health()?["waiting_jobs"] != "0", worker.isAlive, ContinuousClock.now < patience { poll(nil, 0, 20) }
        let paths = try provider.end().compactMap { $0["path"] as? String }
        #expect(paths.count { $0 == "/3/device/\(token("ok"))" } == 2)
        #expect(paths.count { $0.contains(token("410-Unregistered-99999999999999")) } == 1)
        #expect(paths.count { $0.hasSuffix("messages:send") } == 2)
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `a push that was under way to a device when it registered anew goes there (N2)`() throws {
        let provider = try Provider(.push, shell)
        let (worker, door) = try start("{\(try push(provider))}")
        _ = door.append(enrol() + register("phone", "held-410-Unregistered") + request("note"))
        #expect(provider.hearHeld())
        _ = door.append(register("phone", "ok"))
        provider.answerHeld()
        _ = try events("job_delivered", 1, while: worker)
        #expect(lines("job_failed") == [])
        let paths = try provider.end().compactMap { $0["path"] as? String }
        #expect(paths == [token("held-410-Unregistered"), token("ok")].map { "/3/device/\($0)" })
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

    @Test func `a mail that came in place of push stops its kind's, and the next job sends none (N6)`() throws {
        let (provider, relay) = (try Provider(.push, shell), try Provider(.mail, shell))
        let (worker, door) = try start(
            "{\(try push(provider, isGivingWay: true)),\(try mail(relay))}", "--public-listen", "127.0.0.1:0")
        let address = try #require(worker.complaint(of: "listening for providers") ?? nil)
        let port = WorkerPort(try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) }))
        _ = door.append(enrol() + request("note"))
        _ = try events("job_delivered", 1, while: worker)
        // As it stands in the mail, which the relay shows at its end only.
        let emitted = try #require(lines("job_emitted").first?.firstMatch(of: #/"at":"([^"]+)"/#)).1
        let ownSecret = Array(try shell.read("events/log/senders.secret").dropLast())
        let link =
            "u/"
            + StopLink(user: "anna", kind: "note", at: try Instant(rfc3339: String(emitted))).token(secret: ownSecret)
        #expect(try port.ask(.post, link, nil, Array("List-Unsubscribe=One-Click".utf8)).status == 200)
        #expect(lines("unsubscribed").first?.contains(#""channel":"email","kind":"note""#) == true)
        _ = door.append(request("note"))
        _ = try events("job_failed", 2, while: worker)
        // The next one is sorted behind it, and arrives.
        _ = door.append(request("mail"))
        _ = try events("job_delivered", 2, while: worker)
        let mails = try relay.end().compactMap { $0["mail"] as? String }
        #expect(mails.count == 2 && String(decoding: Self.bytes(mails[0]), as: UTF8.self).contains("/\(link)>"))
    }

    @Test func `where the person chose push alone for a kind, no mail comes in place of it (N4)`() throws {
        let (provider, relay) = (try Provider(.push, shell), try Provider(.mail, shell))
        let (worker, door) = try start("{\(try push(provider, isGivingWay: true)),\(try mail(relay))}")
        let choice = fact("preferences_changed", data: #"{"patch":{"kinds":{"both":{"channels":["push"]}}}}"#)
        _ = door.append(enrol() + choice + request("both"))
        _ = try events("job_failed", 1, while: worker)
        // The next one is sorted behind it, and arrives.
        _ = door.append(request("mail"))
        _ = try events("job_delivered", 1, while: worker)
        #expect(try relay.end().count == 1)
    }

    @Test func `a mail that waits for its relay is not sent when the person has stopped it`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door) = try start("{\(try mail(relay))}")
        _ = door.append(enrol() + fact("contact_changed", data: #"{"email":"grey@example.org"}"#) + request("mail"))
        #expect(worker.complaint(of: "smtp answered 451") != nil)
        _ = door.append(fact("unsubscribed", data: #"{"channel":"email","how":"one_click"}"#))
        _ = try events("job_failed", 1, while: worker)
        #expect(
            lines("job_failed").first?.contains(#""reason":"the person has switched email off","permanent":false"#)
                == true)
        #expect(try relay.end().isEmpty)
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `nor when they have put it off: it comes again by itself (S1)`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door) = try start("{\(try mail(relay))}")
        _ = door.append(enrol() + fact("contact_changed", data: #"{"email":"grey@example.org"}"#) + request("mail"))
        #expect(worker.complaint(of: "smtp answered 451") != nil)
        let job = try #require(lines("job_emitted").first?.firstMatch(of: #/"job":"([^"]+)"/#)).1
        _ = door.append(fact("notice_snoozed", data: #"{"job":"\#(job)","minutes":60}"#))
        _ = try events("job_failed", 1, while: worker)
        #expect(
            lines("job_failed").first?.contains(#""reason":"the person has put it off","permanent":false"#) == true)
        #expect(try relay.end().isEmpty)
        #expect(shell.belfry("audit").code == 0)
    }

    @Test func `nor when they have stopped what it is about (P5)`() throws {
        let relay = try Provider(.mail, shell)
        let (worker, door) = try start("{\(try mail(relay))}")
        let mail = fact("notice_requested", data: #"{"kind":"mail","subject":"child:lea","title":"Hello"}"#)
        _ = door.append(enrol() + fact("contact_changed", data: #"{"email":"grey@example.org"}"#) + mail)
        #expect(worker.complaint(of: "smtp answered 451") != nil)
        _ = door.append(
            fact(
                "preferences_changed",
                data: #"{"patch":{"subjects":{"child:lea":{"kinds":{"mail":{"enabled":false}}}}}}"#))
        let failed = try events("job_failed", 1, while: worker)
        #expect(
            lines("job_failed").first?.contains(
                #""reason":"the person has switched this kind off for what it is about","permanent":false"#) == true)
        #expect(try relay.end().isEmpty)
        // Nobody is told to try it again in vain (N7).
        let job = try #require(lines("job_emitted").first?.firstMatch(of: #/"job":"([^"]+)"/#)).1
        let again = shell.belfry("retry", "--job", String(job))
        #expect(again.code == 1 && again.output.contains("is not sent again: the person has switched this kind off"))
        #expect(failed.count == 1 && lines("job_retry_requested") == [])
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
}
