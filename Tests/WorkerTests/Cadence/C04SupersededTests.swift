import Testing

@Suite("C4, superseded")
struct SupersededTests {
    private static let mondays = #""schedule":{"mon":[["12:00","18:00"]]}"#

    @Test func `a check-in still waiting gives way to the next, before that is looked at`() {
        given(.enrolled(), .wants("{\"frequency\":\"daily\",\(Self.mondays)}"))
            .later(at: "2026-03-02T09:00Z")
            .then("held check_in/2026-03-02T09:00 until 2026-03-02T12:00Z outside_schedule")
            .later(at: "2026-03-02T12:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .later(at: "2026-03-03T09:00Z")
            .then("held check_in/2026-03-03T09:00 until 2026-03-09T12:00Z outside_schedule")
            .later(at: justBefore("2026-03-04T09:00Z")).thenNothing()
            .later(at: "2026-03-04T09:00Z")
            .then(
                "dropped check_in/2026-03-03T09:00 superseded",
                "held check_in/2026-03-04T09:00 until 2026-03-09T12:00Z outside_schedule")
    }

    @Test func `even where the next is skipped`() {
        given(.enrolled(), .wants("{\"frequency\":\"daily\",\(Self.mondays)}"))
            .later(at: "2026-03-03T09:00Z").unwatched(until: "2026-03-03T09:00Z")
            .when(.session, at: "2026-03-04T08:00Z")
            .later(at: "2026-03-04T09:00Z")
            .then(
                "dropped check_in/2026-03-03T09:00 superseded",
                "skipped check_in 2026-03-04T09:00 already_active_today")
    }

    @Test func `each goal's reminders by themselves`() {
        given(
            .enrolled(), .goal("g1"), .goal("g2", #""check_in_days":["mon"]"#),
            .wants(#"{"schedule":{"sat":[["12:00","18:00"]]}}"#), policy: "goals"
        )
        .unwatched(until: "2026-03-02T08:00Z")
        .later(at: "2026-03-03T08:00Z")
        .then(
            "dropped goal_reminder/goal:g1/2026-03-02T08:00 superseded",
            "held goal_reminder/goal:g1/2026-03-03T08:00 until 2026-03-07T12:00Z outside_schedule")
    }

    @Test func `what was asked for is never superseded`() {
        given(.enrolled(), .noCheckIns, .wants("{\(Self.mondays)}"))
            .when(.requested("reminder"), at: "2026-03-03T09:00Z")
            .when(.requested("reminder"), at: "2026-03-04T09:00Z")
            .unwatched(until: "2026-03-05T09:00Z")
            .later(at: "2026-03-09T12:00Z").then("emitted reminder/#4 (reminder/#4, reminder/#6) [push]")
    }

    @Test func `a held digest gives way, what was gathered goes into the next`() {
        given(
            .enrolled(), .noCheckIns,
            .wants(#"{"digest_mode":true,"quiet_hours":{"start":"17:00","end":"18:30","days":["mon","tue"]}}"#),
            .wants(#"{"schedule":{"tue":[["18:30","19:00"]]}}"#)
        )
        .when(.earned(5), at: "2026-03-02T12:00Z")
        .later(at: "2026-03-02T18:00Z")
        .then("held daily_digest/2026-03-02T18:00 until 2026-03-02T18:30Z quiet_hours")
        .later(at: "2026-03-02T18:30Z")
        .then("held daily_digest/2026-03-02T18:00 until 2026-03-03T18:30Z outside_schedule")
        .later(at: "2026-03-03T18:00Z")
        .then(
            "dropped daily_digest/2026-03-02T18:00 superseded",
            "held daily_digest/2026-03-03T18:00 until 2026-03-03T18:30Z quiet_hours"
        )
        .later(at: "2026-03-03T18:30Z").then(
            "emitted daily_digest/2026-03-03T18:00 [push] {points 5, points_earlier 5}")
    }
}
