import Testing

/// An erasure cannot be taken back: who has one decided on the way is told so, and who tries it out is told beforehand.
@Suite("Retention, as commands that decide tell of it")
struct RetentionToldTests {
    let shell = Shell()

    private static let policy =
        #"{"name":"short","retention":{"people_after_days":30},"kinds":[{"name":"alert","on_request":true,"priority":"critical"}]}"#

    /// Both left months before any clock that this runs by, and what Anna was told waits to be sent.
    private static let life =
        #"{"type":"policy_adopted","at":"\#(monday("08:00:00"))","data":{"policy":\#(policy)}}"# + "\n"
        + fact("user_enrolled", user: "anna", at: monday("09:00:00"), data: #"{"timezone":"UTC"}"#)
        + fact("user_enrolled", user: "ben", at: monday("09:00:00"), data: #"{"timezone":"UTC"}"#)
        + fact("notice_requested", user: "anna", at: monday("09:30:00"), data: #"{"kind":"alert","title":"Come"}"#)

    private static let whom = "whom the policy keeps no longer (retention)"

    private func erasure(of user: String) -> String {
        #""type":"person_erased","user":"\#(user)","data":{"derived":true,"after_days":30}"#
    }

    @Test func `a dry run says whom it would erase, and nothing of what they were to be sent`() {
        shell.importing(Self.life)
        let log = shell.belfry("log").output
        let told = "nothing to send; 2 people would be erased for ever, \(Self.whom)"
        #expect(shell.belfry("run-now", "--dry-run") == .done(told))
        // Everybody who is due is decided about, whoever is named.
        #expect(shell.belfry("run-now", "--dry-run", "--user", "ben") == .done(told))
        let each = shell.belfry("run-now", "--dry-run", "--json")
        #expect(each.code == 0 && each.errors == "" && each.lines.count == 2)
        for user in ["anna", "ben"] { #expect(each.output.contains(erasure(of: user)), "\(each.output)") }
        #expect(shell.belfry("log").output == log)
    }

    @Test func `a run says whom it erased`() {
        shell.importing(Self.life)
        let run = shell.belfry("run-now")
        #expect(run.code == 0 && run.lines == ["nothing to send; 2 people were erased, \(Self.whom)"], "\(run)")
        #expect(shell.belfry("run-now").lines == ["nothing to send"])
        shell.forget("events")
        shell.importing(Self.life)
        let each = shell.belfry("run-now", "--json")
        #expect(each.code == 0 && each.lines.count == 2)
        for user in ["[erased 0]", "[erased 1]"] { #expect(each.output.contains(erasure(of: user)), "\(each.output)") }
    }

    @Test func `whoever decides because of something else is told so too`() {
        shell.importing(Self.life)
        let appended = shell.belfry("append", input: fact("app_opened", user: "bob"))
        #expect(appended.code == 0)
        #expect(appended.errorLines.last == "note: 2 people were erased, \(Self.whom)", "\(appended)")
        let again = shell.belfry("append", input: fact("app_opened", user: "bob"))
        #expect(again.code == 0 && !again.errors.contains("erased"))
    }

    /// It would go without its words, so it does not go.
    @Test func `what was said is erased before it would be sent`() {
        shell.importing(Self.life.replacing("people_after_days", with: "texts_after_days"))
        #expect(shell.belfry("run-now", "--dry-run") == .done("nothing to send"))
        shell.forget("events")
        // What is kept for as long as that is owed.
        shell.importing(Self.life.replacing(#""people_after_days":30"#, with: #""texts_after_days":36500"#))
        #expect(shell.belfry("run-now", "--dry-run").errors.hasPrefix("note: 1 job of before waits to be sent"))
    }
}
