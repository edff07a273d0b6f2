import Testing

@Suite("D4, what was gathered is asked again")
struct DigestMembersTests {
    private func two() -> Scenario {
        given(.enrolled(), .noCheckIns, .goal("g1"), .wants(#"{"digest_mode":true}"#))
            .when(.requested("reminder", "goal:g1"), .requested("reminder"), at: "2026-03-02T09:00Z")
            .then(
                "gathered reminder/goal:g1/#5 into daily_digest/2026-03-02T18:00 digest_mode",
                "gathered reminder/#7 into daily_digest/2026-03-02T18:00 digest_mode")
    }

    @Test func `what fails is dropped with its reason and not listed`() {
        two().when(.goalEnded("g1"), at: "2026-03-02T10:00Z").thenNothing()
            .later(at: "2026-03-02T18:00Z")
            .then(
                "dropped reminder/goal:g1/#5 settled",
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#7) [push] {notices 1}")
    }

    @Test(arguments: [
        ("17:59:59.999", "dropped reminder/#4 expired"), ("18:00:00.000", "dropped reminder/#4 expired"),
        (
            "18:00:00.001",
            "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#4) [push] {notices 1}"
        ),
    ])
    func `expired by then is expired`(expiry: String, outcome: String) {
        given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
            .when(.requested("reminder", expires: "2026-03-02T\(expiry)Z"), at: "2026-03-02T09:00Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00Z").then(outcome)
    }

    /// Nothing happens to them, whatever is switched off and on again meanwhile.
    @Test func `while it is held a kind may be off for a moment`() {
        let off = Told.wants(#"{"kinds":{"reminder":{"enabled":false}}}"#)
        let on = Told.wants(#"{"kinds":{"reminder":{"enabled":true}}}"#)
        func held() -> Scenario {
            two().when(.wants(#"{"quiet_hours":{"start":"17:30","end":"20:00"}}"#), at: "2026-03-02T10:00Z")
                .later(at: "2026-03-02T18:00Z")
                .then("held daily_digest/2026-03-02T18:00 until 2026-03-02T20:00Z quiet_hours")
                .when(off, at: "2026-03-02T18:30Z").thenNothing()
        }
        held().when(on, at: "2026-03-02T18:31Z").thenNothing()
            .later(at: "2026-03-02T20:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/goal:g1/#5, reminder/#7) [push] {notices 2}"
            )
        held().later(at: "2026-03-02T20:00Z")
            .then(
                "dropped daily_digest/2026-03-02T18:00 settled", "dropped reminder/goal:g1/#5 kind_off",
                "dropped reminder/#7 kind_off")
    }

    @Test func `with nothing else to say the digest leaves no trace`() {
        two().when(.wants(#"{"kinds":{"reminder":{"enabled":false}}}"#), at: "2026-03-02T10:00Z").thenNothing()
            .later(at: "2026-03-02T18:00Z")
            .then("dropped reminder/goal:g1/#5 kind_off", "dropped reminder/#7 kind_off")
    }

    @Test func `while the digest is held nothing happens to them`() {
        two().when(.wants(#"{"quiet_hours":{"start":"17:30","end":"20:00"}}"#), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_digest/2026-03-02T18:00 until 2026-03-02T20:00Z quiet_hours")
            .when(.goalEnded("g1"), at: "2026-03-02T19:00Z").thenNothing()
            .when(.wants(#"{"check_in_time":"10:00"}"#), at: "2026-03-02T19:30Z").thenNothing()
            .later(at: "2026-03-02T20:00Z")
            .then(
                "dropped reminder/goal:g1/#5 settled",
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#7) [push] {notices 1}")
    }

    /// One has expired by then, and is dropped when a digest goes out.
    @Test func `while the digest is dropped for the cap (P13) nothing happens to them either`() {
        let scenario = given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
        for hour in ["09", "10", "11"] { scenario.when(.requested("alert"), at: "2026-03-02T\(hour):00Z") }
        scenario.unwatched(until: "2026-03-02T11:00Z")
            .when(
                .requested("reminder", expires: "2026-03-02T17:00:00Z"), .requested("reminder"), at: "2026-03-02T12:00Z"
            )
            .then(
                "gathered reminder/#10 into daily_digest/2026-03-02T18:00 digest_mode",
                "gathered reminder/#12 into daily_digest/2026-03-02T18:00 digest_mode"
            )
            .later(at: "2026-03-02T18:00Z").then("dropped daily_digest/2026-03-02T18:00 daily_cap")
            .later(at: "2026-03-03T18:00Z")
            .then(
                "dropped reminder/#10 expired",
                "emitted daily_digest/2026-03-03T18:00 (daily_digest/2026-03-03T18:00, reminder/#12) [push] {notices 1}"
            )
    }
}
