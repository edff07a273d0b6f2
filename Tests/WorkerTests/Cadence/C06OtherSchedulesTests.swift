import Testing

@Suite("C6, schedules other than check-ins")
struct OtherSchedulesTests {
    @Test func `daily at a time, in a gap after it (T4)`() {
        let policy = """
            {"name":"early","preferences":{"quiet_hours":{"enabled":false}},
             "kinds":[{"name":"tip","schedule":{"on":"daily","at":"02:15"}}]}
            """
        given(.enrolled("Australia/Lord_Howe"), policy: policy, at: "2025-10-03T10:00Z")
            .later(at: justBefore("2025-10-05T02:30+11:00"))
            .then("2025-10-04T02:15+10:30 emitted tip/2025-10-04T02:15 [push]")
            .later(at: "2025-10-05T02:30+11:00").then("emitted tip/2025-10-05T02:15 [push]")
    }

    @Test func `weekly on a day at a time`() {
        let policy = #"{"name":"w","kinds":[{"name":"tip","schedule":{"on":"weekly","day":"wed","at":"10:00"}}]}"#
        given(.enrolled(), policy: policy)
            .later(at: "2026-03-11T10:00Z")
            .then("2026-03-04T10:00Z emitted tip/2026-03-04T10:00 [push]", "emitted tip/2026-03-11T10:00 [push]")
    }

    @Test func `before a deadline, at absolute instants that travel does not move`() {
        given(
            .enrolled("Europe/Paris"), .goal("g1", #""deadline":"2026-03-04T12:00:00+01:00","check_in_days":[]"#),
            policy: "goals"
        )
        .when(.moved(to: "America/New_York"), at: "2026-03-02T18:00+01:00")
        .unwatched(until: "2026-03-03T05:59-05:00")
        // 12:00 in Paris is 06:00 in New York: still night there.
        .later(at: "2026-03-03T06:00-05:00")
        .then("held deadline_warning/goal:g1/2026-03-03T06:00 until 2026-03-03T08:00-05:00 quiet_hours")
    }

    @Test func `daily kinds follow T9`() {
        let policy = #"{"name":"d","kinds":[{"name":"tip","schedule":{"on":"daily","at":"12:00"}}]}"#
        given(.enrolled("Europe/Paris"), policy: policy)
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T06:00+01:00").then("emitted tip/2026-03-02T12:00 [push]")
            .when(.moved(to: "Europe/Paris"), at: "2026-03-02T07:00+01:00")
            .later(at: "2026-03-02T13:00+01:00").thenNothing()
    }

    @Test func `daily kinds are caught up with like check-ins (C5)`() {
        let policy = #"{"name":"d","kinds":[{"name":"tip","schedule":{"on":"daily","at":"12:00"}}]}"#
        given(.enrolled(), policy: policy)
            .asleep(until: "2026-03-04T16:00Z")
            .then("skipped tip 2026-03-02T12:00…2026-03-03T12:00 (2) missed", "emitted tip/2026-03-04T12:00 [push]")
    }
}
