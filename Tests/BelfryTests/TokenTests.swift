import Delivery
import Foundation
import Testing

@Suite("belfry token, and who may ask a worker")
struct TokenTests {
    let shell = Shell()

    private func make(_ name: String, _ role: String, _ more: String...) -> String {
        let made = shell.belfry(
            ["token", "make", "--tokens", "tokens", "--name", name, "--role", role] + more, input: [])
        #expect((made.code, made.errors) == (0, ""))
        return made.line(0)
    }

    // MARK: The command

    @Test func `tokens are made, listed and revoked, and the file holds none of them`() throws {
        let anna = make("anna", "operate", "--days", "30")
        let grafana = make("grafana", "read")
        let file = String(decoding: try shell.read("tokens"), as: UTF8.self)
        #expect(!file.contains(anna) && !file.contains(grafana) && file.contains("grafana read - "))
        let mode = try FileManager.default.attributesOfItem(atPath: shell.path("tokens"))[.posixPermissions] as? Int
        #expect(mode.map { $0 & 0o077 } == 0, "its owner's alone")
        let list = shell.belfry("token", "list", "--tokens", "tokens")
        #expect(list.lines.count == 2 && list.line(0).hasPrefix("anna     operate  until "))
        #expect(list.line(1) == "grafana  read     does not end")
        let machine = try Printed(shell.belfry("token", "list", "--tokens", "tokens", "--json").line(1))
        #expect((machine["name"], machine["role"], machine["ended"]) == ("grafana", "read", "false"))
        #expect(shell.belfry("token", "revoke", "anna", "--tokens", "tokens").output == "anna is revoked\n")
        #expect(shell.belfry("token", "list", "--tokens", "tokens").lines.count == 1)
        #expect(shell.belfry("token", "revoke", "anna", "--tokens", "tokens").code == 1)
        #expect(shell.names(in: ".") == ["tokens"])
    }

    @Test func `who could read the file can read it when it has changed`() throws {
        _ = make("anna", "operate")
        let path = shell.path("tokens")
        #expect(chmod(path, 0o640) == 0)
        var before = stat()
        #expect(stat(path, &before) == 0)
        for words in [
            ["make", "--tokens", "tokens", "--name", "bert", "--role", "read"],
            ["revoke", "anna", "--tokens", "tokens"],
        ] {
            #expect(shell.belfry(["token"] + words, input: []).code == 0)
            var now = stat()
            #expect(stat(path, &now) == 0)
            #expect((now.st_mode, now.st_uid, now.st_gid) == (before.st_mode, before.st_uid, before.st_gid))
        }
    }

    @Test(arguments: [
        ["make", "--tokens", "t", "--role", "read"], ["make", "--tokens", "t", "--name", "a", "--role", "boss"],
        ["make", "--tokens", "t", "--name", "a"], ["make", "--name", "a", "--role", "read"], ["list"],
        ["revoke", "--tokens", "t"], ["forget", "--tokens", "t"], ["list", "x", "--tokens", "t"],
        ["make", "--tokens", "t", "--name", "a", "--role", "read", "--days", "0"],
        ["make", "--tokens", "t", "--name", "a", "--role", "read", "--expires", "2020-01-01T00:00:00Z"],
        ["make", "--tokens", "t", "--name", "a", "--role", "read", "--expires", "soon"],
        ["make", "--tokens", "t", "--name", "a", "--role", "read", "--days", "1", "--expires", "2099-01-01T00:00:00Z"],
    ])
    func `what is no order is wrong usage`(words: [String]) {
        #expect(shell.belfry(["token"] + words, input: []).code == 2, "\(words)")
        #expect(shell.names(in: ".") == [])
    }

    @Test func `a name that is taken, and a file that is none, are bad input`() throws {
        _ = make("anna", "read")
        let again = shell.belfry("token", "make", "--tokens", "tokens", "--name", "anna", "--role", "admin")
        #expect(again.code == 3 && again.errors.contains("there is a token called \"anna\" already"))
        #expect(shell.belfry("token", "list", "--tokens", "none").code == 3)
        try shell.write("anna\n", to: "broken")
        let broken = shell.belfry("token", "list", "--tokens", "broken")
        #expect(broken.code == 3 && broken.errors.contains("broken: line 1: takes four words"))
    }

