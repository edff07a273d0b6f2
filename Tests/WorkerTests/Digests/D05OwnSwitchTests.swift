import Testing

@Suite("D5, a digest's own switch")
struct OwnSwitchTests {
    private static let off = Told.wants(#"{"kinds":{"points_earned":{"enabled":false}}}"#)
    private static let on = Told.wants(#"{"kinds":{"points_earned":{"enabled":true}}}"#)
    private static let digest = Told.wants(#"{"digest_mode":true}"#)

    @Test func `switched off it tells what was gathered, and nothing of its own`() {
        given(.enrolled(), Self.digest, Self.off, policy: "screentime")
            .when(.earned(5), .requested("goal_achieved", "child:k1"), at: "2026-03-02T09:00Z")
            .then("gathered goal_achieved/child:k1/#5 into points_earned/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted points_earned/2026-03-02T18:00 (points_earned/2026-03-02T18:00, goal_achieved/child:k1/#5) [push] {notices 1}"
            )
    }

    @Test func `with nothing gathered it emits nothing`() {
        given(.enrolled(), Self.off, policy: "screentime")
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-04T18:00Z").thenNothing()
    }

    @Test func `what was earned before or while it was off is told no more`() {
        given(.enrolled(), policy: "screentime")
            .when(.earned(5), Self.off, .earned(7), Self.on, .earned(2), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted points_earned/2026-03-02T18:00 [push] {points 2}")
    }

    @Test func `one that is held when it is switched off comes to its end`() {
        given(.enrolled(), .wants(#"{"quiet_hours":{"start":"17:00"}}"#), policy: "screentime")
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then("held points_earned/2026-03-02T18:00 until 2026-03-03T08:00Z quiet_hours")
            .when(Self.off, at: "2026-03-02T19:00Z").then("dropped points_earned/2026-03-02T18:00 kind_off")
            .later(at: "2026-03-04T18:00Z").thenNothing()
    }

    @Test func `a weekly one that is off says nothing of the week`() {
        given(.enrolled(), .wants(#"{"kinds":{"weekly_milestone":{"enabled":false}}}"#), policy: "screentime")
            .when(.session, at: "2026-03-02T09:00Z")
            .later(at: "2026-03-09T12:00Z").thenNothing()
    }
}
