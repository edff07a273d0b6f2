import Testing

@Suite("D7, a weekly digest gathers too")
struct WeeklyGatheringTests {
    private static let weekly = Told.wants(
        #"{"kinds":{"product_update":{"enabled":true,"digest":"weekly","subtypes":{"tips":true}}}}"#)
    private static let slot = "2026-03-08T19:00"

    private func person(_ more: Told..., policy: String = "goals") -> Scenario {
        let scenario = given(.enrolled("UTC", #""email":"a@b.c""#), Self.weekly, policy: policy)
        for fact in more { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario
    }

    private static let update = Told.requested("product_update", and: #""title":"News""#)

    @Test(arguments: [
        ("2026-03-08T18:59:59.999Z", "2026-03-08T19:00"), ("2026-03-08T19:00Z", "2026-03-15T19:00"),
    ])
    func `what is wanted weekly waits for Sunday, whatever the digest mode`(at: String, slot: String) {
        person()
            .when(Self.update, at: at).then("gathered product_update/#3 into weekly_digest/\(slot) digest_mode")
            .later(at: slot + "Z")
            .then("emitted weekly_digest/\(slot) (weekly_digest/\(slot), product_update/#3) [email] {notices 1}")
            .says("Your week with MicroCommit", "News.")
    }

    @Test func `without the wish it comes at once`() {
        person(.wants(#"{"kinds":{"product_update":{"digest":null}}}"#))
            .when(Self.update, at: "2026-03-02T09:00Z").then("emitted product_update/#4 [email]")
    }

    @Test func `with its own switch on it tells the week as well (D5)`() {
        person(.wants(#"{"kinds":{"weekly_digest":{"enabled":true}}}"#), .goal("g1"))
            .unwatched(until: "2026-03-02T06:00Z")
            .when(.checkedIn("g1"), Self.update, at: "2026-03-02T06:00Z")
            .then(
                "held product_update/#6 until 2026-03-02T08:00Z quiet_hours"
            )
            .unwatched(until: "2026-03-08T18:59Z")
            .later(at: "2026-03-08T19:00Z")
            .then(
                "emitted weekly_digest/\(Self.slot) (weekly_digest/\(Self.slot), product_update/#6) [email] {check_ins 1, notices 1}"
            )
            .says("Your week with MicroCommit", "News. 1 check-in and 0 goals completed this week.")
    }

    @Test func `each is asked P1 to P6 again, and what fails is not listed (D4)`() {
        person()
            .when(
                Self.update, .requested("product_update", expires: "2026-03-08T19:00:00Z"), at: "2026-03-02T09:00Z"
            )
            .unwatched(until: "2026-03-02T09:00Z")
            .later(at: "2026-03-08T19:00Z")
            .then(
                "dropped product_update/#5 expired",
                "emitted weekly_digest/\(Self.slot) (weekly_digest/\(Self.slot), product_update/#3) [email] {notices 1}"
            )
    }

    @Test func `a digest with no channel takes along what it gathered (D2)`() {
        person()
            .when(Self.update, at: "2026-03-02T09:00Z")
            .then("gathered product_update/#3 into weekly_digest/\(Self.slot) digest_mode")
            .when(.wants(#"{"kinds":{"weekly_digest":{"channels":[]}}}"#), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-08T19:00Z")
            .then("dropped weekly_digest/\(Self.slot) no_channel", "dropped product_update/#3 no_channel")
    }

    @Test func `quiet hours hold it, and what comes meanwhile joins it`() {
        person(.wants(#"{"quiet_hours":{"start":"18:30","exceptions":["product_update"]}}"#))
            .when(Self.update, at: "2026-03-02T09:00Z")
            .then("gathered product_update/#4 into weekly_digest/\(Self.slot) digest_mode")
            .later(at: "2026-03-08T19:00Z")
            .then("held weekly_digest/\(Self.slot) until 2026-03-09T08:00Z quiet_hours")
            .when(Self.update, at: "2026-03-08T20:00Z")
            .then("gathered product_update/#7 into weekly_digest/\(Self.slot) digest_mode")
            .later(at: "2026-03-09T08:00Z")
            .then(
                "emitted weekly_digest/\(Self.slot) (weekly_digest/\(Self.slot), product_update/#4, product_update/#7) [email] {notices 2}"
            )
    }

    @Test func `what a hold releases at its very instant is still in it`() {
        person(.wants(#"{"quiet_hours":{"start":"12:00","end":"19:00"}}"#))
            .when(.requested("product_update", priority: "high", and: #""title":"News""#), at: "2026-03-08T13:00Z")
            .then("held product_update/#4 until 2026-03-08T19:00Z quiet_hours")
            .later(at: "2026-03-08T19:00Z")
            .then(
                "gathered product_update/#4 into weekly_digest/\(Self.slot) digest_mode",
                "emitted weekly_digest/\(Self.slot) (weekly_digest/\(Self.slot), product_update/#4) [email] {notices 1}"
            )
    }

    @Test func `a kind may wait for the day's digest or for the week's, each for its own`() {
        let policy = """
            {"name":"both","daily_cap":9,"cooldown_minutes":0,"kinds":[
             {"name":"note","on_request":true,"digests":["none","daily","weekly"]},
             {"name":"tip","on_request":true,"digests":["weekly","none"]},
             {"name":"day","digest":"daily","schedule":{"on":"daily","at":"18:00"}},
             {"name":"week","digest":"weekly","schedule":{"on":"weekly","day":"sun","at":"19:00"}}]}
            """
        given(.enrolled(), .wants(#"{"kinds":{"note":{"digest":"daily"}}}"#), policy: policy)
            .when(.requested("note"), .requested("tip"), at: "2026-03-08T09:00Z")
            .then(
                "gathered note/#3 into day/2026-03-08T18:00 digest_mode",
                "gathered tip/#5 into week/2026-03-08T19:00 digest_mode"
            )
            .later(at: "2026-03-08T18:00Z")
            .then("emitted day/2026-03-08T18:00 (day/2026-03-08T18:00, note/#3) [push] {notices 1}")
            .later(at: "2026-03-08T19:00Z")
            .then("emitted week/2026-03-08T19:00 (week/2026-03-08T19:00, tip/#5) [push] {notices 1}")
    }

    @Test func `a policy without a weekly digest considers anew what waited for one`() {
        person()
            .when(Self.update, at: "2026-03-02T09:00Z")
            .then("gathered product_update/#3 into weekly_digest/\(Self.slot) digest_mode")
            .when(
                .adopts(#"{"name":"other","kinds":[{"name":"product_update","on_request":true}]}"#),
                at: "2026-03-02T10:00Z"
            )
            .then("emitted product_update/#3 [push] low")
    }
}
