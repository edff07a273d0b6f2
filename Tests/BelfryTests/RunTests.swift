import Delivery
import Foundation
import Testing

/// `belfry run` as its operator meets it: its signals, its doors, its refusals (SPEC §13).
@Suite("belfry run")
struct RunTests {
    let shell = Shell()

    /// The command with the usual options; jobs go to a spool, so that standard output stays empty.
    private func run(_ words: String..., data: String = "events/log", spool: String = "spool") -> Running {
        run(words, data: data, spool: spool)
    }

    private func run(_ words: [String], data: String = "events/log", spool: String = "spool") -> Running {
        shell.start(["run", "--data", data, "--jobs", "spool:\(spool)"] + words)
    }

    private func ready(_ worker: Running, data: String = "events/log") throws -> WorkerDoor {
        try worker.expectReady()
        return WorkerDoor(shell, data: data)
    }

    // MARK: Signals

    @Test(arguments: [SIGTERM, SIGINT]) func `under load it stops within five seconds and loses nothing`(
        signal: Int32
    ) throws {
        let worker = run()
        let door = try ready(worker)
        let senders = (0..<2).map {
            ChaosSender(ChaosFacts(policy: "standard", name: "s\($0)", seed: UInt64($0)))
        }
        let process = worker.process
        let told = DispatchGroup()
        for sender in senders {
            DispatchQueue.global().async(group: told) {
                sender.tell(door, batches: .max, while: { Running.isAlive(process) })
            }
        }
        waitForOthers { door.health()?["last_seq"].flatMap { Int($0) } ?? 0 >= 200 || !worker.isAlive }
        let start = ContinuousClock.now
        worker.send(signal: signal)
        let end = worker.waitForEnd()
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect((end.code, end.output) == (0, ""))
        #expect(end.errorLines.last?.contains(#""message":"stopped""#) == true, "\(end.errors)")
        told.wait()
        let logged = Dictionary(
            uniqueKeysWithValues: try shell.belfry("log").events().compactMap { event in
                event.id.map { ($0, event.seq) }
            })
        let acknowledged = senders.flatMap(\.told)
        #expect(acknowledged.count > 100)
        #expect(acknowledged.filter { logged[$0.key] != $0.value }.map(\.key) == [])
        #expect(shell.names(in: "events/log").contains("belfry.sock") == false)
        #expect(shell.belfry("verify").code == 0)
    }

    @Test func `SIGHUP adopts a changed policy as a fact, and keeps the old one when the new one is wrong`() throws {
        func policy(cap: String) throws {
            try shell.write(
                #"{"name":"mine","daily_cap":\#(cap),"kinds":[{"name":"note","on_request":true}]}"#, to: "mine.json")
        }
        func adopted() throws -> Int {
            try shell.belfry("log", "--type", "policy_adopted").events().count
        }
        try policy(cap: "2")
        let worker = run("--policy", "mine.json")
        let door = try ready(worker)
        _ = door.append(fact())
        #expect(try adopted() == 1)
        try policy(cap: "5")
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "another policy is in force") != nil)
        #expect(try adopted() == 2)
        try policy(cap: #""many""#)
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the policy stays as it was: ")?.contains("daily_cap") == true)
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        #expect(end.code == 0)
        #expect(try adopted() == 2)
        #expect(shell.belfry("replay", "--verify").output.contains(" 0 differ"))
    }

