import Testing

@Suite("T8, a slot comes once")
struct SlotIdentityTests {
    @Test func `a check-in is one a day, whatever its time becomes`() {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.wants(#"{"check_in_time":"15:00"}"#), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-03T15:00Z").then("emitted check_in/2026-03-03T15:00 [push]")
    }

    @Test func `one that was skipped is as used up as one that fired`() {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .when(.session, at: "2026-03-02T08:00Z")
            .later(at: "2026-03-02T09:00Z").then("skipped check_in 2026-03-02T09:00 already_active_today")
            .when(.wants(#"{"check_in_time":"15:00"}"#), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T23:00Z").thenNothing()
    }

    @Test func `travel west does not repeat it`() {
        given(.enrolled("Europe/Paris"), .wants(#"{"frequency":"daily"}"#))
            .later(at: "2026-03-02T09:00+01:00").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.moved(to: "America/New_York"), at: "2026-03-02T14:00+01:00")
            .later(at: "2026-03-02T23:00-05:00").thenNothing()
            .later(at: "2026-03-03T09:00-05:00").then("emitted check_in/2026-03-03T09:00 [push]")
    }

    @Test func `nor does a journey around the world and back`() {
        given(.enrolled("Pacific/Auckland"), .wants(#"{"frequency":"daily"}"#))
            .later(at: "2026-03-02T09:00+13:00").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-02T12:00+13:00")
            .then("emitted check_in/2026-03-01T09:00 [push]")
            .when(.moved(to: "Pacific/Auckland"), at: "2026-03-02T13:00+13:00").thenNothing()
            .later(at: "2026-03-02T23:00+13:00").thenNothing()
    }

    @Test func `a digest is by its time as well`() {
        let policy = { (time: String) in
            #"{"name":"times","kinds":[{"name":"digest","digest":"daily","schedule":{"on":"daily","at":"\#(time)"}}]}"#
        }
        given(.enrolled(), policy: policy("18:00"))
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted digest/2026-03-02T18:00 [push] {points 5}")
            .when(.earned(7), .adopts(policy("20:00")), at: "2026-03-02T18:30Z")
            .later(at: "2026-03-02T20:00Z").then("emitted digest/2026-03-02T20:00 [push] {points 7}")
    }

    @Test func `a digest slot that had nothing to say is not used up (C5)`() {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .later(at: "2026-03-02T18:00+01:00").thenNothing()
            .when(.moved(to: "America/New_York"), .earned(5), at: "2026-03-02T19:00+01:00")
            .later(at: "2026-03-02T18:00-05:00").then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
    }
}
