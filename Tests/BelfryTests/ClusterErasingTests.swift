import Delivery
import Foundation
import Testing

/// People are erased from a log in PostgreSQL (SPEC §19).
@Suite("Erasing in a cluster", .withDatabase)
struct ClusterErasingTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    private static let secrets = [
        "anna@home", "Zweig", "anna@example.com", "+33612345678", "TOKEN-OF-HERS", "Lose weight", "Come at once",
        "fact-of-hers",
    ]

    private static let life = [
        fact("user_enrolled", user: "bob", id: "b", data: #"{"timezone":"UTC","name":"Bob"}"#),
        fact(
            "user_enrolled", user: "anna@home", id: "fact-of-hers",
            data: #"{"timezone":"UTC","email":"anna@example.com","phone":"+33612345678","name":"Zweig"}"#),
        fact(
            "device_registered", user: "anna@home", id: "d",
            data: #"{"device":"d","platform":"ios","token":"TOKEN-OF-HERS"}"#),
        fact("goal_started", user: "anna@home", id: "g", data: #"{"goal":"g","title":"Lose weight"}"#),
        fact("notice_requested", user: "anna@home", id: "n", data: #"{"kind":"alert","title":"Come at once"}"#),
    ].joined()

    private func found(in bytes: Data, _ place: String) -> [String] { Secrets(Self.secrets).found(in: bytes, place) }

    /// A spool may have been emptied.
    private func found(inDirectories directories: [String]) -> [String] {
        directories.flatMap { Secrets(Self.secrets).found(under: $0, of: shell, mayBeEmpty: $0.hasPrefix("jobs-")) }
    }

    private func dump(_ database: String) throws -> Data {
        let dump = try bench.database.dump(database)
        #expect(dump.contains("COPY belfry.log_"), "a dump has the log in it")
        return Data(dump.utf8)
    }

    @Test(.timeLimit(.minutes(4)))
    func `nothing of a person stays in the database, nor at the worker that had her before`() throws {
        let url = try bench.cluster("erasing", partitions: 2)
        let first = try bench.worker(url, "one")
        try bench.expectOwned(url, by: 1)
        bench.append(Self.life, "one")
        let seen = shell.belfry("state", "--user", "anna@home", "--data", "one", "--json")
        #expect(seen.code == 0 && seen.output.contains("Zweig"), "\(seen)")
        // Snapshots of her partition, which the next owner does not have.
        for partition in ["0", "1"] {
            let taken = shell.belfry(
                ["snapshot", "--data", "one/\(partition)", "--postgres", url] + ClusterBench.keyOption, input: [])
            #expect(taken.code == 0, "\(taken)")
        }
        #expect(found(in: try dump("erasing"), "the dump") == [])
        #expect(found(inDirectories: ["one"]) == [], "sealed, and its snapshots too")
        first.send(signal: SIGKILL)
        _ = first.waitForEnd()

        let second = try bench.worker(url, "two")
        try bench.expectOwned(url, by: 1)
        let state = shell.belfry("state", "--user", "anna@home", "--data", "two", "--json")
        #expect(state.code == 0 && state.output.contains("Zweig"), "\(state)")
        let third = try bench.worker(url, "three")
        try bench.expectOwned(url, by: 2)
        // Any worker takes it.
        let erased = shell.belfry("erase", "--user", "anna@home", "--yes", "--data", "three")
        #expect(erased.code == 0 && erased.output.contains("removed    their key"), "\(erased)")
        #expect(erased.output.contains("the table of keys as it was before"), "\(erased)")
        #expect(shell.belfry("state", "--user", "anna@home", "--data", "two").code == 3)
        #expect(shell.belfry("state", "--user", "bob", "--data", "three").code == 0)
        #expect(found(in: try dump("erasing"), "the dump") == [])
        #expect(found(inDirectories: ["two", "three", "jobs-two", "jobs-three"]) == [])

        // The one that died comes back, with its snapshots and its spool of before.
        let back = try bench.worker(url, "one")
        try bench.expectOwned(url, by: 3)
        #expect(shell.belfry("state", "--user", "anna@home", "--data", "one").code == 3)
        bench.soon { found(inDirectories: ["one", "jobs-one"]).isEmpty }
        #expect(found(inDirectories: ["one", "jobs-one"]) == [])
        for worker in [second, third, back] { worker.expectStopped() }
        try expectWhole(url)
    }

    /// The worker was away when she was erased, and her id is somebody else's by the time it looks.
    @Test(.timeLimit(.minutes(4)))
    func `whoever has the id next does not get the jobs that another worker had spooled (E4)`() throws {
        let url = try bench.cluster("next", partitions: 1)
        let first = try bench.worker(url, "one")
        try bench.expectOwned(url, by: 1)
        let enrolled = #"{"timezone":"\#(Noon.zone)"}"#
        bench.append(
            fact("user_enrolled", user: "anna@home", id: "a", data: enrolled)
                + fact(
                    "notice_requested", user: "anna@home", id: "n",
                    data: #"{"kind":"urgent","title":"Come at once"}"#), "one")
        bench.soon { !found(inDirectories: ["jobs-one"]).isEmpty }
        #expect(found(inDirectories: ["jobs-one"]) != [])
        first.send(signal: SIGKILL)
        _ = first.waitForEnd()

        let second = try bench.worker(url, "two")
        try bench.expectOwned(url, by: 1)
        let erased = shell.belfry("erase", "--user", "anna@home", "--yes", "--data", "two")
        #expect(erased.code == 0, "\(erased)")
        bench.append(fact("user_enrolled", user: "anna@home", id: "again", data: enrolled), "two")
        let back = try bench.worker(url, "one")
        bench.soon { found(inDirectories: ["jobs-one"]).isEmpty }
        #expect(found(inDirectories: ["jobs-one"]) == [])
        for worker in [second, back] { worker.expectStopped() }
    }

    /// Somebody holds the table of keys until the erasure was answered, so that the worker does not know whether her key is gone.
    @Test(.timeLimit(.minutes(4)))
    func `an erasure that is cut off takes her jobs out of the spool of a worker that lives on (E1)`() throws {
        let url = try bench.cluster("cut", partitions: 1)
        let worker = try bench.worker(url, "one", lease: 10)
        try bench.expectOwned(url, by: 1)
        bench.append(
            fact("user_enrolled", user: "anna@home", id: "a", data: #"{"timezone":"\#(Noon.zone)"}"#)
                + fact(
                    "notice_requested", user: "anna@home", id: "n",
                    data: #"{"kind":"urgent","title":"Come at once"}"#), "one")
        bench.soon { !found(inDirectories: ["jobs-one"]).isEmpty }
        #expect(found(inDirectories: ["jobs-one"]) != [])

        let holder = try bench.database.start(
            "cut", "BEGIN; SELECT partition FROM belfry.key_table FOR UPDATE; SELECT pg_sleep(600); COMMIT")
        let asleep = "FROM pg_stat_activity WHERE datname = 'cut' AND wait_event = 'PgSleep'"
        try bench.soon { try bench.database.run("cut", "SELECT count(*) \(asleep)").hasPrefix("1") }
        let door = WorkerDoor(shell, data: "one")
        let erasure = ("v1/people/anna@home/erase", #"{"user":"anna@home"}"#)
        let doubt = try #require(door.post(erasure.0, erasure.1))
        #expect(doubt.status == 503 && doubt.text.contains(#""in_doubt":true"#), "\(doubt.text)")
        try bench.database.run("cut", "SELECT pg_terminate_backend(pid) \(asleep)")
        _ = holder.end()

        bench.soon { found(inDirectories: ["jobs-one"]).isEmpty }
        #expect(found(inDirectories: ["jobs-one"]) == [])
        #expect(shell.belfry("state", "--user", "anna@home", "--data", "one").code == 3)
        #expect(door.post(erasure.0, erasure.1)?.status == 404)
        worker.expectStopped()
    }

    /// What the cluster has, given back with its keys: everything but her.
    private func expectWhole(_ url: String) throws {
        bench.export(url, to: "exported")
        #expect(found(inDirectories: ["exported"]) == [])
        func asked(_ words: String...) -> Outcome {
            shell.belfry(words + ["--data", "exported"] + ClusterBench.keyOption, input: [])
        }
        #expect(shell.belfry("verify", "--data", "exported").code == 0)
        let replayed = asked("replay", "--verify")
        #expect(replayed.code == 0 && replayed.lines.last?.hasSuffix(", 0 differ") == true, "\(replayed)")
        #expect(asked("audit").code == 0)
        #expect(asked("state", "--user", "bob").code == 0)
        #expect(asked("explain", "--user", "anna@home").code == 3)
    }

    @Test(.timeLimit(.minutes(4)))
    func `sealed logs are taken in with their keys, whatever master key they were under`() throws {
        let made = shell.start(["run", "--data", "disk", "--partitions", "2", "--jobs", "spool:jobs-disk"])
        try made.expectReady()
        bench.append(Self.life, "disk")
        made.expectStopped()
        let url = try bench.cluster("taken", partitions: 2)
        let imported = shell.belfry(
            ["cluster", "import", "--postgres", url, "--data", "disk"] + ClusterBench.keyOption, input: [])
        #expect(imported.code == 0, "\(imported)")
        let worker = try bench.worker(url, "one")
        try bench.expectOwned(url, by: 1)
        let state = shell.belfry("state", "--user", "anna@home", "--data", "one", "--json")
        #expect(state.code == 0 && state.output.contains("Zweig"), "\(state)")
        let erased = shell.belfry("erase", "--user", "anna@home", "--yes", "--data", "one")
        #expect(erased.code == 0, "\(erased)")
        #expect(found(in: try dump("taken"), "the dump") == [])
        worker.expectStopped()
        try expectWhole(url)
        // A log without seals is another kind of cluster's.
        let plain = try bench.database.make("plain")
        let begun = shell.belfry("cluster", "create", "--postgres", plain, "--partitions", "2", "--without-seals")
        #expect(begun.code == 0, "\(begun)")
        let refused = shell.belfry("cluster", "import", "--postgres", plain, "--data", "exported")
        #expect(refused.code == 2 && refused.errors.contains("begun without seals"), "\(refused)")
        let unsealed = try bench.worker(plain, "plain")
        try bench.expectOwned(plain, by: 1)
        bench.append(Self.life, "plain")
        let denied = shell.belfry("erase", "--user", "anna@home", "--yes", "--data", "plain")
        #expect(denied.code != 0, "\(denied)")
        unsealed.expectStopped()
    }

    @Test(.timeLimit(.minutes(8)))
    func `keys that are missing, of yesterday or under another master key: nothing starts, and it is said which`()
        throws
    {
        let url = try bench.cluster("bad", partitions: 1)
        func run(_ more: [String], _ data: String = "one") -> Outcome {
            shell.belfry(
                [
                    "run", "--postgres", url, "--data", data, "--listen", "0", "--token-file", "token", "--lease", "2",
                ] + more, input: [])
        }
        func export(_ more: [String]) -> Outcome {
            shell.belfry(["cluster", "export", "--postgres", url, "--data", "out"] + more, input: [])
        }
        let without = run([])
        #expect(without.code == 2 && without.errors.contains("--master-key-file"), "\(without)")
        let first = try bench.worker(url, "one")
        try bench.expectOwned(url, by: 1)
        try bench.database.run("bad", "CREATE TABLE kept AS SELECT * FROM belfry.key_table")
        bench.append(Self.life, "one")
        try bench.database.run("bad", "CREATE TABLE kept_pages AS SELECT * FROM belfry.key_page")
        try bench.database.run("bad", "CREATE TABLE kept_table AS SELECT * FROM belfry.key_table")
        #expect(shell.belfry("erase", "--user", "anna@home", "--yes", "--data", "one").code == 0)
        first.expectStopped()

        try shell.write(String(repeating: "0123456789abcdef", count: 7) + "00112233445566ff\n", to: "weak.key")
        try shell.write((0..<64).map { String(format: "%02x", ($0 * 11 + 5) % 256) }.joined() + "\n", to: "other.key")
        for file in ["weak.key", "other.key"] { #expect(chmod(shell.path(file), 0o600) == 0) }
        let other = run(["--master-key-file", "other.key"])
        #expect(other.code == 5 && other.errors.contains("was written under another master key"), "\(other)")
        let weak = run(["--master-key-file", "weak.key"])
        #expect(weak.code == 5 && weak.errors.contains("could be guessed"), "\(weak)")

        // From before anybody came.
        let words = "UPDATE belfry.key_table k SET bytes = b.bytes, generation = b.generation FROM"
        try bench.database.run("bad", "CREATE TABLE last AS SELECT * FROM belfry.key_table")
        try bench.database.run("bad", "\(words) kept b WHERE k.partition = b.partition")
        let behind = run(ClusterBench.keyOption)
        #expect(behind.code == 5 && behind.errors.contains("no key in it"), "\(behind)")
        #expect(behind.errors.contains("belfry.key_page together"), "\(behind)")

        // From before she was erased: nobody comes back (E3).
        try bench.database.run("bad", "\(words) kept_table b WHERE k.partition = b.partition")
        try bench.database.run("bad", "TRUNCATE belfry.key_page; INSERT INTO belfry.key_page SELECT * FROM kept_pages")
        let again = try bench.worker(url, "two")
        try bench.expectOwned(url, by: 1)
        #expect(shell.belfry("state", "--user", "anna@home", "--data", "two").code == 3)
        #expect(shell.belfry("state", "--user", "bob", "--data", "two").code == 0)
        let generations = try bench.database.run(
            "bad",
            "SELECT (SELECT max(generation) FROM belfry.key_table WHERE partition = 0) > (SELECT max(generation) FROM kept_table WHERE partition = 0)"
        )
        #expect(generations.contains("t"), "her key was destroyed once more: \(generations)")
        again.expectStopped()

        let wrong = export(["--master-key-file", "other.key"])
        #expect(wrong.code == 5 && wrong.errors.contains("was written under another master key"), "\(wrong)")
        #expect(shell.names(in: "out") == [], "nothing half made is left")
        // A worker with another key, or what is none, is none of the cluster's for a moment.
        try shell.write("not a key\n", to: "no.key")
        #expect(chmod(shell.path("no.key"), 0o600) == 0)
        for key in ["other.key", "no.key"] {
            let refused = run(["--master-key-file", key], "never")
            #expect(refused.code == 5 && refused.errors.contains(key), "\(refused)")
            #expect(!refused.errors.contains("\"running\""), "\(refused)")
        }
        #expect(shell.belfry("doctor", "--postgres", url).output.contains("ok    keys "))
        let right = shell.belfry(["doctor", "--postgres", url] + ClusterBench.keyOption, input: [])
        #expect(right.output.contains("ok    master key "), "\(right)")
        for key in ["other.key", "no.key", "absent.key"] {
            let wrong = shell.belfry("doctor", "--postgres", url, "--master-key-file", key)
            #expect(wrong.code == 1 && wrong.output.contains("FAIL  master key "), "\(key): \(wrong)")
        }

        // One machine has copies of the pages, and another has none.
        try bench.database.run("bad", "DELETE FROM belfry.key_page")
        for data in ["two", "three"] {
            let lost = run(ClusterBench.keyOption, data)
            #expect(
                lost.code == 5 && lost.errors.contains("belfry.key_page has no whole row for slot"), "\(data): \(lost)")
        }
        let looked = shell.belfry("doctor", "--postgres", url)
        #expect(looked.code == 1 && looked.output.contains("belfry.key_page has no whole row"), "\(looked)")
        let given = export(ClusterBench.keyOption)
        #expect(given.code == 5 && given.errors.contains("belfry.key_page has no whole row"), "\(given)")
        #expect(shell.names(in: "out") == [])
        try bench.database.run("bad", "DELETE FROM belfry.key_table")
        let missing = run(ClusterBench.keyOption)
        #expect(missing.code == 5 && missing.errors.contains("belfry.key_table"), "\(missing)")
        try bench.database.run("bad", "DROP TABLE belfry.key_page")
        let doctor = shell.belfry("doctor", "--postgres", url)
        #expect(doctor.output.contains("belfry.key_page is missing"), "\(doctor)")
        #expect(run(ClusterBench.keyOption).errors.contains("belfry.key_page is missing"))
    }
}
