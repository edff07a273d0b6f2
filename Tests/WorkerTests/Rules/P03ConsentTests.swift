import Testing

@Suite("P3, consent")
struct ConsentTests {
    private func minor(_ facts: Told...) -> Scenario {
        let scenario = given(.enrolled("UTC", #""minor":true"#), policy: "screentime")
        for fact in facts { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario
    }

    @Test func `for a minor it is the guardian's consent that counts`() {
        minor()
            .when(.requested("goal_achieved", "child:k1"), at: "2026-03-02T09:00Z")
            .then("dropped goal_achieved/child:k1/#2 no_consent")
        minor(.consent(by: "user"))
            .when(.requested("goal_achieved", "child:k1"), at: "2026-03-02T09:00Z")
            .then("dropped goal_achieved/child:k1/#3 no_consent")
        minor(.consent(by: "guardian"))
            .when(.requested("goal_achieved", "child:k1"), at: "2026-03-02T09:00Z")
            .then("emitted goal_achieved/child:k1/#3 [push]")
    }

    @Test func `an adult needs none where only minors are asked for it`() {
        given(.enrolled(), policy: "screentime")
            .when(.requested("goal_achieved"), at: "2026-03-02T09:00Z")
            .then("emitted goal_achieved/#2 [push]")
    }

    @Test func `where the person's own consent is asked for, nothing goes without it`() {
        let policy = #"{"name":"asks","consent":"person","kinds":[{"name":"note","on_request":true}]}"#
        given(.enrolled(), .consent(by: "guardian"), policy: policy)
            .when(.requested("note", priority: "critical"), at: "2026-03-02T09:00Z")
            .then("dropped note/#3 no_consent")
            .when(.consent(), at: "2026-03-02T09:01Z")
            .when(.requested("note"), at: "2026-03-02T09:02Z")
            .then("emitted note/#6 [push]")
    }

    @Test func `withdrawing it drops what is held, at that instant`() {
        minor(.consent(by: "guardian"))
            .when(.requested("goal_achieved"), at: "2026-03-02T21:00Z")
            .then("held goal_achieved/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.noConsent(by: "guardian"), at: "2026-03-03T07:59:59.999Z")
            .then("dropped goal_achieved/#3 no_consent")
    }

    @Test func `withdrawn at the instant the hold ends it comes after the job (T10)`() {
        minor(.consent(by: "guardian"))
            .when(.requested("goal_achieved"), at: "2026-03-02T21:00Z")
            .then("held goal_achieved/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.noConsent(by: "guardian"), at: "2026-03-03T08:00Z")
            .then("emitted goal_achieved/#3 [push]")
            .when(.requested("goal_achieved"), at: "2026-03-03T08:00:00.001Z")
            .then("dropped goal_achieved/#7 no_consent")
    }

    @Test func `coming of age needs the guardian no more`() {
        minor()
            .when(.enrolled("UTC", #""minor":false"#), at: "2026-03-02T08:00Z")
            .when(.requested("goal_achieved"), at: "2026-03-02T09:00Z")
            .then("emitted goal_achieved/#3 [push]")
    }
}
