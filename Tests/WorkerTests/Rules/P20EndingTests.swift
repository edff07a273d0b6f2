import Testing

@Suite("P20, every notice comes to an end")
struct EndingTests {
    @Test func `a hold ends as a job`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T22:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#3 [push]")
    }

    @Test func `what is gathered ends in its digest, or with it`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
            .when(.wants(#"{"enabled":false}"#), at: "2026-03-02T10:00Z").thenNothing()
            .later(at: "2026-03-02T18:00Z").then("dropped reminder/#4 opted_out")
    }

    @Test func `years of waiting lose nothing`() {
        given(
            .enrolled(), .noCheckIns,
            .wants(#"{"schedule":{"mon":[["09:00","09:01"]]},"quiet_hours":{"start":"08:00","end":"20:00"}}"#)
        )
        .when(.requested("reminder"), at: "2026-03-03T07:00Z")
        .unwatched(until: "2027-03-03T07:00Z")
        .when(.wants(#"{"schedule":null}"#), at: "2027-03-03T07:00Z")
        .then("emitted reminder/#4 [push]")
    }

    @Test func `in a zone that is not known here nothing is sent, and nothing is lost (G6)`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.moved(to: "Mars/Olympus"), at: "2026-03-03T07:00Z")
            .then("held reminder/#3 until 2026-03-04T07:00Z quiet_hours")
            .when(.requested("reminder"), at: "2026-03-03T10:00Z")
            .then("held reminder/#7 until 2026-03-04T10:00Z quiet_hours")
            .later(at: "2026-03-20T10:00Z").thenNothing()
            .when(.moved(to: "Europe/Paris"), at: "2026-03-20T10:00Z")
            .then("emitted reminder/#3 (reminder/#3, reminder/#7) [push]")
    }
}
