import Testing

@Suite("C3, already active today")
struct ActiveTodayTests {
    private static let emitted = "emitted check_in/2026-03-02T09:00 [push]"
    private static let skipped = "skipped check_in 2026-03-02T09:00 already_active_today"

    @Test(arguments: [
        ("2026-03-01T23:59:59.999-03:30", emitted), ("2026-03-02T00:00:00.000-03:30", skipped),
        ("2026-03-02T00:00:00.001-03:30", skipped), ("2026-03-02T08:59:59.999-03:30", skipped),
        ("2026-03-02T09:00:00.000-03:30", emitted),
    ])
    func `since their local day began, and before the slot (America/St_Johns)`(at: String, outcome: String) {
        given(.enrolled("America/St_Johns"))
            .when(.session, at: at)
            .later(at: "2026-03-02T09:00-03:30")
            .then(outcome)
        given(.enrolled("America/St_Johns"))
            .when(.checkedIn(), at: at)
            .later(at: "2026-03-02T09:00-03:30")
            .then(outcome)
    }

    @Test func `a check-in of a goal is one too`() {
        given(.enrolled(), .goal("g1"))
            .when(.checkedIn("g1"), at: "2026-03-02T08:00Z")
            .later(at: "2026-03-02T09:00Z").then(Self.skipped)
    }

    @Test func `opening the app is not`() {
        given(.enrolled())
            .when(.opensApp, .closesApp, at: "2026-03-02T08:00Z")
            .later(at: "2026-03-02T09:00Z").then(Self.emitted)
    }

    @Test func `too late is asked first`() {
        given(.enrolled())
            .when(.session, at: "2026-03-02T08:00Z")
            .asleep(until: "2026-03-02T13:00:00.001Z").then("skipped check_in 2026-03-02T09:00 missed")
    }

    @Test func `nothing begins or ends twice where midnight lies in a gap (Asia/Beirut)`() {
        // 2024-03-31, a Sunday, begins at 01:00.
        given(.enrolled("Asia/Beirut"), .wants(#"{"frequency":"daily"}"#), at: "2024-03-30T12:00Z")
            .when(.session, at: "2024-03-30T23:59:59.999+02:00")
            .later(at: "2024-03-31T09:00+03:00").then("emitted check_in/2024-03-31T09:00 [push]")
        given(.enrolled("Asia/Beirut"), .wants(#"{"frequency":"daily"}"#), at: "2024-03-30T12:00Z")
            .when(.session, at: "2024-03-31T01:00+03:00")
            .later(at: "2024-03-31T09:00+03:00").then("skipped check_in 2024-03-31T09:00 already_active_today")
    }
}