    @Test(arguments: [
        ["--tokens", "tokens"], ["--host", "belfry"], ["--origin", "https://app.example"],
    ])
    func `what is about listening needs it`(words: [String]) {
        let outcome = shell.belfry(["run"] + words, input: [])
        #expect(outcome.code == 2 && outcome.errors.contains("is for --listen, which is not given"))
    }

    @Test func `names and origins are held against what they may be`() throws {
        let listening = try shell.listening()
        for (words, complaint) in [
            (["--host", "belfry:8080"], "a host's name without a port"), (["--host", "a/b"], "a host's name"),
            (["--origin", "app.example"], "an origin such as"),
            (["--origin", "https://app.example/x"], "an origin such as"),
        ] {
            let outcome = shell.belfry(["run"] + listening + words, input: [])
            #expect(outcome.code == 2 && outcome.errors.contains(complaint), "\(words): \(outcome.errors)")
        }
    }

    // MARK: A worker

    private func started(_ words: String...) throws -> (worker: Running, port: WorkerPort) {
        let worker = shell.start(["run"] + (try shell.listening()) + words)
        try worker.expectReady()
        return (worker, WorkerPort(try worker.port()))
    }

    private func post(
        _ port: WorkerPort, _ path: String, _ token: String, _ body: String = "{}"
    ) throws -> HTTPAnswer { try port.ask(.post, path, token, Array(body.utf8)) }

