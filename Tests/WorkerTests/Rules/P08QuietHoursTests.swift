import Testing

@Suite("P8, quiet hours")
struct QuietHoursTests {
    @Test func `a notice in the night waits for the morning`() {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:30+01:00")
            .then("held reminder/#3 until 2026-03-03T08:00+01:00 quiet_hours")
            .later(at: "2026-03-03T07:59:59.999+01:00").thenNothing()
            .later(at: "2026-03-03T08:00+01:00")
            .then("emitted reminder/#3 [push]")
    }

    @Test(arguments: [
        ("21:59:59.999", "emitted reminder/#3 [push]"),
        ("22:00:00.000", "held reminder/#3 until 2026-03-03T08:00+01:00 quiet_hours"),
        ("22:00:00.001", "held reminder/#3 until 2026-03-03T08:00+01:00 quiet_hours"),
    ])
    func `they begin on the millisecond (T2)`(time: String, outcome: String) {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T\(time)+01:00").then(outcome)
    }

    @Test(arguments: [
        ("07:59:59.999", "held reminder/#3 until 2026-03-02T08:00+01:00 quiet_hours"),
        ("08:00:00.000", "emitted reminder/#3 [push]"), ("08:00:00.001", "emitted reminder/#3 [push]"),
    ])
    func `they end on the millisecond (T2)`(time: String, outcome: String) {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T\(time)+01:00").then(outcome)
    }

    @Test func `kinds that say so are dropped instead`() {
        given(.enrolled(), policy: "messageai")
            .when(.message(in: "c1"), at: "2026-03-02T21:59:59.999Z").then("emitted message/conversation:c1/#2 [push]")
            .when(.message(in: "c1"), at: "2026-03-02T22:00Z")
            .then("dropped message/conversation:c1/#4 quiet_hours")
    }

    @Test func `a job out before they begin is not sent in them`() {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T21:30+01:00").then("emitted reminder/#3 [push]")
            .isSentUntil("2026-03-02T22:00+01:00")
    }

    @Test func `released into a cooldown or another hold it is asked anew`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"schedule":{"mon":[["12:00","18:00"]],"tue":[["10:00","18:00"]]}}"#))
            .when(.requested("reminder"), at: "2026-03-02T23:30Z")
            .then("held reminder/#4 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z")
            .then("held reminder/#4 until 2026-03-03T10:00Z outside_schedule")
            .later(at: "2026-03-03T10:00Z").then("emitted reminder/#4 [push]")
    }

    @Test func `a change that moves neither end nor reason is not recorded again`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:30Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.wants(#"{"quiet_hours":{"start":"21:00"}}"#), at: "2026-03-03T01:00Z").thenNothing()
            .when(.wants(#"{"quiet_hours":{"end":"07:00"}}"#), at: "2026-03-03T02:00Z")
            .then("held reminder/#3 until 2026-03-03T07:00Z quiet_hours")
    }
}
