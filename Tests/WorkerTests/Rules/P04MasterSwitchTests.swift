import Testing

@Suite("P4, the master switch")
struct MasterSwitchTests {
    @Test func `off means off, for critical notices too`() {
        given(.enrolled(), .wants(#"{"enabled":false}"#))
            .when(.requested("urgent"), at: "2026-03-02T09:00Z")
            .then("dropped urgent/#3 opted_out")
    }

    @Test func `it stands before a quiet night: nothing is held only to be dropped`() {
        given(.enrolled(), .wants(#"{"enabled":false}"#))
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("dropped reminder/#3 opted_out")
    }

    @Test(arguments: [
        ("2026-03-03T07:59:59.999Z", "dropped reminder/#3 opted_out"),
        ("2026-03-03T08:00Z", "emitted reminder/#3 [push]"),
    ])
    func `switching off drops what is held, and not what is due already (T10)`(at: String, outcome: String) {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.wants(#"{"enabled":false}"#), at: at)
            .then(outcome)
    }

    @Test func `switched on again, what comes next goes out`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"enabled":false}"#), .wants(#"{"enabled":true}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#5 [push]")
    }
}
