import Testing

/// What a digest that a rule stops takes along with it (`D2`), and a slot that was skipped, as `explain` and `history` tell of them.
@Suite("What ends without a rule of its own")
struct TakenAlongTests {
    private let shell = Shell()

    private func told(_ facts: [(String, String, String)], _ policy: String, until: String) {
        let lines = facts.map { #"{"type":"\#($0.1)","user":"u","at":"\#($0.0)","data":\#($0.2)}"# }
        let outcome = shell.belfry(
            ["import", "-", "--policy", policy, "--data", "log", "--until", until],
            input: Array(lines.joined(separator: "\n").utf8))
        #expect(outcome.code == 0, "\(outcome.errors)")
    }

    private func explained(_ notice: String) -> [String] {
        shell.belfry("explain", "--all", "--user", "u", "--notice", notice, "--data", "log").lines
    }

    private func takingAlong() {
        told(
            [
                ("2026-03-02T07:00:00Z", "user_enrolled", #"{"timezone":"UTC","email":"a@b.c"}"#),
                (
                    "2026-03-02T09:30:00Z", "preferences_changed",
                    #"{"patch":{"digest_mode":true,"kinds":{"reminder":{"channels":["push","email"]}}}}"#
                ), ("2026-03-02T10:00:00Z", "notice_requested", #"{"kind":"reminder","subject":"thing:x"}"#),
                ("2026-03-02T11:00:00Z", "push_permission_changed", #"{"status":"denied"}"#),
            ], "standard", until: "2026-03-02T20:00:00Z")
    }

    @Test func `a notice that its digest took along says so, and which rule stopped the digest`() throws {
        takingAlong()
        let lines = explained("u/reminder/thing:x/#4") + explained("u/reminder/thing:x/#5")
        let end = try #require(lines.firstIndex { $0.contains("dropped: no_channel") })
        #expect(
            lines[end].hasSuffix(
                "dropped: no_channel (u/daily_digest/2026-03-02T18:00 was dropped for that and took along what it had gathered, D2)"
            ))
        // The digest's own channels, not the reminder's.
        #expect(
            lines[end...].contains { $0.hasPrefix("    P6 no_channel") && $0.contains("chosen: push; reachable: ") })
    }

    @Test func `a history does not say of it that it could not be reached itself`() {
        takingAlong()
        let lines = shell.belfry("history", "--user", "u", "--data", "log", "--at", "2026-03-02T20:00:00Z").lines
        #expect(
            lines.contains {
                $0.contains("reminder")
                    && $0.contains("dropped with u/daily_digest/2026-03-02T18:00, which could not go: ")
            })
    }

    @Test func `a digest that was held and has nothing left to tell says so`() {
        told(
            [
                ("2026-03-02T07:00:00Z", "user_enrolled", #"{"timezone":"UTC"}"#),
                (
                    "2026-03-02T09:00:00Z", "preferences_changed",
                    #"{"patch":{"quiet_hours":{"start":"17:00","end":"20:00"},"kinds":{"goal_achieved":{"digest":"daily"}}}}"#
                ),
                (
                    "2026-03-02T10:00:00Z", "notice_requested",
                    #"{"kind":"goal_achieved","subject":"child:lea","expires_at":"2026-03-02T19:00:00Z"}"#
                ),
            ], "screentime", until: "2026-03-03T12:00:00Z")
        let lines = explained("u/daily_summary/2026-03-02T18:00")
        #expect(lines.contains { $0.hasSuffix("dropped: settled (nothing was left for it to tell, D4)") }, "\(lines)")
    }

    @Test func `a slot that was skipped is told of by the name that its notice would have had`() {
        told(
            [
                ("2026-03-01T07:00:00Z", "user_enrolled", #"{"timezone":"UTC"}"#),
                ("2026-03-02T08:30:00Z", "session_completed", "{}"),
            ], "standard", until: "2026-03-02T12:00:00Z")
        let lines = explained("u/check_in/2026-03-02T09:00")
        #expect(
            lines.last?.hasSuffix("skipped: already_active_today (they had been active that day)") == true, "\(lines)")
    }
}
