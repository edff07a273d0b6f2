import Testing

@Suite("P13, the daily cap")
struct DailyCapTests {
    private static let noNight = Told.wants(#"{"quiet_hours":{"enabled":false}}"#)

    /// Three alerts, at 09:00, 10:00 and 11:00 of Monday in St John's.
    private func threeJobs(_ more: Told...) -> Scenario {
        let scenario = given(.enrolled("America/St_Johns"), .noCheckIns)
        for fact in more { scenario.when(fact, at: "2026-03-01T12:00Z") }
        for hour in ["09", "10", "11"] { scenario.when(.requested("alert"), at: "2026-03-02T\(hour):00-03:30") }
        return scenario.unwatched(until: "2026-03-02T11:00-03:30")
    }

    @Test func `the fourth is gathered, held or dropped, as its kind says`() {
        threeJobs()
            .when(.requested("alert"), at: "2026-03-02T12:00-03:30")
            .then("gathered alert/#9 into daily_digest/2026-03-02T18:00 daily_cap")
            .when(.requested("urgent", priority: "high"), at: "2026-03-02T12:00-03:30")
            .then("gathered urgent/#11 into daily_digest/2026-03-02T18:00 daily_cap")
        threeJobs(.wants(#"{"check_ins_enabled":true,"check_in_time":"12:00"}"#))
            .later(at: "2026-03-02T12:00-03:30").then("dropped check_in/2026-03-02T12:00 daily_cap")
    }

    @Test func `critical notices pass it and do not count (P14, P17)`() {
        threeJobs()
            .when(.requested("urgent"), at: "2026-03-02T12:00-03:30").then("emitted urgent/#9 [push]")
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), .requested("urgent"), .requested("urgent"), at: "2026-03-02T09:00Z")
            .then("emitted urgent/#3 [push]", "emitted urgent/#5 [push]", "emitted urgent/#7 [push]")
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#9 [push]")
    }

    @Test(arguments: [
        ("2026-03-02T23:59:59.999-03:30", "gathered alert/#10 into daily_digest/2026-03-03T18:00 daily_cap"),
        ("2026-03-03T00:00:00.000-03:30", "emitted alert/#10 [push]"),
        ("2026-03-03T00:00:00.001-03:30", "emitted alert/#10 [push]"),
    ])
    func `the day begins at midnight where they are`(at: String, outcome: String) {
        threeJobs(Self.noNight).when(.requested("alert"), at: at).then(outcome)
    }

    @Test(arguments: [("2026-03-01T23:59:59.999-03:30", false), ("2026-03-02T00:00:00.000-03:30", true)])
    func `what went out a moment before midnight is the day's before`(at: String, counts: Bool) {
        let scenario = given(.enrolled("America/St_Johns"), .noCheckIns, Self.noNight)
        for at in [at, "2026-03-02T09:00-03:30", "2026-03-02T10:00-03:30"] {
            scenario.when(.requested("alert"), at: at)
        }
        scenario.unwatched(until: "2026-03-02T10:00-03:30")
            .when(.requested("alert"), at: "2026-03-02T11:00-03:30")
            .then(
                counts ? "gathered alert/#10 into daily_digest/2026-03-02T18:00 daily_cap" : "emitted alert/#10 [push]")
    }

    @Test func `a digest that comes again is not today's, and keeps no place`() {
        given(.enrolled(), .noCheckIns, at: "2026-03-03T06:00Z")
            .when(.earned(5), at: "2026-03-03T10:00Z")
            .when(.requested("alert"), at: "2026-03-03T17:45Z").then("emitted alert/#4 [push]")
            .when(.requested("alert"), at: "2026-03-03T17:50Z")
            .then("held alert/#6 until 2026-03-03T18:15Z cooldown")
            .later(at: "2026-03-03T18:00Z").then("emitted daily_digest/2026-03-03T18:00 [push] {points 5}")
            .when(.snoozes("daily_digest/2026-03-03T18:00", 15), at: "2026-03-03T18:00Z")
            .when(.earned(3), at: "2026-03-03T18:05Z")
            .later(at: "2026-03-03T18:15Z")
            .then("emitted alert/#6 [push]", "emitted daily_digest/2026-03-03T18:00~1 [push]")
    }

    @Test func `what is held over the cap waits for the next local day, and there for the morning`() {
        let scenario = given(.enrolled("America/St_Johns"), .noCheckIns, at: "2026-03-07T12:00Z")
        for hour in ["13", "14", "15"] { scenario.when(.requested("alert"), at: "2026-03-08T\(hour):00-02:30") }
        scenario.unwatched(until: "2026-03-08T15:00-02:30")
            .when(.session, at: "2026-03-08T16:00-02:30")
            .later(at: "2026-03-08T19:00-02:30")
            .then("held weekly_review/2026-03-08T19:00 until 2026-03-09T00:00-02:30 daily_cap")
            .later(at: "2026-03-09T00:00-02:30")
            .then("held weekly_review/2026-03-08T19:00 until 2026-03-09T08:00-02:30 quiet_hours")
            .later(at: "2026-03-09T08:00-02:30")
            .then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
    }

    @Test func `the last job of the day is kept for a digest that has something to say`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
            .when(.requested("alert"), at: "2026-03-02T10:00Z").then("emitted alert/#6 [push]")
            .when(.requested("alert"), at: "2026-03-02T11:00Z").then("emitted alert/#8 [push]")
            .when(.requested("alert"), at: "2026-03-02T12:00Z")
            .then("gathered alert/#10 into daily_digest/2026-03-02T18:00 daily_cap")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#4, alert/#10) [push] {notices 2}"
            )
            .when(.requested("alert"), at: "2026-03-02T19:00Z")
            .then("gathered alert/#13 into daily_digest/2026-03-03T18:00 daily_cap")
    }

    /// Two alerts on a day with points.
    private func twoJobs(_ more: Told...) -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns)
        for fact in more { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario.when(.earned(5), at: "2026-03-02T08:30Z")
            .when(.requested("alert"), at: "2026-03-02T09:00Z").unwatched(until: "2026-03-02T09:00Z")
            .when(.requested("alert"), at: "2026-03-02T10:00Z").unwatched(until: "2026-03-02T10:00Z")
    }

    @Test func `points are something to say, and keep a place for today's digest`() {
        twoJobs()
            .when(.requested("alert"), at: "2026-03-02T17:59:59.999Z")
            .then("gathered alert/#8 into daily_digest/2026-03-02T18:00 daily_cap")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, alert/#8) [push] {notices 1, points 5}"
            )
    }

    /// The alert passes the night, and is asked whether the day has room for it.
    @Test func `a place is kept for a digest that is held until later today, and for none that is held until tomorrow`()
    {
        func heldUntil(_ end: String, _ until: String) -> Scenario {
            twoJobs(.wants(#"{"quiet_hours":{"start":"17:30","end":"\#(end)","exceptions":["alert"]}}"#))
                .later(at: "2026-03-02T18:00Z")
                .then("held daily_digest/2026-03-02T18:00 until \(until) quiet_hours")
                .when(.requested("alert"), at: "2026-03-02T19:00Z")
        }
        heldUntil("20:00", "2026-03-02T20:00Z")
            .then("gathered alert/#10 into daily_digest/2026-03-02T18:00 daily_cap")
            .later(at: "2026-03-02T20:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, alert/#10) [push] {notices 1, points 5}"
            )
        heldUntil("08:00", "2026-03-03T08:00Z").then("emitted alert/#10 [push]")
    }

    @Test func `no place is kept for a digest that has come, nor for tomorrow's`() {
        given(.enrolled(), .noCheckIns, Self.noNight)
            .when(.requested("alert"), at: "2026-03-02T16:00Z").then("emitted alert/#4 [push]")
            .when(.requested("alert"), at: "2026-03-02T17:00Z").then("emitted alert/#6 [push]")
            .later(at: "2026-03-02T18:00Z").thenNothing()
            .when(.earned(5), .requested("alert"), at: "2026-03-02T18:00Z").then("emitted alert/#9 [push]")
    }

    @Test func `tomorrow's begins with its first instant, and so may its digest`() {
        let policy = """
            {"name":"p","daily_cap":1,"kinds":[{"name":"note","on_request":true},
             {"name":"midnight","digest":"daily","schedule":{"on":"daily","at":"00:00"}}]}
            """
        given(.enrolled(), Self.noNight, policy: policy)
            .when(.earned(5), .requested("note"), at: "2026-03-02T12:00Z").then("emitted note/#4 [push]")
    }

    @Test func `a digest that is switched off has no points to say`() {
        twoJobs(.wants(#"{"kinds":{"daily_digest":{"enabled":false}}}"#))
            .when(.requested("alert"), at: "2026-03-02T11:00Z").then("emitted alert/#9 [push]")
    }

    @Test func `a policy without a cap has none`() {
        given(.enrolled(), policy: "goals")
            .when(.requested("referee"), .requested("referee"), .requested("referee"), at: "2026-03-02T09:00Z")
            .when(.requested("referee"), at: "2026-03-02T09:00Z")
            .then(
                "emitted referee/#2 [push]", "emitted referee/#4 [push]", "emitted referee/#6 [push]",
                "emitted referee/#8 [push]")
    }
}
