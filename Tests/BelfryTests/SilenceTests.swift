import Foundation
import Testing

/// `belfry explain` asked why nothing came, and asked wrongly.
@Suite("belfry explain, of a silence")
struct SilenceTests {
    let shell = Shell()

    private func explain(_ words: String..., user: String = "anna") -> Outcome {
        shell.belfry(["explain", "--user", user] + words, input: [])
    }

    private func kind(_ kind: String, at moment: String? = nil) throws -> Printed {
        let outcome = shell.belfry(
            ["explain", "--json", "--user", "anna", "--kind", kind] + (moment.map { ["--at", $0] } ?? []), input: [])
        #expect((outcome.code, outcome.errors) == (0, ""))
        return try outcome.json()
    }

    private static let enrolled = fact(
        "user_enrolled", at: monday("06:30:00"), data: #"{"timezone":"Europe/Paris"}"#)

    @Test func `a slot that was skipped, and when the next one comes (C3)`() throws {
        shell.importing(Self.enrolled + fact("session_completed", at: monday("07:30:00")), until: monday("08:00:00"))
        let lines = explain("--kind", "check_in").lines
        #expect(
            lines.contains(
                "  last: event 4, mon 2026-03-02 09:00 (Europe/Paris; 2026-03-02T08:00:00.000Z): the slot 2026-03-02T09:00 was skipped: already_active_today"
            ))
        #expect(
            lines.contains(
                "  next slot: wed 2026-03-04 09:00 (Europe/Paris; 2026-03-04T08:00:00.000Z); as things stand it would be sent at once"
            ))
        // Before the slot it is foreseen.
        let before = try kind("check_in", at: "3")
        #expect(before["kinds.0.next_slot.at"] == "2026-03-02T08:00:00.000Z")
        #expect(
            before["kinds.0.next_slot.prospect.never"] == "it would not come: they have been active that day (C3)")
        #expect(before["kinds.0.next_slot.prospect.next_eligible"] == "2026-03-04T08:00:00.000Z")
        #expect(
            before["kinds.0.next_slot.prospect.explanation.rules.1.saw"] == "last active at 2026-03-02T07:30:00.000Z")
    }

    /// Monday's waits for Sunday and gives way to Wednesday's, as that one does to Friday's, which is sent.
    @Test func `of a kind whose next slots give way to later ones the one that comes is named (C3, T9)`() throws {
        shell.importing(
            fact("user_enrolled", at: "2026-03-27T05:08:00Z", data: #"{"timezone":"America/New_York"}"#)
                + fact(
                    "preferences_changed", at: "2026-03-27T06:00:00Z",
                    data: #"{"patch":{"schedule":{"sun":[["15:00","22:30"]]}}}"#)
                + fact("session_completed", at: "2026-03-27T09:08:26Z"),
            until: "2026-03-30T12:00:00Z")
        for moment in ["2026-03-27T09:08:26Z", "2026-03-28T14:00:00Z", "2026-03-30T12:00:00Z"] {
            let asked = try kind("check_in", at: moment)
            #expect(asked["kinds.0.next_slot.prospect.next_eligible"] == "2026-04-05T19:00:00.000Z", "\(moment)")
        }
    }

    @Test func `state tells what a link has stopped, which no preference says (N6)`() throws {
        shell.importing(
            Self.enrolled
                + fact(
                    "unsubscribed", at: monday("07:00:00"), data: #"{"channel":"email","kind":"reminder","how":"link"}"#
                ))
        let told = shell.belfry(["state", "--user", "anna"], input: []).lines
        #expect(told.contains("stopped      email for reminder, by a link"))
        let printed = try shell.belfry(["state", "--user", "anna", "--json"], input: []).json()
        #expect(printed["stopped.0.kind"] == "reminder" && printed["stopped.0.channels.0"] == "email")
    }

    /// Somebody with hundreds of goals that are reminded of every other hour (`G11`).
    @Test func `what is too much to be foretold is not, and nothing false is said of it`() throws {
        var facts = Self.enrolled
        for goal in 0..<300 {
            facts += fact(
                "goal_started", at: monday("07:00:00"),
                data: #"{"goal":"g\#(goal)","title":"G","deadline":"2026-03-20T12:00:\#(10 + goal % 50)Z"}"#)
        }
        for first in stride(from: 0, to: 300, by: 100) {
            let goals = (first..<first + 100).map { #""g\#($0)":{"repeat":"every_2_hours"}"# }
            facts += fact(
                "preferences_changed", at: monday("07:10:00"),
                data: #"{"patch":{"goals":{\#(goals.joined(separator: ","))}}}"#)
        }
        shell.importing(facts, policy: "microcommit", until: monday("08:00:00"))
        let told = explain().lines
        #expect(told.contains { $0.hasSuffix("too much happens to them until then to be foretold") }, "\(told)")
        // What is near is foretold all the same.
        #expect(told.contains { $0.contains("it would be sent at once") }, "\(told)")
        // A slot that is not foretold is not taken for one that is not planned.
        let printed = try shell.belfry(["explain", "--user", "anna", "--json"], input: []).json()
        let cut = (0..<printed.count("kinds")).filter { printed["kinds.\($0).unforeseen"] != nil }
        #expect(cut.count == told.count { $0.hasPrefix("  next slot: too much happens") }, "\(printed)")
        #expect(!cut.isEmpty && cut.allSatisfy { printed["kinds.\($0).next_slot"] == "null" })
    }

    @Test func `check-ins switched off have no slots (C2), and the switch is named`() throws {
        shell.importing(
            Self.enrolled
                + fact("preferences_changed", at: monday("07:00:00"), data: #"{"patch":{"check_ins_enabled":false}}"#))
        let lines = explain("--kind", "check_in").lines
        #expect(
            lines.contains(
                "  raised now: it would be dropped (kind_off); none of its kind comes until something changes"))
        #expect(
            lines.contains("    P5 kind_off          objects: drop (kind_off)  [check_ins_enabled is false]"))
        #expect(lines.last == "  next slot: none is planned")
        let told = try kind("check_in")
        #expect(told["kinds.0.now.reason"] == "kind_off")
        #expect(told["kinds.0.now.dropped_at"] == "2026-03-02T07:00:00.000Z")
        #expect(told["kinds.0.now.next_eligible"] == "null")
        #expect(told["kinds.0.next_slot"] == "null")
    }

    @Test func `who switched everything off is told so for each kind (P4)`() {
        shell.importing(
            Self.enrolled + fact("preferences_changed", at: monday("07:00:00"), data: #"{"patch":{"enabled":false}}"#)
                + fact("points_earned", at: monday("07:30:00"), data: #"{"points":3}"#),
            until: monday("07:30:00"))
        let dropped = "it would be dropped (opted_out); none of its kind comes until something changes"
        #expect(explain().lines.filter { $0 == "  raised now: \(dropped)" }.count == 6)
        #expect(explain().output.contains("as things stand \(dropped)"))
    }

    @Test func `a digest with nothing to say does not come (D1, D3)`() throws {
        let earned = fact("points_earned", at: monday("07:00:00"), data: #"{"points":3}"#)
        shell.importing(Self.enrolled + earned)
        let nothing = "it would not come: nothing was gathered and no points were earned since the last (D1)"
        let quiet = "it would not come: nothing was gathered and nothing was done in the week so far (D3)"
        #expect(explain("--kind", "daily_digest", "--at", "2").line(2) == "  raised now: \(nothing)")
        #expect(try kind("daily_digest", at: "2")["kinds.0.next_slot.prospect.never"] == nothing)
        #expect(try kind("weekly_review", at: "2")["kinds.0.next_slot.prospect.never"] == quiet)
        #expect(try kind("daily_digest")["kinds.0.now.next_eligible"] == "2026-03-02T07:00:00.000Z")
        #expect(try kind("daily_digest")["kinds.0.next_slot.prospect.next_eligible"] == "2026-03-02T17:00:00.000Z")
        #expect(try kind("weekly_review")["kinds.0.next_slot.prospect.next_eligible"] == "2026-03-08T18:00:00.000Z")
        // The points went out with the digest; the week has them still.
        let after = monday("17:00:00")
        shell.forget("events")
        shell.importing(Self.enrolled + earned, until: after)
        #expect(try kind("daily_digest")["kinds.0.now.never"] == nothing)
        #expect(try kind("weekly_review")["kinds.0.now.next_eligible"] == "2026-03-02T17:00:00.000Z")
        #expect(try kind("weekly_review", at: "2026-03-09T12:00:00Z")["kinds.0.now.never"] == quiet)
    }

    @Test func `the next slot is asked as things will stand then (P13)`() throws {
        try shell.write(
            #"""
            {"name":"one","daily_cap":1,"kinds":[
                {"name":"check_in","schedule":{"on":"check_in"},"over_cap":"drop"},
                {"name":"daily_digest","schedule":{"on":"daily","at":"18:00"},"digest":"daily"}]}
            """#, to: "one.json")
        let late = monday("19:00:00")
        shell.importing(
            Self.enrolled + fact("points_earned", at: late, data: #"{"points":5}"#), policy: "one.json", until: late)
        // Today's place is taken, tomorrow's is the digest's, and by Wednesday the points are told.
        let told = try kind("check_in")
        #expect(told["kinds.0.now.reason"] == "daily_cap")
        #expect(told["kinds.0.next_slot.prospect.reason"] == nil)
        #expect(told["kinds.0.next_slot.prospect.next_eligible"] == "2026-03-04T08:00:00.000Z")
        #expect(
            told["kinds.0.next_slot.prospect.explanation.rules.12.saw"] == "0 of 1 jobs today", "\(told)")
    }

    @Test func `a digest of which everything is settled by now does not come (D4)`() throws {
        let facts =
            fact("preferences_changed", at: monday("07:00:00"), data: #"{"patch":{"digest_mode":true}}"#)
            + fact("goal_started", at: monday("07:00:00"), data: #"{"goal":"g","title":"Swim"}"#)
            + fact("notice_requested", at: monday("09:00:00"), data: #"{"kind":"reminder","subject":"goal:g"}"#)
        shell.importing(Self.enrolled + facts, until: monday("10:00:00"))
        #expect(try kind("daily_digest")["kinds.0.next_slot.prospect.next_eligible"] == "2026-03-02T17:00:00.000Z")
        shell.forget("events")
        let ended = fact("goal_ended", at: monday("10:00:00"), data: #"{"goal":"g","outcome":"completed"}"#)
        shell.importing(Self.enrolled + facts + ended, until: monday("10:00:00"))
        let settled = "it would not come: what was gathered may not be told any more (D4)"
        #expect(try kind("daily_digest")["kinds.0.next_slot.prospect.never"] == settled)
    }

    @Test func `where quiet hours drop a kind, the next of it can come at their end (P8)`() throws {
        let late = monday("22:30:00")
        shell.importing(Self.enrolled, policy: "messageai", until: late)
        let told = try kind("message", at: late)
        #expect(told["kinds.0.now.reason"] == "quiet_hours")
        #expect(told["kinds.0.now.dropped_at"] == "2026-03-02T22:30:00.000Z")
        #expect(told["kinds.0.now.next_eligible"] == "2026-03-03T07:00:00.000Z")
        let line = explain("--kind", "message", "--at", late).line(2)
        #expect(
            line.contains("dropped (quiet_hours); the next of its kind can come at tue 2026-03-03 08:00"), "\(line)")
    }

    @Test func `a weekly digest that is switched off does not come, and says so (D5)`() throws {
        let done = fact("checked_in", at: monday("09:00:00"))
        shell.importing(Self.enrolled + done, policy: "microcommit")
        let off = "it would not come: it is switched off, and nothing was gathered for it (D5)"
        let told = try kind("weekly_digest")
        #expect(told["kinds.0.now.never"] == off && told["kinds.0.next_slot.prospect.never"] == off, "\(told)")
    }

    @Test func `a check-in on a day that the person has been active does not come, and the next one does (C3)`() throws
    {
        let done = fact("checked_in", at: tuesday("06:30:00"))
        let daily = fact("preferences_changed", at: monday("06:30:00"), data: #"{"patch":{"frequency":"daily"}}"#)
        shell.importing(Self.enrolled + daily + done, until: tuesday("06:30:00"))
        let told = try kind("check_in", at: tuesday("06:31:00"))
        #expect(told["kinds.0.next_slot.at"] == "2026-03-03T08:00:00.000Z", "\(told)")
        let never = "it would not come: they have been active that day (C3)"
        #expect(told["kinds.0.next_slot.prospect.never"] == never, "\(told)")
        #expect(told["kinds.0.next_slot.prospect.next_eligible"] == "2026-03-04T08:00:00.000Z", "\(told)")
    }

    @Test func `what comes when something happens has no slots to tell of`() {
        shell.importing(Self.enrolled, policy: "messageai")
        #expect(!explain("--kind", "message").output.contains("next slot"))
        #expect(!explain("--kind", "overload_summary").output.contains("next slot"))
    }

    // MARK: Asked wrongly

    @Test func `an unknown kind is guessed at, and the known ones are named`() {
        shell.importing(Histories.anna)
        let known = "(urgent, alert, reminder, check_in, daily_digest, weekly_review)"
        #expect(
            explain("--kind", "chek_in")
                == .failed(3, "\"chek_in\" is not a kind of the policy standard \(known); did you mean check_in?"))
        #expect(
            explain("--kind", "frobnication", "--json")
                == .failed(3, "\"frobnication\" is not a kind of the policy standard \(known)"))
        // The policy that was in force then has its own.
        #expect(explain("--kind", "check_in", "--at", "5").code == 0)
    }

    @Test func `an unknown notice is guessed at`() {
        shell.importing(Histories.anna)
        #expect(
            explain("--notice", "anna/alert/#4")
                == .failed(3, "the log holds no notice \"anna/alert/#4\" of anna; did you mean anna/alert/#3?"))
        #expect(
            explain("--notice", "frobnication", "--json")
                == .failed(
                    3,
                    "the log holds no notice \"frobnication\" of anna; `belfry log --user anna` lists their decisions"))
    }

    @Test func `somebody the log does not know, or did not know then`() {
        shell.importing(Histories.anna)
        for words in [[], ["--kind", "alert"], ["--notice", "anna/alert/#3"]] {
            #expect(
                shell.belfry(["explain", "--user", "bert"] + words, input: [])
                    == .failed(3, "the log holds nothing about \"bert\"; `belfry people` lists whom it knows"))
        }
        #expect(explain("--at", "1") == .failed(3, "\"anna\" was not known yet then"))
        #expect(explain("--kind", "alert", "--at", monday("08:59:59.999")).code == 3)
        #expect(explain("--at", monday("09:00:00")).code == 0)
    }

    @Test func `without a log, and with a damaged one`() throws {
        #expect(
            explain("--data", "nowhere")
                == .failed(5, "there is no log in nowhere. `belfry append --data nowhere FILE` begins one"))
        shell.importing(Histories.anna)
        try shell.edit(try #require(shell.segments(of: "events/log").first)) { $0[150] ^= 0x10 }
        for outcome in [explain(), explain("--kind", "alert", "--json"), explain("--notice", "anna/alert/#3")] {
            #expect((outcome.code, outcome.output) == (4, ""))
            #expect(outcome.errors.hasPrefix("belfry: the log is damaged: events/log/"))
        }
    }

    @Test func `wrong usage`() {
        for (words, complaint) in [
            ([], "explain needs --user"),
            (["--user", "anna", "--kind", "alert", "--notice", "n"], "--kind and --notice cannot be given together"),
            (["--user", "anna", "--kind"], "--kind needs a value, K"),
            (["--user", "anna", "alert"], "\"alert\" is more than explain takes"),
            (
                ["--user", "anna", "--at", "noon"],
                "--at takes an event number or an instant such as 2026-03-02T14:00:00Z, not \"noon\""
            ),
        ] {
            let outcome = shell.belfry(["explain"] + words, input: [])
            #expect((outcome.code, outcome.output) == (2, ""))
            #expect(
                outcome.errorLines == [
                    "belfry: " + complaint, "usage: belfry explain --user U [options]",
                    "`belfry explain --help` tells more",
                ])
        }
        let help = shell.belfry("explain", "--help").output
        for words in ["--kind K", "--notice N", "--at T|SEQ", "every rule in order", "the end of the log"] {
            #expect(help.contains(words), "\(words)")
        }
    }
}
