import Foundation
import Testing

@Suite("belfry state")
struct StateTests {
    let shell = Shell()

    private func state(_ user: String, at: String? = nil) -> Outcome {
        shell.belfry(["state", "--user", user] + (at.map { ["--at", $0] } ?? []), input: [])
    }

    private func json(_ user: String, at: String? = nil) throws -> Printed {
        let outcome = shell.belfry(["state", "--json", "--user", user] + (at.map { ["--at", $0] } ?? []), input: [])
        #expect((outcome.code, outcome.errors) == (0, ""))
        return try outcome.json()
    }

    // MARK: For people

    @Test func `a support person reads it in the person's own time`() {
        shell.importing(Histories.anna)
        #expect(
            state("anna", at: "6")
                == .done(
                    "anna (Anna), as of event 6, mon 2026-03-02 10:40 (Europe/Paris; 2026-03-02T09:40:00.000Z)",
                    "policy       standard",
                    "timezone     Europe/Paris",
                    "known since  mon 2026-03-02 10:00 (Europe/Paris; 2026-03-02T09:00:00.000Z)",
                    "reachable    push, in_app; push permission unknown",
                    "addresses    email unknown, phone unknown, 0 devices",
                    "consent      none given",
                    "jobs today   1 of 3",
                    "preferences  as the policy's defaults",
                    "held         anna/alert/#5 until mon 2026-03-02 11:00 (Europe/Paris; 2026-03-02T10:00:00.000Z): cooldown",
                    "next wake    mon 2026-03-02 11:00 (Europe/Paris; 2026-03-02T10:00:00.000Z)"))
        #expect(
            state("anna", at: "10").lines.suffix(3) == [
                #"preferences  {"digest_mode":true}"#,
                "gathered     anna/reminder/#9 into anna/daily_digest/2026-03-02T18:00: digest_mode",
                "next wake    mon 2026-03-02 18:00 (Europe/Paris; 2026-03-02T17:00:00.000Z)",
            ])
    }

    @Test func `a person with everything`() {
        shell.importing(Histories.mia, policy: shell.goals)
        let lines = state("mia").lines
        for line in [
            "mia, as of event 17, mon 2026-03-02 10:09 (Europe/Paris; 2026-03-02T09:09:00.000Z)",
            "policy       microcommit",
            "timezone     Europe/Paris (kept; the device is in America/New_York)",
            "reachable    email, sms, in_app; push permission denied",
            "addresses    email known, phone verified, 0 devices",
            "consent      guardian",
            "jobs today   1, no daily cap",
            "snoozed      mia/referee/#5~1 until mon 2026-03-02 11:01 (Europe/Paris; 2026-03-02T10:01:00.000Z)",
            // One line, whatever the title holds.
            #"goal         run “Run\n10 km”, deadline fri 2026-03-06 19:00 (Europe/Paris; 2026-03-06T18:00:00.000Z)"#,
            "next wake    mon 2026-03-02 11:01 (Europe/Paris; 2026-03-02T10:01:00.000Z)",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.contains { $0.hasPrefix("preferences  {") && $0.hasSuffix(" (preset custom)") })
        #expect(lines.filter { $0.hasPrefix("goal ") }.count == 1)
        #expect(lines.count == 12)
    }

    // MARK: For machines

    @Test func `for machines it is one object, with every part of it`() throws {
        shell.importing(Histories.mia, policy: shell.goals)
        let state = try json("mia")
        #expect(
            state.keys() == [
                "user", "seq", "at", "name", "policy", "enrolled_at", "timezone", "local_time", "clock",
                "device_timezone",
                "preset",
                "preferences", "changed", "warnings", "consent", "permission", "app_open", "reachable", "email",
                "phone", "devices", "jobs_today", "all_jobs_today", "daily_cap", "waiting", "snoozed", "goals",
                "next_wake",
            ])
        for (path, value) in [
            ("user", "mia"), ("seq", "17"), ("at", "2026-03-02T09:09:00.000Z"), ("policy", "microcommit"),
            ("enrolled_at", "2026-03-02T08:00:00.000Z"), ("timezone", "Europe/Paris"),
            ("local_time", "2026-03-02T10:09"), ("device_timezone", "America/New_York"), ("preset", "custom"),
            ("warnings", "[]"), ("consent", #"["guardian"]"#), ("permission", "denied"), ("app_open", "false"),
            ("reachable", #"["email","sms","in_app"]"#), ("email", "known"), ("phone", "verified"), ("devices", "[]"),
            ("jobs_today", "1"), ("daily_cap", "null"), ("waiting", "[]"),
            ("snoozed", #"[{"notice":"mia/referee/#5~1","due":"2026-03-02T10:01:00.000Z"}]"#),
            ("goals.0", #"{"goal":"read","title":"Read","deadline":null,"ended":true,"last_check_in":null}"#),
            ("goals.1.deadline", "2026-03-06T18:00:00.000Z"), ("goals.1.last_check_in", "2026-03-02T09:07:00.000Z"),
            ("next_wake", "2026-03-02T10:01:00.000Z"),
        ] { #expect(state[path] == value, "\(path)") }
        // The document in force, and what of it the person changed: the preset turns reminders off, a hand achievements on.
        #expect(state.keys("preferences").count == 20)
        #expect(state["preferences.kinds.goal_reminder.enabled"] == "false")
        #expect(state["preferences.kinds.achievement.enabled"] == "true")
        #expect(state["preferences.kinds.social.enabled"] == "false")
        #expect(state["preferences.timezone"] == "Europe/Paris")
        #expect(state.keys("changed") == ["kinds"])
        #expect(state["changed.kinds.goal_reminder"] == #"{"enabled":false}"#)
        #expect(state["changed.kinds.achievement"] == nil)
    }

    @Test func `what waits is told with its end and its reason`() throws {
        shell.importing(Histories.anna)
        let held = #"""
            [{"notice":"anna/alert/#5","kind":"alert","raised_at":"2026-03-02T09:40:00.000Z","until":"2026-03-02T10:00:00.000Z","reason":"cooldown"}]
            """#
        let gathered = #"""
            [{"notice":"anna/reminder/#9","kind":"reminder","raised_at":"2026-03-02T11:30:00.000Z","into":"anna/daily_digest/2026-03-02T18:00","reason":"digest_mode"}]
            """#
        #expect(try json("anna", at: "6")["waiting"] == held)
        #expect(try json("anna", at: "7")["waiting"] == "[]")
        #expect(try json("anna", at: "10")["waiting"] == gathered)
        #expect(try json("anna", at: "11")["waiting"] == "[]")
        #expect(try json("anna")["waiting"]?.contains(#""reason":"quiet_hours"}"#) == true)
    }

    @Test func `who opted in to analyses sees who decides, the analyser or a fallback (A4)`() throws {
        let history = [
            fact("consent_given", at: monday("08:01:00"), data: #"{"by":"user"}"#),
            fact("message_received", at: monday("08:04:00"), data: #"{"conversation":"c","message":"m"}"#),
            fact("consent_withdrawn", at: monday("09:00:00"), data: #"{"by":"user"}"#),
        ].joined()
        shell.importing(history, policy: "messageai")
        #expect(try json("anna", at: "3")["smart"] == #"{"opted_in":true,"status":"untested","reason":null}"#)
        #expect(state("anna", at: "3").lines.contains("analyses     nothing was asked of the analyser yet"))
        let later = monday("08:30:00")
        #expect(
            try json("anna", at: later)["smart"]
                == #"{"opted_in":true,"status":"using_fallback","reason":"ai_unavailable"}"#)
        #expect(state("anna", at: later).lines.contains("analyses     using the fallback: ai_unavailable"))
        #expect(try json("anna")["smart.opted_in"] == "false")
        #expect(state("anna").lines.contains("analyses     not opted in: every message is told of"))
    }

    // MARK: As of when

    @Test func `--at an event, an instant and the end`() throws {
        shell.importing(Histories.mia, policy: shell.goals)
        let presets = try ["2", "7", "8", "9"].map { try json("mia", at: $0)["preset"] }
        #expect(presets == ["null", "null", "minimal", "custom"])
        #expect(try json("mia", at: "9")["device_timezone"] == nil)
        // The event at an instant is part of it, to the millisecond.
        #expect(try json("mia", at: monday("09:03:59.999"))["seq"] == "9")
        #expect(try json("mia", at: monday("09:04:00"))["seq"] == "10")
        #expect(try json("mia", at: "2026-03-02T10:04:00+01:00")["device_timezone"] == "America/New_York")
        #expect(try json("mia", at: "17").text == json("mia").text)
        #expect(try json("mia", at: "99").text == json("mia").text)
    }

    /// The fact of event 5 was held in the same commit: it never was undecided.
    @Test func `an event in the middle of a commit stands for all of it (SPEC §1)`() throws {
        shell.importing(Histories.anna)
        for words in [
            ["state"], ["history"], ["explain"], ["explain", "--kind", "alert"],
            ["explain", "--notice", "anna/alert/#5"],
        ] {
            let inside = shell.belfry(words + ["--user", "anna", "--at", "5", "--json"], input: [])
            let whole = shell.belfry(words + ["--user", "anna", "--at", "6", "--json"], input: [])
            #expect(inside.code == 0 && inside == whole, "\(words)")
        }
        #expect(try json("anna", at: "5")["waiting.0.reason"] == "cooldown")
        let history = shell.belfry("history", "--user", "anna", "--at", "5")
        #expect(history.output.contains("held until") && !history.output.contains("not decided yet"), "\(history)")
    }

    @Test func `so does somebody else's event in it`() throws {
        try shell.writeLog(events: 1...6, people: 2, commitsOf: 3)
        #expect(try json("u1", at: "2")["seq"] == "3")
        #expect(try json("u0", at: "3")["seq"] == "2")
        #expect(try json("u0", at: "4")["seq"] == "6")
    }

    @Test func `the day's jobs are those of the moment it is about`() throws {
        shell.importing(Histories.anna)
        #expect(try json("anna")["jobs_today"] == "3")
        #expect(try json("anna", at: monday("22:59:59.999"))["jobs_today"] == "3")
        // Midnight in Paris.
        #expect(try json("anna", at: monday("23:00:00"))["jobs_today"] == "0")
        #expect(state("anna", at: monday("23:00:00")).line(7) == "jobs today   0 of 3")
    }

    @Test func `the end of the log is now, also for someone who was quiet since`() throws {
        let other = fact(user: "bert", at: tuesday("06:00:00")) + fact(user: "bert", at: tuesday("06:30:00"))
        shell.importing(Histories.anna + other)
        let end = try json("anna")
        #expect((end["seq"], end["at"], end["jobs_today"]) == ("13", "2026-03-03T06:30:00.000Z", "0"))
        // An event's number is its instant, whomever it is about.
        let before = try json("anna", at: "14")
        #expect((before["seq"], before["at"], before["jobs_today"]) == ("13", "2026-03-03T06:00:00.000Z", "0"))
        #expect(try json("bert", at: "14")["app_open"] == "true")
        #expect(try json("bert", at: "2026-03-03T06:02:00Z")["app_open"] == "false")
    }

    /// An alert is held until 07:00, and nobody has decided about it since the log's end.
    @Test func `of a moment behind the log's end it says where that is, if something falls due until then`() throws {
        shell.importing(Histories.anna)
        let (before, after) = (tuesday("06:59:59.999"), tuesday("07:00:00"))
        #expect(!state("anna", at: before).output.contains("not decided"))
        #expect(try json("anna", at: before)["decided_until"] == nil)
        #expect(
            state("anna", at: after).lines.last
                == "not decided  what falls due after the log's end, mon 2026-03-02 22:30 (Europe/Paris; 2026-03-02T21:30:00.000Z); `belfry explain --at` foretells it"
        )
        #expect(try json("anna", at: after)["decided_until"] == "2026-03-02T21:30:00.000Z")
        for (moment, isTold) in [(before, false), (after, true)] {
            let history = shell.belfry("history", "--user", "anna", "--at", moment)
            let last = "not decided: what falls due after the log's end, mon 2026-03-02 22:30 "
            #expect(history.lines.last?.hasPrefix(last) == isTold, "\(history)")
        }
    }

    @Test func `what another policy cannot read falls to its default, with a warning (SPEC §3, G6)`() throws {
        func policy(_ at: String, _ range: String) -> String {
            fact(
                "policy_adopted", user: nil, at: at,
                data:
                    #"{"policy":{"name":"own","ranges":{"pause_threshold_seconds":\#(range)},"preferences":{"pause_threshold_seconds":100},"kinds":[{"name":"a","on_request":true}]}}"#
            )
        }
        let change = fact(
            "preferences_changed", at: monday("09:00:00"), data: #"{"patch":{"pause_threshold_seconds":250}}"#)
        let history = policy(monday("08:00:00"), "[60,300]") + change + policy(monday("10:00:00"), "[60,120]")
        #expect(shell.belfry("import", "-", input: history).code == 0)
        #expect(try json("anna", at: "2")["preferences.pause_threshold_seconds"] == "250")
        let now = try json("anna")
        #expect(now["preferences.pause_threshold_seconds"] == "100")
        #expect(now["changed.pause_threshold_seconds"] == "250")
        let warning = "pause_threshold_seconds: 250 is not a whole number from 60 to 120"
        #expect(now["warnings.0"] == warning)
        #expect(state("anna").lines.contains("warning      \(warning)"))
    }

    @Test func `of somebody with nothing before them it says so`() throws {
        shell.importing(
            fact("preferences_changed", at: monday("09:00:00"), data: #"{"patch":{"check_ins_enabled":false}}"#))
        #expect(state("anna").lines.last == "next wake    none: nothing is planned")
        #expect(try json("anna")["next_wake"] == "null")
    }

    // MARK: What goes wrong

    @Test func `somebody the log does not know, or did not know then`() {
        shell.importing(Histories.anna)
        let unknown = "the log holds nothing about \"bert\"; `belfry people` lists whom it knows"
        #expect(state("bert") == .failed(3, unknown))
        #expect(shell.belfry("state", "--user", "bert", "--json") == .failed(3, unknown))
        for moment in ["0", "1", monday("08:59:59.999"), "1970-01-01T00:00:00Z"] {
            #expect(state("anna", at: moment) == .failed(3, "\"anna\" was not known yet then"))
        }
        #expect(state("anna", at: "2").code == 0)
    }

    @Test func `without a log, and with a damaged one`() throws {
        #expect(
            shell.belfry("state", "--user", "anna", "--data", "nowhere")
                == .failed(5, "there is no log in nowhere. `belfry append --data nowhere FILE` begins one"))
        shell.importing(Histories.anna)
        try shell.edit(try #require(shell.segments(of: "events/log").first)) { $0[150] ^= 0x10 }
        let outcome = state("anna")
        #expect((outcome.code, outcome.output) == (4, ""))
        #expect(outcome.errors.hasPrefix("belfry: the log is damaged: events/log/"))
    }

    @Test func `wrong usage`() {
        for (words, complaint) in [
            ([], "state needs --user"),
            (["--user"], "--user needs a value, U"),
            (["anna"], "\"anna\" is more than state takes"),
            (
                ["--user", "anna", "--at", "noon"],
                "--at takes an event number or an instant such as 2026-03-02T14:00:00Z, not \"noon\""
            ),
            (
                ["--user", "anna", "--at", "-1"],
                "--at takes an event number or an instant such as 2026-03-02T14:00:00Z, not \"-1\""
            ),
            (["--user", "anna", "--kind", "alert"], "state has no option \"--kind\""),
        ] {
            let outcome = shell.belfry(["state"] + words, input: [])
            #expect((outcome.code, outcome.output) == (2, ""))
            #expect(
                outcome.errorLines == [
                    "belfry: " + complaint, "usage: belfry state --user U [options]",
                    "`belfry state --help` tells more",
                ])
        }
        #expect(shell.belfry("state", "--help").output.contains("--at T|SEQ"))
    }
}
