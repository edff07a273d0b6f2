import Testing

@Suite("P9, the weekly schedule")
struct ScheduleTests {
    private static let office = Told.wants(
        #"{"schedule":{"mon":[["09:00","12:00"],["13:00","17:00"]],"wed":[["09:00","17:00"]]}}"#)

    @Test(arguments: [
        ("08:59:59.999", "held reminder/#4 until 2026-03-02T09:00+05:45 outside_schedule"),
        ("09:00:00.000", "emitted reminder/#4 [push]"), ("11:59:59.999", "emitted reminder/#4 [push]"),
        ("12:00:00.000", "held reminder/#4 until 2026-03-02T13:00+05:45 outside_schedule"),
        ("13:00:00.000", "emitted reminder/#4 [push]"), ("16:59:59.999", "emitted reminder/#4 [push]"),
        ("17:00:00.000", "held reminder/#4 until 2026-03-04T09:00+05:45 outside_schedule"),
    ])
    func `outside it a notice waits for the next slot (Asia/Kathmandu)`(time: String, outcome: String) {
        given(.enrolled("Asia/Kathmandu"), .noCheckIns, Self.office)
            .when(.requested("reminder"), at: "2026-03-02T\(time)+05:45").then(outcome)
    }

    @Test func `the job is not sent after the slot's end`() {
        given(.enrolled(), .noCheckIns, Self.office)
            .when(.requested("reminder"), at: "2026-03-02T11:00Z").then("emitted reminder/#4 [push]")
            .isSentUntil("2026-03-02T12:00Z")
    }

    @Test func `a slot over night belongs to the day it starts on (T3)`() {
        given(
            .enrolled(), .noCheckIns,
            .wants(#"{"schedule":{"fri":[["20:00","02:00"]]},"quiet_hours":{"enabled":false}}"#)
        )
        .when(.requested("reminder"), at: "2026-03-06T02:00Z")
        .then("held reminder/#4 until 2026-03-06T20:00Z outside_schedule")
        .later(at: "2026-03-06T20:00Z").then("emitted reminder/#4 [push]")
        .when(.requested("reminder"), at: "2026-03-07T01:59:59.999Z").then("emitted reminder/#7 [push]")
        .when(.requested("reminder"), at: "2026-03-07T02:00Z")
        .then("held reminder/#9 until 2026-03-13T20:00Z outside_schedule")
    }

    @Test func `opened while a notice waits, it goes out at that instant`() {
        given(.enrolled(), .noCheckIns, Self.office)
            .when(.requested("reminder"), at: "2026-03-03T11:00Z")
            .then("held reminder/#4 until 2026-03-04T09:00Z outside_schedule")
            .when(.wants(#"{"schedule":null}"#), at: "2026-03-03T11:30Z")
            .then("emitted reminder/#4 [push]")
    }

    @Test func `critical notices are not asked`() {
        given(.enrolled(), .noCheckIns, Self.office)
            .when(.requested("urgent"), at: "2026-03-03T03:00Z").then("emitted urgent/#4 [push]")
    }
}
