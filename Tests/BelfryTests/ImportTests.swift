import Foundation
import Testing

@Suite("belfry import")
struct ImportTests {
    let shell = Shell()

    private func `import`(_ history: String, _ words: String...) -> Outcome {
        shell.belfry(["import", "-"] + words, input: Array(history.utf8))
    }

    private func adopted(_ history: String = Histories.anna) -> String {
        shell.adoption(of: "standard", at: monday("08:30:00")) + history
    }

    private func isClean(_ log: String = "events/log") -> Bool {
        ["verify", "audit"].allSatisfy { shell.belfry($0, "--data", log).code == 0 }
            && shell.belfry("replay", "--verify", "--data", log).code == 0
    }

    // MARK: The log it builds

    @Test func `it says how much went in, and the head that stands for all of it`() throws {
        let outcome = `import`(Histories.anna, "--policy", "standard")
        #expect((outcome.code, outcome.errors, outcome.lines.count) == (0, "", 2))
        #expect(outcome.line(0) == "13 events in 9 commits")
        #expect(outcome.lines.last == shell.belfry("verify").lines.last)
        let json = `import`(Histories.anna, "--policy", "standard", "--data", "other", "--json")
        #expect((json.code, json.errors) == (0, ""))
        let told = try json.json()
        #expect(told.keys() == ["events", "commits", "head", "old_jobs"])
        #expect((told["events"], told["commits"]) == ("13", "9"))
        #expect(shell.belfry("verify", "--data", "other").lines.last == "head \(told["head"] ?? "")")
        #expect(isClean())
    }

