import Foundation
import Testing

@Suite("belfry what-if")
struct WhatIfTests {
    let shell = Shell()

    private func whatIf(_ words: String...) -> Outcome { shell.belfry(["what-if"] + words, input: []) }

    /// Three people under `standard` for a day, the busiest with an alert too many.
    private let busy =
        ["anna", "bert", "cleo"].map {
            fact("user_enrolled", user: $0, at: monday("07:00:00"), data: #"{"timezone":"UTC"}"#)
        }.joined()
        + ["10:00:00", "11:00:00", "12:00:00"].map {
            fact("notice_requested", at: monday($0), data: #"{"kind":"alert"}"#)
        }.joined()
        + fact("app_opened", user: "cleo", at: tuesday("12:00:00"))

    @Test func `a product manager reads what would be gained, lost and moved, by kind and by person`() throws {
        shell.importing(busy)
        let document = shell.belfry("policy", "show", "standard", "--json").line(0)
            .replacing(#""check_in_time":"09:00""#, with: #""check_in_time":"09:45""#)
            .replacing(#""name":"standard""#, with: #""name":"later""#)
            .replacing(#""daily_cap":3"#, with: #""daily_cap":2"#)
        try shell.write(document, to: "later.json")
        #expect(
            whatIf("--policy", "later.json")
                == .done(
                    "Under later 3 people would have had 4 jobs instead of 5: 0 gained, 1 lost, 3 moved.",
                    "between 2026-03-02T07:00:00.000Z and 2026-03-03T12:00:00.000Z, with a worker awake all the time",
                    "",
                    "  kind      recorded  later  gained  lost  moved",
                    "  check_in         3      3       0     0      3  3 later (median 45 min)",
                    "  alert            2      1       0     1      0",
                    "  all              5      4       0     1      3  3 later (median 45 min)",
                    "",
                    "jobs a person a week: 1.33 instead of 1.67 on average, 2 instead of 3 at most",
                    "",
                    "3 people would have been affected, most of all:",
                    "  person  recorded  later  gained  lost  moved",
                    "  anna           3      2       0     1      1",
                    "  bert           1      1       0     0      1",
                    "  cleo           1      1       0     0      1"))
    }

    @Test func `what the other policy refuses is counted and said`() throws {
        shell.importing(busy)
        let outcome = whatIf("--policy", "coachme")
        #expect(outcome.code == 0 && outcome.errors == "")
        #expect(
            outcome.line(0).hasPrefix("Under coachme 3 people would have had 0 jobs instead of 5: 0 gained, 5 lost"))
        #expect(outcome.lines.contains("3 facts would have been refused under coachme:"))
        #expect(outcome.output.contains(#"  3 notice_requested alert, as event 8: data.kind: "alert" is not a kind"#))
        let json = try whatIf("--policy", "coachme", "--json").json()
        #expect(
            json.keys() == [
                "policy", "from", "to", "people", "facts", "jobs", "kinds", "weekly", "affected", "most_affected",
                "refused", "refusals", "examples",
            ])
        for (path, value) in [
            ("policy", "coachme"), ("people", "3"), ("facts", "7"), ("jobs.recorded", "5"), ("jobs.decided", "0"),
            ("jobs.lost", "5"), ("jobs.same", "0"), ("kinds.0.kind", "check_in"), ("kinds.1.lost", "2"),
            ("weekly.recorded_average", "1.67"), ("weekly.recorded_highest", "3"), ("affected", "3"),
            ("most_affected.0.user", "anna"), ("most_affected.0.lost", "3"), ("refused", "3"),
            ("refusals.0.type", "notice_requested"), ("refusals.0.kind", "alert"), ("refusals.0.first", "8"),
        ] { #expect(json[path] == value, "\(path)") }
    }

    /// A job that was imported is too late for the worker that finds it, and longer ago than jobs are remembered.
    @Test func `under its own policy nothing is refused of what a worker said of old jobs`() throws {
        shell.importing(
            fact("user_enrolled", at: monday("07:00:00"), data: #"{"timezone":"UTC"}"#)
                + fact("preferences_changed", at: monday("07:01:00"), data: #"{"patch":{"check_ins_enabled":false}}"#)
                + fact("notice_requested", at: monday("10:00:00"), data: #"{"kind":"alert"}"#))
        let worker = shell.start(["run", "--jobs", "spool:out"])
        try worker.expectReady()
        let failures = shell.start(["log", "--follow", "--type", "job_failed"])
        #expect(failures.line()?.contains("too_late") == true)
        failures.send(signal: SIGTERM)
        _ = failures.end()
        worker.send(signal: SIGTERM)
        #expect(worker.end().code == 0)
        let outcome = whatIf("--policy", "standard")
        #expect(outcome.line(0).hasSuffix(": 0 gained, 0 lost, 0 moved."), "\(outcome.line(0))")
        #expect(!outcome.output.contains("refused"), "\(outcome.output)")
    }

    @Test func `from and to`() throws {
        shell.importing(busy)
        let none = try whatIf("--policy", "coachme", "--from", monday("12:30:00"), "--json").json()
        #expect(none["jobs.recorded"] == "0" && none["from"] == "2026-03-02T12:30:00.000Z")
        let some = try whatIf("--policy", "coachme", "--from", monday("10:30:00"), "--to", monday("11:30:00"), "--json")
            .json()
        #expect(some["jobs.recorded"] == "1" && some["to"] == "2026-03-02T11:00:00.000Z")
        let (first, last) = try (shell.belfry("log").events().first?.at, shell.belfry("log").events().last?.at)
        let (before, after) = ("2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z")
        for (words, reason) in [
            (["--from", after], "the log ends at \(last ?? ""), before --from \(after)"),
            (["--to", before], "the log begins at \(first ?? ""), after --to \(before)"),
            (
                ["--from", "2025-01-01T00:00:00Z", "--to", before],
                "the log begins at \(first ?? ""), after --to \(before)"
            ),
        ] {
            let outcome = shell.belfry(["what-if", "--policy", "coachme"] + words, input: [])
            #expect(outcome == .failed(3, reason), "\(words)")
        }
        // In a stretch of which nothing is recorded people have a day all the same.
        let night = whatIf("--policy", "coachme", "--from", monday("23:00:00"), "--to", tuesday("06:00:00"))
        #expect(night.code == 0, "\(night.errors)")
        #expect(
            night.line(1).hasPrefix("between 2026-03-02T23:00:00.000Z and 2026-03-03T06:00:00.000Z"), "\(night.output)")
        let backwards = whatIf("--policy", "coachme", "--from", tuesday("00:00:00"), "--to", monday("00:00:00"))
        #expect(backwards.code == 2 && backwards.errorLine(0).contains("is before --from"))
    }

    @Test(arguments: Histories.stories)
    func `under its own policy no story changes`(story: String) throws {
        let (history, policy) = try shell.story(story)
        #expect(shell.belfry(["import", "-"], input: Array(history.utf8)).code == 0)
        let outcome = whatIf("--policy", policy)
        #expect(outcome.code == 0)
        #expect(outcome.line(0).hasSuffix(": 0 gained, 0 lost, 0 moved."), "\(outcome.line(0))")
        #expect(!outcome.line(0).contains(" 0 jobs"))
        #expect(outcome.lines.last == "nobody would have been affected")
        #expect(!outcome.output.contains("refused"))
    }

    @Test func `nothing is written`() throws {
        shell.importing(busy)
        func files() throws -> [[UInt8]] {
            try shell.names(in: "events/log").map { try shell.read("events/log/" + $0) }
        }
        let before = try files()
        #expect(whatIf("--policy", "coachme").code == 0)
        #expect(try files() == before)
    }

    @Test func `facts that nobody decided about are decided here`() throws {
        try shell.writeLog([("2026-03-02T12:00:00Z", "anna", "notice_requested", #"{"kind":"urgent"}"#)])
        let outcome = whatIf("--policy", "standard")
        #expect(
            outcome.line(0) == "Under standard 1 person would have had 1 job instead of 0: 1 gained, 0 lost, 0 moved.")
    }

    @Test func `without a log, and with a damaged one`() throws {
        #expect(
            whatIf("--policy", "standard", "--data", "nowhere")
                == .failed(5, "there is no log in nowhere. `belfry append --data nowhere FILE` begins one"))
        shell.importing(busy)
        let segment = try #require(shell.segments(of: "events/log").first)
        try shell.edit(segment) { $0[$0.count - 40] ^= 1 }
        let damaged = whatIf("--policy", "standard")
        #expect(damaged.code == 4 && damaged.output == "")
        #expect(damaged.errors.hasPrefix("belfry: the log is damaged: "))
    }

    @Test func `wrong usage, and policies there are not`() throws {
        for (words, complaint) in [
            (["what-if"], "what-if needs --policy"),
            (
                ["what-if", "--policy", "standard", "--from", "7"],
                #"--from takes an instant such as 2026-03-02T14:00:00Z, not "7""#
            ),
            (["what-if", "standard"], #""standard" is more than what-if takes"#),
        ] {
            let outcome = shell.belfry(words, input: [])
            #expect(outcome.code == 2 && outcome.errorLine(0) == "belfry: " + complaint, "\(words)")
        }
        try shell.write("{}", to: "empty.json")
        shell.importing(busy)
        #expect(whatIf("--policy", "empty.json").code == 3)
        #expect(whatIf("--policy", "strict").code == 3)
    }
}
