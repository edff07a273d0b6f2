import Testing

/// SPEC §11. Under a virtual clock nobody was sent a code: there it is the last six digits of the number.
@Suite("§11, verification of a phone number")
struct PhoneVerificationTests {
    private func asked() -> Scenario {
        given(.enrolled(), .noCheckIns).when(.asksForCode("+4915112345678"), at: "2026-03-02T09:00Z")
    }

    private func entered(_ times: Int, from scenario: Scenario) -> Scenario {
        for _ in 0..<times { scenario.when(.enters(code: "000000"), at: "2026-03-02T09:01Z") }
        return scenario
    }

    @Test func `the right code verifies it, of which the log keeps four digits`() {
        asked().when(.enters(code: "345678"), at: "2026-03-02T09:01Z").then("verified 5678").warns()
    }

    @Test func `the code is never in the log`() {
        asked().when(.enters(code: "345678"), at: "2026-03-02T09:01Z").then("verified 5678")
            .records(#"{"correct":true}"#)
    }

    @Test(arguments: [
        "0151123456", "+0151123456", "+49", "+49151123456789012", "+49 151 123", "", "+49x5112345678",
    ])
    func `numbers are E.164`(phone: String) {
        given(.enrolled())
            .refuses(
                .asksForCode(phone), at: "2026-03-02T09:00Z",
                "data.phone: This phone number format is invalid; "
                    + "write it as + and 7 to 15 digits, such as +14155550123")
    }

    @Test func `a wrong code says how many attempts are left`() {
        asked().when(.enters(code: "000000"), at: "2026-03-02T09:01Z").thenNothing()
            .warns("Code is incorrect. Try again. (4 attempts left)")
            .when(.enters(code: "000001"), at: "2026-03-02T09:01Z")
            .warns("Code is incorrect. Try again. (3 attempts left)")
            .when(.enters(code: "345678"), at: "2026-03-02T09:02Z").then("verified 5678").warns()
    }

    @Test func `the fifth wrong one locks it for 15 minutes`() {
        let scenario = entered(4, from: asked()).warns("Code is incorrect. Try again. (1 attempt left)").thenNothing()
        scenario.when(.enters(code: "000000"), at: "2026-03-02T09:01Z").then("locked 5678")
            .warns("Too many attempts. Try again in 15 minutes.")
            .refuses(
                .enters(code: "345678"), at: "2026-03-02T09:02Z",
                "data.code: Too many attempts. Try again in 15 minutes."
            )
            .refuses(
                .enters(code: "345678"), at: justBefore("2026-03-02T09:16Z"),
                "data.code: Too many attempts. Try again in 15 minutes."
            )
            .refuses(
                .asksForCode("+4915112345678"), at: justBefore("2026-03-02T09:16Z"),
                "data.phone: Too many attempts. Try again in 15 minutes."
            )
            .when(.asksForCode("+4915112345678"), at: "2026-03-02T09:16Z")
            .when(.enters(code: "345678"), at: "2026-03-02T09:16Z").then("verified 5678")
    }

    @Test func `asking again gives no attempts back`() {
        let scenario = entered(4, from: asked())
        scenario.when(.asksForCode("+4915112345678"), at: "2026-03-02T09:02Z")
            .when(.enters(code: "000000"), at: "2026-03-02T09:02Z").then("locked 5678")
    }

    /// A code is good for 10 minutes and a lock lasts 15: who guesses gains nothing by waiting.
    @Test func `mistakes are forgotten when a lock would be over`() {
        for (minute, isLocked) in [("09:24:59.999Z", true), ("09:25Z", false)] {
            entered(4, from: asked()).when(.asksForCode("+4915112345678"), at: "2026-03-02T\(minute)")
                .when(.enters(code: "000000"), at: "2026-03-02T\(minute)")
                .then(contentsOf: isLocked ? ["locked 5678"] : [])
        }
    }

    @Test func `a code is sent again after 30 seconds`() {
        asked().refuses(
            .asksForCode("+4915112345678"), at: "2026-03-02T09:00:29.999Z",
            "data.phone: a code was asked for less than 30 seconds ago; ask again at 2026-03-02T09:00:30.000Z"
        )
        .when(.asksForCode("+4915112345678"), at: "2026-03-02T09:00:30Z").thenNothing()
    }

    @Test func `a code is good for 10 minutes`() {
        asked().when(.enters(code: "345678"), at: "2026-03-02T09:09:59.999Z").then("verified 5678")
        asked().refuses(
            .enters(code: "345678"), at: "2026-03-02T09:10Z",
            "data.code: the code was good for 10 minutes; ask for a new one")
    }

    @Test func `a code that nobody waits for is refused`() {
        given(.enrolled()).refuses(
            .enters(code: "345678"), at: "2026-03-02T09:00Z",
            "data.code: no code is waited for; phone_verification_requested sends one")
    }

    @Test func `verified is reachable by sms, at that instant for what is held (P16)`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"channels":{"sms":true},"kinds":{"alert":{"channels":["sms"]}}}"#))
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("dropped alert/#4 no_channel")
            .when(.asksForCode("+4915112345678"), .enters(code: "345678"), at: "2026-03-02T09:01Z").then(
                "verified 5678"
            )
            .when(.requested("alert"), at: "2026-03-02T09:02Z").then("emitted alert/#9 [sms]")
        // What was held for push alone is sent by sms as well; without that, a push that is denied would drop it.
        func held(_ more: Told...) -> Scenario {
            let scenario = given(
                .enrolled(), .noCheckIns,
                .wants(#"{"channels":{"sms":true},"kinds":{"alert":{"channels":["push","sms"]}}}"#)
            )
            .when(.requested("alert"), at: "2026-03-02T23:00Z")
            .then("held alert/#4 until 2026-03-03T08:00Z quiet_hours")
            .when(.asksForCode("+4915112345678"), at: "2026-03-02T23:01Z")
            for fact in more { scenario.when(fact, at: "2026-03-02T23:01Z") }
            return scenario
        }
        held(.enters(code: "345678")).then("verified 5678")
            .later(at: "2026-03-03T08:00Z").then("emitted alert/#4 [push, sms]")
        held(.enters(code: "345678"), .permission("denied")).then("verified 5678")
            .later(at: "2026-03-03T08:00Z").then("emitted alert/#4 [sms]")
        held(.permission("denied")).then("dropped alert/#4 no_channel")
    }
}