    /// What is urgent has no end of its own, and a worker hands out what nobody said was sent.
    @Test func `old jobs that a worker would send are counted beforehand, and it is said how to keep them`() throws {
        let history =
            fact("user_enrolled", at: monday("09:00:00"), data: #"{"timezone":"Europe/Paris"}"#)
            + ["09:30:00", "09:40:00"].map {
                fact("notice_requested", at: monday($0), data: #"{"kind":"urgent"}"#)
            }.joined()
        let outcome = `import`(history, "--policy", "standard")
        #expect(
            outcome.line(2).hasPrefix(
                "2 jobs of before wait to be sent and no last moment is set (not_after), the oldest of \(monday("09:30:00.000")): "
            ), "\(outcome)")
        #expect(outcome.line(2).contains("job_delivered") && outcome.line(2).contains("--jobs spool:DIR"))
        let json = try `import`(history, "--policy", "standard", "--data", "b", "--json").json()
        #expect(json["old_jobs"] == "2")
        let dry = shell.belfry("run-now", "--dry-run")
        #expect(
            dry.code == 0 && dry.errorLine(0).hasPrefix("note: 2 jobs of before wait to be sent")
                && !dry.errors.contains("history"), "\(dry.errors)")
        // As it is told, so it is done.
        let jobs = try shell.belfry("log", "--type", "job_emitted").lines.map { try Printed($0)["data.job"] ?? "" }
        let sent = jobs.map {
            fact("job_delivered", at: monday("09:45:00"), data: #"{"job":"\#($0)","channel":"push"}"#)
        }
        let whole = `import`(history + sent.joined(), "--policy", "standard", "--data", "c")
        #expect((whole.code, whole.lines.count) == (0, 2), "\(whole)")
        #expect(shell.belfry("run-now", "--dry-run", "--data", "c").errors == "")
    }

    /// A job that is for the app alone is handed out as any.
    @Test func `old jobs for an app that was open are counted as well, until it is told what became of them`() throws {
        let history =
            fact("user_enrolled", at: monday("09:00:00"), data: #"{"timezone":"Europe/Paris"}"#)
            + fact("app_opened", at: monday("09:00:01"))
            + fact("notice_requested", at: monday("09:00:02"), data: #"{"kind":"urgent"}"#)
        let outcome = `import`(history, "--policy", "standard")
        #expect(outcome.line(2).hasPrefix("1 job of before waits to be sent"), "\(outcome)")
        let dry = shell.belfry("run-now", "--dry-run")
        #expect(dry.errorLine(0).hasPrefix("note: 1 job of before waits to be sent"), "\(dry.errors)")
        let jobs = try shell.belfry("log", "--type", "job_emitted").lines.map { try Printed($0) }
        #expect(jobs.count == 1 && jobs.first?["data.channels.0"] == "in_app")
        let name = jobs.first?["data.job"] ?? ""
        let shown = fact(
            "job_delivered", at: monday("09:00:03"), data: #"{"job":"\#(name)","channel":"in_app"}"#)
        let whole = `import`(history + shown, "--policy", "standard", "--data", "b")
        #expect((whole.code, whole.lines.count) == (0, 2), "\(whole)")
        #expect(shell.belfry("run-now", "--dry-run", "--data", "b").errors == "")
    }

    @Test func `a history of nothing says so, and a worker runs on its log`() throws {
        let outcome = `import`("", "--policy", "standard")
        #expect(outcome.code == 0 && outcome.line(0) == "0 events in 0 commits")
        #expect(
            outcome.line(2)
                == "the history holds nothing, so the log is empty and under no policy yet; `belfry run` begins it")
        let worker = shell.start(["run", "--policy", "standard", "--jobs", "spool:out"])
        try worker.expectReady()
        worker.expectStopped()
        #expect(isClean())
    }

    @Test func `the log of a history that adopts its policy is what simulate prints with the facts`() throws {
        let outcome = `import`(adopted(), "--until", tuesday("12:00:00"))
        #expect((outcome.code, outcome.errors) == (0, ""))
        let simulated = shell.belfry(
            "simulate", "-", "--policy", "standard", "--facts", "--until", tuesday("12:00:00"), input: adopted())
        #expect(simulated.lines.count == 14)
        #expect(shell.belfry("log") == simulated)
        #expect(isClean())
    }

    @Test(arguments: Histories.stories)
    func `every story is the same imported and simulated, and the audit finds nothing`(
        story: String
    ) throws {
        let (history, policy) = try shell.story(story)
        let imported = `import`(history)
        #expect(imported.code == 0, "\(imported.errors)")
        let simulated = shell.belfry("simulate", "-", "--policy", policy, "--facts", input: history)
        #expect(imported.errors == simulated.errors)
        #expect(shell.belfry("log").output == simulated.output)
        #expect(isClean())
    }

    @Test func `with --policy the log begins with the adoption, and decides as simulate does`() throws {
        #expect(`import`(Histories.anna, "--policy", "standard").code == 0)
        let log = try shell.belfry("log").events()
        #expect(log.first?.type == "policy_adopted")
        #expect(log.first?.at == "2026-03-02T09:00:00.000Z")
        let simulated = try shell.belfry("simulate", "-", "--policy", "standard", "--facts", input: Histories.anna)
            .events()
        #expect(
            log.dropFirst().map { "\($0.seq - 1) \($0.type) \($0.at)" }
                == simulated.map {
                    "\($0.seq) \($0.type) \($0.at)"
                })
    }

    @Test func `a policy from a file is adopted as it is written there`() throws {
        try shell.write(#"{"name":"own","kinds":[{"name":"note","on_request":true}]}"#, to: "own.json")
        let request = fact("notice_requested", at: monday("09:00:00"), data: #"{"kind":"note"}"#)
        #expect(`import`(request, "--policy", "own.json").code == 0)
        let adoption = try Printed(shell.belfry("log").line(0))
        #expect(adoption["data.policy"] == #"{"name":"own","kinds":[{"name":"note","on_request":true}]}"#)
        #expect(try shell.belfry("log").events().map(\.type) == ["policy_adopted", "notice_requested", "job_emitted"])
        #expect(isClean())
    }

    @Test func `--until takes in what is due at that very millisecond, and leaves out later facts`() throws {
        #expect(`import`(adopted(), "--data", "before", "--until", tuesday("06:59:59.999")).line(0).hasPrefix("13 "))
        #expect(`import`(adopted(), "--data", "at", "--until", tuesday("07:00:00")).line(0).hasPrefix("14 "))
        let cut = `import`(adopted(), "--data", "cut", "--until", monday("11:29:59.999"))
        #expect((cut.code, cut.line(0)) == (0, "8 events in 6 commits"))
        #expect(
            cut.errors
                == "note: line 6 is of 2026-03-02T11:30:00.000Z, after --until; it and what follows it were left out\n")
        #expect(isClean("cut"))
    }

    @Test func `append goes on where the import ended`() throws {
        #expect(`import`(Histories.anna, "--policy", "standard").code == 0)
        let appended = shell.belfry("append", input: fact(id: "next"))
        let event = try #require(try shell.belfry("log").events().first { $0.id == "next" })
        // What was missed since is decided first.
        #expect(event.seq > 14 && appended == .done("\(event.seq)"))
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("replay", "--verify").code == 0)
    }

    @Test func `a fact's id is taken once, by the history or by the log it became`() throws {
        let twice = fact(id: "f1", at: monday("09:00:00")) + fact(id: "f1", at: monday("10:00:00"))
        #expect(`import`(twice, "--policy", "standard").line(0) == "2 events in 2 commits")
        #expect(shell.belfry("append", input: fact(id: "f1")).lines == ["2 duplicate"])
    }

    // MARK: What is refused

    @Test func `a refused fact is told with its line, the rest goes in, and the exit code is 3`() throws {
        var lines = Histories.anna.split(separator: "\n").map(String.init)
        lines.insert("not JSON", at: 0)
        lines.insert(#"{"type":"app_opened","user":"anna"}"#, at: 4)
        lines.append(#"{"type":"app_opened","user":"anna","at":"2026-03-02T09:00:00Z"}"#)
        let outcome = `import`(lines.joined(separator: "\n"), "--policy", "standard")
        #expect((outcome.code, outcome.line(0)) == (3, "13 events in 9 commits"))
        #expect(outcome.errorLines.last == "belfry: 3 lines were refused")
        let told = try outcome.errorLines.dropLast().map(Printed.init)
        #expect(told.map { $0["line"] } == ["1", "5", "9"])
        #expect(
            told.map { $0["refused"] } == [
                "not JSON: column 1: expected a JSON value",
                "at: is missing; a history's facts carry their own instants",
                "at: 2026-03-02T09:00:00.000Z is before 2026-03-02T21:30:00.000Z, which has passed already",
            ])
        #expect(isClean())
    }

    @Test func `a warning is told with its line and is no refusal`() throws {
        let change = fact("preferences_changed", at: monday("22:00:00"), data: #"{"patch":{"check_in_time":"23:00"}}"#)
        let outcome = `import`(Histories.anna + change, "--policy", "standard")
        #expect(outcome.code == 0)
        let told = try Printed(outcome.errorLine(0))
        #expect((told["line"], told.keys()) == ("7", ["line", "warning", "count"]))
        #expect(outcome.errorLines.count == 1)
    }

    @Test func `a history that adopts no policy needs --policy`() {
        let complaint =
            "comes before any policy was adopted; begin the history with a policy_adopted, or give --policy (such as --policy standard)"
        #expect(`import`(Histories.anna) == .failed(3, "line 1 \(complaint)"))
        let outcome = `import`("\n\n{}\n" + Histories.anna)
        #expect((outcome.code, outcome.output) == (3, ""))
        #expect(outcome.errorLine(1) == "belfry: line 4 \(complaint)")
        // Nothing went in: the next attempt finds the directory as good as new.
        #expect(`import`(Histories.anna, "--policy", "standard").code == 0)
    }

    @Test func `a policy whose adoption is refused is not in force`() throws {
        let good = #"{"policy":{"name":"own","kinds":[{"name":"note","on_request":true}]}}"#
        let bad = #"{"policy":{"name":"own","kinds":[{"name":"note"}]}}"#
        let lost =
            #"{"policy":{"name":"own","default_timezone":"Europe/Pariss","kinds":[{"name":"a","on_request":true}]}}"#
        for (number, (at, data, problem)) in [
            (nil, good, "at: is missing; a history's facts carry their own instants"),
            (
                monday("08:00:00"), bad,
                "data.policy: kinds[0].schedule: is missing, and on_request is false: a kind comes by a schedule, by a fact (raised_by) or on request"
            ),
            (
                monday("08:00:00"), lost,
                "data.policy.default_timezone: \"Europe/Pariss\" is not a zone of this tz database"
            ),
        ].enumerated() {
            let adoption = fact("policy_adopted", user: nil, at: at, data: data)
            let outcome = `import`(adoption + Histories.anna, "--data", "log\(number)")
            #expect((outcome.code, outcome.output) == (3, ""))
            let told = try Printed(outcome.errorLine(0))
            #expect((told["line"], told["refused"]) == ("1", problem))
            #expect(outcome.errorLine(1).hasPrefix("belfry: line 2 comes before any policy was adopted"))
            let again = `import`(adoption + adopted(), "--data", "log\(number)")
            #expect((again.code, again.line(0)) == (3, "13 events in 9 commits"))
        }
    }

    // MARK: Where it goes

    @Test func `a log that holds something is left alone`() throws {
        #expect(shell.belfry("append", input: fact()).code == 0)
        let before = shell.belfry("verify")
        #expect(
            `import`(Histories.anna, "--policy", "standard")
                == .failed(3, "events/log holds a log already; an import builds a new one, in another --data DIR"))
        #expect(shell.belfry("verify") == before)
    }

    @Test func `a directory of something else, a file and a log in use are not written to`() throws {
        try shell.makeDirectory("junk")
        try shell.write("hello", to: "junk/x")
        let hint = "Name a log's directory with --data, or an empty or a new one to begin one"
        #expect(
            `import`(Histories.anna, "--policy", "standard", "--data", "junk")
                == .failed(5, "junk is no log of Belfry's: it holds \"x\". \(hint)"))
        #expect(shell.names(in: "junk") == ["x"])
        #expect(
            `import`(Histories.anna, "--policy", "standard", "--data", "junk/x")
                == .failed(5, "junk/x is no log of Belfry's: it is a file. \(hint)"))
        let writer = shell.start(["append", "--data", "used"])
        writer.send(fact())
        #expect(writer.line() == "1")
        let outcome = `import`(Histories.anna, "--policy", "standard", "--data", "used")
        #expect((outcome.code, outcome.output) == (5, ""))
        #expect(outcome.errors.contains("is being written by process \(writer.process) (belfry append)"))
        #expect(writer.end().code == 0)
    }

    @Test func `a damaged log is not taken for a new one`() throws {
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        try shell.edit(try #require(shell.segments(of: "events/log").first)) { $0[150] ^= 0x10 }
        let outcome = `import`(Histories.anna, "--policy", "standard")
        #expect((outcome.code, outcome.output) == (4, ""))
        #expect(outcome.errors.hasPrefix("belfry: the log is damaged: events/log/"))
    }

    @Test func `what cannot be read leaves no directory behind`() throws {
        try shell.makeDirectory("folder")
        for (words, complaint) in [
            (["nowhere.jsonl", "--policy", "standard"], "cannot open nowhere.jsonl: No such file or directory"),
            (["folder", "--policy", "standard"], "cannot read folder: it is a directory"),
            (
                ["-", "--policy", "standrd"],
                "there is no policy and no file \"standrd\"; did you mean standard? Name a file, or one of standard, coachme, screentime, messageai, microcommit"
            ),
        ] {
            #expect(shell.belfry(["import"] + words, input: []) == .failed(3, complaint))
            #expect(shell.names(in: "events") == [])
        }
    }

    // MARK: Where it comes from

    @Test func `a file, standard input and carriage returns make the same log`() throws {
        try shell.write(adopted(), to: "history.jsonl")
        #expect(shell.belfry("import", "history.jsonl", "--data", "file").code == 0)
        #expect(`import`(adopted(), "--data", "input").code == 0)
        #expect(`import`(adopted().replacingOccurrences(of: "\n", with: "\r\n"), "--data", "returns").code == 0)
        let logs = ["file", "input", "returns"].map { shell.belfry("log", "--data", $0) }
        #expect(logs[0].lines.count == 13)
        #expect(logs[1] == logs[0])
        #expect(logs[2] == logs[0])
    }

    @Test func `an empty history makes an empty log, which can be imported into`() throws {
        for words in [[], ["--policy", "standard"], ["--policy", "standard", "--until", tuesday("00:00:00")]] {
            let outcome = shell.belfry(["import", "-"] + words, input: [])
            #expect((outcome.code, outcome.errors, outcome.line(0)) == (0, "", "0 events in 0 commits"))
        }
        #expect(`import`(Histories.anna, "--policy", "standard").code == 0)
    }

    @Test func `what is left of one that failed is nobody's to go on with`() throws {
        let title = String(repeating: "x", count: 4000)
        let data = #"{"kind":"reminder","title":"\#(title)"}"#
        let history = (1...600).map { fact("notice_requested", user: "u\($0)", at: monday("09:30:00"), data: data) }
        try shell.write(history.joined(), to: "history.jsonl")
        // In kilobytes: some of it goes in.
        let failed = shell.bash(#"ulimit -f 1500; "$BELFRY" import history.jsonl --policy standard"#)
        #expect(failed.code == 5)
        #expect(failed.errors.contains("Raise the limit on the size of files (`ulimit -f`), then try again\n"))
        #expect(
            failed.errorLines.last
                == "belfry: events/log holds no more than a part of the history, and nobody goes on with that; remove it before you try again"
        )
        #expect(shell.belfry("log").lines.count > 1 && shell.belfry("verify").code == 0)
        let half =
            "events/log holds no more than a part of a history: the import into it did not come to its end. Remove events/log, then import again"
        for words in [
            ["append"], ["run-now"], ["run", "--jobs", "spool:out"],
            ["import", "history.jsonl", "--policy", "standard"],
        ] {
            let refused = shell.belfry(words, input: Array(fact().utf8))
            #expect(refused.code == 5 && refused.errors.contains(half), "\(words): \(refused)")
        }
        #expect(shell.belfry("doctor").output.contains("events/log holds a part of a history: "))
        try shell.remove("events/log")
        #expect(shell.belfry("import", "history.jsonl", "--policy", "standard").code == 0)
        #expect(shell.belfry("append", input: fact()).code == 0)
        #expect(!shell.names(in: "events/log").contains("importing"))
    }

    // MARK: Usage

    @Test func `wrong usage`() {
        for (words, complaint) in [
            ([], "import needs FILE"),
            (
                ["-", "--policy", "-"],
                "FILE and --policy cannot both be standard input (-); name a file for one of them"
            ),
            (["-", "--policy"], "--policy needs a value, P"),
            (["-", "--until", "x"], "--until takes an instant such as 2026-03-02T14:00:00Z, not \"x\""),
            (["a", "b"], "import takes one FILE, and \"b\" is a second"),
            (["-", "--facts"], "import has no option \"--facts\""),
        ] {
            let outcome = shell.belfry(["import"] + words, input: [])
            #expect((outcome.code, outcome.output) == (2, ""))
            #expect(
                outcome.errorLines == [
                    "belfry: " + complaint, "usage: belfry import FILE [options]",
                    "`belfry import --help` tells more",
                ])
        }
        #expect(shell.names(in: ".") == [])
    }

    @Test func `the help says what the history must be`() {
        let help = shell.belfry("import", "--help")
        for words in ["new or empty", "standard error", "exit code is 3", "--until", "--policy"] {
            #expect(help.output.contains(words), "\(words)")
        }
    }
}
