import Testing

@Suite("P18, the order of one instant")
struct OrderTests {
    @Test func `the most pressing first`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", priority: "low"), at: "2026-03-02T22:00Z")
            .when(.requested("reminder"), .requested("alert"), at: "2026-03-02T22:01Z")
            .unwatched(until: "2026-03-03T00:00Z")
            .when(.wants(#"{"kinds":{"reminder":{"channels":["push"]}}}"#), at: "2026-03-03T01:00Z")
            .later(at: "2026-03-03T08:00Z")
            .then("emitted alert/#7 [push]", "emitted reminder/#5 (reminder/#5, reminder/#3) [push]")
    }

    @Test(arguments: ["2026-03-03T23:00Z", "2026-03-04T07:59:59.999Z"])
    func `then the one raised first, also before a slot of that instant`(raised: String) {
        given(.enrolled(), .wants(#"{"check_in_time":"08:00"}"#))
            .when(.requested("urgent", priority: "medium"), at: raised).unwatched(until: "2026-03-04T07:59:59.999Z")
            .later(at: "2026-03-04T08:00Z")
            .then("emitted urgent/#4 [push] medium", "emitted check_in/2026-03-04T08:00 [push]")
    }

    @Test func `then the order of kinds in the policy`() {
        // Both slots at 18:00; check-ins stand before the digest.
        given(.enrolled(), .wants(#"{"check_in_time":"18:00"}"#))
            .when(.earned(5), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T18:00Z")
            .then(
                "emitted check_in/2026-03-02T18:00 [push]", "emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
    }

    @Test func `then the subject, then the number of the request`() {
        let scenario = given(.enrolled(), .noCheckIns)
        scenario.when(
            .requested("alert", "order:2"), .requested("alert"), .requested("alert", "order:1"),
            .requested("alert", "order:1"), at: "2026-03-02T22:30Z"
        ).unwatched(until: "2026-03-03T07:00Z")
        scenario.later(at: "2026-03-03T08:00Z")
            .then(
                "emitted alert/#5 [push]", "held alert/order:1/#7 until 2026-03-03T08:30Z cooldown",
                "held alert/order:1/#9 until 2026-03-03T08:30Z cooldown",
                "held alert/order:2/#3 until 2026-03-03T08:30Z cooldown")
    }

    @Test func `requests are told apart by number, not by spelling`() {
        let scenario = given(.enrolled(), .noCheckIns)
        for _ in 0..<5 { scenario.when(.requested("alert"), at: "2026-03-02T22:30Z") }
        scenario.unwatched(until: "2026-03-03T07:00Z")
            .later(at: "2026-03-03T08:00Z")
            .then(
                "emitted alert/#3 [push]", "held alert/#5 until 2026-03-03T08:30Z cooldown",
                "held alert/#7 until 2026-03-03T08:30Z cooldown", "held alert/#9 until 2026-03-03T08:30Z cooldown",
                "held alert/#11 until 2026-03-03T08:30Z cooldown"
            )
            .later(at: "2026-03-03T08:30Z")
            .then(
                "emitted alert/#5 [push]", "held alert/#7 until 2026-03-03T09:00Z cooldown",
                "held alert/#9 until 2026-03-03T09:00Z cooldown", "held alert/#11 until 2026-03-03T09:00Z cooldown")
    }

    @Test func `repeats of one instant come in the order of their requests`() {
        let scenario = given(.enrolled(), policy: "goals")
        scenario.when(
            .requested("achievement"), .requested("achievement"), .requested("achievement"), .requested("achievement"),
            .requested("achievement"), at: "2026-03-02T09:00Z"
        ).unwatched(until: "2026-03-02T09:01Z")
        scenario.when(
            .snoozes("achievement/#10", 15), .snoozes("achievement/#8", 15), at: "2026-03-02T09:01Z"
        )
        .later(at: "2026-03-02T09:16Z")
        .then("emitted achievement/#8~1 [push]", "emitted achievement/#10~1 [push]")
    }
}
