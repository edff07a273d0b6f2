import Testing

@Suite("P1, expired")
struct ExpiredTests {
    @Test func `a request that is too late already is dropped at once`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", expires: "2026-03-02T09:00:00Z"), at: "2026-03-02T09:00Z")
            .then("dropped reminder/#3 expired")
            .when(.requested("reminder", expires: "2026-03-02T09:00:00.001Z"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#5 [push]")
    }

    @Test(arguments: [
        ("07:59:59.999", "dropped reminder/#3 expired"),
        ("08:00:00.000", "dropped reminder/#3 expired"),
        ("08:00:00.001", "emitted reminder/#3 [push]"),
    ])
    func `what is held over night is asked again in the morning`(expiry: String, outcome: String) {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", expires: "2026-03-03T\(expiry)Z"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z")
            .then(outcome)
    }

    @Test func `expiry stands before every other objection`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"enabled":false}"#))
            .when(.requested("urgent", expires: "2026-03-01T00:00:00Z"), at: "2026-03-02T23:00Z")
            .then("dropped urgent/#4 expired")
    }

    @Test func `a repeat is dropped when its time has passed`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", expires: "2026-03-02T09:15:00Z"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#3 [push]")
            .when(.snoozes("reminder/#3", 15), at: "2026-03-02T09:00Z").thenNothing()
            .later(at: "2026-03-02T09:15Z")
            .then("dropped reminder/#3~1 expired")
    }

    @Test func `a locked kind expires like any other`() {
        given(.enrolled("UTC", #""email":"anna@example.com""#), policy: "goals")
            .when(.requested("payment", expires: "2026-03-02T09:00:00Z"), at: "2026-03-02T09:00Z")
            .then("dropped payment/#2 expired")
    }

    @Test func `a sender never sends after the expiry`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", expires: "2026-03-02T11:00:00Z"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#3 [push]")
            .isSentUntil("2026-03-02T11:00Z")
    }
}