    @Test func `a policy that is being adopted already is not adopted again, however often SIGHUP comes`() throws {
        func policy(_ cap: Int) throws {
            try shell.write(
                #"{"name":"mine","daily_cap":\#(cap),"kinds":[{"name":"note","on_request":true}]}"#, to: "mine.json")
        }
        try policy(1)
        let worker = run("--policy", "mine.json")
        _ = try ready(worker)
        for cap in 2...6 {
            try policy(cap)
            for _ in 1...100 { worker.send(signal: SIGHUP) }
            #expect(worker.complaint(of: "another policy is in force", number: cap - 1) != nil)
        }
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        let log = shell.belfry("log", "--type", "policy_adopted")
        let documents = log.lines.compactMap { $0.firstMatch(of: #/"daily_cap":([0-9]+)/#).map { String($0.1) } }
        #expect(documents.count == log.lines.count)
        #expect(documents == (1...6).map(String.init))
    }

    @Test func `SIGHUP puts the policy back that the API has replaced`() throws {
        let mine = #"{"name":"mine","kinds":[{"name":"note","on_request":true}]}"#
        try shell.write(mine, to: "mine.json")
        let worker = run("--policy", "mine.json")
        let door = try ready(worker)
        let other = mine.replacingOccurrences(of: "mine", with: "other")
        #expect(door.append(#"{"type":"policy_adopted","data":{"policy":\#(other)}}"#)?.status == 200)
        worker.send(signal: SIGHUP)
        // What the API adopted is told of as well, with who asked.
        #expect(worker.complaint(of: #""another policy is in force","policy":"mine.json""#) != nil)
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the policy has not changed") != nil)
        #expect(try shell.belfry("log", "--type", "policy_adopted").events().count == 3)
    }

    @Test func `a policy written over several lines is one line of the log, and is known again`() throws {
        try shell.write(
            "{\n \"name\": \"mine\",\n \"kinds\": [{\"name\": \"note\", \"on_request\": true}]\n}\n", to: "mine.json")
        for _ in 0..<2 {
            let worker = run("--policy", "mine.json")
            _ = try ready(worker)
            worker.send(signal: SIGTERM)
            #expect(worker.waitForEnd().code == 0)
        }
        #expect(shell.belfry("log", "--type", "policy_adopted").lines.count == 1)
    }

    // MARK: In each other's way

    @Test func `a second one is told which process holds the log`() throws {
        let first = run()
        _ = try ready(first)
        let second = run(spool: "other").end()
        #expect(second.code == 5)
        #expect(second.errors.contains("process \(first.process) (belfry run)"), "\(second.errors)")
        #expect(WorkerDoor(shell).health()?["status"] == "ready")
    }

    @Test func `a second one with another log is told that the spool is in use`() throws {
        let first = run()
        _ = try ready(first)
        let second = run(data: "elsewhere").end()
        #expect(second.code == 5)
        #expect(second.errors.contains("spool"), "\(second.errors)")
    }

    @Test func `a port that is taken is said before the log is touched`() throws {
        let first = run(try shell.listening())
        let port = try first.port()
        _ = try ready(first)
        let second = run(try shell.listening(on: port), data: "elsewhere", spool: "other").end()
        #expect(second.code == 5)
        #expect(second.errors.contains("port \(port) on 127.0.0.1 is taken by "), "\(second.errors)")
        #expect(shell.names(in: "elsewhere") == [])
        #expect(shell.names(in: "other") == [])
    }

    @Test func `so is one for providers, which is opened when the log was read`() throws {
        let first = run(try shell.listening())
        let port = try first.port()
        _ = try ready(first)
        try shell.write("{}", to: "senders.json")
        let second = run(
            ["--senders", "senders.json", "--public-listen", "127.0.0.1:\(port)"], data: "elsewhere", spool: "other"
        ).end()
        #expect(second.code == 5)
        #expect(second.errors.contains("port \(port) on 127.0.0.1 is taken by "), "\(second.errors)")
        #expect(shell.names(in: "elsewhere") == [])
        #expect(shell.names(in: "other") == [])
    }

    @Test func `over TCP everything but health needs the token`() throws {
        let worker = run(try shell.listening())
        let port = WorkerPort(try worker.port())
        _ = try ready(worker)
        let people = "v1/people/anna/state"
        #expect(try port.get(people).status == 401)
        #expect(try port.get(people, token: "wrong").status == 401)
        #expect(try port.get(people, token: WorkerPort.token).status == 404)
        #expect(try port.get("health").status == 200)
        #expect(try port.get("ready").status == 200)
    }

    @Test func `until everything is read it says so over TCP, and stops at once when told`() throws {
        // Nobody writes into this pipe, so whoever reads it stands still.
        #expect(mkfifo(shell.path("policy.json"), 0o600) == 0)
        let worker = run(["--policy", "policy.json"] + (try shell.listening()))
        let port = WorkerPort(try worker.port())
        let ready = try port.get("ready")
        #expect((ready.status, ready.text) == (503, #"{"ready":false}"# + "\n"))
        let told = try port.get("ready", token: WorkerPort.token)
        #expect((told.status, told.text) == (503, #"{"ready":false,"why_not":"still replaying"}"# + "\n"))
        #expect(try Printed(try port.get("health").text)["status"] == "not_ready")
        let refused = try port.append(fact())
        #expect(refused.status == 503)
        #expect(refused.text.contains("still replaying"), "\(refused.text)")
        #expect(!refused.text.contains("in_doubt"), "nothing was taken")
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        #expect((end.code, end.output) == (0, ""))
        #expect(end.errorLines.last?.contains(#""because":"SIGTERM""#) == true, "\(end.errors)")
    }

    @Test func `at debug each request and each handing over is told`() throws {
        let worker = run("--log-level", "debug")
        let door = try ready(worker)
        _ = door.append(fact() + fact("notice_requested", data: #"{"kind":"urgent","title":"Fire"}"#))
        let request = worker.complaint(of: #""path":"/v1/facts""#)
        #expect(request?.contains(#""method":"POST""#) == true && request?.contains(#""status":"200""#) == true)
        #expect(worker.complaint(of: #""message":"handed over""#)?.contains(#""jobs":"1""#) == true)
    }

    @Test func `a port without a token is no door`() {
        let outcome = run("--listen", "127.0.0.1:0").end()
        #expect((outcome.code, outcome.output) == (2, ""))
        #expect(outcome.errors.hasPrefix("belfry: --listen needs --token-file: "))
        #expect(shell.names(in: "events") == [])
    }

    @Test(arguments: [
        (["--token-file", "secret"], "belfry: --token-file is for --listen, "),
        (["--webhook-secret-file", "secret"], "belfry: --webhook-secret-file is for a webhook, "),
        (["--jobs", "stdout,spool:s", "--webhook-secret-file", "secret"], "belfry: --webhook-secret-file is for a "),
    ])
    func `a secret that nothing uses is a mistake`(words: [String], complaint: String) throws {
        try shell.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", to: "secret")
        let outcome = shell.start(["run"] + words).end()
        #expect((outcome.code, outcome.output) == (2, ""))
        #expect(outcome.errors.hasPrefix(complaint), "\(outcome.errors)")
        #expect(shell.names(in: "events") == [])
    }

    @Test func `a webhook secret that can be guessed is refused before anything is opened`() throws {
        try shell.write("abc\n", to: "secret")
        let words = ["run", "--jobs", "webhook:http://127.0.0.1:1/", "--webhook-secret-file", "secret"]
        let outcome = shell.start(words).end()
        #expect(
            outcome
                == .failed(
                    3,
                    "--webhook-secret-file: line 1 is too short for a secret: 3 bytes, and it takes 24. `echo \"whsec_$(openssl rand -base64 32)\"` makes one"
                ))
        #expect(shell.names(in: "events") == [])
    }
}
