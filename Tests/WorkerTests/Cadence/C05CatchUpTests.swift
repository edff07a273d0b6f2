import Testing

@Suite("C5, slots handled late")
struct CatchUpTests {
    private static let daily = Told.wants(#"{"frequency":"daily"}"#)

    @Test(arguments: [
        ("12:59:59.999", "emitted check_in/2026-03-02T09:00 [push]"),
        ("13:00:00.000", "emitted check_in/2026-03-02T09:00 [push]"),
        ("13:00:00.001", "skipped check_in 2026-03-02T09:00 missed"),
    ])
    func `up to 240 minutes late they still fire`(time: String, outcome: String) {
        given(.enrolled("Asia/Kathmandu"), Self.daily)
            .asleep(until: "2026-03-02T\(time)+05:45").then(outcome)
    }

    @Test func `several missed are one record, the last may still fire`() {
        given(.enrolled(), Self.daily)
            .asleep(until: "2026-03-06T10:00Z")
            .then(
                "skipped check_in 2026-03-02T09:00…2026-03-05T09:00 (4) missed",
                "emitted check_in/2026-03-06T09:00 [push]")
        given(.enrolled(), Self.daily)
            .asleep(until: "2026-03-06T20:00Z").then("skipped check_in 2026-03-02T09:00…2026-03-06T09:00 (5) missed")
    }

    private static let skipped = [
        "skipped check_in 2026-03-02T09:00 missed", "skipped check_in 2026-03-02T09:00…2026-03-03T09:00 (2) missed",
    ]

    @Test(arguments: [("2026-03-03", 0), ("2026-03-04", 1)])
    func `who wakes a moment before a slot has it when it comes, who wakes with it has it then`(
        day: String, missed: Int
    ) {
        given(.enrolled(), Self.daily)
            .asleep(until: "\(day)T08:59:59.999Z").then(Self.skipped[missed])
            .later(at: "\(day)T09:00Z").then("emitted check_in/\(day)T09:00 [push]")
        given(.enrolled(), Self.daily)
            .asleep(until: "\(day)T09:00:00.000Z")
            .then(Self.skipped[missed], "emitted check_in/\(day)T09:00 [push]")
    }

    @Test func `what comes a moment before a slot does not bring it along`() {
        given(.enrolled(), Self.daily)
            .when(.requested("alert"), at: "2026-03-02T08:30Z").then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T08:44:59.999Z")
            .later(at: "2026-03-02T08:59:59.999Z").then("emitted alert/#3~1 [push]")
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
    }

    @Test func `a policy may be more patient`() {
        let policy = """
            {"name":"patient","catch_up_minutes":600,"kinds":[{"name":"check_in","schedule":{"on":"check_in"}}]}
            """
        given(.enrolled(), policy: policy)
            .asleep(until: "2026-03-02T19:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
    }

    @Test func `a job of a slot is not sent once it would be missed`() {
        given(.enrolled(), Self.daily)
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .isSentUntil("2026-03-02T13:00Z")
    }

    @Test func `a hold whose end was slept through ends on waking`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .asleep(until: "2026-03-05T12:00Z").then("emitted reminder/#3 [push]")
    }

    @Test func `a digest with nothing to say leaves no trace however late`() {
        given(.enrolled(), .noCheckIns).asleep(until: "2026-03-09T12:00Z").thenNothing()
    }

    @Test(arguments: [("22:00:00.000", true), ("22:00:00.001", false)])
    func `a digest that had something to say and comes too late is recorded, and the next one says it`(
        time: String, fires: Bool
    ) {
        let scenario = given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"enabled":false}}"#))
            .when(.earned(5), at: "2026-03-02T12:00Z")
            .asleep(until: "2026-03-02T\(time)Z")
        if fires {
            scenario.then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
        } else {
            scenario.then("skipped daily_digest 2026-03-02T18:00 missed")
                .later(at: "2026-03-03T18:00Z").then(
                    "emitted daily_digest/2026-03-03T18:00 [push] {points 5, points_earlier 5}")
        }
    }
}
