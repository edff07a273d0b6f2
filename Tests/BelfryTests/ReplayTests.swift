import Testing

/// The log as an auditor replays it (`G1`, `G2`): decided again by the same code, commit by commit.
@Suite("belfry replay")
struct ReplayTests {
    private let shell = Shell()

    private func built() -> Outcome {
        shell.belfry(["import", "-", "--policy", "standard", "--data", "log"], input: Array(Histories.anna.utf8))
    }

    @Test func `what was recorded is decided again, and the head is the log's`() throws {
        let head = try #require(built().lines.last)
        let outcome = shell.belfry("replay", "--verify", "--data", "log")
        #expect(outcome.code == 0 && outcome.errors.isEmpty)
        #expect(outcome.lines.last == head)
        #expect(outcome.lines.first?.hasSuffix(", 0 differ") == true)
    }

    @Test func `a place that is none is told by the option's own name`() {
        _ = built()
        #expect(
            shell.belfry("replay", "--to", "noon", "--data", "log").errorLines.first
                == #"belfry: --to takes an event number or an instant such as 2026-03-02T14:00:00Z, not "noon""#)
    }

    @Test func `a stretch that holds nothing differs in nothing`() {
        _ = built()
        for end in ["0", "2020-01-01T00:00:00Z"] {
            let outcome = shell.belfry("replay", "--verify", "--to", end, "--data", "log")
            #expect(outcome.code == 0 && outcome.lines.first == "0 events, 0 decisions, 0 differ", "--to \(end)")
            let document = shell.belfry("replay", "--verify", "--to", end, "--data", "log", "--json")
            #expect(document.output.hasPrefix(#"{"events":0,"decisions":0,"differ":0,"head":"#), "--to \(end)")
            let folded = shell.belfry("replay", "--to", end, "--data", "log")
            #expect(folded.lines.first == "0 events, 0 decisions", "--to \(end)")
        }
    }

    @Test func `without --verify it folds and compares nothing`() throws {
        _ = built()
        let outcome = shell.belfry("replay", "--data", "log")
        #expect(outcome.code == 0 && outcome.lines.first?.contains("differ") == false)
    }

    @Test func `a decision that does not follow is the first difference`() throws {
        try shell.writeLog(
            [
                ("2026-03-02T10:00:00.000Z", "anna", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
                (
                    "2026-03-02T10:00:00.000Z", "anna", "notice_dropped",
                    #"{"notice":"anna/reminder/#1","kind":"reminder","reason":"expired"}"#
                ),
            ], to: "log")
        let outcome = shell.belfry("replay", "--verify", "--data", "log")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("the first difference is at event 2"))
        #expect(outcome.errors.contains("recorded  notice_dropped") && outcome.errors.contains("decided   nothing"))
    }

    @Test func `what a fact raised waits for whoever decides next, and is not passed over`() throws {
        let night = [
            ("2026-03-02T22:30:00.000Z", "anna", "user_enrolled", #"{"timezone":"UTC"}"#),
            ("2026-03-02T23:00:00.000Z", "anna", "notice_requested", #"{"kind":"alert"}"#),
            ("2026-03-02T23:00:00.000Z", "bert", "user_enrolled", #"{"timezone":"UTC"}"#),
            ("2026-03-02T23:05:00.000Z", "bert", "notice_requested", #"{"kind":"alert"}"#),
        ].map { (at: $0.0, user: Optional($0.1), type: $0.2, data: $0.3) }
        try shell.writeLog(night, to: "undecided")
        #expect(shell.belfry("replay", "--verify", "--data", "undecided").code == 0)
        let held =
            #"{"notice":"bert/alert/#4","kind":"alert","until":"2026-03-03T08:00:00.000Z","reason":"quiet_hours"}"#
        try shell.writeLog(night + [("2026-03-02T23:05:00.000Z", "bert", "notice_held", held)], to: "passed-over")
        let outcome = shell.belfry("replay", "--verify", "--data", "passed-over")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("the first difference is at event 2"))
        #expect(outcome.errors.contains("recorded  nothing") && outcome.errors.contains("decided   notice_held"))
    }

    @Test func `what follows from a fact at once is missed where it is not there`() throws {
        try shell.writeLog(
            [
                ("2026-03-02T10:00:00.000Z", "anna", "user_enrolled", #"{"timezone":"UTC"}"#),
                ("2026-03-02T10:00:01.000Z", "anna", "phone_verification_requested", #"{"phone":"+14155550100"}"#),
                ("2026-03-02T10:00:02.000Z", "anna", "phone_code_entered", #"{"correct":true}"#),
                ("2026-03-02T10:00:02.000Z", "anna", "conversation_opened", #"{"conversation":"c"}"#),
            ], to: "log")
        let outcome = shell.belfry("replay", "--verify", "--data", "log")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("the first difference is at event 3"))
        #expect(outcome.errors.contains("decided   phone_verified"))
    }

    @Test func `it goes as far as it is asked to`() throws {
        _ = built()
        let outcome = shell.belfry("replay", "--verify", "--to", "1", "--data", "log", "--json")
        #expect(outcome.code == 0)
        #expect(outcome.lines.first?.hasPrefix(#"{"events":1,"decisions":0,"differ":0,"head":""#) == true)
    }

    @Test func `up to an event the head is what the log's was then`() throws {
        let before = built().lines
        let events = try #require(before.first?.split(separator: " ").first)
        #expect(shell.belfry("append", "--data", "log", input: fact()).code == 0)
        #expect(shell.belfry("replay", "--to", String(events), "--data", "log").lines.last == before.last)
    }
}
