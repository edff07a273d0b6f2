import Delivery
import Foundation
import Testing

/// One directory with a log for each partition (`M1`, `M6`, `M7`).
@Suite("Partitions over local disks")
struct PartitionTests {
    let shell = Shell()

    private func worker(_ words: String...) throws -> Running { try worker(words) }

    private func worker(_ words: [String]) throws -> Running {
        let worker = shell.start(["run", "--jobs", "spool:spool"] + words)
        try worker.expectReady()
        return worker
    }

    private func enrolled(_ names: ClosedRange<Int>) -> String {
        names.map { fact("user_enrolled", user: "u\($0)", id: "e\($0)", data: #"{"timezone":"\#(Noon.zone)"}"#) }
            .joined()
    }

    private func lines(_ path: String) throws -> [Printed] {
        let answer = try #require(WorkerDoor(shell).get(path))
        return try answer.text.split(separator: "\n").map { try Printed(String($0)) }
    }

    private func log(_ partition: String) -> [String] {
        shell.belfry("log", "--partition", partition).lines
    }

    // MARK: Dealing out

    @Test func `facts go to the log of whom they are about, and are answered line by line`() throws {
        let worker = try worker("--partitions", "4")
        let answer = try #require(WorkerDoor(shell).append(enrolled(1...20) + "no fact\n" + fact(user: "u3")))
        let told = try Printed(answer.text)
        #expect(answer.status == 400 && told["accepted"] == "21" && told["refused"] == "1")
        #expect(told.count("results") == 22 && told["results.20.refused"] != nil)
        let events = try lines("v1/events?type=user_enrolled")
        #expect(events.count == 20)
        for (place, line) in (1...20).enumerated() {
            let user = "u\(line)"
            let event = try #require(events.first { $0["user"] == user })
            #expect(event["partition"] == told["results.\(place).partition"])
            #expect(event["seq"] == told["results.\(place).seq"])
            // Where FORMAT.md says.
            #expect(event["partition"] == "\(Self.partition(of: user, among: 4))")
        }
        #expect(Set(events.compactMap { $0["partition"] }).count == 4)
        let again = try Printed(try #require(WorkerDoor(shell).append(enrolled(7...7))).text)
        #expect(again["results.0.duplicate_of"] == told["results.6.seq"])
        worker.expectStopped()
    }

    @Test func `a run that is passed on is of the partitions it names, and says so where one has left`() throws {
        let worker = try worker(["--partitions", "4"] + shell.listening())
        let port = WorkerPort(try worker.port())
        #expect(try port.append(enrolled(1...20)).status == 200)
        func run(_ partitions: String) throws -> HTTPAnswer {
            let order = #"{"kind":"check_in","force":true,"partitions":\#(partitions)}"#
            return try port.ask(
                .post, "v1/run-now", WorkerPort.token, Array(order.utf8),
                headers: [("Content-Type", "application/json"), ("Belfry-Passed-On", "1")])
        }
        // As if 7 had gone to another worker after whoever passed it on had looked.
        let gone = try run("[1,7]")
        #expect(gone.status == 503 && gone.headers["Belfry-Not-Here"] != nil)
        #expect(shell.belfry("log", "--partition", "1", "--type", "job_emitted").lines == [])
        #expect(try run("[1]").status == 200)
        let members = (1...20).count { Self.partition(of: "u\($0)", among: 4) == 1 }
        for partition in 0..<4 {
            let jobs = shell.belfry("log", "--partition", "\(partition)", "--type", "job_emitted").lines
            #expect(jobs.count == (partition == 1 ? members : 0))
        }
        worker.expectStopped()
    }

    /// By the words of FORMAT.md, and not by the code that is tested.
    private static func partition(of user: String, among count: UInt64) -> UInt64 {
        var x: UInt64 = 14_695_981_039_346_656_037
        for byte in user.utf8 {
            x ^= UInt64(byte)
            x = x &* 1_099_511_628_211
        }
        x ^= x >> 30
        x = x &* 0xBF58_476D_1CE4_E5B9
        x ^= x >> 27
        x = x &* 0x94D0_49BB_1331_11EB
        x ^= x >> 31
        return x % count
    }

    @Test func `all or nothing holds within one partition, and over several is refused with why`() throws {
        let worker = try worker("--partitions", "4")
        let door = WorkerDoor(shell)
        let (one, other) = (
            "u1",
            (2...20).map { "u\($0)" }.first { Self.partition(of: $0, among: 4) != Self.partition(of: "u1", among: 4) }
                ?? ""
        )
        let both = shell.belfry("append", "--all-or-nothing", input: fact(user: one) + fact(user: other))
        #expect(both.code == 3 && both.errors.contains("all or nothing holds within one partition"), "\(both)")
        #expect(door.health()?["people"] == "0")
        #expect(shell.belfry("append", "--all-or-nothing", input: fact(user: one) + fact(user: one)).code == 0)
        let half = shell.belfry(
            "append", "--all-or-nothing", input: fact(user: one) + fact(user: one, id: "everyone:7"))
        #expect(half.code == 3 && half.errors.contains("are Belfry's own"), "\(half)")
        worker.expectStopped()
        let alone = shell.belfry("append", "--all-or-nothing", input: fact(user: one) + fact(user: other))
        #expect(alone.code == 3 && alone.errors.contains("all or nothing holds within one partition"), "\(alone)")
    }

    @Test func `of a first start that was cut off it is said how it is made whole`() throws {
        try shell.makeDirectory("events/log")
        try shell.write("belfry-partitions 1\ncount 3\n", to: "events/log/partitions")
        for words in [["verify"], ["replay", "--verify"]] {
            let told = shell.belfry(words, input: [])
            #expect(told.code == 5 && told.errors.contains("there is no log in events/log/"), "\(told)")
            #expect(told.errors.contains("`belfry run --data events/log` makes what is missing"), "\(told)")
        }
        try worker("--partitions", "3").expectStopped()
        #expect(shell.belfry("verify").code == 0)
        // All of them were opened before anything was written to any.
        try FileManager.default.removeItem(atPath: shell.path("events/log/1"))
        for words in [["verify"], ["run"]] {
            let told = shell.belfry(words, input: [])
            #expect(told.code == 4 && told.errors.contains("the log of everyone is there"), "\(told)")
        }
    }

    @Test func `nobody is begun in one partition by hand, who may belong to another`() throws {
        try shell.makeDirectory("town")
        try shell.write("belfry-partitions 1\ncount 4\n", to: "town/partitions")
        let anna = fact("user_enrolled", user: "anna", data: #"{"timezone":"UTC"}"#)
        for command in [["append"], ["erase", "--user", "anna", "--yes"], ["run"]] {
            let outcome = shell.belfry(command + ["--data", "town/2"], input: Array(anna.utf8))
            #expect(outcome.code == 2, "\(command): \(outcome)")
            #expect(outcome.errors.contains("town/2 is one of the 4 partitions of town; name town"))
        }
        #expect(shell.names(in: "town") == ["partitions"])
    }

    /// What would be written there the database does not know, and the worker would not start any more.
    @Test func `nothing is written in one log of a stopped worker's copy`() throws {
        try shell.makeDirectory("copy")
        try shell.write("belfry-cluster 1\nid 0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a\ncount 4\n", to: "copy/cluster")
        for data in ["copy", "copy/2", "copy/everyone"] {
            for command in [["append"], ["erase", "--user", "anna", "--yes"], ["import", "-"], ["run"]] {
                let outcome = shell.belfry(command + ["--data", data], input: [])
                #expect(outcome.errors.contains("copy is a copy of a cluster's logs"), "\(command) \(data): \(outcome)")
                #expect([2, 5].contains(outcome.code))
            }
        }
        #expect(shell.names(in: "copy") == ["cluster"])
    }

    @Test func `the number of partitions is fixed with the directory`() throws {
        try worker("--partitions", "3").expectStopped()
        try worker().expectStopped()
        try worker("--partitions", "3").expectStopped()
        for count in ["2", "4", "1"] {
            let refused = shell.belfry("run", "--partitions", count)
            #expect(refused.code == 2 && refused.errors.contains("has 3 partitions, and always will"), "\(refused)")
        }
        #expect(
            shell.belfry("run", "--partitions", "0").code == 2 && shell.belfry("run", "--partitions", "65").code == 2)
        #expect(shell.belfry("append", "--data", "one", input: fact()).code == 0)
        let single = shell.belfry("run", "--partitions", "2", "--data", "one")
        #expect(single.code == 2 && single.errors.contains("holds one log of everybody"), "\(single)")
        #expect(shell.belfry("verify", "--data", "one", "--partition", "0").code == 2)
        for (command, partition) in [("log", "3"), ("verify", "everyone")] {
            let nowhere = shell.belfry(command, "--partition", partition, "--data", "nowhere")
            #expect(nowhere.code == 5 && nowhere.errors.contains("there is no log in nowhere"), "\(nowhere)")
        }
        try shell.write("belfry-partitions 1\ncount x\n", to: "events/log/partitions")
        #expect(shell.belfry("verify").code == 4)
    }

    // MARK: Everyone

    private func adoption(_ policy: String, id: String) -> String {
        fact(
            "policy_adopted", user: nil, id: id,
            data: #"{"policy":\#(shell.belfry("policy", "show", policy, "--json").lines.first ?? "")}"#)
    }

    private func adopted(_ partition: String) -> [String] {
        log(partition).compactMap { try? Printed($0) }.filter { $0["type"] == "policy_adopted" }
            .map { "\($0["id"] ?? "-") \($0["data.policy.name"] ?? "-")" }
    }

    @Test func `a fact about everyone is in a log of its own, and in each partition in the same order`() throws {
        let worker = try worker("--partitions", "3")
        // Somebody's fact has the same id: it is another log's, and keeps no partition from the policy.
        #expect(WorkerDoor(shell).append((1...9).map { fact(user: "u\($0)", id: "same") }.joined())?.status == 200)
        let batch = enrolled(1...9) + adoption("coachme", id: "same") + adoption("screentime", id: "p2")
        let told = try Printed(try #require(WorkerDoor(shell).append(batch)).text)
        #expect(told["results.9.partition"] == "-1" && told["refused"] == "0")
        let everyone = adopted("everyone")
        #expect(everyone.map { $0.split(separator: " ").last } == ["standard", "coachme", "screentime"])
        let copies = try #require(told["results.9.seq"].flatMap { Int($0) })
        for partition in 0...2 {
            #expect(
                adopted("\(partition)").suffix(2) == [
                    "everyone:\(copies) coachme", "everyone:\(copies + 1) screentime",
                ])
        }
        let again = try Printed(try #require(WorkerDoor(shell).append(adoption("coachme", id: "same"))).text)
        #expect(again["results.0.duplicate_of"] == "\(copies)")
        #expect(try Printed(try #require(WorkerDoor(shell).get("v1/policy")).text).text.contains("screentime"))
        worker.expectStopped()
        let replayed = shell.belfry("replay", "--verify")
        #expect(replayed.code == 0 && replayed.lines.last?.hasSuffix(", 0 differ") == true, "\(replayed)")
    }

    @Test func `a partition that lacks what was told everyone gets it before anything else`() throws {
        try worker("--partitions", "3").expectStopped()
        // As a crash between the two would leave it: the log of everyone is written to by itself.
        let told = shell.belfry(
            ["append", "--data", "events/log/everyone"], input: Array(adoption("coachme", id: "a").utf8))
        #expect(told.code == 0, "\(told.errors)")
        #expect(shell.belfry("append", input: enrolled(1...9)).code == 0)
        for partition in ["0", "1", "2"] {
            let types = log(partition).compactMap { try? Printed($0)["type"] }
            #expect(Array(types.prefix(3)) == ["worker_started", "policy_adopted", "policy_adopted"], "\(types)")
        }
        #expect(
            shell.belfry(["append", "--data", "events/log/everyone"], input: Array(adoption("standard", id: "b").utf8))
                .code
                == 0)
        let worker = try worker()
        #expect(WorkerDoor(shell).append(fact(user: "u1"))?.status == 200)
        for partition in ["0", "1", "2"] {
            #expect(adopted(partition).map { $0.split(separator: " ").last } == ["standard", "coachme", "standard"])
        }
        worker.expectStopped()
    }

    @Test func `a log of everyone that is older than a partition is noticed, and nothing goes on`() throws {
        try worker("--partitions", "2").expectStopped()
        _ = shell.bash("cp -a events/log/everyone older")
        #expect(shell.belfry("append", input: adoption("coachme", id: "a")).code == 0)
        _ = shell.bash("rm -r events/log/everyone && mv older events/log/everyone")
        for words in [["append"], ["run"]] {
            let end = shell.belfry(words, input: Array(adoption("screentime", id: "b").utf8))
            try #require(end.code == 4 && end.errors.contains("the log of everyone is older than it"), "\(end.errors)")
        }
        #expect(adopted("0").last?.hasSuffix(" coachme") == true && adopted("1").last?.hasSuffix(" coachme") == true)
    }

    // MARK: Everybody

    @Test func `run-now, people, stats and the agenda are of everybody`() throws {
        let worker = try worker("--partitions", "3")
        #expect(shell.belfry("append", input: enrolled(1...12)).code == 0)
        let dry = shell.belfry("run-now", "--kind", "check_in", "--force", "--dry-run")
        #expect(dry.lines.last == "12 jobs", "\(dry)")
        let run = shell.belfry(
            "run-now", "--kind", "check_in", "--force", "--user", "u1", "--user", "u2", "--user", "u3")
        #expect(run.lines.last == "3 jobs", "\(run)")
        let rest = shell.belfry("run-now", "--kind", "check_in", "--force", "--json")
        #expect(rest.lines.count == 12 || rest.lines.count == 9, "\(rest)")
        var (met, after): (Set<String>, String?) = ([], nil)
        for _ in 0..<3 {
            let page = shell.belfry(
                ["people", "--limit", "5", "--json"] + (after.map { ["--after", $0] } ?? []), input: [])
            let users = try page.lines.map { try #require(try Printed($0)["user"]) }
            #expect(met.isDisjoint(with: users))
            met.formUnion(users)
            after = users.last
        }
        #expect(met.count == 12)
        let beside = shell.belfry("stats")
        let now = try Printed(try #require(WorkerDoor(shell).get("v1/now")).text)
        #expect(now["people"] == "12")
        let agenda = try #require(WorkerDoor(shell).get("v1/agenda?hours=168"))
        #expect(agenda.status == 200 && agenda.text.contains("check_in"))
        worker.expectStopped()
        #expect(shell.belfry("stats").lines.last == beside.lines.last && beside.output.contains("people       12"))
        #expect(shell.belfry("people").lines.count == 12)
        let doctor = shell.belfry("doctor")
        #expect(doctor.lines.count { $0.contains("events/log/") } >= 4, "\(doctor)")
        let verified = shell.belfry("verify", "--json")
        #expect(try verified.lines.map { try Printed($0)["partition"] } == ["-1", "0", "1", "2"])
        #expect(shell.belfry("audit").code == 0 && shell.belfry("log").code == 2)
        #expect(shell.names(in: "spool").count { $0.hasSuffix(".json") } >= 12)
    }

    @Test func `a stream of all partitions goes on where it was, with nothing lost or twice`() throws {
        let worker = try worker("--partitions", "3")
        #expect(WorkerDoor(shell).append(enrolled(1...9))?.status == 200)
        let door = WorkerDoor(shell)
        let whole = try #require(door.get("v1/events?follow=false&type=user_enrolled", accepting: "text/event-stream"))
            .text
        let ids = whole.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
        #expect(ids.count == 9 && ids.allSatisfy { $0.split(separator: ".").count == 3 })
        #expect(door.append(enrolled(10...15))?.status == 200)
        for (place, id) in ids.enumerated() {
            let rest = try lines("v1/events?type=user_enrolled&after=\(id)").compactMap { $0["user"] }
            #expect(rest.count == 15 - place - 1 && Set(rest).count == rest.count, "after \(id): \(rest)")
        }
        #expect(try lines("v1/events?type=user_enrolled&limit=4").count == 4)
        #expect(door.get("v1/events?after=1.1")?.status == 400 && door.get("v1/events?from=2")?.status == 400)
        #expect(door.get("v1/events?after=999.1.1")?.status == 400)
        let own = try #require(door.get("v1/events?partition=1&from=1")).text
        #expect(own.split(separator: "\n").map(String.init) == log("1"))
        #expect(door.get("v1/events/1")?.status == 400 && door.get("v1/events/1?partition=2")?.status == 200)
        let heads = try Printed(try #require(door.get("v1/log/head")).text)
        #expect(heads.count("partitions") == 4 && heads["partitions.0.partition"] == "-1")
        worker.expectStopped()
    }

    @Test
    func `pages of all partitions go back to the first event, and a person's state says whose numbers theirs are`()
        throws
    {
        let worker = try worker("--partitions", "3")
        let door = WorkerDoor(shell)
        #expect(door.append(enrolled(1...40))?.status == 200)
        let all = try lines("v1/events").map(\.text)
        var (seen, cursor, pages): ([String], [Int], Int) = ([], [], 0)
        let heads = try Printed(try #require(door.get("v1/log/head")).text)
        cursor = (1...3).map { (heads["partitions.\($0).seq"].flatMap { Int($0) } ?? 0) + 1 }
        while cursor.contains(where: { $0 > 1 }), pages < 40 {
            let page = try lines("v1/events?backlog=12&before=\(cursor.map(String.init).joined(separator: "."))")
            #expect(page.count <= 12 && !page.isEmpty)
            seen += page.map(\.text)
            for event in page {
                let (partition, seq) = (Int(event["partition"] ?? "") ?? 0, Int(event["seq"] ?? "") ?? 0)
                cursor[partition] = min(cursor[partition], seq)
            }
            pages += 1
        }
        #expect(seen.sorted() == all.sorted() && pages > 3)
        for query in ["before=1.1", "before=1", "before=1.1.1&follow=true", "before=2.2.2&user=u1"] {
            #expect(door.get("v1/events?\(query)")?.status == 400, "\(query)")
        }
        for user in ["u1", "u7"] {
            let state = try Printed(try #require(door.get("v1/people/\(user)/state")).text)
            #expect(state["partition"] == "\(Self.partition(of: user, among: 3))")
        }
        #expect(try Printed(try #require(door.get("v1/policy")).text)["partition"] == "-1")
        worker.expectStopped()
        // Without a worker the logs say the same.
        let told = try Printed(shell.belfry("state", "--user", "u7", "--json").output)
        #expect(told["partition"] == "\(Self.partition(of: "u7", among: 3))")
    }

    // MARK: As one log would

    @Test func `a what-if over partitions says what it says of one log`() throws {
        let hours = (0..<24).map { String(format: "%02d", $0) }
        var people: [Int: String] = [:]
        var all = ""
        let adoption = shell.adoption(of: "standard", at: monday("00:00:00"))
        for hour in hours {
            for user in 1...8 {
                let type = hour == "00" ? "user_enrolled" : "notice_requested"
                let data = hour == "00" ? #"{"timezone":"Europe/Paris"}"# : #"{"kind":"alert","title":"A"}"#
                let line = fact(type, user: "u\(user)", at: monday("\(hour):\(10 + user):00"), data: data)
                people[Int(Self.partition(of: "u\(user)", among: 3)), default: ""] += line
                all += line
            }
        }
        func importing(_ history: String, to data: String, until: String) {
            let done = shell.belfry(
                ["import", "-", "--until", until, "--data", data], input: Array((adoption + history).utf8))
            #expect(done.code == 0, "\(done.errors)")
        }
        importing(all, to: "one", until: tuesday("00:00:00"))
        try shell.makeDirectory("three")
        try shell.write("belfry-partitions 1\ncount 3\n", to: "three/partitions")
        for partition in 0...2 {
            importing(people[partition] ?? "", to: "three/\(partition)", until: tuesday("00:00:00"))
        }
        importing("", to: "three/everyone", until: tuesday("00:00:00"))
        for words in [
            ["what-if", "--policy", "microcommit"], ["what-if", "--policy", "coachme", "--from", monday("12:00:00")],
            ["stats"], ["stats", "--by", "kind", "--csv"],
        ] {
            let one = shell.belfry(words + ["--data", "one"], input: [])
            let three = shell.belfry(words + ["--data", "three"], input: [])
            // Events have other numbers, of a partition's own.
            let numbers = /as event [0-9]+( of partition [0-9])?/
            let told = [one, three].map { $0.output.replacing(numbers, with: "as event") }
            #expect(one.code == 0 && told[0] == told[1], "\(words): \(one) \(three)")
        }
        let decisions = { (data: [String]) in
            shell.belfry(["log", "--type", "job_emitted"] + data, input: []).lines.compactMap {
                try? Printed($0)["data.job"]
            }
        }
        let parts = (0...2).flatMap { decisions(["--data", "three", "--partition", "\($0)"]) }
        func nameless(_ jobs: [String]) -> [String] { jobs.map { String($0.split(separator: "#")[0]) }.sorted() }
        #expect(nameless(decisions(["--data", "one"])) == nameless(parts) && !parts.isEmpty)
    }
}
