import Testing

@Suite("D2, what a digest itself is asked")
struct DigestObjectionsTests {
    private func gathered(_ more: Told...) -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
        for fact in more { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario
    }

    @Test func `with no channel it is dropped with what was gathered, and the points are forgotten`() {
        gathered()
            .when(.requested("reminder"), .earned(5), at: "2026-03-02T09:00Z")
            .then("gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode")
            .when(.wants(#"{"kinds":{"daily_digest":{"channels":[]}}}"#), at: "2026-03-02T10:00Z").thenNothing()
            .later(at: "2026-03-02T18:00Z")
            .then("dropped daily_digest/2026-03-02T18:00 no_channel", "dropped reminder/#4 no_channel")
            .when(.wants(#"{"kinds":{"daily_digest":{"channels":["push"]}}}"#), at: "2026-03-02T19:00Z")
            .later(at: "2026-03-03T18:00Z").thenNothing()
    }

    @Test func `each is dropped with its own reason where it has one`() {
        gathered()
            .when(
                .requested("reminder"), .requested("reminder", expires: "2026-03-02T12:00:00Z"), .earned(5),
                at: "2026-03-02T09:00Z"
            )
            .unwatched(until: "2026-03-02T10:00Z")
            .when(.wants(#"{"kinds":{"daily_digest":{"channels":[]}}}"#), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "dropped daily_digest/2026-03-02T18:00 no_channel", "dropped reminder/#4 no_channel",
                "dropped reminder/#6 expired")
    }

    @Test func `quiet hours that cover it hold it`() {
        gathered(.wants(#"{"quiet_hours":{"start":"17:30","end":"20:00"}}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z")
            .then("gathered reminder/#5 into daily_digest/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_digest/2026-03-02T18:00 until 2026-03-02T20:00Z quiet_hours")
            .when(.earned(5), at: "2026-03-02T19:00Z")
            .later(at: "2026-03-02T20:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#5) [push] {notices 1, points 5}"
            )
    }

    /// Nothing is left to say, but that is not why it does not go.
    @Test(arguments: [
        (#"{"enabled":false}"#, "opted_out", "opted_out"),
        (#"{"kinds":{"daily_digest":{"channels":[]},"reminder":{"channels":[]}}}"#, "no_channel", "no_channel"),
    ])
    func `one that is held and loses all that it had says what is against it itself`(
        patch: String, digest: String, member: String
    ) {
        gathered(.wants(#"{"quiet_hours":{"start":"17:30","end":"20:00"}}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z")
            .then("gathered reminder/#5 into daily_digest/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_digest/2026-03-02T18:00 until 2026-03-02T20:00Z quiet_hours")
            .when(.wants(patch), at: "2026-03-02T19:00Z")
            .then("dropped daily_digest/2026-03-02T18:00 \(digest)", "dropped reminder/#5 \(member)")
    }

    @Test func `what comes while it is held joins it`() {
        gathered(.wants(#"{"quiet_hours":{"start":"17:30","end":"08:00","exceptions":["reminder"]}}"#))
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_digest/2026-03-02T18:00 until 2026-03-03T08:00Z quiet_hours")
            .when(.requested("reminder"), at: "2026-03-02T19:00Z")
            .then("gathered reminder/#7 into daily_digest/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-03T08:00Z")
            .then(
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#7) [push] {notices 1, points 5}"
            )
    }

    @Test func `over the cap it is dropped, and all stays for the next`() {
        let scenario = gathered()
        for hour in ["09", "10", "11"] { scenario.when(.requested("alert"), at: "2026-03-02T\(hour):00Z") }
        scenario.unwatched(until: "2026-03-02T11:00Z")
            .when(.requested("reminder"), .earned(5), at: "2026-03-02T12:00Z")
            .then("gathered reminder/#10 into daily_digest/2026-03-02T18:00 digest_mode")
            .later(at: "2026-03-02T18:00Z").then("dropped daily_digest/2026-03-02T18:00 daily_cap")
            .later(at: "2026-03-03T18:00Z")
            .then(
                "emitted daily_digest/2026-03-03T18:00 (daily_digest/2026-03-03T18:00, reminder/#10) [push] {notices 1, points 5, points_earlier 5}"
            )
    }

    @Test func `its own cooldown is not asked`() {
        let policy = { (time: String) in
            """
            {"name":"twice","daily_cap":9,"kinds":[{"name":"digest","digest":"daily","cooldown_minutes":600,
             "schedule":{"on":"daily","at":"\(time)"}}]}
            """
        }
        given(.enrolled(), policy: policy("18:00"))
            .when(.earned(5), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted digest/2026-03-02T18:00 [push] {points 5}")
            .when(.earned(7), .adopts(policy("18:10")), at: "2026-03-02T18:05Z")
            .later(at: "2026-03-02T18:10Z").then("emitted digest/2026-03-02T18:10 [push] {points 7}")
    }

    @Test func `held, and with nothing left to say, it still comes to an end (P20)`() {
        gathered(.goal("g1"), .wants(#"{"quiet_hours":{"start":"17:30","end":"20:00"}}"#))
            .when(.requested("reminder", "goal:g1"), at: "2026-03-02T09:00Z")
            .unwatched(until: "2026-03-02T18:00Z")
            .when(.goalEnded("g1"), at: "2026-03-02T19:00Z").thenNothing()
            .later(at: "2026-03-02T20:00Z")
            .then("dropped daily_digest/2026-03-02T18:00 settled", "dropped reminder/goal:g1/#6 settled")
    }
}
