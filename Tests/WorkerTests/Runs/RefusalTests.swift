import Testing

/// Facts whose form is right, and which this person or this policy cannot have.
@Suite("§2, facts that are refused whole")
struct RefusalTests {
    private func anna(_ facts: Told..., policy: String = "standard") -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns, policy: policy)
        for fact in facts { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario
    }

    private static let noon = "2026-03-02T12:00Z"

    @Test func `a kind the policy does not have, or not on request`() {
        anna().refuses(
            .requested("remindre"), at: Self.noon,
            "data.kind: \"remindre\" is not a kind of this policy (on request: urgent, alert, reminder); "
                + "did you mean reminder?"
        )
        .refuses(
            .requested("check_in"), at: Self.noon,
            "data.kind: \"check_in\" is not sent on request (on request: urgent, alert, reminder)")
        anna(policy: "coachme").refuses(
            .requested("check_in"), at: Self.noon,
            "data.kind: \"check_in\" is not sent on request (no kind of this policy can be requested)")
    }

    @Test func `a subtype the kind does not have`() {
        anna(policy: "goals").refuses(
            .requested("achievement", and: #""data":{"subtype":"majo"}"#), at: Self.noon,
            "data.data.subtype: \"majo\" is not a subtype of achievement (known here: major, minor); did you mean major?"
        )
    }

    @Test func `a preset nobody has`() {
        anna().refuses(
            .preset("minimal"), at: Self.noon, "data.preset: \"minimal\" is not a preset (this policy has none)")
        anna(policy: "goals").refuses(
            .preset("minimum"), at: Self.noon,
            "data.preset: \"minimum\" is not a preset (known here: minimal, balanced, all)"
        )
        .refuses(
            .preset("minimals"), at: Self.noon,
            "data.preset: \"minimals\" is not a preset (known here: minimal, balanced, all); did you mean minimal?")
    }

    @Test(arguments: [Told.goalChanged("g1", #""title":"T""#), .goalEnded("g1"), .checkedIn("g1")])
    func `a goal nobody started`(fact: Told) {
        anna(.goal("g2")).refuses(
            fact, at: Self.noon,
            "data.goal: \"g1\" is not a goal of this person; goal_started makes one; did you mean g2?")
    }

    @Test(arguments: [
        Told.delivered("reminder/#9"), .failed("reminder/#9", on: "push", permanent: true),
        Told("notice_opened", #"{"job":"anna/reminder/#9"}"#), Told("notice_dismissed", #"{"job":"anna/reminder/#9"}"#),
        Told("feedback_given", #"{"job":"anna/reminder/#9","helpful":true}"#), .snoozes("reminder/#9", 15),
    ])
    func `a job nobody got`(fact: Told) {
        anna().refuses(
            fact, at: Self.noon,
            "data.job: \"anna/reminder/#9\" is not a job that was emitted for this person in the last 7 days")
    }

    @Test func `a job can be answered for 7 days`() {
        anna().when(.requested("reminder"), at: Self.noon).then("emitted reminder/#3 [push]")
            .when(.delivered("reminder/#3"), at: "2026-03-09T12:00Z").thenNothing()
    }

    @Test func `a run of nobody known, or of a kind without slots`() {
        anna().refuses(
            .run("check_in").of("ben"), at: Self.noon, "user: \"ben\" is nobody known here"
        )
        .refuses(
            .run("reminder"), at: Self.noon,
            "data.kind: \"reminder\" comes when something happens, and not at a time; "
                + "a run brings kinds that come at a time (those are: check_in, daily_digest, weekly_review)"
        )
        .refuses(
            .run("check_ins"), at: Self.noon,
            "data.kind: \"check_ins\" is not a kind of this policy; a run brings kinds that come at a time "
                + "(those are: check_in, daily_digest, weekly_review); did you mean check_in?")
    }

    @Test func `a preference out of the policy's range`() {
        anna(policy: "messageai").refuses(
            .wants(#"{"pause_threshold_seconds":59}"#), at: Self.noon,
            "data.patch.pause_threshold_seconds: 59 is not a whole number from 60 to 300"
        )
        .when(.wants(#"{"pause_threshold_seconds":60}"#), .wants(#"{"pause_threshold_seconds":300}"#), at: Self.noon)
        .refuses(
            .wants(#"{"pause_threshold_seconds":301}"#), at: Self.noon,
            "data.patch.pause_threshold_seconds: 301 is not a whole number from 60 to 300")
    }

    @Test func `a policy that contradicts itself`() {
        anna().refuses(
            .adopts(#"{"name":"x","kinds":[{"name":"note","on_request":true,"over_cap":"gather"}]}"#), at: Self.noon,
            "data.policy.kinds[0].over_cap: there is no kind with a daily digest to gather for")
    }

    @Test func `nothing of a refused fact is applied, what was due is`() {
        given(.enrolled())
            .refuses(.preset("x"), at: "2026-03-02T09:00Z", "data.preset: \"x\" is not a preset (this policy has none)")
            .then("emitted check_in/2026-03-02T09:00 [push]")
    }

    @Test func `a second fact with the same id changes nothing`() {
        anna().when(.requested("alert").with(id: "a"), at: Self.noon).then("emitted alert/#3 [push]")
            .when(.requested("alert").with(id: "a"), at: "2026-03-03T12:00Z").thenNothing()
            .when(.requested("alert"), at: "2026-03-03T12:00Z").then("emitted alert/#5 [push]")
    }
}
