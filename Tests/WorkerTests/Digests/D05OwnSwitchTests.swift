import Testing

@Suite("D5, a digest's own switch")
struct OwnSwitchTests {
    private static let off = Told.wants(#"{"kinds":{"points_earned":{"enabled":false}}}"#)
    private static let on = Told.wants(#"{"kinds":{"points_earned":{"enabled":true}}}"#)
    private static let digest = Told.wants(#"{"digest_mode":true}"#)

    @Test func `switched off it tells what was gathered, and nothing of its own`() {
        given(.enrolled(), Self.digest, Self.off, policy: "screentime")
            .when(.earned(5), .requested("goal_achieved", "child:k1"), at: "2026-03-02T09:00Z")
            .then("gathered goal_achieved/child:k1/#5 into daily_summary/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_summary/2026-03-02T18:00 (daily_summary/2026-03-02T18:00, goal_achieved/child:k1/#5) [push] {notices 1}"
            )
    }

    @Test func `with nothing gathered it emits nothing`() {
        given(.enrolled(), Self.off, policy: "screentime")
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-04T18:00Z").thenNothing()
    }

    /// Its switch is asked when it goes: nobody loses a day's points to a moment in which it was off (`D1`).
    @Test func `what was earned before or while it was off is told when it is on again`() {
        given(.enrolled(), policy: "screentime")
            .when(.earned(5), Self.off, .earned(7), Self.on, .earned(2), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted daily_summary/2026-03-02T18:00 [push] {points 14}")
    }

    @Test func `what was earned before it was off for days is told apart from the day's own (D6)`() {
        given(.enrolled(), policy: "screentime")
            .when(.earned(5), Self.off, at: "2026-03-02T09:00Z")
            .later(at: "2026-03-03T18:00Z").thenNothing()
            .when(Self.on, .earned(2), at: "2026-03-04T09:00Z")
            .later(at: "2026-03-04T18:00Z")
            .then("emitted daily_summary/2026-03-04T18:00 [push] {points 7, points_earlier 5}")
    }

    @Test func `one that is held when it is switched off comes to its end`() {
        given(.enrolled(), .wants(#"{"quiet_hours":{"start":"17:00"}}"#), policy: "screentime")
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_summary/2026-03-02T18:00 until 2026-03-03T08:00Z quiet_hours")
            .when(Self.off, at: "2026-03-02T19:00Z").then("dropped daily_summary/2026-03-02T18:00 kind_off")
            .later(at: "2026-03-04T18:00Z").thenNothing()
    }

    @Test func `the summary's own switch is one more: with it off no points are told either`() {
        given(.enrolled(), .wants(#"{"kinds":{"daily_summary":{"enabled":false}}}"#), Self.digest, policy: "screentime")
            .when(.earned(5), .requested("goal_achieved", "child:k1"), at: "2026-03-02T09:00Z")
            .then("gathered goal_achieved/child:k1/#5 into daily_summary/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_summary/2026-03-02T18:00 (daily_summary/2026-03-02T18:00, goal_achieved/child:k1/#5) [push] {notices 1}"
            )
            .says("Today's learning", "Learning goals achieved.")
    }

    @Test func `points of a child that are switched off are not told, and those of others are`() {
        given(
            .enrolled(), .wants(#"{"subjects":{"child:lea":{"kinds":{"points_earned":{"enabled":false}}}}}"#),
            policy: "screentime"
        )
        .when(.earned(5, for: "child:lea"), .earned(7, for: "child:tom"), at: "2026-03-02T09:00Z")
        .later(at: "2026-03-02T18:00Z").then("emitted daily_summary/2026-03-02T18:00 [push] {points 7}")
        .says("Today's learning", "7 points earned today: tom 7.")
        .when(.earned(3, for: "child:lea"), at: "2026-03-03T09:00Z")
        .later(at: "2026-03-03T18:00Z").thenNothing()
    }

    @Test func `switched off for a child and on again, what was earned before is told`() {
        given(.enrolled(), policy: "screentime")
            .when(.earned(5, for: "child:lea"), .earned(7, for: "child:tom"), at: "2026-03-02T09:00Z")
            .when(
                .wants(#"{"subjects":{"child:lea":{"kinds":{"daily_summary":{"enabled":false}}}}}"#),
                .wants(#"{"subjects":{"child:lea":null}}"#), at: "2026-03-02T17:59:59.999Z"
            )
            .later(at: "2026-03-02T18:00Z").then("emitted daily_summary/2026-03-02T18:00 [push] {points 12}")
    }

    @Test func `points that are switched off for a child leave the goals it achieved`() {
        given(
            .enrolled(), .wants(#"{"subjects":{"child:tom":{"kinds":{"points_earned":{"enabled":false}}}}}"#),
            policy: "screentime"
        )
        .when(.earned(5, for: "child:tom"), .requested("goal_achieved", "child:tom"), at: "2026-03-06T10:00Z")
        .unwatched(until: "2026-03-08T18:59Z")
        .later(at: "2026-03-08T19:00Z").then("emitted weekly_milestone/2026-03-08T19:00 [push] {goals_achieved 1}")
    }

    /// Whoever snoozes one and then switches it off is not to get it once more (`S1`, `P5`).
    @Test func `one that was put off and told nothing gathered does not come again when it is off`() {
        given(.enrolled(), policy: "screentime")
            .when(.session, at: "2026-03-02T09:00Z")
            .unwatched(until: "2026-03-08T19:00Z")
            .when(.snoozes("weekly_milestone/2026-03-08T19:00", 15), at: "2026-03-08T19:10Z")
            .when(.wants(#"{"kinds":{"weekly_milestone":{"enabled":false}}}"#), at: "2026-03-08T19:12Z")
            .later(at: "2026-03-08T19:25Z").then("dropped weekly_milestone/2026-03-08T19:00~1 kind_off")
    }

    @Test func `points that were put off are told no more when they are off`() {
        given(.enrolled(), policy: "screentime")
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .unwatched(until: "2026-03-02T18:00Z")
            .when(.snoozes("daily_summary/2026-03-02T18:00", 15), at: "2026-03-02T18:10Z")
            .when(Self.off, at: "2026-03-02T18:12Z")
            .later(at: "2026-03-02T18:25Z").then("dropped daily_summary/2026-03-02T18:00~1 kind_off")
    }

    @Test func `one that was put off and told what was gathered comes again all the same`() {
        given(.enrolled(), Self.digest, policy: "screentime")
            .when(.earned(5), .requested("goal_achieved", "child:k1"), at: "2026-03-02T09:00Z")
            .unwatched(until: "2026-03-02T18:00Z")
            .when(.snoozes("daily_summary/2026-03-02T18:00", 15), at: "2026-03-02T18:10Z")
            .when(.wants(#"{"kinds":{"daily_summary":{"enabled":false}}}"#), at: "2026-03-02T18:12Z")
            .later(at: "2026-03-02T18:25Z").then("emitted daily_summary/2026-03-02T18:00~1 [push]")
    }

    @Test func `a weekly one that is off says nothing of the week`() {
        given(.enrolled(), .wants(#"{"kinds":{"weekly_milestone":{"enabled":false}}}"#), policy: "screentime")
            .when(.session, at: "2026-03-02T09:00Z")
            .later(at: "2026-03-09T12:00Z").thenNothing()
    }
}
