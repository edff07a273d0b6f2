import Foundation
import Testing

@Suite("belfry simulate")
struct SimulateTests {
    let shell = Shell()

    private func simulate(_ history: String, _ words: String...) -> Outcome {
        shell.belfry(["simulate", "-", "--policy", "standard"] + words, input: Array(history.utf8))
    }

    // MARK: What is printed

    @Test func `every decision is a line of JSON, numbered together with the facts`() throws {
        let outcome = simulate(Histories.anna)
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(
            try outcome.events().map { "\($0.seq) \($0.type) \($0.at)" } == [
                "3 job_emitted 2026-03-02T09:30:00.000Z", "5 notice_held 2026-03-02T09:40:00.000Z",
                "6 job_emitted 2026-03-02T10:00:00.000Z", "9 notice_gathered 2026-03-02T11:30:00.000Z",
                "10 job_emitted 2026-03-02T17:00:00.000Z", "12 notice_held 2026-03-02T21:30:00.000Z",
            ])
        #expect(
            outcome.line(1)
                == #"{"seq":5,"at":"2026-03-02T09:40:00.000Z","type":"notice_held","user":"anna","data":{"notice":"anna/alert/#4","kind":"alert","until":"2026-03-02T10:00:00.000Z","reason":"cooldown"}}"#
        )
        #expect(simulate(Histories.anna, "--json") == outcome)
        #expect(shell.names(in: ".") == [])
    }

    @Test func `--facts prints the facts too, each before what follows from it`() throws {
        let outcome = simulate(Histories.anna, "--facts")
        #expect((outcome.code, outcome.errors) == (0, ""))
        let events = try outcome.events()
        #expect(events.map(\.seq) == Array(1...12))
        let decisions = ["job_emitted", "notice_held", "notice_gathered"]
        let decided = zip(outcome.lines, events).filter { decisions.contains($0.1.type) }.map(\.0)
        #expect(decided == simulate(Histories.anna).lines)
        #expect(
            outcome.line(0)
                == #"{"seq":1,"at":"2026-03-02T09:00:00.000Z","type":"user_enrolled","user":"anna","data":{"timezone":"Europe/Paris","name":"Anna"}}"#
        )
    }

    @Test func `a session that follows from messages is a decision, one that an app reports is a fact (S3)`() throws {
        let messages = (1...4).map {
            fact(
                "message_sent", at: monday("09:0\($0):00"),
                data: #"{"conversation":"c","message":"m\#($0)"}"#)
        }
        let outcome = simulate(
            messages.joined() + fact("session_completed", at: monday("10:00:00")), "--until", monday("11:00:00"))
        #expect(outcome.code == 0)
        #expect(
            outcome.lines == [
                #"{"seq":5,"at":"2026-03-02T09:09:00.000Z","type":"session_completed","user":"anna","data":{"conversation":"c","derived":true}}"#
            ])
    }

    // MARK: Until when

    @Test func `--until takes in what is due at that very millisecond`() throws {
        #expect(simulate(Histories.anna, "--until", tuesday("06:59:59.999")) == simulate(Histories.anna))
        let outcome = simulate(Histories.anna, "--until", tuesday("07:00:00.000"))
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(outcome.lines.dropLast() == simulate(Histories.anna).lines[...])
        #expect(try outcome.events().last?.seq == 13)
        #expect(simulate(Histories.anna, "--until", "2026-03-03T08:00:00+01:00") == outcome)
    }

    @Test func `--until leaves out the facts that come after it, and says so`() throws {
        let whole = simulate(Histories.anna).lines
        let before = simulate(Histories.anna, "--until", monday("11:29:59.999"))
        #expect((before.code, before.lines) == (0, Array(whole.prefix(3))))
        #expect(
            before.errors
                == "note: line 5 is of 2026-03-02T11:30:00.000Z, after --until; it and what follows it were left out\n")
        let at = simulate(Histories.anna, "--until", monday("11:30:00"))
        #expect((at.code, at.lines) == (0, Array(whole.prefix(4))))
        #expect(at.errors.hasPrefix("note: line 6 is of "))
        let later = simulate(Histories.anna, "--until", monday("17:00:00"))
        #expect(later.lines == Array(whole.prefix(5)))
    }

    // MARK: What is refused

    private static let refused = [
        (#"{"type":"frob","user":"anna","at":"2026-03-02T09:35:00Z"}"#, #"type: "frob" is not a type of fact"#),
        (#"{"type":"app_opened","user":"anna"}"#, "at: is missing; a history's facts carry their own instants"),
        (
            #"{"type":"app_opened","user":"anna","at":"2026-03-02T09:29:59.999Z"}"#,
            "at: 2026-03-02T09:29:59.999Z is before 2026-03-02T09:30:00.000Z, which has passed already"
        ),
        (
            #"{"type":"notice_requested","user":"anna","at":"2026-03-02T09:35:00Z","data":{"kind":"alrt"}}"#,
            #"data.kind: "alrt" is not a kind of this policy (on request: urgent, alert, reminder); did you mean alert?"#
        ),
        (
            #"{"type":"preferences_changed","user":"anna","at":"2026-03-02T09:35:00Z","data":{"patch":{"quiet_hours":{"start":"25:00"}}}}"#,
            #"data.patch.quiet_hours.start: "25:00" is not a time HH:MM"#
        ),
        (
            #"{"type":"app_opened","at":"2026-03-02T09:35:00Z"}"#,
            "user: is missing; it must be an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)"
        ),
        ("not JSON", "not JSON: column 1: expected a JSON value"),
    ]

    @Test func `a refused fact is told with its line, the run goes on, and the exit code is 3`() throws {
        var lines = Histories.anna.split(separator: "\n").map(String.init)
        lines.insert(contentsOf: Self.refused.map(\.0), at: 2)
        let outcome = simulate(lines.joined(separator: "\n"))
        #expect(outcome.code == 3)
        // What was refused has no number and changes nothing.
        #expect(outcome.output == simulate(Histories.anna).output)
        #expect(outcome.errorLines.count == Self.refused.count + 1)
        for (place, (_, problem)) in Self.refused.enumerated() {
            let told = try Printed(outcome.errorLine(place))
            #expect(told.keys() == ["line", "refused"])
            #expect(told["line"] == "\(place + 3)")
            #expect(told["refused"] == problem)
        }
        #expect(outcome.errorLines.last == "belfry: 7 lines were refused")
    }

    @Test func `one refused line is counted as one`() {
        #expect(
            simulate("{}\n")
                == Outcome(
                    code: 3, output: "",
                    errors:
                        "{\"line\":1,\"refused\":\"type: is missing; it says what happened, such as user_enrolled\"}\nbelfry: 1 line was refused\n"
                ))
    }

    @Test func `a line that is too long is refused without being read`() {
        let long = fact(
            "app_opened", at: monday("09:00:00"), data: "{\"x\":\"\(String(repeating: "x", count: 1 << 20))\"}")
        let outcome = simulate(long + Histories.anna)
        #expect(outcome.code == 3)
        #expect(outcome.errorLine(0) == #"{"line":1,"refused":"the line is longer than 1048576 bytes"}"#)
        #expect(outcome.output == simulate(Histories.anna).output)
    }

    @Test func `a warning is told with its line, and the change happens all the same`() throws {
        let change = fact(
            "preferences_changed", at: monday("21:34:00"), data: #"{"patch":{"check_in_time":"23:00"}}"#)
        let outcome = simulate(Histories.anna + "\n" + change, "--facts")
        #expect(outcome.code == 0)
        let told = try Printed(outcome.errorLine(0))
        #expect(told.keys() == ["line", "warning", "count"])
        #expect((told["line"], told["count"]) == ("8", "1"))
        #expect(
            told["warning"]
                == "your quiet hours overlap with the check-in time 23:00 on Monday, Wednesday and Friday: check-ins wait until they end at 08:00"
        )
        #expect(outcome.errorLines.count == 1)
        #expect(try outcome.events().last?.type == "preferences_changed")
    }

    /// Changes on one day, a minute apart: each warns, of one thing or of the other.
    private func changes(_ count: Int) -> String {
        (0..<count).map { number in
            let patch =
                number % 3 == 2 ? #"{"enabled":\#(number % 6 != 2)}"# : #"{"check_in_time":"23:\#(10 + number % 50)"}"#
            return fact(
                "preferences_changed",
                at: "2026-03-02T\(10 + number / 60):\(String(100 + number % 60).dropFirst()):00Z",
                data: #"{"patch":\#(patch)}"#)
        }.joined()
    }

    @Test func `thousands of warnings are told by their kinds, with the first of each and how many there were`() throws
    {
        let outcome = simulate(changes(600))
        #expect(outcome.code == 0)
        #expect(outcome.errorLines.count == 3)
        let (quiet, off) = (try Printed(outcome.errorLine(0)), try Printed(outcome.errorLine(1)))
        #expect(quiet["line"] == "1" && quiet["warning"]?.contains("check-in time 23:10 ") == true)
        #expect(off["line"] == "3" && off["warning"]?.hasPrefix("every kind of notice is off") == true)
        #expect(off["count"] == "100")
        #expect(
            outcome.errorLine(2)
                == "note: each kind of warning is told once, with its first line; --warnings tells them all")
        let all = simulate(changes(600), "--warnings")
        #expect(all.output == outcome.output)
        let told = try all.errorLines.map { try Printed($0) }
        #expect(told.allSatisfy { $0.keys() == ["line", "warning"] })
        let counts = [quiet, off].compactMap { $0["count"] }.compactMap { Int($0) }
        #expect(told.count == counts.reduce(0, +) && counts.count == 2)
        let lines = told.compactMap { $0["line"] }.compactMap { Int($0) }
        #expect(lines == lines.sorted() && lines.count == told.count)
    }

    @Test func `facts may share an instant, and one without an id may come twice`() throws {
        let outcome = simulate(fact(at: monday("09:00:00")) + fact(at: monday("09:00:00")), "--facts")
        #expect((outcome.code, outcome.lines.count) == (0, 2))
    }

    @Test func `a second fact of the same id changes nothing and takes no number`() throws {
        let once = fact("notice_requested", id: "n1", at: monday("09:00:00"), data: #"{"kind":"alert"}"#)
        let again = fact("notice_requested", id: "n1", at: monday("12:00:00"), data: #"{"kind":"urgent"}"#)
        let last = fact(id: "n2", at: monday("12:30:00"))
        #expect(simulate(once + again + last, "--facts") == simulate(once + last, "--facts"))
        #expect(try simulate(once + again + last, "--facts").events().map(\.seq) == [1, 2, 3])
    }

    // MARK: Where it comes from

    @Test func `a file, standard input, carriage returns, empty lines and a missing line end all say the same`() throws
    {
        let expected = simulate(Histories.anna)
        try shell.write(Histories.anna, to: "history.jsonl")
        #expect(shell.belfry("simulate", "history.jsonl", "--policy", "standard") == expected)
        #expect(simulate(Histories.anna.replacingOccurrences(of: "\n", with: "\r\n")) == expected)
        #expect(simulate(Histories.anna.replacingOccurrences(of: "\n", with: "\n \t\n")) == expected)
        #expect(simulate(String(Histories.anna.dropLast())) == expected)
    }

    @Test func `of an empty history there is nothing to tell`() {
        #expect(simulate("") == .done())
        #expect(simulate("\n\r\n", "--facts", "--until", tuesday("00:00:00")) == .done())
    }

    @Test func `what cannot be read is named`() throws {
        try shell.makeDirectory("folder")
        #expect(
            shell.belfry("simulate", "nowhere.jsonl", "--policy", "standard")
                == .failed(3, "cannot open nowhere.jsonl: No such file or directory"))
        #expect(
            shell.belfry("simulate", "folder", "--policy", "standard")
                == .failed(3, "cannot read folder: it is a directory"))
        #expect(
            shell.belfry("simulate", "-", "--policy", "microcomit")
                == .failed(
                    3,
                    "there is no policy and no file \"microcomit\"; did you mean microcommit? Name a file, or one of standard, coachme, screentime, messageai, microcommit"
                ))
        #expect(
            shell.belfry("simulate", "-", "--policy", "./nowhere")
                == .failed(3, "cannot open ./nowhere: No such file or directory"))
    }

    // MARK: Under which policy

    @Test func `a policy may come from a file`() throws {
        try shell.write(shell.belfry("policy", "show", "standard").output, to: "own.json")
        try shell.write(Histories.anna, to: "history.jsonl")
        #expect(shell.belfry("simulate", "history.jsonl", "--policy", "own.json") == simulate(Histories.anna))
        try shell.edit("own.json") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            bytes = Array(text.replacing("\"cooldown_minutes\": 30", with: "\"cooldown_minutes\": 0").utf8)
        }
        let changed = shell.belfry("simulate", "history.jsonl", "--policy", "own.json")
        #expect(try changed.events().prefix(2).map(\.type) == ["job_emitted", "job_emitted"])
    }

    @Test func `a policy that is not good is refused as policy check refuses it`() throws {
        try shell.write(#"{"name":"own","kinds":[{"name":"a","on_request":true,"over_cap":"gather"}]}"#, to: "own.json")
        let outcome = shell.belfry("simulate", "-", "--policy", "own.json", input: Histories.anna)
        #expect(
            outcome == .failed(3, "own.json: kinds[0].over_cap: there is no kind with a daily digest to gather for"))
        #expect(outcome == shell.belfry("policy", "check", "own.json"))
    }

    @Test func `a history may adopt another policy on its way`() throws {
        let history = Histories.anna + shell.adoption(of: "microcommit", at: monday("21:40:00"))
        let outcome = simulate(history)
        #expect((outcome.code, outcome.errors) == (0, ""))
        let dropped = try Printed(try #require(outcome.lines.last))
        // The held alert is of a kind that is no more.
        #expect(dropped["type"] == "notice_dropped")
        #expect(dropped["data.reason"] == "kind_off")
        #expect(dropped["data.notice"] == "anna/alert/#11")
    }

    // MARK: What goes wrong

    @Test func `wrong usage`() {
        for (words, complaint) in [
            ([], "simulate needs FILE"),
            (["-"], "simulate needs --policy"),
            (["-", "--policy"], "--policy needs a value, P"),
            (
                ["-", "--policy", "-"],
                "FILE and --policy cannot both be standard input (-); name a file for one of them"
            ),
            (
                ["-", "--policy", "standard", "--until", "tomorrow"],
                "--until takes an instant such as 2026-03-02T14:00:00Z, not \"tomorrow\""
            ),
            (
                ["-", "--policy", "standard", "--until", "17"],
                "--until takes an instant such as 2026-03-02T14:00:00Z, not \"17\""
            ),
            (["a", "b", "--policy", "standard"], "simulate takes one FILE, and \"b\" is a second"),
            (["-", "--data", "x"], "simulate has no option \"--data\""),
        ] {
            let outcome = shell.belfry(["simulate"] + words, input: Array(Histories.anna.utf8))
            #expect((outcome.code, outcome.output) == (2, ""))
            #expect(
                outcome.errorLines == [
                    "belfry: " + complaint, "usage: belfry simulate FILE --policy P [options]",
                    "`belfry simulate --help` tells more",
                ])
        }
    }

    @Test func `without a tz database nobody's time is known, and nothing is decided`() throws {
        try shell.makeDirectory("empty")
        let outcome = shell.belfry(
            "simulate", "-", "--policy", "standard", input: Histories.anna, environment: ["TZDIR": shell.path("empty")])
        #expect((outcome.code, outcome.output) == (5, ""))
        #expect(outcome.errors.hasPrefix("belfry: "))
    }

    @Test func `decisions that nobody gets are a failure`() throws {
        try shell.write(Histories.anna, to: "history.jsonl")
        let outcome = shell.bash(#""$BELFRY" simulate history.jsonl --policy standard >/dev/full"#)
        #expect(outcome.code == 5)
        #expect(outcome.errors.contains("No space left on device"))
    }

    @Test func `the help says what is printed where`() {
        let help = shell.belfry("simulate", "--help")
        #expect(help.output.hasPrefix("usage: belfry simulate FILE --policy P [options]\n"))
        for words in ["standard input", "standard error", "exit code is 3", "Nothing is written", "--until", "--facts"]
        {
            #expect(help.output.contains(words), "\(words)")
        }
    }
}
