import Testing

@Suite("D3, the weekly digest")
struct WeeklyReviewTests {
    @Test func `it counts the local week, from its Monday to its own instant`() {
        given(.enrolled("Asia/Kathmandu"), .noCheckIns, .goal("g1"), .goal("g2"), at: "2026-03-01T06:00Z")
            // Sunday before: not this week, and that week's review.
            .when(.session, at: "2026-03-01T23:59:59.999+05:45")
            .when(.session, .checkedIn(), at: "2026-03-02T00:00+05:45")
            .when(.goalEnded("g1"), .goalEnded("g2", "failed"), at: "2026-03-04T12:00+05:45")
            .when(.earned(30), at: "2026-03-05T17:00+05:45")
            .unwatched(until: "2026-03-08T12:00+05:45")
            .when(.session, at: justBefore("2026-03-08T19:00+05:45"))
            .when(.session, at: "2026-03-08T19:00+05:45")
            .then(
                "emitted weekly_review/2026-03-08T19:00 [push] {check_ins 1, goals_achieved 1, points 30, sessions 2}"
            )
            .says("Your week", "2 sessions, 1 check-in, 30 points, 1 goal achieved.")
    }

    @Test func `without activity it says nothing`() {
        given(.enrolled(), .noCheckIns).later(at: "2026-03-15T19:00Z").thenNothing()
        given(.enrolled(), .noCheckIns, .goal("g1"))
            .when(.goalEnded("g1", "failed"), .opensApp, at: "2026-03-04T12:00Z")
            .later(at: "2026-03-15T19:00Z").thenNothing()
    }

    @Test func `what comes at its instant is for no week's review but the next day's`() {
        given(.enrolled(), .noCheckIns)
            .when(.session, at: "2026-03-08T19:00Z").thenNothing()
            .later(at: "2026-03-15T19:00Z").thenNothing()
    }

    /// Also where it ends a moment after, and where something was heard of them a moment before.
    @Test(arguments: [("18:55:03", nil), ("18:55:00.001", nil), ("18:55:03", "18:59:59.999")])
    func `a session that ends after its instant is not told by it, whether or not anybody was awake for it (G1)`(
        last: String, heard: String?
    ) {
        let scenario = given(.enrolled(), .noCheckIns).when(.session, at: "2026-03-04T12:00Z")
            .later(at: "2026-03-08T19:00Z").then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
        for second in 50..<53 { scenario.when(.message(in: "c1"), at: "2026-03-15T18:54:\(second)Z") }
        scenario.when(.message(in: "c1"), at: "2026-03-15T\(last)Z")
        if let heard { scenario.when(.device("phone"), at: "2026-03-15T\(heard)Z") }
        scenario.thenNothing()
            .later(at: "2026-03-15T\(last.replacing("18:55", with: "19:00"))Z").then("completed a session in c1")
            .later(at: "2026-03-15T23:00Z").thenNothing()
    }

    /// 19:00 in Kolkata was 40 seconds before they landed there, and the second session ten seconds after it.
    @Test func `come to late it tells nothing of what was done after its instant (T9)`() {
        given(.enrolled("Asia/Karachi"), .noCheckIns).when(.session, at: "2026-03-04T12:00Z")
            .when(.session, at: "2026-03-08T13:30:10Z").thenNothing()
            .when(.moved(to: "Asia/Kolkata"), at: "2026-03-08T13:30:40Z")
            .then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
    }

    /// They land in Kolkata at 19:00 there, or a moment after it.
    @Test(arguments: [("13:30:00.000", 2), ("13:30:00.001", 1)])
    func `what was told first in its own millisecond it counts if it comes then, and not if it comes late (T9)`(
        landing: String, sessions: Int
    ) {
        given(.enrolled("Asia/Karachi"), .noCheckIns).when(.session, at: "2026-03-04T12:00Z")
            .when(.session, at: "2026-03-08T13:30Z").thenNothing()
            .when(.moved(to: "Asia/Kolkata"), at: "2026-03-08T\(landing)Z")
            .then("emitted weekly_review/2026-03-08T19:00 [push] {sessions \(sessions)}")
    }

    @Test func `held over night it still tells of its own week`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"start":"18:30","end":"08:00"}}"#))
            .when(.session, at: "2026-03-08T12:00Z")
            .later(at: "2026-03-08T19:00Z")
            .then("held weekly_review/2026-03-08T19:00 until 2026-03-09T08:00Z quiet_hours")
            .when(.session, at: "2026-03-08T20:00Z")
            .later(at: "2026-03-09T08:00Z").then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
    }

    @Test func `over the cap it waits for the next day (P13)`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"enabled":false}}"#))
            .when(.session, .requested("alert"), .requested("reminder"), at: "2026-03-08T12:00Z")
            .when(.requested("urgent", priority: "high"), at: "2026-03-08T12:00Z")
            .unwatched(until: "2026-03-08T12:00Z")
            .later(at: "2026-03-08T19:00Z")
            .then("held weekly_review/2026-03-08T19:00 until 2026-03-09T00:00Z daily_cap")
            .later(at: "2026-03-09T00:00Z").then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
    }

    @Test func `a week with a skipped date has six days (Pacific/Apia)`() {
        given(.enrolled("Pacific/Apia"), .noCheckIns, at: "2011-12-26T12:00Z")
            .when(.session, at: "2011-12-26T12:00-10:00")
            .when(.session, at: "2011-12-31T12:00+14:00")
            .later(at: "2012-01-01T19:00+14:00").then("emitted weekly_review/2012-01-01T19:00 [push] {sessions 2}")
    }
}
