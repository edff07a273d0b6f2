import Delivery
import Foundation
import Testing

/// `belfry run` as its operator meets it: its signals, its doors, its refusals (SPEC §13).
@Suite("belfry run")
struct RunTests {
    let shell = Shell()

    /// The command with the usual options; jobs go to a spool, so that standard output stays empty.
    private func run(_ words: String..., data: String = "events/log", spool: String = "spool") -> Running {
        shell.start(["run", "--data", data, "--jobs", "spool:\(spool)"] + words)
    }

    private func ready(_ worker: Running, data: String = "events/log") throws -> WorkerDoor {
        let door = WorkerDoor(shell, data: data)
        let deadline = ContinuousClock.now + .seconds(30)
        while door.health() == nil, worker.isAlive, ContinuousClock.now < deadline { poll(nil, 0, 5) }
        try #require(door.health() != nil, "no worker came up")
        return door
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
        while door.health().flatMap({ $0["last_seq"] }).flatMap({ Int($0) }) ?? 0 < 200, worker.isAlive {
            poll(nil, 0, 5)
        }
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

    @Test func `a port that is taken`() throws {
        try shell.write("a-token-that-is-long-enough-for-anybody-0123456789\n", to: "token")
        #expect(chmod(shell.path("token"), 0o600) == 0)
        let first = run("--listen", "127.0.0.1:0", "--token-file", "token")
        _ = try ready(first)
        let listening = try #require(first.complaint(of: "\"message\":\"listening\""))
        let port = try #require(listening.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#)).1
        let second = run("--listen", "127.0.0.1:\(port)", "--token-file", "token", data: "elsewhere", spool: "other")
            .end()
        #expect(second.code == 5)
        #expect(second.errors.contains("port \(port) on 127.0.0.1 is taken by "), "\(second.errors)")
        #expect(shell.names(in: "elsewhere").contains("belfry.sock") == false)

        func status(_ headers: [(name: String, value: String)], _ path: String) throws -> Int {
            setenv("no_proxy", "127.0.0.1,localhost", 1)
            return try HTTPClient().ask(
                HTTPCall(
                    .get, "http://127.0.0.1:\(port)/\(path)", headers: headers,
                    patience: .init(connectMs: 10_000, totalMs: 10_000), answerBytesMax: 1 << 20)
            ).status
        }
        let people = "v1/people/anna/state"
        #expect(try status([], people) == 401)
        #expect(try status([("Authorization", "Bearer wrong")], people) == 401)
        let token = "Bearer a-token-that-is-long-enough-for-anybody-0123456789"
        #expect(try status([("Authorization", token)], people) == 404)
        #expect(try status([], "health") == 200)
    }

    @Test func `a port without a token is no door`() {
        let outcome = run("--listen", "127.0.0.1:0").end()
        #expect((outcome.code, outcome.output) == (2, ""))
        #expect(outcome.errors.hasPrefix("belfry: --listen needs --token-file: "))
        #expect(shell.names(in: "events") == [])
    }
}
