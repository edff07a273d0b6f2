import CivilTime
import Journal
import Notices
import Testing

/// However many cores go over a log, they come to what one core comes to, byte for byte.
@Suite("--cores")
struct CoresTests {
    private let shell = Shell()

    /// The commands that go over a whole log.
    private static let commands = [
        ["replay"], ["replay", "--verify"], ["replay", "--verify", "--json"],
        ["replay", "--to", "2026-03-03T12:00:00Z"],
        ["audit"], ["audit", "--json"],
        ["what-if", "--policy", "coachme"], ["what-if", "--policy", "standard", "--json"],
        ["what-if", "--policy", "coachme", "--json", "--from", "2026-03-02T12:30:00Z", "--to", "2026-03-04T00:00:00Z"],
    ]

    private func expectSameOnAll(_ code: Int32, of commands: [[String]] = commands, _ log: String = "events/log") {
        for command in commands {
            let alone = shell.belfry(command + ["--cores", "1", "--data", log], input: [])
            #expect(alone.code == code, "\(command) \(alone.errors)")
            for cores in ["2", "3", "8"] {
                let outcome = shell.belfry(command + ["--cores", cores, "--data", log], input: [])
                #expect(outcome.code == alone.code, "\(command) \(cores)")
                #expect(outcome.output == alone.output, "\(command) \(cores)")
                #expect(outcome.errors == alone.errors, "\(command) \(cores)")
            }
        }
    }

