import CivilTime
import Foundation
import Testing

@Suite("belfry history")
struct HistoryTests {
    let shell = Shell()

    private func history(_ words: String...) -> Outcome {
        shell.belfry(["history", "--user", "anna"] + words, input: [])
    }

    /// Anna's Monday, with what became of her first alert.
    private let answered =
        Histories.anna
        + fact("job_delivered", at: monday("21:31:00"), data: #"{"job":"anna/alert/#3","channel":"push"}"#)
        + fact("notice_opened", at: monday("21:32:00"), data: #"{"job":"anna/alert/#3"}"#)
        + fact(
            "job_failed", at: monday("21:33:00"),
            data: #"{"job":"anna/alert/#5","channel":"push","reason":"no\nsuch token","permanent":true}"#)

    @Test func `a support person reads it on the person's own clock`() {
        shell.importing(answered)
        #expect(
            history("--at", tuesday("00:00:00"))
                == .done(
                    "anna (Anna), the last 7 days up to tue 2026-03-03 01:00 (Europe/Paris; 2026-03-03T00:00:00.000Z)",
                    "mon 2026-03-02 10:30  sent       alert         “Rain: Something needs your attention.”  sent on push; opened mon 2026-03-02 22:32",
                    // One line, whatever a provider says.
                    #"mon 2026-03-02 11:00  failed     alert         “More rain: Something needs your attention.”  failed on push: no\nsuch token"#,
                    "mon 2026-03-02 18:00  queued     daily_digest  “Your day: Water.”  handed out for push; no word of it yet",
                    "    with reminder  “Water”",
                    "mon 2026-03-02 22:30  queued     alert         “Storm”  held until tue 2026-03-03 08:00: quiet hours",
                    "1 sent, 0 delivered, 1 failed, 2 queued, 0 blocked"))
    }

    @Test func `one status, and what is listed is counted`() {
        shell.importing(answered)
        let failed = history("--at", tuesday("00:00:00"), "--status", "failed")
        #expect(failed.lines.count == 3)
        #expect(failed.line(0).hasSuffix(", only failed"))
        #expect(failed.line(1).contains("  failed  "))
        #expect(failed.line(2) == "1 failed, and 3 that are not listed")
        #expect(
            history("--at", tuesday("00:00:00"), "--status", "sent").lines.last == "1 sent, and 3 that are not listed")
        #expect(history("--at", tuesday("00:00:00"), "--status", "blocked").lines.count == 2)
    }

    @Test func `for machines it is one object a line`() throws {
        shell.importing(answered)
        let outcome = history("--at", tuesday("00:00:00"), "--json")
        #expect(outcome.errors == "")
        let lines = try outcome.lines.map(Printed.init)
        #expect(lines.map { $0["status"] } == ["sent", "failed", "queued", "queued"])
        #expect(
            lines[0].keys() == [
                "at", "status", "notice", "kind", "subject", "subject_title", "title", "body", "raised_at", "state",
                "channels", "notices", "test", "outcomes", "answers",
            ])
        for (path, value) in [
            ("notice", "anna/alert/#3"), ("at", "2026-03-02T09:30:00.000Z"), ("subject", "null"), ("state", "emitted"),
            ("channels", #"["push"]"#), ("notices", "[]"),
            (
                "outcomes",
                #"[{"at":"2026-03-02T21:31:00.000Z","channel":"push","status":"sent","reason":null,"permanent":null,"means":null,"device":null,"gives_way_to":null,"provider_id":null}]"#
            ),
            ("test", "false"),
            ("answers", #"[{"at":"2026-03-02T21:32:00.000Z","answer":"opened"}]"#),
        ] { #expect(lines[0][path] == value, "\(path)") }
        #expect(lines[1]["outcomes.0.reason"] == "no\nsuch token")
        #expect(lines[1]["raised_at"] == "2026-03-02T09:40:00.000Z")
        // Quiet hours had begun by then.
        #expect(lines[1]["retry"] == "too_late" && lines[1]["not_after"] == "2026-03-02T21:00:00.000Z")
        #expect(
            lines[2]["notices"]
                == #"[{"notice":"anna/reminder/#9","kind":"reminder","subject":null,"subject_title":null,"title":"Water"}]"#
        )
        #expect(lines[3]["state"] == "held" && lines[3]["reason"] == "quiet_hours")
        #expect(lines[3]["until"] == "2026-03-03T07:00:00.000Z")
    }

    /// `N8`.
    @Test func `a sample is listed as a test whatever became of it`() throws {
        let denied = #"{"status":"denied"}"#
        shell.importing(
            answered + fact("push_permission_changed", at: monday("21:34:00"), data: denied)
                + fact("test_requested", at: monday("21:35:00"), data: #"{"kind":"alert"}"#))
        let lines = try history("--at", tuesday("00:00:00"), "--json").lines.map(Printed.init)
        let sample = try #require(lines.first { $0["at"] == "2026-03-02T21:35:00.000Z" })
        #expect(sample["status"] == "blocked" && sample["reason"] == "no_channel" && sample["test"] == "true")
        #expect(lines.count { $0["test"] == "true" } == 1)
    }

    @Test func `days are counted back from now, or from the moment that was asked for`() throws {
        shell.importing(Histories.anna, until: tuesday("12:00:00"))
        let now = history()
        #expect(now.lines.count == 2)
        #expect(
            now.line(1)
                == "nothing in the last 7 days; the last was tue 2026-03-03 08:00 (Europe/Paris; 2026-03-03T07:00:00.000Z), --days N goes further back"
        )
        #expect(history("--status", "blocked").line(1) == "nothing blocked yet")
        #expect(history("--status", "queued").line(1).hasPrefix("nothing queued in the last 7 days; the last was tue "))
        #expect(history("--days", "3650").lines.count == 7)
        #expect(history("--days", "1", "--at", tuesday("12:00:00")).lines.count == 5)
        // As of an event: what came later is not told.
        #expect(history("--at", "4").line(1).hasPrefix("mon 2026-03-02 10:30  queued     alert"))
        #expect(history("--at", "4").lines.count == 3)
    }

    @Test func `a fact that nobody decided about is queued until somebody does`() throws {
        try shell.writeLog([("2026-03-02T12:00:00Z", "anna", "notice_requested", #"{"kind":"alert"}"#)])
        let outcome = history("--at", "2026-03-02T12:00:01Z")
        #expect(outcome.line(1).hasSuffix("  queued     alert  not decided yet: no worker has run since"))
    }

    @Test func `a fact that was appended without a worker is decided all the same`() throws {
        // Urgent: whatever the hour is, nothing holds it.
        #expect(shell.belfry("append", input: fact("notice_requested", data: #"{"kind":"urgent"}"#)).code == 0)
        let outcome = history()
        #expect(
            outcome.line(1).hasSuffix(
                "  queued     urgent  “Urgent: Something needs you now.”  handed out for push; no word of it yet"))
        #expect(outcome.line(2) == "0 sent, 0 delivered, 0 failed, 1 queued, 0 blocked")
    }

    @Test func `a cleared history is empty, and says since when`() {
        shell.importing(
            fact("user_enrolled", at: monday("09:00:00"), data: #"{"timezone":"UTC"}"#)
                + fact("notice_requested", at: monday("09:30:00"), data: #"{"kind":"alert"}"#)
                + fact("history_cleared", at: monday("10:00:00")))
        #expect(
            history("--at", tuesday("00:00:00")).lines.last
                == "nothing since the history was cleared, mon 2026-03-02 10:00 (UTC; 2026-03-02T10:00:00.000Z)")
        #expect(history("--at", "4").lines.count == 3)
        shell.forget("events")
        shell.importing(fact("user_enrolled", at: monday("09:00:00"), data: #"{"timezone":"UTC"}"#))
        #expect(history("--at", "2").lines.last == "nothing yet")
        #expect(history("--at", "2", "--json") == .done())
    }

    @Test func `somebody the log does not know, or did not know then`() {
        shell.importing(Histories.anna)
        #expect(
            shell.belfry("history", "--user", "bert")
                == .failed(3, "the log holds nothing about \"bert\"; `belfry people` lists whom it knows"))
        #expect(history("--at", "1") == .failed(3, "\"anna\" was not known yet then"))
    }

    @Test func `without a log, and with a damaged one`() throws {
        #expect(history().code == 5)
        shell.importing(Histories.anna)
        let segment = try #require(shell.segments(of: "events/log").first)
        try shell.edit(segment) { $0[$0.count - 40] ^= 1 }
        let damaged = history()
        #expect(damaged.code == 4 && damaged.output == "")
        #expect(damaged.errors.hasPrefix("belfry: the log is damaged: "))
    }

    @Test func `wrong usage`() {
        for (words, complaint) in [
            (["history"], "history needs --user"),
            (
                ["history", "--user", "a", "--status", "lost"],
                #"--status takes sent, delivered, failed, queued or blocked, not "lost""#
            ),
            (["history", "--user", "a", "--days", "0"], #"--days takes a number from 1 to 3650, not "0""#),
            (["history", "--user", "a", "--days", "week"], #"--days takes a number from 1 to 3650, not "week""#),
            (
                ["history", "--user", "a", "--at", "noon"],
                #"--at takes an event number or an instant such as 2026-03-02T14:00:00Z, not "noon""#
            ),
        ] {
            let outcome = shell.belfry(words, input: [])
            #expect(outcome.code == 2 && outcome.errorLine(0) == "belfry: " + complaint, "\(words)")
        }
    }
}
