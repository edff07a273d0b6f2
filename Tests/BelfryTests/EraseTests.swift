import Delivery
import Foundation
import Testing

@Suite("belfry erase and belfry export")
struct EraseTests {
    let shell = Shell()

    private static let secrets = [
        "anna@home", "Zweig", "anna@example.com", "+33612345678", "TOKEN-OF-HERS", "Lose weight", "Come at once",
        "fact-of-hers",
    ]

    static let life = [
        fact("user_enrolled", user: "bob", at: monday("08:59:00"), data: #"{"timezone":"UTC","name":"Bob"}"#),
        fact(
            "user_enrolled", user: "anna@home", id: "fact-of-hers", at: monday("09:00:00"),
            data: #"{"timezone":"UTC","email":"anna@example.com","phone":"+33612345678","name":"Zweig"}"#),
        fact(
            "device_registered", user: "anna@home", at: monday("09:01:00"),
            data: #"{"device":"d","platform":"ios","token":"TOKEN-OF-HERS"}"#),
        fact(
            "goal_started", user: "anna@home", at: monday("09:02:00"), data: #"{"goal":"g","title":"Lose weight"}"#),
        fact(
            "notice_requested", user: "anna@home", at: monday("09:30:00"),
            data: #"{"kind":"alert","title":"Come at once"}"#),
    ].joined()

    private func found(in directory: String, _ secrets: [String] = secrets) -> [String] {
        Secrets(secrets).found(under: directory, of: shell)
    }

    @Test func `a log says nothing of people in the clear, and all of it to who has the keys`() throws {
        shell.importing(Self.life)
        #expect(found(in: "events/log") == [])
        let log = shell.belfry("log").output
        for secret in Self.secrets { #expect(log.contains(secret), "\(secret)") }
    }

    @Test func `without a worker`() throws {
        shell.importing(Self.life)
        #expect(shell.belfry("snapshot").code == 0)
        let export = shell.belfry("export", "--user", "anna@home", "--json")
        for secret in Self.secrets { #expect(export.output.contains(secret), "\(secret)") }
        #expect(try export.json()["events"] != nil && !export.output.contains("Bob"))

        let erased = shell.belfry("erase", "--user", "anna@home", "--yes")
        #expect((erased.code, erased.errors) == (0, ""))
        #expect(
            erased.output.contains("removed    their key") && erased.output.contains("elsewhere  backups of the keys"))
        #expect(found(in: "events/log") == [])
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
        #expect(shell.belfry("audit").output.contains("0 violations"))
        let people = shell.belfry("people").output
        #expect(people.contains("bob") && !people.contains("erased"))
        for command in ["state", "history", "explain", "export"] {
            #expect(shell.belfry(command, "--user", "anna@home").code == 3, "\(command)")
        }
        let again = shell.belfry("erase", "--user", "anna@home", "--yes")
        #expect((again.code, again.output) == (3, ""))
    }

    @Test func `the id is typed once more, or it is said that nobody can`() {
        shell.importing(Self.life)
        let unasked = shell.belfry("erase", "--user", "anna@home", input: "anna@home\n")
        #expect(unasked.code == 2 && unasked.errors.contains("--yes"))
        #expect(shell.belfry("erase", "--user", "zoe", "--yes").code == 3)
        #expect(shell.belfry("erase", "--user", "not an id", "--yes").code == 3)
        #expect(
            shell.belfry("append", input: #"{"type":"person_erased","user":"anna@home"}"#).errors.contains(
                "belfry erase"))
        #expect(shell.belfry("state", "--user", "anna@home").code == 0)
    }

    @Test func `of a running worker, with what it has spooled, and its own log says nothing of them`() throws {
        shell.importing(Self.life)
        let worker = shell.start(["run", "--jobs", "spool:spool", "--log-level", "debug"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        for user in ["anna@home", "bob"] {
            let alert = fact("notice_requested", user: user, data: #"{"kind":"urgent","title":"Come at once"}"#)
            #expect(door.append(alert)?.status == 200)
        }
        #expect(worker.complaint(of: "handed over") != nil)
        #expect(door.post("v1/people/anna@home/erase", "{}")?.status == 400)
        #expect(door.post("v1/people/anna@home/erase", #"{"user":"bob"}"#)?.status == 400)
        #expect(door.post("v1/people/zoe/erase", #"{"user":"zoe"}"#)?.status == 404)
        let erased = shell.belfry("erase", "--user", "anna@home", "--yes", "--json")
        #expect(erased.code == 0, "\(erased.errors)")
        #expect(try erased.json()["seq"] != nil)
        // Told when the old ones are gone.
        #expect(worker.complaint(of: "a snapshot was taken") != nil)
        #expect(found(in: "events/log", Self.secrets.filter { $0 != "Come at once" }) == [])
        #expect(found(in: "spool", ["anna@home"]) == [])
        #expect(door.get("v1/people/anna@home/state")?.status == 404)
        #expect(door.get("v1/people/bob/state")?.status == 200)
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        #expect(end.code == 0)
        for secret in Self.secrets { #expect(!end.errors.contains(secret), "\(secret)") }
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
    }

    @Test func `whoever has the id next tells facts of their own, under ids that were told before (E4)`() throws {
        let worker = shell.start(["run"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let life =
            fact("user_enrolled", user: "anna", id: "d1", data: #"{"timezone":"UTC"}"#)
            + fact("app_opened", user: "anna", id: "d2")
        // Asked about twice, so that the worker remembers them.
        for isDuplicate in [false, true] {
            let told = door.append(life)?.text ?? ""
            #expect(told.contains("duplicate") == isDuplicate, "\(told)")
        }
        #expect(door.post("v1/people/anna/erase", #"{"user":"anna"}"#)?.status == 200)
        let told = door.append(life)?.text ?? ""
        #expect(told.contains("seq") && !told.contains("duplicate"), "\(told)")
        worker.expectStopped()
    }

    @Test func `where the log says of nothing that it is erased, a start reads none of the files of its spool`() throws
    {
        try shell.makeDirectory("spool")
        // Whoever opened it would wait for somebody who writes.
        #expect(mkfifo(shell.path("spool/00000000000000000009.json"), 0o600) == 0)
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        try worker.expectReady()
        worker.expectStopped()
    }

    /// Only who runs with a spool knows of it, so whoever comes in between must not take away what is owed there.
    @Test(arguments: [[], ["run", "--jobs", "stdout"], ["append"], ["run-now"]], [false, true])
    func `a spool is cleared by the next worker that has it, whoever comes before`(
        between: [String], comesAgain: Bool
    ) throws {
        shell.importing(Self.life)
        func run(_ jobs: String, _ facts: String = "") throws {
            let worker = shell.start(["run", "--jobs", jobs])
            try worker.expectReady()
            if !facts.isEmpty { #expect(WorkerDoor(shell).append(facts)?.status == 200) }
            worker.expectStopped()
        }
        try run(
            "spool:spool",
            ["anna@home", "bob"].map {
                fact("notice_requested", user: $0, data: #"{"kind":"urgent","title":"Come at once"}"#)
            }.joined())
        #expect(found(in: "spool", ["anna@home"]) != [])
        #expect(shell.belfry("erase", "--user", "anna@home", "--yes").code == 0)
        // The same id is somebody new (`E4`), and has nothing of whoever had it before.
        if comesAgain {
            #expect(
                shell.belfry(
                    "append", input: fact("user_enrolled", user: "anna@home", data: #"{"timezone":"UTC"}"#)
                ).code == 0)
        }
        switch between.first {
        case nil: break
        case "run": try run("stdout")
        default:
            let told = shell.belfry(
                between, input: Array((between == ["append"] ? fact("app_opened", user: "bob") : "").utf8))
            #expect(told.code == 0, "\(told.errors)")
        }
        #expect(!shell.names(in: "events/log").contains("erasing"))
        try run("spool:spool")
        #expect(found(in: "spool", ["anna@home"]) == [])
        #expect(found(in: "spool", ["bob"]) != [])
    }

    @Test func `a bad bit in a key that nobody has yet stops nobody`() throws {
        shell.importing(Self.life)
        var keys = try shell.read("events/log/keys")
        keys[4096 + 80 * 2 + 30] ^= 1
        try shell.write(keys, to: "events/log/keys")
        for user in ["carl", "dora"] {
            let told = shell.belfry(
                "append", input: fact("user_enrolled", user: user, data: #"{"timezone":"UTC"}"#))
            #expect(told.code == 0, "\(told.errors)")
        }
        #expect(shell.belfry("people").output.contains("carl"))
        #expect(shell.belfry("state", "--user", "anna@home").code == 0)
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
    }

    /// The runbook's copy, put back where somebody was erased since it was made: the log is older than the keys.
    @Test(arguments: [["run-now"], ["append"], ["run"]])
    func `E3: a copy of before does not bring them back, nor stop the others`(first: [String]) throws {
        let held = fact(
            "notice_requested", user: "anna@home", at: monday("23:30:00"),
            data: #"{"kind":"reminder","title":"Come at once"}"#)
        shell.importing(Self.life + held)
        try shell.makeDirectory("copy")
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.path("events/log"))
            .filter { $0.hasSuffix(".segment") || $0 == "durable" }
        for name in names { try shell.write(Array(shell.read("events/log/\(name)")), to: "copy/\(name)") }
        #expect(shell.belfry("erase", "--user", "anna@home", "--yes").code == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: shell.path("events/log"))
        where name.hasSuffix(".snapshot") || name.hasSuffix(".segment") {
            try shell.remove("events/log/\(name)")
        }
        for name in names { try shell.write(Array(shell.read("copy/\(name)")), to: "events/log/\(name)") }
        #expect(shell.belfry("verify").code == 0)
        let tried = shell.belfry("run-now", "--dry-run")
        #expect(tried.code == 0 && !tried.output.contains("erased"), "\(tried.output)")
        if first == ["run"] {
            let worker = shell.start(first)
            try worker.expectReady()
            #expect(WorkerDoor(shell).append(fact("app_opened", user: "bob"))?.status == 200)
            worker.expectStopped()
        } else {
            let told = shell.belfry(
                first, input: Array((first == ["append"] ? fact("app_opened", user: "bob") : "").utf8))
            #expect(told.code == 0 && told.errors.contains("of the erasure of 1 person"), "\(told.errors)")
        }
        let log = shell.belfry("log").output
        #expect(log.contains(#""type":"person_erased","user":"[erased 1]""#), "\(log)")
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
        #expect(shell.belfry("audit").output.contains("0 violations"))
        #expect(found(in: "events/log") == [])
        // Once is enough.
        #expect(shell.belfry("run-now").errors == "")
    }

    /// The runbook's copy, put back where somebody was erased who came after it: the next to come has their number.
    @Test(arguments: [false, true])
    func `a copy of before takes new people as the log did`(isRunning: Bool) throws {
        shell.importing(Self.life)
        try shell.makeDirectory("copy")
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.path("events/log"))
            .filter { $0.hasSuffix(".segment") || $0 == "durable" }
        for name in names { try shell.write(Array(shell.read("events/log/\(name)")), to: "copy/\(name)") }
        func come(_ users: [String]) -> String {
            users.map { fact("user_enrolled", user: $0, data: #"{"timezone":"UTC","name":"\#($0)"}"#) }.joined()
        }
        #expect(shell.belfry(["append"], input: Array(come(["dan", "eve"]).utf8)).code == 0)
        #expect(shell.belfry("erase", "--user", "dan", "--yes").code == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: shell.path("events/log"))
        where name.hasSuffix(".snapshot") || name.hasSuffix(".segment") {
            try shell.remove("events/log/\(name)")
        }
        for name in names { try shell.write(Array(shell.read("copy/\(name)")), to: "events/log/\(name)") }
        if isRunning {
            let worker = shell.start(["run"])
            try worker.expectReady()
            #expect(WorkerDoor(shell).append(come(["fay", "gus"]))?.status == 200)
            worker.expectStopped()
        } else {
            let told = shell.belfry(["append"], input: Array(come(["fay", "gus"]).utf8))
            #expect(told.code == 0, "\(told)")
        }
        let state = shell.belfry("state", "--user", "gus", "--json")
        #expect(state.code == 0 && state.output.contains(#""name":"gus""#), "\(state)")
        #expect(shell.belfry("state", "--user", "anna@home").code == 0, "those before keep their keys")
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
    }

    @Test func `in the partition where they are`() throws {
        let worker = shell.start(["run", "--jobs", "spool:spool", "--partitions", "3"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(door.append(Self.life.replacing(/,"at":"[^"]*"/, with: ""))?.status == 200)
        #expect(shell.belfry("erase", "--user", "anna@home", "--yes").code == 0)
        #expect(worker.complaint(of: "a snapshot was taken") != nil)
        #expect(found(in: "events/log") == [])
        #expect(door.get("v1/people/bob/state")?.status == 200)
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(shell.belfry("verify").code == 0)
    }

    // MARK: What else knew them

    private static let enrolled = fact("user_enrolled", user: "anna@home", data: #"{"timezone":"UTC"}"#)

    private func token(of user: String, _ door: WorkerDoor) throws -> String {
        let made = try #require(door.post("v1/people/\(user)/tokens", "{}"))
        return try #require(try Printed(made.text)["token"])
    }

    @Test(arguments: [[], ["--partitions", "3"]], [true, false])
    func `E4: no token of theirs is good for whoever has their id next`(more: [String], hasWorker: Bool) throws {
        let words = ["run"] + more + (try shell.listening())
        var worker = shell.start(words)
        var port = WorkerPort(try worker.port())
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(door.append(Self.life.replacing(/,"at":"[^"]*"/, with: ""))?.status == 200)
        let (hers, his) = (try token(of: "anna@home", door), try token(of: "bob", door))
        #expect(try port.get("v1/me", token: hers).status == 200)
        if !hasWorker { worker.expectStopped() }
        let erased = shell.belfry("erase", "--user", "anna@home", "--yes")
        #expect(erased.code == 0 && erased.output.contains("removed    their tokens"), "\(erased.output)")
        if hasWorker { worker.expectStopped() }

        worker = shell.start(words)
        port = WorkerPort(try worker.port())
        try worker.expectReady()
        #expect(door.append(Self.enrolled)?.status == 200)
        #expect(try port.get("v1/me", token: hers).status == 401)
        #expect(try port.get("v1/me", token: try token(of: "anna@home", door)).status == 200)
        #expect(try port.get("v1/me", token: his).status == 200)
        worker.expectStopped()
        // A backup of before, or no file at all.
        try shell.remove("events/log/person-tokens.revoked")
        worker = shell.start(words)
        port = WorkerPort(try worker.port())
        #expect(worker.complaint(of: "the tokens of all persons were") != nil)
        try worker.expectReady()
        for token in [hers, his] { #expect(try port.get("v1/me", token: token).status == 401) }
        #expect(try port.get("v1/me", token: try token(of: "bob", door)).status == 200)
        worker.expectStopped()
    }

    @Test func `a what-if that is over names them no more`() throws {
        let worker = shell.start(["run"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        for user in ["anna@home", "bob"] {
            let told =
                fact("user_enrolled", user: user, data: #"{"timezone":"\#(Noon.zone)"}"#)
                + fact("notice_requested", user: user, data: #"{"kind":"urgent","title":"Look"}"#)
            #expect(door.append(told)?.status == 200)
        }
        let begun = try #require(door.post("v1/what-if", #"{"policy":"coachme"}"#))
        let id = try #require(try Printed(begun.text)["id"])
        var told = try #require(door.get("v1/what-if/\(id)")).text
        try waitForOthers {
            told = try #require(door.get("v1/what-if/\(id)")).text
            return !told.contains(#""state":"running""#)
        }
        #expect(told.contains("anna@home") && told.contains("bob"), "\(told)")
        #expect(door.post("v1/people/anna@home/erase", #"{"user":"anna@home"}"#)?.status == 200)
        told = try #require(door.get("v1/what-if/\(id)")).text
        #expect(!told.contains("anna") && told.contains("bob"), "\(told)")
        worker.expectStopped()
    }

    /// A file that is open lies on the disk, whatever became of its name.
    @Test func `no snapshot that names them stays open where the log is followed (E1)`() throws {
        shell.importing(Self.life)
        #expect(shell.belfry("snapshot").code == 0)
        let worker = shell.start(["run"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let client = RawClient(port: port).send(
            "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(WorkerPort.token)\r\n"
                + "Accept: text/event-stream\r\n\r\n")
        _ = client.received(until: "retry: 1000\n\n")
        func follow(_ id: String) {
            #expect(door.append(fact("app_opened", user: "bob", id: id))?.status == 200)
            #expect(client.received(until: #""id":"\#(id)""#).contains(id))
        }
        func open() throws -> [String] {
            let directory = "/proc/\(worker.process)/fd"
            return try FileManager.default.contentsOfDirectory(atPath: directory)
                .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)") }
        }
        follow("before")
        #expect(try open().contains { $0.contains("/index.snapshot") })
        #expect(door.post("v1/people/anna@home/erase", #"{"user":"anna@home"}"#)?.status == 200)
        #expect(worker.complaint(of: "a snapshot was taken") != nil)
        // The tail comes to the third behind the turn in which it took the new index.
        for id in ["first", "second", "third"] { follow(id) }
        let now = try open()
        #expect(!now.contains { $0.contains(".snapshot") && $0.hasSuffix("(deleted)") }, "\(now)")
        worker.expectStopped()
    }

    @Test func `who has their feed open is told to forget it, and hears nothing of whoever has their id next`() throws {
        let worker = shell.start(["run"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let told =
            Self.enrolled + fact("notice_requested", user: "anna@home", data: #"{"kind":"urgent","title":"Look"}"#)
        #expect(door.append(told)?.status == 200)
        let client = RawClient(port: port).send(
            "GET /v1/people/anna@home/feed HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(WorkerPort.token)\r\n"
                + "Accept: text/event-stream\r\n\r\n")
        #expect(client.received(until: "event: badge").contains("200 OK"))
        #expect(door.post("v1/people/anna@home/erase", #"{"user":"anna@home"}"#)?.status == 200)
        #expect(door.append(told)?.status == 200)
        // Until then it may have been told that the notice was handed over.
        let rest = client.received()
        let cleared = try #require(rest.range(of: "event: cleared\ndata: {}\n\n"), "\(rest)")
        #expect(!rest[cleared.upperBound...].contains("event: item"), "\(rest)")
        worker.expectStopped()
    }
}