    /// Five people who do the same at the same instants, so that commits and wakes are of several; a run for all, and another
    /// policy on the second day.
    private func crowd() -> String {
        var facts: [String] = []
        let zones = ["Europe/Paris", "America/New_York", "Asia/Tokyo", "Europe/Paris", "UTC"]
        func all(_ type: String, _ at: String, _ data: String) {
            for person in zones.indices { facts.append(fact(type, user: "p\(person)", at: at, data: data)) }
        }
        for (person, zone) in zones.enumerated() {
            facts.append(
                fact("user_enrolled", user: "p\(person)", at: monday("08:00:00"), data: #"{"timezone":"\#(zone)"}"#))
        }
        all("goal_started", monday("08:01:00"), #"{"goal":"g","title":"Run"}"#)
        all("notice_requested", monday("08:02:00"), #"{"kind":"reminder","title":"Water"}"#)
        all("preferences_changed", monday("09:00:00"), #"{"patch":{"digest_mode":true,"check_in_time":"21:15"}}"#)
        all("notice_requested", monday("09:30:00"), #"{"kind":"reminder","title":"Bread"}"#)
        facts.append(fact("run_requested", user: nil, at: monday("12:00:00"), data: #"{"kind":"check_in"}"#))
        facts.append(
            fact("run_requested", user: "p2", at: monday("13:00:00"), data: #"{"kind":"check_in","force":true}"#))
        all("points_earned", monday("15:00:00"), #"{"points":5}"#)
        facts.append(shell.adoption(of: "microcommit", at: tuesday("10:00:00")))
        all("checked_in", tuesday("18:00:00"), #"{"goal":"g"}"#)
        return facts.joined()
    }

    @Test func `a crowd under two policies`() {
        shell.importing(crowd(), until: "2026-03-06T00:00:00Z")
        expectSameOnAll(0)
    }

    @Test func `with somebody erased, and somebody new of the same name`() {
        shell.importing(crowd(), until: "2026-03-06T00:00:00Z")
        #expect(shell.belfry("erase", "--user", "p3", "--yes").code == 0)
        #expect(
            shell.belfry("append", input: fact("user_enrolled", user: "p3", data: #"{"timezone":"UTC"}"#)).code == 0)
        expectSameOnAll(0)
    }

    @Test func `where a decision does not follow, the first is the same`() throws {
        try shell.writeLog([
            ("2026-03-02T10:00:00.000Z", "anna", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
            ("2026-03-02T10:00:01.000Z", "bob", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
            (
                "2026-03-02T10:00:02.000Z", "bob", "notice_dropped",
                #"{"notice":"bob/reminder/#2","kind":"reminder","reason":"expired"}"#
            ),
            (
                "2026-03-02T10:00:03.000Z", "anna", "notice_dropped",
                #"{"notice":"anna/reminder/#1","kind":"reminder","reason":"expired"}"#
            ),
        ])
        expectSameOnAll(1, of: [["replay", "--verify"], ["audit"], ["audit", "--json"]])
        #expect(shell.belfry("replay", "--verify").errors.contains("the first difference is at event 3"))
    }

    @Test func `a history is read ahead, with what is wrong in it`() throws {
        let crowd = crowd().split(separator: "\n").joined(separator: "\n \nno JSON\n") + "\n"
        try shell.write(crowd, to: "crowd.jsonl")
        let alone = shell.belfry("simulate", "crowd.jsonl", "--policy", "standard", "--facts", "--cores", "1")
        #expect(alone.code == 3 && alone.lines.count > 50 && alone.errorLines.count > 30)
        for cores in ["1", "2", "3", "8"] {
            let outcome = shell.belfry("simulate", "crowd.jsonl", "--policy", "standard", "--facts", "--cores", cores)
            #expect(
                (outcome.code, outcome.output, outcome.errors) == (alone.code, alone.output, alone.errors), "\(cores)")
            let log = shell.belfry(
                "import", "crowd.jsonl", "--policy", "standard", "--data", "log\(cores)", "--cores", cores)
            #expect(log.code == 3)
        }
        #expect(Set(["1", "2", "3", "8"].map { shell.belfry("log", "--data", "log\($0)").output }).count == 1)
    }

    /// Enough for many batches, of which the last is not full.
    @Test func `a long history is printed and written in order, to its last decision`() throws {
        var facts = (0..<150).map {
            fact("user_enrolled", user: "p\($0)", at: monday("08:00:00"), data: #"{"timezone":"Europe/Paris"}"#)
        }
        for minute in 10..<20 {
            facts += (0..<150).map {
                fact(
                    "notice_requested", user: "p\($0)", at: monday("09:\(minute):00"),
                    data: #"{"kind":"reminder","title":"Water"}"#)
            }
        }
        try shell.write(facts.joined(), to: "long.jsonl")
        let ends = ["--policy", "standard", "--until", "2026-03-05T00:00:00Z"]
        let alone = shell.belfry(["simulate", "long.jsonl", "--cores", "1"] + ends, input: [])
        #expect(alone.code == 0 && alone.lines.count > 1000)
        let events = try (1...3).map { cores in
            let outcome = shell.belfry(["simulate", "long.jsonl", "--cores", "\(cores)"] + ends, input: [])
            #expect((outcome.code, outcome.output, outcome.errors) == (0, alone.output, alone.errors), "\(cores)")
            let data = ["--data", "long\(cores)"]
            let made = shell.belfry(["import", "long.jsonl", "--cores", "\(cores)"] + data + ends, input: [])
            #expect(made.code == 0)
            let replayed = shell.belfry(["replay", "--verify"] + data, input: [])
            #expect(replayed.code == 0)
            let count = try #require(made.lines.first?.split(separator: " ").first)
            #expect(replayed.lines.first?.hasPrefix("\(count) events") == true)
            return shell.belfry(["log"] + data, input: []).output
        }
        #expect(Set(events).count == 1)
    }

    @Test func `who has read enough of a simulation ends it, on however many cores`() throws {
        try shell.write(crowd(), to: "crowd.jsonl")
        for cores in ["1", "2"] {
            let command = "simulate crowd.jsonl --policy standard --until 9999-12-31T00:00:00Z --cores \(cores)"
            // Eight thousand years take a core far longer.
            let outcome = shell.bash("ulimit -t 10; \"$BELFRY\" \(command) | head -1; echo ${PIPESTATUS[0]}")
            #expect(outcome.lines.count == 2 && outcome.lines.last == "0", "\(outcome)")
        }
    }

    /// §2: neither of the cores that know one of the two can see it.
    @Test func `an id that two people's facts have is found`() throws {
        try shell.writeLog(events: 1...1, people: 9)
        let journal = try Journal(
            shell.path("events/log"), on: RealDisk(), holder: "this test", options: JournalOptions())
        let events = [(UInt64(2), "u1"), (3, "u2")].map { seq, user in
            Event(seq: seq, at: .farFuture, user: user, id: "twice", payload: .appOpened(AppOpened()))
        }
        try journal.append(events, at: .farFuture)
        try journal.commit()
        try journal.close()
        expectSameOnAll(1, of: [["audit"], ["audit", "--json"]])
    }

    @Test func `a log that is damaged is damaged at the same place`() throws {
        try shell.writeLog(events: 1...60, people: 7)
        let segment = try #require(shell.segments(of: "events/log").first)
        try shell.edit(segment) { $0[$0.count / 2] ^= 0x40 }
        expectSameOnAll(4)
    }

    @Test(arguments: ["0", "-1", "many", "100000"]) func `a number of cores that is none is refused`(word: String) {
        let outcome = shell.belfry("replay", "--cores", word)
        #expect(outcome.code == 2 && outcome.errors.contains("--cores takes a number from 1 to 256"))
    }
}
