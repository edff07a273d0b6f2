import Testing

/// A recorded "run now" (SPEC §13).
@Suite("run_requested")
struct RunNowTests {
    @Test func `with a kind its next slot comes now, and is used up`() {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .when(.run("check_in"), at: "2026-03-02T08:30Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .later(at: "2026-03-02T23:00Z").thenNothing()
            .later(at: "2026-03-03T09:00Z").then("emitted check_in/2026-03-03T09:00 [push]")
    }

    @Test func `under the same rules`() {
        given(.enrolled())
            .when(.run("check_in"), at: "2026-03-02T07:00Z")
            .then("held check_in/2026-03-02T09:00 until 2026-03-02T08:00Z quiet_hours")
            .later(at: "2026-03-02T08:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.run("check_in"), at: "2026-03-02T08:10Z")
            .then("held check_in/2026-03-04T09:00 until 2026-03-02T08:30Z cooldown")
            .later(at: "2026-03-02T08:30Z").then("emitted check_in/2026-03-04T09:00 [push]")
            .later(at: "2026-03-04T23:00Z").thenNothing()
    }

    @Test func `someone active today is left alone (C3)`() {
        given(.enrolled())
            .when(.session, at: "2026-03-02T08:00Z")
            .when(.run("check_in"), at: "2026-03-02T08:30Z")
            .then("skipped check_in 2026-03-02T09:00 already_active_today")
    }

    @Test func `force asks only P1 to P7`() {
        given(.enrolled())
            .when(.run("check_in", force: true), at: "2026-03-02T03:00Z")
            .then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.run("check_in", force: true), at: "2026-03-02T03:01Z")
            .then("emitted check_in/2026-03-04T09:00 [push]")
            .when(.wants(#"{"kinds":{"check_in":{"enabled":false}}}"#), at: "2026-03-02T03:02Z")
            .when(.run("check_in", force: true), at: "2026-03-02T03:03Z")
            .then("dropped check_in/2026-03-06T09:00 kind_off")
    }

    @Test func `force does not send what is settled (P2)`() {
        given(.enrolled())
            .when(.session, at: "2026-03-02T08:00Z")
            .when(.run("check_in", force: true), at: "2026-03-02T08:30Z")
            .then("dropped check_in/2026-03-02T09:00 settled")
    }

    @Test func `a digest now, if it has something to say`() {
        given(.enrolled(), .noCheckIns)
            .when(.run("daily_digest"), at: "2026-03-02T12:00Z").thenNothing()
            .when(.earned(5), at: "2026-03-02T12:30Z")
            .when(.run("daily_digest"), at: "2026-03-02T13:00Z")
            .then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
            .when(.earned(7), at: "2026-03-02T14:00Z")
            .later(at: "2026-03-03T18:00Z").then(
                "emitted daily_digest/2026-03-03T18:00 [push] {points 7, points_earlier 7}")
    }

    @Test func `the week so far now`() {
        given(.enrolled(), .noCheckIns)
            .when(.session, at: "2026-03-02T12:00Z")
            .when(.run("weekly_review"), at: "2026-03-03T12:00Z")
            .then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
            .later(at: "2026-03-08T19:00Z").thenNothing()
    }

    @Test func `a slot still waiting gives way (C4)`() {
        given(.enrolled(), .wants(#"{"schedule":{"sat":[["09:00","17:00"]]}}"#))
            .later(at: "2026-03-02T09:00Z")
            .then("held check_in/2026-03-02T09:00 until 2026-03-07T09:00Z outside_schedule")
            .when(.run("check_in", force: true), at: "2026-03-02T10:00Z")
            .then("dropped check_in/2026-03-02T09:00 superseded", "emitted check_in/2026-03-04T09:00 [push]")
    }

    @Test func `without a kind there is nothing left to decide (T10)`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.run(), .run(force: true), at: "2026-03-02T23:30Z").thenNothing()
    }

    @Test func `a review that is held is not given up for next week's, which has nothing to say`() {
        let scenario = given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"enabled":false}}"#))
        for hour in ["09", "10", "11"] { scenario.when(.requested("alert"), at: "2026-03-04T\(hour):00Z") }
        scenario.unwatched(until: "2026-03-04T11:30Z").when(.session, at: "2026-03-04T12:00Z")
            .when(.run("weekly_review"), at: "2026-03-04T12:19Z")
            .then("held weekly_review/2026-03-08T19:00 until 2026-03-05T00:00Z daily_cap")
            .when(.run("weekly_review", force: true), at: "2026-03-04T12:20Z").thenNothing()
            .later(at: "2026-03-05T00:00Z").then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
    }

    @Test func `for everyone, in the order in which they came`() {
        given(.enrolled(), .enrolled().of("ben"), .enrolled().of("cleo"))
            .when(.noCheckIns.of("cleo"), at: "2026-03-02T08:00Z")
            .when(.run("check_in").of(nil), at: "2026-03-02T08:30Z")
            .then("emitted check_in/2026-03-02T09:00 [push]", "emitted ben/check_in/2026-03-02T09:00 [push]")
    }

    @Test func `a slot of the next minutes that is run now is in its job once (P19)`() {
        given(.enrolled(), .goal("g1", #""reminder_time":"08:05""#), policy: "goals")
            .when(.run("goal_reminder"), at: "2026-03-02T08:00Z")
            .then("emitted goal_reminder/goal:g1/2026-03-02T08:05 [push]")
            .later(at: "2026-03-02T23:00Z").thenNothing()
    }

    @Test func `goals whose turn comes at once are one ring, forced or not (P19)`() {
        let together =
            "emitted goal_reminder/goal:g1/2026-03-02T08:30 (goal_reminder/goal:g1/2026-03-02T08:30, goal_reminder/goal:g2/2026-03-02T08:30) [push]"
        for force in [false, true] {
            given(
                .enrolled(), .goal("g1", #""reminder_time":"08:30""#), .goal("g2", #""reminder_time":"08:30""#),
                policy: "goals"
            )
            .when(.run("goal_reminder", force: force), at: "2026-03-02T08:01Z").then(together)
            .says("Time to check in on 2 goals", "Tap to see list")
            .later(at: "2026-03-02T23:00Z").thenNothing()
        }
    }

    @Test func `what P1 to P7 stop does not join a forced job, and what comes by itself is not forced`() {
        given(
            .enrolled(), .goal("g1"), .goal("g2"), .goal("g3"), .goal("g4", #""reminder_time":"08:05""#),
            .wants(#"{"goals":{"g2":{"kinds":{"goal_reminder":{"enabled":false}}}}}"#), policy: "goals"
        )
        .when(.run("goal_reminder", force: true), at: "2026-03-02T07:55Z")
        .then(
            "emitted goal_reminder/goal:g1/2026-03-02T08:00 (goal_reminder/goal:g1/2026-03-02T08:00, goal_reminder/goal:g3/2026-03-02T08:00) [push]",
            "dropped goal_reminder/goal:g2/2026-03-02T08:00 kind_off"
        )
        .later(at: "2026-03-02T08:05Z").then("emitted goal_reminder/goal:g4/2026-03-02T08:05 [push]")
    }

    @Test func `of several goals those whose turn is next`() {
        given(.enrolled(), .goal("g1"), .goal("g2", #""reminder_time":"12:00""#), policy: "goals")
            .when(.run("goal_reminder", force: true), at: "2026-03-02T07:00Z")
            .then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
            .when(.run("goal_reminder", force: true), at: "2026-03-02T07:01Z")
            .then("emitted goal_reminder/goal:g2/2026-03-02T12:00 [push]")
    }
}
