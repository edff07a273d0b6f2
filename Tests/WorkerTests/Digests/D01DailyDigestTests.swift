import Testing

@Suite("D1, the daily digest")
struct DailyDigestTests {
    private static let digest = Told.wants(#"{"digest_mode":true}"#)

    @Test func `it lists what was gathered, in that order, and the points`() {
        given(.enrolled(), .noCheckIns, Self.digest)
            .when(.requested("reminder", and: #""title":"Water the plants""#), at: "2026-03-02T09:00Z")
            .when(.requested("reminder", priority: "high", and: #""title":"Call Ben""#), at: "2026-03-02T10:00Z")
            .when(.earned(5), .earned(7), at: "2026-03-02T11:00Z")
            .unwatched(until: "2026-03-02T12:00Z")
            .later(at: justBefore("2026-03-02T18:00Z")).thenNothing()
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#4, reminder/#6) [push] {notices 2, points 12}"
            )
            .says("Your day", "Water the plants, Call Ben. 12 points earned today.")
    }

    @Test func `what an app gave no title is listed by its text`() {
        given(.enrolled(), .noCheckIns, Self.digest)
            .when(.requested("reminder", and: #""body":"Call the dentist""#), at: "2026-03-02T09:00Z")
            .when(.requested("reminder", and: #""title":"Rent","body":"Pay it""#), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T11:00Z")
            .unwatched(until: "2026-03-02T18:00Z")
            .says("Your day", "Call the dentist, Rent, Reminders.")
    }

    @Test func `points alone are something to say`() {
        given(.enrolled(), .noCheckIns)
            .when(.earned(1), at: "2026-03-02T11:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted daily_digest/2026-03-02T18:00 [push] {points 1}")
            .says("Your day", "1 point earned today.")
    }

    @Test func `nothing is nothing`() {
        given(.enrolled(), .noCheckIns).later(at: "2026-03-04T18:00Z").thenNothing()
    }

    @Test func `what a digest told is not told again`() {
        given(.enrolled(), .noCheckIns)
            .when(.earned(5), at: "2026-03-02T11:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
            .when(.earned(7), at: "2026-03-03T11:00Z")
            .later(at: "2026-03-03T18:00Z").then("emitted daily_digest/2026-03-03T18:00 [push] {points 7}")
            .later(at: "2026-03-04T18:00Z").thenNothing()
    }

    @Test func `in the app it tells the same, and counts for no cap (P15)`() {
        given(.enrolled(), .noCheckIns)
            .when(.earned(5), at: "2026-03-02T11:00Z")
            .when(.opensApp, at: "2026-03-02T17:59Z")
            .later(at: "2026-03-02T18:00Z").then("emitted daily_digest/2026-03-02T18:00 [in_app] {points 5}")
            .when(.requested("alert"), at: "2026-03-02T18:10Z").then("emitted alert/#6 [push]")
            .when(.requested("alert"), at: "2026-03-02T18:45Z").then("emitted alert/#8 [push]")
            .when(.requested("alert"), at: "2026-03-02T19:20Z").then("emitted alert/#10 [push]")
            .later(at: "2026-03-03T18:00Z").thenNothing()
    }

    @Test func `what is gathered at its very instant is still in it`() {
        let scenario = given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"start":"12:00","end":"18:00"}}"#))
        scenario.when(.wants(#"{"digest_mode":true}"#), .requested("reminder"), at: "2026-03-02T13:00Z")
            .then("held reminder/#5 until 2026-03-02T18:00Z quiet_hours")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "gathered reminder/#5 into daily_digest/2026-03-02T18:00 digest_mode",
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#5) [push] {notices 1}")
    }

    @Test func `screentime sums a parent's points over all children`() {
        given(.enrolled("Africa/Cairo"), policy: "screentime")
            .when(.earned(30, for: "child:k1"), .earned(12, for: "child:k2"), at: "2026-03-02T15:00Z")
            .when(.earned(8, for: "child:k1"), at: "2026-03-02T15:30Z")
            .later(at: "2026-03-02T18:00+02:00").then("emitted daily_summary/2026-03-02T18:00 [push] {points 50}")
            .says("Today's learning", "50 points earned today: k1 38, k2 12.")
            .carries(["points.child:k1": "38", "points.child:k2": "12"])
    }
}
