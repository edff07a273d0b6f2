import Testing

@Suite("P10, digest mode")
struct DigestModeTests {
    private static let digest = Told.wants(#"{"digest_mode":true}"#)

    @Test func `what is digestible is gathered for the next digest`() {
        given(.enrolled("America/St_Johns"), .noCheckIns, Self.digest)
            .when(.requested("reminder"), at: "2026-03-02T17:59:59.999-03:30")
            .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00-03:30")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#4) [push] {notices 1}")
    }

    @Test(arguments: [
        ("18:00:00.000", "gathered reminder/#4 into daily_digest/2026-03-03T18:00 digest_mode"),
        ("18:00:00.001", "gathered reminder/#4 into daily_digest/2026-03-03T18:00 digest_mode"),
    ])
    func `at the digest's own instant the digest is decided first (T10)`(time: String, outcome: String) {
        given(.enrolled(), .noCheckIns, Self.digest)
            .when(.requested("reminder"), at: "2026-03-02T\(time)Z").then(outcome)
    }

    @Test func `other kinds go out alone`() {
        given(.enrolled(), Self.digest)
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.requested("alert"), .requested("urgent"), at: "2026-03-02T09:00Z")
            .then("emitted alert/#4 [push]", "emitted urgent/#6 [push]")
    }

    @Test func `quiet hours hold it first, and it is gathered in the morning`() {
        given(.enrolled(), .noCheckIns, Self.digest)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#4 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-03T18:00 digest_mode")
    }

    @Test func `switched off, what was gathered still waits for its digest`() {
        given(.enrolled(), .noCheckIns, Self.digest)
            .when(.requested("reminder"), at: "2026-03-02T12:00Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
            .when(.wants(#"{"digest_mode":false}"#), at: "2026-03-02T13:00Z").thenNothing()
            .when(.requested("reminder"), at: "2026-03-02T13:00Z").then("emitted reminder/#7 [push]")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#4) [push] {notices 1}")
    }
}
