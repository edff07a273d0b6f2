import Testing

@Suite("P14, what locked and critical notices pass")
struct LockedAndCriticalTests {
    private static let mail = #""email":"anna@example.com""#

    @Test func `a locked kind passes consent, switches and the night, on its required channels`() {
        given(
            .enrolled("UTC", Self.mail),
            .wants(#"{"enabled":false,"channels":{"push":false},"kinds":{"payment":{"enabled":false}}}"#),
            policy: "goals"
        )
        .when(.requested("payment"), at: "2026-03-02T23:00Z").then("emitted payment/#3 [push, email]")
        let asksForConsent = """
            {"name":"p","consent":"person","kinds":[{"name":"note","on_request":true},
             {"name":"payment","on_request":true,"locked":true,"required_channels":["push"]}]}
            """
        given(.enrolled(), policy: asksForConsent)
            .when(.requested("note"), at: "2026-03-02T09:00Z").then("dropped note/#2 no_consent")
            .when(.requested("payment"), at: "2026-03-02T09:00Z").then("emitted payment/#4 [push]")
    }

    @Test func `a locked kind still needs a channel that reaches them (P6)`() {
        given(.enrolled(), .permission("denied"), policy: "goals")
            .when(.requested("payment"), at: "2026-03-02T09:00Z").then("dropped payment/#3 no_channel")
    }

    @Test func `a locked kind uses its channels with the app open as well`() {
        given(.enrolled("UTC", Self.mail), .opensApp, policy: "goals")
            .when(.requested("payment"), at: "2026-03-01T12:01Z").then("emitted payment/#3 [push, email]")
    }

    @Test func `a part that is not locked can be switched off and held`() {
        given(.enrolled(), policy: "goals")
            .when(.requested("payment", and: #""data":{"subtype":"payment_reminder"}"#), at: "2026-03-02T09:00Z")
            .then("dropped payment/#2 kind_off")
            .when(.requested("payment", and: #""data":{"subtype":"payment_failed"}"#), at: "2026-03-02T23:00Z")
            .then("emitted payment/#4 [push]")
    }

    @Test func `critical notices pass P8 to P13 whatever their kind`() {
        let scenario = given(
            .enrolled(), .noCheckIns, .wants(#"{"digest_mode":true,"schedule":{"mon":[["09:00","10:00"]]}}"#))
        for _ in 0..<4 { scenario.when(.requested("reminder", priority: "critical"), at: "2026-03-03T03:00Z") }
        scenario.then(
            "emitted reminder/#4 [push] critical", "emitted reminder/#6 [push] critical",
            "emitted reminder/#8 [push] critical", "emitted reminder/#10 [push] critical")
    }

    @Test func `an urgent notice that is not critical passes nothing`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent", priority: "high"), at: "2026-03-02T23:00Z")
            .then("held urgent/#3 until 2026-03-03T08:00Z quiet_hours")
    }

    @Test func `quiet hours make exceptions for kinds, schedules do not`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"exceptions":["alert","critical"]}}"#))
            .when(.requested("alert"), .requested("reminder"), at: "2026-03-02T23:00Z")
            .then("emitted alert/#4 [push]", "held reminder/#6 until 2026-03-03T08:00Z quiet_hours")
            .when(.wants(#"{"schedule":{"wed":[["09:00","10:00"]]}}"#), at: "2026-03-02T23:30Z").thenNothing()
            .when(.requested("alert"), at: "2026-03-02T23:40Z")
            .then("held alert/#9 until 2026-03-04T09:00Z outside_schedule")
    }

    @Test func `a policy may let high notices pass the night`() {
        given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1", "URGENT: look"), at: "2026-03-02T23:00Z")
            .later(at: "2026-03-02T23:02Z").then("asks about c1 pause")
            .when(.answer("c1", notify: true, "high"), at: "2026-03-02T23:02:01Z")
            .then("concluded c1 by ai: notify high, because", "emitted message/conversation:c1/#6 [push] high")
            .when(.message(in: "c1"), at: "2026-03-02T23:10Z")
            .later(at: "2026-03-02T23:12Z").then("asks about c1 pause")
            .when(.answer("c1", notify: true, "medium"), at: "2026-03-02T23:12:01Z")
            .then("concluded c1 by ai: notify medium, because", "dropped message/conversation:c1/#11 quiet_hours")
    }
}
