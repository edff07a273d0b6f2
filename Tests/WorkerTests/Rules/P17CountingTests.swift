import Testing

@Suite("P17, what the cap counts")
struct CountingTests {
    private static let noNight = Told.wants(#"{"quiet_hours":{"enabled":false}}"#)

    @Test func `a job on three channels counts once`() {
        given(
            .enrolled("UTC", #""email":"anna@example.com""#), .noCheckIns,
            .wants(#"{"channels":{"sms":true},"kinds":{"alert":{"channels":["push","email","sms"]}}}"#),
            .asksForCode("+4915112345678"), .enters(code: "345678")
        )
        .unwatched(until: "2026-03-02T09:00Z")
        .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#7 [push, email, sms]")
        .when(.requested("alert"), at: "2026-03-02T10:00Z").then("emitted alert/#9 [push, email, sms]")
        .when(.requested("alert"), at: "2026-03-02T11:00Z").then("emitted alert/#11 [push, email, sms]")
        .when(.requested("alert"), at: "2026-03-02T12:00Z")
        .then("gathered alert/#13 into daily_digest/2026-03-02T18:00 daily_cap")
    }

    @Test func `a bundle counts once, and so does a digest`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), .requested("reminder"), .requested("reminder"), at: "2026-03-02T23:00Z")
            .unwatched(until: "2026-03-02T23:30Z")
            .when(.earned(5), at: "2026-03-02T23:30Z")
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#3 (reminder/#3, reminder/#5, reminder/#7) [push]")
            .later(at: "2026-03-03T18:00Z").then(
                "emitted daily_digest/2026-03-03T18:00 [push] {points 5, points_earlier 5}"
            )
            .when(.requested("alert"), at: "2026-03-03T19:00Z").then("emitted alert/#12 [push]")
            .when(.requested("alert"), at: "2026-03-03T20:00Z")
            .then("gathered alert/#14 into daily_digest/2026-03-04T18:00 daily_cap")
    }

    @Test func `jobs of locked kinds do not count`() {
        let policy = """
            {"name":"p","daily_cap":1,"cooldown_minutes":0,"kinds":[{"name":"note","on_request":true},
             {"name":"payment","on_request":true,"locked":true,"required_channels":["push"]}]}
            """
        given(.enrolled(), policy: policy)
            .when(.requested("payment"), at: "2026-03-02T09:00Z").then("emitted payment/#2 [push]")
            .when(.requested("payment"), at: "2026-03-02T10:00Z").then("emitted payment/#4 [push]")
            .when(.requested("note"), at: "2026-03-02T11:00Z").then("emitted note/#6 [push]")
            .when(.requested("note"), at: "2026-03-02T12:00Z").then("dropped note/#8 daily_cap")
    }

    @Test func `the day is the one of the zone they are in now`() {
        // 21:00 to 23:00 of Monday in Tokyo is the morning and afternoon of Monday in Paris.
        let scenario = given(.enrolled("Asia/Tokyo"), .noCheckIns, Self.noNight)
        for hour in 21..<24 { scenario.when(.requested("alert"), at: "2026-03-02T\(hour):00+09:00") }
        scenario.unwatched(until: "2026-03-02T23:30+09:00")
            .when(.requested("alert"), at: "2026-03-03T00:00+09:00").then("emitted alert/#10 [push]")
            .when(.moved(to: "Europe/Paris"), at: "2026-03-03T00:30+09:00")
            .when(.requested("alert"), at: "2026-03-02T17:30+01:00")
            .then("gathered alert/#13 into daily_digest/2026-03-02T18:00 daily_cap")
    }

    @Test func `it is not the day in UTC`() {
        // 23:00 to 01:00 UTC is the morning and noon of Monday in Apia: one day there, two in UTC.
        let scenario = given(.enrolled("Pacific/Apia"), .noCheckIns)
        for hour in 10..<13 { scenario.when(.requested("alert"), at: "2026-03-02T\(hour):00+13:00") }
        scenario.unwatched(until: "2026-03-02T12:00+13:00")
            .when(.requested("alert"), at: "2026-03-02T14:00+13:00")
            .then("gathered alert/#9 into daily_digest/2026-03-02T18:00 daily_cap")
    }

    @Test func `a day of 25 hours is one day (Australia/Lord_Howe has one of 24 and a half)`() {
        let scenario = given(
            .enrolled("Australia/Lord_Howe"), .noCheckIns, Self.noNight, at: "2026-04-04T01:00Z")
        scenario
            .when(.requested("alert"), at: "2026-04-05T00:00+11:00").then("emitted alert/#4 [push]")
            .when(.requested("alert"), at: "2026-04-05T01:45+11:00").then("emitted alert/#6 [push]")
            .when(.requested("alert"), at: "2026-04-05T02:20+10:30").then("emitted alert/#8 [push]")
            .when(.requested("urgent", priority: "high"), at: "2026-04-05T23:59:59.999+10:30")
            .then("gathered urgent/#10 into daily_digest/2026-04-06T18:00 daily_cap")
            .when(.requested("urgent", priority: "high"), at: "2026-04-06T00:00+10:30").then(
                "emitted urgent/#12 [push] high")
    }
}