    /// The status of a request that the client of senders has no word for.
    private func raw(
        _ port: WorkerPort, _ line: String, _ token: String?, _ body: String = "", host: String = "localhost"
    ) -> Int? {
        let shown = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let answer = RawClient(port: port.number).send(
            "\(line) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(shown)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        ).received()
        return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    @Test func `roles are kept, and a token that is revoked is out while the worker runs`() throws {
        let (reader, actor, boss) = (make("rita", "read"), make("otto", "operate"), make("ada", "admin"))
        let (worker, port) = try started("--tokens", "tokens")
        let fact = fact("user_enrolled", user: "anna", data: #"{"timezone":"UTC"}"#)
        #expect(try post(port, "v1/facts", reader, fact).status == 403)
        #expect(try post(port, "v1/facts", actor, fact).status == 200)
        let batch = #"[{"specversion":"1.0","id":"e1","source":"/app","type":"app_opened","subject":"anna"}]"#
        let told = try port.ask(
            .post, "v1/facts/cloudevents", actor, Array(batch.utf8),
            headers: [("Content-Type", "application/cloudevents-batch+json")])
        #expect(told.status == 200, "\(told.text)")
        #expect(try port.get("v1/people/anna/state", token: reader).status == 200)
        #expect(try post(port, "v1/run-now", reader).status == 403 && post(port, "v1/run-now", actor).status == 200)
        let policy =
            #"{"type":"policy_adopted","data":{"policy":\#(shell.belfry("policy", "show", "coachme", "--json").line(0))}}"#
        #expect(try post(port, "v1/facts", actor, policy).status == 403)
        #expect(try post(port, "v1/facts", boss, policy).status == 200)
        #expect(
            worker.complaint(of: #""message":"order","by":"otto","method":"POST","path":"/v1/run-now","status":"200""#)
                != nil)
        #expect(
            worker.complaint(of: #""message":"order","by":"rita","method":"POST","path":"/v1/run-now","status":"403""#)
                != nil)
        #expect(worker.complaint(of: #""message":"another policy is in force""#)?.contains(#""by":"ada""#) == true)
        #expect(shell.belfry("token", "revoke", "otto", "--tokens", "tokens").code == 0)
        #expect(worker.complaint(of: #""message":"the operators' tokens were read again","tokens":"2""#) != nil)
        #expect(try post(port, "v1/run-now", actor).status == 401)
        // A file that cannot be read changes nothing.
        try shell.write("nonsense\n", to: "tokens")
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the operators' tokens stay as they were") != nil)
        #expect(try port.get("v1/people/anna/state", token: reader).status == 200)
        worker.send(signal: SIGTERM)
        let outcome = worker.end()
        #expect(outcome.code == 0)
        for token in [reader, actor, boss] { #expect(!outcome.errors.contains(token)) }
        // What apps tell is in the log of facts, in whatever form it comes.
        #expect(!outcome.errors.contains(#""path":"/v1/facts"#))
    }

    @Test func `a person changes their preferences by a token of their own, which outlives the worker`() throws {
        var (worker, port) = try started("--policy", "microcommit")
        let own = WorkerPort.token
        #expect(
            try port.append(fact("user_enrolled", user: "anna", data: #"{"timezone":"UTC","name":"Anna"}"#)).status
                == 200)
        let made = try Printed(post(port, "v1/people/anna/tokens", own).text)
        let token = try #require(made["token"])
        #expect(try port.get("v1/me", token: token).text.hasPrefix(#"{"user":"anna","name":"Anna","expires_at":"#))
        let patch = #"{"quiet_hours":{"start":"21:00"}}"#
        #expect(raw(port, "PATCH /v1/people/anna/preferences", token, patch) == 200)
        #expect(try post(port, "v1/people/anna/preset", token, #"{"preset":"minimal"}"#).status == 200)
        let settings = try port.get("v1/people/anna/settings", token: token).text
        #expect(settings.contains(#""path":["quiet_hours","start"]"#) && settings.contains(#""preset":"minimal""#))
        #expect(try port.get("v1/people/bert/settings", token: token).status == 401)
        #expect(try port.get("v1/people", token: token).status == 403)
        worker.expectStopped()
        (worker, port) = try started()
        #expect(try port.get("v1/me", token: token).status == 200)
        #expect(raw(port, "DELETE /v1/people/anna/tokens", own) == 204)
        #expect(try port.get("v1/me", token: token).status == 401)
        worker.send(signal: SIGKILL)
        _ = worker.end()
        (worker, port) = try started()
        #expect(try port.get("v1/me", token: token).status == 401)
        worker.expectStopped()
        // What was shut out stays out: a file of which nobody knows what it said stops the start.
        try shell.edit("events/log/person-tokens.revoked") { $0.removeLast() }
        let damaged = shell.belfry("run", "--jobs", "spool:out")
        #expect(damaged.code == 4 && damaged.errors.contains("person-tokens.revoked is damaged"))
    }

    @Test func `a phone is asked for, locked after five wrong codes, and each is told (N9)`() throws {
        let (worker, port) = try started("--policy", "microcommit")
        let token = try #require(try Printed(post(port, "v1/people/anna/tokens", WorkerPort.token).text)["token"])
        let phone = #"{"phone":"+15551234567"}"#
        #expect(
            try post(port, "v1/people/anna/phone", token, #"{"phone":"12"}"#).text.contains(
                "This phone number format is invalid"))
        #expect(try post(port, "v1/people/anna/phone/code", token, #"{"code":"1"}"#).status == 400)
        #expect(try post(port, "v1/people/anna/phone/again", token, "").text.contains("No number waits for a code."))
        let asked = try post(port, "v1/people/anna/phone", token, phone)
        #expect(asked.status == 200 && asked.text.contains(#""resend_after_seconds":30"#), "\(asked.text)")
        // Nobody sends texts here.
        #expect(asked.text.contains("no code was sent"), "\(asked.text)")
        #expect(try post(port, "v1/people/anna/phone", token, phone).status == 429)
        let again = try post(port, "v1/people/anna/phone/again", token, "")
        #expect(again.status == 429 && again.text.contains("A code was asked for a moment ago."))
        for left in [4, 3, 2, 1] {
            let wrong = try post(port, "v1/people/anna/phone/code", token, #"{"code":"000000"}"#)
            #expect(wrong.status == 400 && wrong.text.contains(#""attempts_left":\#(left)"#), "\(wrong.text)")
        }
        let locked = try post(port, "v1/people/anna/phone/code", token, #"{"code":"000000"}"#)
        #expect(locked.status == 429 && locked.text.contains("Too many attempts. Try again in 15 minutes."))
        #expect(try post(port, "v1/people/anna/phone", token, phone).text.contains("Too many attempts."))
        #expect(try post(port, "v1/people/anna/phone/again", token, "").text.contains("Too many attempts."))
        worker.expectStopped()
    }

    @Test func `a worker is not asked by a name that it does not know`() throws {
        let (worker, port) = try started("--host", "belfry.example")
        func status(_ host: String) -> Int? { raw(port, "GET /health", nil, host: host) }
        #expect(status("belfry.example") == 200 && status("BELFRY.example:443") == 200)
        #expect(status("evil.example") == 421)
        worker.expectStopped()
    }
}
