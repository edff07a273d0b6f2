import Console
import Delivery
import Foundation
import Journal
import Testing
import Worker

@testable import belfry

/// Workers over one log in PostgreSQL (SPEC §18).
@Suite("A cluster over PostgreSQL", .withDatabase)
struct ClusterTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    private func cluster(_ name: String, partitions: Int = 8) throws -> String {
        try bench.cluster(name, partitions: partitions)
    }

    private func worker(_ url: String, _ data: String) throws -> Running { try bench.worker(url, data) }
    private func expectOwned(_ url: String, by workers: Int) throws { try bench.expectOwned(url, by: workers) }
    private func enrolled(_ names: ClosedRange<Int>) -> String { bench.enrolled(names) }
    private func append(_ lines: String, _ data: String) { bench.append(lines, data) }

    private func opened(_ names: ClosedRange<Int>, _ round: String) -> String {
        names.map { fact(user: "u\($0)", id: "\(round)-\($0)") }.joined()
    }

    @Test(.timeLimit(.minutes(3)))
    func `two workers share the partitions, one is killed, and everything acknowledged is there once`() throws {
        let url = try cluster("two")
        let (one, other) = (try worker(url, "one"), try worker(url, "other"))
        try expectOwned(url, by: 2)
        append(enrolled(1...40), "one")
        append(opened(1...40, "before"), "other")
        let run = shell.belfry("run-now", "--kind", "check_in", "--force", "--data", "one")
        #expect(run.lines.last == "40 jobs", "\(run)")
        let policy = shell.belfry("policy", "show", "coachme", "--json").lines.first ?? ""
        append(fact("policy_adopted", user: nil, id: "p", data: #"{"policy":\#(policy)}"#), "other")
        for data in ["one", "other"] {
            for user in ["u1", "u2", "u3", "u4", "u5", "u6"] {
                let state = shell.belfry("state", "--user", user, "--data", data, "--json")
                #expect(state.code == 0 && state.output.contains(#""user":"\#(user)""#), "\(state)")
            }
        }
        other.send(signal: SIGKILL)
        _ = other.waitForEnd()
        // Retried while nobody owns a partition; a fact that has an id is taken once.
        append(opened(1...40, "after"), "one")
        append(opened(1...40, "before"), "one")
        try expectOwned(url, by: 1)
        one.expectStopped()
        #expect(shell.belfry("cluster", "status", "--postgres", url).code == 1)
        try expectWhole(url)
    }

    @Test(.timeLimit(.minutes(4)))
    func `the policy that was adopted last stays, whichever worker adopted it and whoever takes over`() throws {
        func write(cap: Int) throws {
            try shell.write(
                #"{"name":"mine","daily_cap":\#(cap),"kinds":[{"name":"note","on_request":true}]}"#, to: "mine.json")
        }
        func inForce(_ data: String) -> String? {
            WorkerDoor(shell, data: data).get("v1/policy").flatMap { try? Printed($0.text) }?["policy.daily_cap"]
        }
        try write(cap: 1)
        let url = try cluster("policies", partitions: 2)
        var workers = ["one": try bench.worker(url, "one", ["--policy", "mine.json"])]
        workers["other"] = try bench.worker(url, "other", ["--policy", "mine.json"])
        try expectOwned(url, by: 2)
        #expect(inForce("one") == "1" && inForce("other") == "1")
        // One of them has the log of everyone, and the other does not. Whoever reads the file again finds that it is in force.
        for (cap, data, reader) in [(2, "one", "other"), (3, "other", "one")] {
            try write(cap: cap)
            workers[data]?.send(signal: SIGHUP)
            #expect(workers[data]?.complaint(of: #""another policy is in force","policy":"mine.json""#) != nil)
            #expect(inForce("one") == "\(cap)" && inForce("other") == "\(cap)")
            workers[reader]?.send(signal: SIGHUP)
            #expect(workers[reader]?.complaint(of: "the policy has not changed") != nil)
        }
        let mine = #"{"name":"mine","daily_cap":4,"kinds":[{"name":"note","on_request":true}]}"#
        append(fact("policy_adopted", user: nil, id: "four", data: #"{"policy":\#(mine)}"#), "one")
        let owner = try #require(
            shell.belfry("cluster", "status", "--postgres", url).lines.first { $0.hasPrefix("everyone") })
        let port = try #require(workers["one"]).port()
        let (gone, left) = owner.contains(":\(port)") ? ("one", "other") : ("other", "one")
        workers[gone]?.send(signal: SIGKILL)
        _ = workers[gone]?.waitForEnd()
        try expectOwned(url, by: 1)
        #expect(inForce(left) == "4")
        // A new start is a newer word than the fact.
        workers[left]?.expectStopped()
        let again = try bench.worker(url, gone, ["--policy", "mine.json"])
        try expectOwned(url, by: 1)
        again.expectStopped()
        bench.export(url, to: "policies")
        let log = shell.belfry(
            ["log", "--partition", "everyone", "--type", "policy_adopted", "--data", "policies"]
                + ClusterBench.keyOption, input: [])
        let caps = log.lines.compactMap { $0.firstMatch(of: /"daily_cap":([0-9]+)/).map { String($0.1) } }
        #expect(caps == ["1", "2", "3", "4", "3"], "\(log)")
    }

    @Test(.timeLimit(.minutes(5)))
    func `of workers that come at the same time none stays without a partition`() throws {
        for number in 1...3 {
            let url = try cluster("twins\(number)", partitions: 2)
            let twins = ["one", "other"].map { bench.start(url, "\($0)-\(number)", lease: 20) }
            for twin in twins { try twin.expectReady() }
            try expectOwned(url, by: 2)
            for twin in twins { twin.expectStopped() }
        }
    }

    /// What the database holds replays on a disk, with each fact once.
    private func expectWhole(_ url: String) throws {
        let exported = shell.belfry(
            ["cluster", "export", "--postgres", url, "--data", "exported"] + ClusterBench.keyOption, input: [])
        #expect(exported.code == 0 && exported.lines.count == 9, "\(exported)")
        let replayed = shell.belfry(["replay", "--verify", "--data", "exported"] + ClusterBench.keyOption, input: [])
        #expect(replayed.code == 0 && replayed.lines.last?.hasSuffix(", 0 differ") == true, "\(replayed)")
        #expect(shell.belfry(["audit", "--data", "exported"] + ClusterBench.keyOption, input: []).code == 0)
        var ids: [String: Int] = [:]
        for partition in 0..<8 {
            let log = shell.belfry(
                ["log", "--partition", "\(partition)", "--data", "exported"] + ClusterBench.keyOption, input: [])
            for event in try log.events() { if let id = event.id { ids[id, default: 0] += 1 } }
            try expectTaken(log.lines, partition)
        }
        for person in 1...40 {
            for id in ["e\(person)", "before-\(person)", "after-\(person)"] { #expect(ids[id] == 1, "\(id)") }
        }
        // Two policies, in each partition once.
        #expect(ids.filter { $0.key.hasPrefix("everyone:") }.map(\.value) == [8, 8], "\(ids)")
        let again = try cluster("again")
        let into = ["cluster", "import", "--postgres", again, "--data", "exported"] + ClusterBench.keyOption
        let imported = shell.belfry(into, input: [])
        #expect(imported.code == 0 && imported.lines.sorted() == exported.lines.sorted(), "\(imported)")
        #expect(shell.belfry(into, input: []).code == 2)
        let worker = try worker(again, "third")
        try expectOwned(again, by: 1)
        #expect(shell.belfry("people", "--data", "third").lines.count == 40)
        append(opened(1...1, "more"), "third")
        worker.expectStopped()
    }

    /// The log says who decided in it from where on, each under a later epoch.
    private func expectTaken(_ lines: [String], _ partition: Int) throws {
        let taken = try lines.filter { $0.contains(#""type":"partition_taken""#) }.map { try Printed($0) }
        #expect(taken.first?["seq"] == "1" && !taken.isEmpty)
        let epochs = taken.compactMap { Int($0["data.epoch"] ?? "") }
        #expect(epochs.count == taken.count && zip(epochs, epochs.dropFirst()).allSatisfy { $0 < $1 }, "\(epochs)")
        #expect(taken.allSatisfy { $0["data.partition"] == "\(partition)" && $0["user"] == nil })
    }

    @Test func `a database that lost what it had acknowledged stops the worker, and so does another cluster's`() throws
    {
        let url = try cluster("lost", partitions: 2)
        let first = try worker(url, "one")
        try expectOwned(url, by: 1)
        append(enrolled(1...4), "one")
        first.expectStopped()
        func words(_ url: String, _ data: String) -> [String] {
            [
                "run", "--postgres", url, "--data", data, "--listen", "0", "--token-file", "token", "--advertise",
                "http://\(data).example:8080",
            ] + ClusterBench.keyOption
        }
        func run(_ url: String, _ data: String = "one") -> Outcome { shell.belfry(words(url, data), input: []) }
        let other = run(try cluster("other", partitions: 2))
        #expect(other.code == 5 && other.errors.contains("and the log kept here is of the cluster"), "\(other)")
        try bench.database.run(
            "lost",
            "DELETE FROM belfry.log l WHERE partition = 0 AND position = (SELECT max(position) FROM belfry.log WHERE partition = 0)"
        )
        let restored = run(url)
        #expect(restored.code == 4 && restored.errors.contains("has lost what it had acknowledged"), "\(restored)")
        // What helps here is none of what helps a damaged file.
        #expect(restored.errors.contains("Bring the right database back") && !restored.errors.contains("from a copy"))
        // Nor does any other go on, which by itself misses nothing (M5).
        let beside = run(url, "two")
        #expect(beside.code == 4, "\(beside)")
        #expect(beside.errors.contains("what the worker at http://one.example:8080 has of partition 0"), "\(beside)")
        // It is to stand: that worker begins anew, and one that was started before it waits for that.
        try FileManager.default.removeItem(atPath: shell.path("one"))
        let waiting = shell.start(words(url, "two"))
        #expect(waiting.complaint(of: "nothing is decided; it is tried again") != nil)
        let anew = shell.start(words(url, "one"))
        #expect(waiting.complaint(of: "the database answers again") != nil)
        try anew.expectReady()
        for worker in [waiting, anew] { worker.expectStopped() }
        for data in ["one", "two"] {
            let worker = shell.start(words(url, data))
            try worker.expectReady()
            worker.expectStopped()
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `without the database a worker is not ready and says why, a command gives up and names it, and all goes on`()
        throws
    {
        let url = try cluster("away", partitions: 2)
        let first = try worker(url, "one")
        try expectOwned(url, by: 1)
        append(enrolled(1...4), "one")
        let door = WorkerDoor(shell, data: "one")
        #expect(door.get("ready")?.status == 200)
        try bench.database.run("postgres", "ALTER DATABASE away ALLOW_CONNECTIONS false")
        try bench.database.run(
            "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'away'")
        bench.soon { door.get("ready")?.status == 503 }
        let away = try #require(door.get("ready"))
        #expect(away.status == 503 && away.text.contains("the database is not reached"), "\(away.text)")
        #expect(door.health()?["status"] == "not_ready")
        #expect(door.get("metrics")?.text.contains("belfry_ready 0\n") == true)
        // A clock by which each look at it comes 10 s after the one before.
        var time = ContinuousClock.now
        let client = try #require(
            WorkerClient(
                shell.path("one"), pause: { _ in },
                now: {
                    time += .seconds(10)
                    return time
                }))
        #expect {
            _ = try client.append(Array(fact(user: "u1", id: "away").utf8), allOrNothing: false)
        } throws: { error in
            guard case .notTaken(let problem)? = error as? Untaken else { return false }
            return problem.contains("the database is not reached")
        }
        try bench.database.run("postgres", "ALTER DATABASE away ALLOW_CONNECTIONS true")
        bench.soon { door.get("ready")?.status == 200 }
        #expect(door.get("ready")?.status == 200)
        append(fact(user: "u1", id: "away"), "one")
        first.expectStopped()
    }

    /// Its own partition's worker is not the log's: another takes it, so nothing is wrong that stays so.
    @Test func `an append that the database did not answer is in doubt, and can be sent again`() {
        #expect(WorkerRefusal.journal(.lost("nobody can say")).inability == .inDoubt("nobody can say"))
    }

    @Test func `a copy is no log by itself, and what a cluster needs is said`() throws {
        let url = try cluster("copy", partitions: 2)
        let first = try worker(url, "one")
        try expectOwned(url, by: 1)
        first.expectStopped()
        for words in [
            ["append", "-"], ["verify"], ["replay"], ["people"], ["state", "--user", "u1"], ["run-now"],
            ["log", "--partition", "0"],
        ] {
            let alone = shell.belfry(words + ["--data", "one"], input: Array(fact().utf8))
            #expect(alone.code == 5 && alone.errors.contains("copy of a cluster's logs"), "\(words): \(alone)")
        }
        #expect(shell.belfry("run", "--data", "one").code == 2)
        #expect(shell.belfry("run", "--postgres", url, "--data", "two").code == 2)
        #expect(shell.belfry("cluster", "create", "--postgres", url).code == 5)
        #expect(shell.belfry("cluster", "drain", "--postgres", url).code == 2)
        #expect(shell.belfry("cluster", "melt", "--postgres", url).code == 2)
        #expect(shell.belfry("cluster", "status", "--postgres", "nonsense").code == 2)
        #expect(shell.belfry("append", "--data", "single", input: fact()).code == 0)
        let single = shell.belfry("cluster", "import", "--postgres", url, "--data", "single")
        #expect(single.code == 2 && single.errors.contains("is no directory of partitions"), "\(single)")
    }
}
