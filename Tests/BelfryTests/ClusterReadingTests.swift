import Delivery
import Foundation
import Testing

/// Commands that read whole logs, over a cluster's database (`M7`).
@Suite("Whole logs of a cluster", .withDatabase)
struct ClusterReadingTests {
    private let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    /// With a place of its own for what is fetched.
    private func read(_ words: [String], _ place: [String], withKey: Bool = true) -> Outcome {
        shell.belfry(
            words + place + (withKey ? ClusterBench.keyOption : []), input: [],
            environment: ["TMPDIR": shell.path("fetched")])
    }

    @Test(.timeLimit(.minutes(4)))
    func `what is read from the database is what an export holds, while workers run, and nothing of it stays`() throws {
        try shell.makeDirectory("fetched")
        let url = try bench.cluster("reading", partitions: 2)
        let (one, other) = (try bench.worker(url, "one"), try bench.worker(url, "other"))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...12), "one")
        let run = shell.belfry("run-now", "--kind", "check_in", "--force", "--data", "other")
        #expect(run.lines.last == "12 jobs", "\(run)")
        // Nothing more is decided, so that both are of the same head.
        one.expectStopped()
        other.expectStopped()
        bench.export(url, to: "exported")
        let (database, directory) = (["--postgres", url], ["--data", "exported"])
        for words in [
            ["replay", "--verify"], ["audit"], ["verify"], ["stats", "--csv"], ["what-if", "--policy", "coachme"],
            ["what-if", "--policy", "coachme", "--json"], ["log", "--partition", "1"],
            ["log", "--partition", "everyone"], ["log", "--user", "u3"], ["verify", "--partition", "0"],
            ["replay", "--verify", "--partition", "1", "--json"],
        ] {
            let (here, there) = (read(words, directory), read(words, database))
            #expect(here.code == 0 && there.code == 0, "\(words): \(there)")
            #expect(
                here.output == there.output && !there.output.isEmpty,
                "\(words): \(there.errors) \(there.lines.count) of \(here.lines.count) \(there.output.suffix(1500)) || \(here.output.suffix(1500))"
            )
        }
        // Whether it is whole can be seen without anybody's key, what it says cannot.
        #expect(read(["verify"], database, withKey: false).code == 0)
        let blind = read(["audit"], database, withKey: false)
        #expect(blind.code == 2 && blind.errors.contains("--master-key-file"), "\(blind)")
        for words in [
            ["audit", "--data", "exported"], ["audit", "--partition", "2"], ["log", "--partition", "0", "--follow"],
        ] { #expect(read(words, database).code == 2, "\(words)") }
        #expect(read(["audit"], ["--postgres", "postgres://127.0.0.1:1/none"]).code == 5)
        #expect(shell.names(in: "fetched").isEmpty)
    }

    @Test(.timeLimit(.minutes(4)))
    func `what is passed on keeps its trace, and every worker knows the policy in force (N11, M6)`() throws {
        let url = try bench.cluster("passing", partitions: 2)
        for data in ["one", "other"] {
            try shell.makeDirectory(data)
            try shell.write("the same words for all the workers of one cluster\n", to: "\(data)/senders.secret")
            #expect(chmod(shell.path("\(data)/senders.secret"), 0o600) == 0)
        }
        let workers = [
            "one": try bench.worker(url, "one", lease: 20), "other": try bench.worker(url, "other", lease: 20),
        ]
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...8), "one")
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        for (data, user) in [("one", 1), ("other", 2)] {
            let lines = (1...8).map { fact(user: "u\($0)", id: "t\(user)-\($0)") }.joined()
            let told = try WorkerPort(try #require(workers[data]).port()).ask(
                .post, "v1/facts", WorkerPort.token, Array(lines.utf8),
                headers: [("Content-Type", "application/x-ndjson"), ("traceparent", trace)])
            #expect(told.status == 200, "\(told.text)")
        }
        for data in workers.keys {
            for user in 1...8 {
                let events = try #require(WorkerDoor(shell, data: data).get("v1/events?user=u\(user)&type=app_opened"))
                #expect(
                    events.text.split(separator: trace, omittingEmptySubsequences: false).count == 3, "\(events.text)")
            }
        }
        // A token that is revoked at one is good at none.
        for id in [true, false] {
            let made = try #require(WorkerDoor(shell, data: "one").post("v1/people/u1/tokens", "{}"))
            let (token, name) = (try Printed(made.text)["token"] ?? "", try Printed(made.text)["id"] ?? "")
            let owner = try workers.first { try $0.value.asks(token) == 200 }
            #expect(owner != nil, "\(made.text)")
            // Whoever says they are a worker is passed on as anybody.
            for worker in workers.values {
                let told = try WorkerPort(worker.port()).ask(
                    .patch, "v1/people/u1/preferences", token, Array(#"{"digest_mode":true}"#.utf8),
                    headers: [("Content-Type", "application/json"), ("Belfry-Passed-On", "1")])
                #expect(told.status == 200, "\(told.text)")
            }
            let path = "v1/people/u1/tokens" + (id ? "/\(name)" : "")
            for data in workers.keys.sorted() where id || data == "other" {
                let port = WorkerPort(try #require(workers[data]).port())
                #expect(try port.ask(.delete, path, WorkerPort.token, []).status == 204)
            }
            for worker in workers.values { #expect(try worker.asks(token) == 401) }
        }
        func policy(_ data: String) throws -> String? {
            try Printed(try #require(WorkerDoor(shell, data: data).get("v1/now")).text)["policy"]
        }
        #expect(try workers.keys.map(policy) == ["standard", "standard"])
        let mine = #"{"name":"mine","daily_cap":4,"kinds":[{"name":"note","on_request":true}]}"#
        bench.append(fact("policy_adopted", user: nil, id: "m", data: #"{"policy":\#(mine)}"#), "other")
        #expect(try workers.keys.map(policy) == ["mine", "mine"])
        for worker in workers.values {
            // What people told was no order of an operator's, wherever it was passed on to.
            let said = worker.expectStopped().errors
            #expect(!said.contains("/v1/people/{user}/preferences"), "\(said)")
        }
        // Without their keys nothing is given back, and nothing goes on as if it were whole.
        try bench.database.run("passing", "DELETE FROM belfry.key_table WHERE partition = 1")
        let words = ["--postgres", url, "--data", "out"] + ClusterBench.keyOption
        let export = shell.belfry(["cluster", "export"] + words, input: [])
        #expect(export.code == 5 && export.errors.contains("key_table has no row for partition 1"), "\(export)")
        #expect(shell.names(in: "out").isEmpty)
        let doctor = shell.belfry("doctor", "--postgres", url)
        #expect(doctor.code == 1 && doctor.output.contains("key_table has no row for partition 1"), "\(doctor)")
    }

    @Test(.timeLimit(.minutes(4)))
    func `any worker holds a policy against all partitions, and says how late each is decided`() throws {
        let url = try bench.cluster("asking", partitions: 2)
        let workers = [
            "one": try bench.worker(url, "one", lease: 20), "other": try bench.worker(url, "other", lease: 20),
        ]
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...12), "one")
        #expect(shell.belfry("run-now", "--kind", "check_in", "--force", "--data", "other").lines.last == "12 jobs")
        // Begun at one, asked for at the other.
        let (door, beside) = (WorkerDoor(shell, data: "one"), WorkerDoor(shell, data: "other"))
        let begun = try #require(door.post("v1/what-if", #"{"policy":"screentime"}"#))
        #expect(begun.status == 202, "\(begun.text)")
        let id = try #require(try Printed(begun.text)["id"])
        var told = try #require(beside.get("v1/what-if/\(id)")).text
        try waitForOthers {
            if told.contains(#""state":"running""#) { told = try #require(door.get("v1/what-if/\(id)")).text }
            return !told.contains(#""state":"running""#)
        }
        // Under it nobody has check-ins.
        #expect(told.contains(#""state":"done""#) && told.contains(#""lost":12"#), "\(told)")
        bench.soon { workers.keys.allSatisfy { !shell.names(in: $0).contains("what-if") } }
        for data in workers.keys { #expect(!shell.names(in: data).contains("what-if")) }
        // Whoever owns the person is asked what a change would do.
        let presets = shell.belfry("policy", "show", "microcommit", "--json").lines.first ?? ""
        bench.append(fact("policy_adopted", user: nil, id: "p", data: #"{"policy":\#(presets)}"#), "one")
        for user in 1...4 {
            let words = ["preview", "minimal", "--user", "u\(user)", "--data", "one"]
            let text = shell.belfry(["preset"] + words, input: [])
            #expect(text.code == 0 && text.output.contains("would change"), "\(text)")
            let preset = try shell.belfry(["preset"] + words + ["--json"], input: []).json()
            #expect(preset.count("changes") > 1, "\(preset.text)")
            let patch = shell.belfry(
                ["preferences", "preview", "--patch", "-", "--user", "u\(user)", "--data", "other", "--json"],
                input: Array(#"{"channels":{"push":false}}"#.utf8))
            #expect(patch.code == 0 && patch.lines.count == 1, "\(patch)")
            #expect(try Printed(patch.output)["changes.0.path"] == "channels.push")
        }
        #expect(shell.belfry("preset", "preview", "none", "--user", "u1", "--data", "one").code == 3)
        #expect(shell.belfry("preset", "preview", "minimal", "--user", "nobody", "--data", "one").code == 3)
        let status = shell.belfry("cluster", "status", "--postgres", url, "--data", "other")
        #expect(status.code == 0 && status.lines.count { $0.hasSuffix(", on time") } == 2, "\(status)")
        let lines = shell.belfry("cluster", "status", "--postgres", url, "--data", "one", "--json").lines
        #expect(try lines.map { try Printed($0)["late_ms"] ?? "none" } == ["null", "0", "0"], "\(lines)")
        for worker in workers.values { worker.expectStopped() }
        #expect(shell.belfry("cluster", "status", "--postgres", url, "--data", "one").code == 5)
    }
}

extension Running {
    /// What somebody's own token is answered with.
    fileprivate func asks(_ token: String) throws -> Int {
        try WorkerPort(port()).ask(.get, "v1/people/u1/settings", token, []).status
    }
}
