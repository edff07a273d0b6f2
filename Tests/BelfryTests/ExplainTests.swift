import Foundation
import Testing

@Suite("belfry explain")
struct ExplainTests {
    let shell = Shell()

    func explain(_ words: String..., user: String = "anna") -> Outcome {
        shell.belfry(["explain", "--all", "--user", user] + words, input: [])
    }

    func json(_ words: String..., user: String = "anna") throws -> Printed {
        let outcome = shell.belfry(["explain", "--json", "--user", user] + words, input: [])
        #expect((outcome.code, outcome.errors) == (0, ""))
        return try outcome.json()
    }

    /// The lines about rules, without what each rule saw.
    func rules(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("    P") }.map { String($0.dropFirst(4).prefix { $0 != "[" }) }
    }

    // MARK: A notice

    @Test func `a notice that was sent is told with every rule in order, and what it saw`() {
        shell.importing(Histories.anna)
        #expect(
            explain("--notice", "anna/alert/#3")
                == .done(
                    "anna/alert/#3",
                    "  event 3, mon 2026-03-02 10:30 (Europe/Paris; 2026-03-02T09:30:00.000Z): asked for by the app",
                    "  event 4, mon 2026-03-02 10:30 (Europe/Paris; 2026-03-02T09:30:00.000Z): handed out for push: “Rain”",
                    "    P1 expired           no objection  [never expires]",
                    "    P2 settled           no objection  [nothing that could be settled]",
                    "    P3 no_consent        no objection  [no consent is asked for]",
                    "    P4 opted_out         no objection  [enabled is true]",
                    "    P5 kind_off          no objection  [kinds.alert is on]",
                    "    P6 no_channel        no objection  [chosen: push; reachable: push, in_app]",
                    "    P7 viewing           no objection  [about no conversation]",
                    "    P8 quiet_hours       no objection  [outside quiet hours 22:00–08:00 (Europe/Paris)]",
                    "    P9 outside_schedule  no objection  [no weekly schedule is set]",
                    "    P10 digest_mode      no objection  [digest_mode is false, alert is not digestible]",
                    "    P11 cooldown         no objection  [no job of alert on push, email or sms in the last 7 days (tests do not count); 30 min]",
                    "    P12 overload         no objection  [the policy has a daily cap instead]",
                    "    P13 daily_cap        no objection  [0 of 3 jobs today]"))
    }

    @Test func `what was decided before a journey is told on the clock of then`() {
        shell.importing(
            """
            {"type":"user_enrolled","user":"anna","at":"2026-03-02T08:00:00Z","data":{"timezone":"Pacific/Honolulu"}}
            {"type":"preferences_changed","user":"anna","at":"2026-03-02T08:00:00Z","data":{"patch":{"check_ins_enabled":false}}}
            {"type":"notice_requested","user":"anna","at":"2026-03-04T09:00:00Z","data":{"kind":"alert","title":"Late"}}
            {"type":"timezone_changed","user":"anna","at":"2026-03-05T12:00:00Z","data":{"timezone":"Asia/Tokyo"}}

            """)
        let lines = explain("--notice", "anna/alert/#4").lines
        let late = "tue 2026-03-03 23:00 (Pacific/Honolulu; 2026-03-04T09:00:00.000Z)"
        let morning = "wed 2026-03-04 08:00 (Pacific/Honolulu; 2026-03-04T18:00:00.000Z)"
        #expect(
            lines.filter { $0.hasPrefix("  event") } == [
                "  event 4, \(late): asked for by the app",
                "  event 5, \(late): held until \(morning): quiet_hours",
                "  event 6, \(morning): handed out for push: “Late”",
            ])
        #expect(lines.contains { $0.contains("P8 quiet_hours       objects: hold until \(morning)") })
        #expect(!lines.contains { $0.contains("Tokyo") })
    }

    @Test func `without --all only what decided is told`() {
        shell.importing(Histories.anna)
        let sent = shell.belfry("explain", "--user", "anna", "--notice", "anna/alert/#3")
        #expect(sent.lines.dropFirst(3) == ["    none of the 13 rules asked objects (--all lists them)"])
        let held = shell.belfry("explain", "--user", "anna", "--notice", "anna/alert/#5").lines
        #expect(held.filter { $0.hasPrefix("    ") }.count == 2)
        #expect(held.contains { $0.contains("P11 cooldown         objects: hold until") })
        let kind = shell.belfry("explain", "--user", "anna", "--kind", "check_in", "--at", monday("12:00:00"))
        #expect(kind.lines.filter { $0.contains("no objection") }.isEmpty)
        // Now the last of the day is kept for the digest; the next slot has a day of its own.
        #expect(kind.lines.filter { $0.contains("P13 daily_cap        objects: drop (daily_cap)") }.count == 1)
        #expect(kind.lines.filter { $0.contains("--all lists them") }.count == 1)
    }

    @Test func `a notice that was held is told at each turn, by the rules as they were asked then`() {
        shell.importing(Histories.anna)
        let lines = explain("--notice", "anna/alert/#5").lines
        let events = lines.filter { $0.hasPrefix("  event") }
        #expect(
            events == [
                "  event 5, mon 2026-03-02 10:40 (Europe/Paris; 2026-03-02T09:40:00.000Z): asked for by the app",
                "  event 6, mon 2026-03-02 10:40 (Europe/Paris; 2026-03-02T09:40:00.000Z): held until mon 2026-03-02 11:00 (Europe/Paris; 2026-03-02T10:00:00.000Z): cooldown",
                "  event 7, mon 2026-03-02 11:00 (Europe/Paris; 2026-03-02T10:00:00.000Z): handed out for push: “More rain”",
            ])
        let cooldown = lines.filter { $0.contains("P11 cooldown") }
        #expect(cooldown.count == 2)
        #expect(
            cooldown.first
                == "    P11 cooldown         objects: hold until mon 2026-03-02 11:00 (Europe/Paris; 2026-03-02T10:00:00.000Z) (cooldown)  [30 min after the last job of alert end at 2026-03-02T10:00:00.000Z]"
        )
        #expect(cooldown.last?.contains("no objection") == true)
    }

    @Test func `a gathered notice is followed into the digest that told of it`() {
        shell.importing(Histories.anna)
        let events = explain("--notice", "anna/reminder/#9").lines.filter { $0.hasPrefix("  event") }
        #expect(
            events.compactMap { $0.split(separator: "): ", maxSplits: 1).last } == [
                "asked for by the app", "gathered into anna/daily_digest/2026-03-02T18:00: digest_mode",
                "handed out in anna/daily_digest/2026-03-02T18:00",
            ])
        let digest = explain("--notice", "anna/daily_digest/2026-03-02T18:00")
        #expect(digest.line(1).hasSuffix(": handed out for push: “Your day”"))
        #expect(digest.line(2) == "    a digest is not asked about its kind's cooldown or digest mode (D2)")
        let cooldown = "    P11 cooldown         not asked  [no job of daily_digest on push"
        #expect(digest.lines.contains { $0.hasPrefix(cooldown) })
    }

    /// Mia's goals of one morning, of which the first waits for the end of quiet hours: one job tells of all.
    private func importBundle(_ more: String = "") {
        let goals = [("run", "07:30"), ("thesis", "08:00"), ("piano", "08:10")].map { goal, time in
            fact(
                "goal_started", user: "mia", at: monday("12:00:00"),
                data: #"{"goal":"\#(goal)","title":"\#(goal)","reminder_time":"\#(time)"}"#)
        }
        let zone = fact("user_enrolled", user: "mia", at: monday("11:00:00"), data: #"{"timezone":"Etc/UTC"}"#)
        shell.importing(zone + goals.joined() + more, policy: shell.goals, until: "2026-03-03T12:00:00Z")
    }

    @Test func `a notice that went out with another says so, and is told by its own rules (P19)`() throws {
        let run = "mia/goal_reminder/goal:run/2026-03-03T07:30"
        let read = fact(
            "notice_opened", user: "mia", at: "2026-03-03T08:20:00Z", data: #"{"job":"\#(run)"}"#)
        importBundle(read)
        let thesis = try json("--notice", "mia/goal_reminder/goal:thesis/2026-03-03T08:00", user: "mia")
        #expect(thesis["events.0.says"] == "went out with goal:run and 1 more in job \(run)")
        #expect(thesis["events.1.says"] == "opened in \(run)" && thesis["events.2.says"] == nil)
        #expect(thesis["events.0.explanation.rules.1.saw"]?.contains("thesis") == true)
        #expect(thesis["events.0.explanation.exempt"]?.contains("P19") == true)
        let asked = (0..<13).map { thesis["events.0.explanation.rules.\($0).asked"] == "true" }
        #expect(asked == (1...13).map { $0 != 11 && $0 != 13 })
        #expect(thesis["events.0.explanation.outcome"]?.contains("send") == true)
        let first = try json("--notice", run, user: "mia")
        #expect(first["events.1.says"]?.hasPrefix("handed out for ") == true)
        #expect(first["events.1.explanation.exempt"] == "null")
    }

    @Test func `what comes again in another's repeat is told by its own rules too (S1)`() throws {
        let run = "mia/goal_reminder/goal:run/2026-03-03T07:30"
        let snooze = fact(
            "notice_snoozed", user: "mia", at: "2026-03-03T08:05:00Z", data: #"{"job":"\#(run)","minutes":60}"#)
        importBundle(snooze)
        let thesis = try json("--notice", "mia/goal_reminder/goal:thesis/2026-03-03T08:00", user: "mia")
        #expect(thesis["events.1.says"] == "snoozed for 60 minutes in \(run)")
        #expect(thesis["events.2.says"] == "handed out in \(run)~1")
        #expect(thesis["events.2.explanation.rules.1.saw"]?.contains("thesis") == true)
    }

    @Test func `a dropped notice names the rule that dropped it, and what else would have stood in its way`() throws {
        let off = fact(
            "preferences_changed", at: monday("22:00:00"), data: #"{"patch":{"kinds":{"alert":{"enabled":false}}}}"#)
        shell.importing(Histories.anna + off)
        let lines = explain("--notice", "anna/alert/#12").lines
        #expect(lines.filter { $0.hasPrefix("  event") }.last?.hasSuffix(": dropped: kind_off") == true)
        let last = rules(lines).suffix(13)
        #expect(last.contains("P5 kind_off          objects: drop (kind_off)  "))
        #expect(last.contains { $0.hasPrefix("P8 quiet_hours       would also hold until tue 2026-03-03 08:00") })
        #expect(last.contains("P13 daily_cap        would also gather (daily_cap)  "))
        let story = try json("--notice", "anna/alert/#12")
        #expect(story["events.2.says"] == "dropped: kind_off")
        #expect(story["events.2.explanation.outcome"] == #"{"drop":true,"reason":"kind_off"}"#)
        #expect(story["events.1.explanation.outcome"] == #"{"hold":"2026-03-03T07:00:00.000Z","reason":"quiet_hours"}"#)
    }

    @Test func `a kind can be asked about with a priority and a subject`() throws {
        let goal = fact(
            "preferences_changed", user: "mia", at: monday("09:20:00"),
            data: #"{"patch":{"goals":{"run":{"kinds":{"referee":{"enabled":false}}}}}}"#)
        shell.importing(Histories.mia + goal, policy: shell.goals)
        let night = monday("22:30:00")
        let usual = try json("--kind", "referee", "--at", night, user: "mia")
        #expect(usual["kinds.0.now.explanation.outcome"] == #"{"drop":true,"reason":"kind_off"}"#)
        shell.forget("events")
        shell.importing(Histories.anna)
        let high = try json("--kind", "alert", "--at", night)
        #expect(high["kinds.0.now.explanation.outcome"]?.contains("quiet_hours") == true)
        let critical = try json("--kind", "alert", "--priority", "critical", "--subject", "goal:g1", "--at", night)
        #expect(critical["kinds.0.now.explanation.outcome"] == #"{"send":["push"]}"#)
        #expect(critical["kinds.0.now.explanation.exempt"]?.contains("critical") == true)
        for (words, complaint) in [
            (["--priority", "high"], "--subject and --priority are of a kind: name it with --kind"),
            (["--kind", "alert", "--priority", "loud"], #"--priority takes low, medium, high, critical, not "loud""#),
            // No fact about it would be taken.
            (
                ["--kind", "alert", "--subject", "bad subject"],
                #"--subject takes an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -), not "bad subject""#
            ),
        ] {
            let outcome = shell.belfry(["explain", "--user", "anna"] + words, input: [])
            #expect(outcome.code == 2 && outcome.errorLine(0) == "belfry: " + complaint)
        }
    }

    @Test func `a repeat is asked P1 to P7 alone (S1), and what the person did with it is told`() throws {
        let history =
            Histories.mia
            + [
                fact("notice_dismissed", user: "mia", at: monday("10:02:00"), data: #"{"job":"mia/referee/#5~1"}"#),
                fact(
                    "feedback_given", user: "mia", at: monday("10:03:00"),
                    data: #"{"job":"mia/referee/#5~1","helpful":false}"#),
            ].joined()
        // The preset switched the kind off since; back on, so that the repeat comes.
        let on = fact(
            "preferences_changed", user: "mia", at: monday("09:30:00"), data: #"{"patch":{"kinds":{"referee":null}}}"#)
        let facts = history.replacing(#/(?m)(?=^.*"notice_dismissed")/#, with: on, maxReplacements: 1)
        shell.importing(facts, policy: shell.goals)
        let story = try json("--notice", "mia/referee/#5~1", user: "mia")
        #expect(story.count("events") == 4)
        #expect(story["events.0.says"] == "snoozed for 60 minutes")
        #expect(story["events.1.says"]?.hasPrefix("handed out for email") == true)
        #expect(story["events.1.at"] == "2026-03-02T10:01:00.000Z")
        #expect(story["events.1.explanation.exempt"] == "the person asked for this time: only P1–P7 are asked (S1)")
        #expect(story["events.1.explanation.rules.6.asked"] == "true")
        #expect(story["events.1.explanation.rules.7.asked"] == "false")
        #expect((story["events.2.says"], story["events.3.says"]) == ("dismissed", "found not helpful"))
    }

    @Test func `a forced run is asked P1 to P7 alone, and one that is not is held like any other`() throws {
        func run(_ time: String, _ data: String) -> String { fact("run_requested", at: monday(time), data: data) }
        shell.importing(
            Histories.anna + fact("points_earned", at: monday("21:40:00"), data: #"{"points":3}"#)
                + run("21:50:00", #"{"kind":"check_in","force":true}"#) + run("21:51:00", #"{"kind":"daily_digest"}"#))
        let forced = try json("--notice", "anna/check_in/2026-03-04T09:00")
        #expect(forced["events.0.says"]?.hasPrefix("handed out for push") == true)
        #expect(forced["events.0.explanation.exempt"] == "forced: only P1–P7 are asked")
        #expect(forced["events.0.explanation.outcome"] == #"{"send":["push"]}"#)
        let held = try json("--notice", "anna/daily_digest/2026-03-03T18:00")
        #expect(held["events.0.type"] == "notice_held")
        #expect(held["events.0.explanation.outcome.reason"] == "quiet_hours")
    }

    @Test func `the story of a notice for machines`() throws {
        shell.importing(Histories.anna)
        let story = try json("--notice", "anna/alert/#5")
        #expect(story.keys() == ["notice", "events"])
        #expect((story["notice"], story.count("events")) == ("anna/alert/#5", 3))
        #expect(story.keys("events.1") == ["seq", "at", "type", "says", "explanation"])
        #expect((story["events.0.type"], story["events.0.explanation"]) == ("notice_requested", "null"))
        #expect((story["events.1.seq"], story["events.1.type"]) == ("6", "notice_held"))
        #expect(story.keys("events.1.explanation") == ["at", "kind", "exempt", "rules", "outcome"])
        #expect((0..<13).map { story["events.1.explanation.rules.\($0).rule"] } == (1...13).map { "P\($0)" })
        #expect(story.keys("events.1.explanation.rules.10") == ["rule", "name", "asked", "saw", "says"])
        #expect(
            story["events.1.explanation.rules.10.says"] == #"{"hold":"2026-03-02T10:00:00.000Z","reason":"cooldown"}"#)
        #expect(story["events.1.explanation.rules.0.says"] == "null")
        #expect(story["events.2.explanation.outcome"] == #"{"send":["push"]}"#)
    }

    private static let told = [
        "messageai-only-what-matters", "microcommit-two-goals-and-a-journey", "standard-a-full-cap-and-its-digest",
    ]

    @Test(arguments: told) func `what the rules say of a decision is what was decided`(name: String) throws {
        let path = try #require(Histories.stories.first { $0.hasSuffix("/\(name).jsonl") })
        #expect(shell.belfry("import", "-", input: try shell.story(path).history).code == 0)
        let log = try shell.belfry("log").lines.map(Printed.init)
        let names = Set(log.compactMap { $0["data.notice"] ?? $0["data.job"] })
        var asked = 0
        for name in names {
            let story = try json(
                "--notice", name, user: try #require(name.split(separator: "/").first.map(String.init)))
            for place in 0..<story.count("events") where story["events.\(place).explanation"] != "null" {
                asked += 1
                let outcome = "events.\(place).explanation.outcome"
                let event = log[try #require(story["events.\(place).seq"].flatMap { Int($0) }) - 1]
                if event["type"] == "job_emitted" {
                    #expect(story["\(outcome).send"] == event["data.channels"], "\(name)")
                } else {
                    #expect(story["\(outcome).reason"] == event["data.reason"], "\(name)")
                    #expect(story["\(outcome).hold"] == event["data.until"], "\(name)")
                }
            }
        }
        #expect(asked >= 10)
    }

    @Test func `what ended by no rule says what ended it`() throws {
        // Held over a night that is longer than a day: the next check-in comes first.
        let history = fact(
            "preferences_changed", at: monday("07:00:00"),
            data: #"""
                {"patch":{"frequency":"daily","schedule":{"thu":[["12:00","13:00"]]}}}
                """#)
        shell.importing(history, until: tuesday("12:00:00"))
        let story = try json("--notice", "anna/check_in/2026-03-02T09:00")
        #expect(story["events.0.says"]?.hasSuffix(": outside_schedule") == true)
        #expect(story["events.1.says"] == "dropped: superseded (its next slot had come, C4)")
        #expect(story["events.1.explanation"] == "null")
    }

    @Test func `--at ends the story where it had come by then`() {
        shell.importing(Histories.anna)
        for moment in ["6", monday("09:59:59.999")] {
            let lines = explain("--notice", "anna/alert/#5", "--at", moment).lines
            #expect(lines.filter { $0.hasPrefix("  event") }.count == 2)
        }
        #expect(
            explain("--notice", "anna/alert/#5", "--at", "4")
                == .failed(
                    3, "the log holds no notice \"anna/alert/#5\" of anna up to then; did you mean anna/alert/#3?"))
    }
}
