import Testing

/// `microcommit`: 24, 6 and 1 hours before; an hour and less is critical.
@Suite("C6, deadline warnings")
struct DeadlineWarningTests {
    private func goal(_ deadline: String, _ facts: Told..., zone: String = "UTC") -> Scenario {
        let scenario = given(
            .enrolled(zone), .goal("g1", "\"deadline\":\"\(deadline)\",\"check_in_days\":[]", title: "Run"),
            policy: "goals")
        for fact in facts { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario
    }

    private func warning(_ slot: String) -> String { "emitted deadline_warning/goal:g1/\(slot) [push]" }

    @Test func `24 hours, 6 hours and 1 hour before`() {
        goal("2026-03-03T20:00:00Z")
            .later(at: justBefore("2026-03-02T20:00Z")).thenNothing()
            .later(at: "2026-03-02T20:00Z").then(warning("2026-03-02T20:00"))
            .says("Run: 24 hours left", "Check in before the deadline.")
            .isSentUntil("2026-03-02T22:00Z")
            .later(at: "2026-03-03T14:00Z").then(warning("2026-03-03T14:00")).says(
                "Run: 6 hours left", "Check in before the deadline."
            )
            .later(at: "2026-03-03T19:00Z").then(warning("2026-03-03T19:00") + " critical")
            .says("Run: 1 hour left", "Check in before the deadline.")
            .isSentUntil("2026-03-03T20:00Z")
            .later(at: "2026-03-05T20:00Z").thenNothing()
    }

    @Test func `escalation adds 3 hours, 30 and 15 minutes`() {
        goal(
            "2026-03-03T20:00:00Z",
            .wants(#"{"kinds":{"deadline_warning":{"subtypes":{"escalation":true,"24_hours":false}}}}"#)
        )
        .later(at: "2026-03-03T20:00Z")
        .then(
            "2026-03-03T14:00Z \(warning("2026-03-03T14:00"))",
            "2026-03-03T17:00Z \(warning("2026-03-03T17:00"))",
            "2026-03-03T19:00Z \(warning("2026-03-03T19:00")) critical",
            "2026-03-03T19:30Z \(warning("2026-03-03T19:30")) critical",
            "2026-03-03T19:45Z \(warning("2026-03-03T19:45")) critical")
    }

    @Test func `the last 15 minutes can be chosen alone, for one goal`() {
        goal(
            "2026-03-03T20:00:00Z",
            .wants(
                #"{"goals":{"g1":{"kinds":{"deadline_warning":{"subtypes":{"15_minutes":true,"1_hour":false}}}}}}"#)
        )
        .unwatched(until: "2026-03-03T14:00Z")
        .later(at: "2026-03-03T20:00Z").then("2026-03-03T19:45Z \(warning("2026-03-03T19:45")) critical")
    }

    /// 04:00 is six hours before the deadline, and at night.
    private func heldWarning() -> Scenario {
        goal("2026-03-02T10:00:00Z").unwatched(until: "2026-03-02T03:00Z").later(at: "2026-03-02T04:00Z")
            .then("held deadline_warning/goal:g1/2026-03-02T04:00 until 2026-03-02T08:00Z quiet_hours")
    }

    @Test(arguments: [
        Told.goalChanged("g1", #""deadline":"2026-03-16T10:00:00Z""#),
        .goalChanged("g1", #""deadline":"2026-03-02T10:01:00Z""#),
        .goal("g1", #""check_in_days":[]"#, title: "Run"),
    ])
    func `a warning that waits is settled where its deadline has moved or is no more (P2)`(change: Told) {
        heldWarning().when(change, at: "2026-03-02T05:00Z").unwatched(until: "2026-03-02T05:30Z")
            .later(at: justBefore("2026-03-02T08:00Z")).thenNothing()
            .later(at: "2026-03-02T08:00Z").then("dropped deadline_warning/goal:g1/2026-03-02T04:00 settled")
    }

    @Test func `also where the deadline moves in the instant in which the warning was raised`() {
        heldWarning().when(.goalChanged("g1", #""deadline":"2026-03-16T10:00:00Z""#), at: "2026-03-02T04:00Z")
            .later(at: "2026-03-02T08:00Z").then("dropped deadline_warning/goal:g1/2026-03-02T04:00 settled")
    }

    @Test func `and so is one that was to come again (S1)`() {
        goal("2026-03-03T20:00:00Z")
            .later(at: "2026-03-02T20:00Z").then(warning("2026-03-02T20:00"))
            .when(.snoozes("deadline_warning/goal:g1/2026-03-02T20:00", 60), at: "2026-03-02T20:00Z")
            .when(.goalChanged("g1", #""deadline":"2026-03-16T10:00:00Z""#), at: "2026-03-02T20:30Z")
            .later(at: "2026-03-02T21:00Z")
            .then("dropped deadline_warning/goal:g1/2026-03-02T20:00~1 settled")
    }

    /// The deadline was set a moment before the warning came, and hangs on no policy.
    @Test func `one of a deadline that stands is told, though another policy would warn at other times`() {
        func warning(minutes: Int) -> String {
            """
            {"name":"in-\(minutes)","kinds":[{"name":"warn","subtypes":[{"name":"near"}],
             "schedule":{"on":"deadline","offsets":[{"minutes":\(minutes),"subtype":"near"}],"critical_minutes":1}}]}
            """
        }
        given(.enrolled(), policy: warning(minutes: 600))
            .when(.goal("g1", #""deadline":"2026-03-03T09:00:00Z""#), at: justBefore("2026-03-02T23:00Z"))
            .later(at: "2026-03-02T23:00Z")
            .then("held warn/goal:g1/2026-03-02T23:00 until 2026-03-03T08:00Z quiet_hours")
            .when(.adopts(warning(minutes: 30)), at: "2026-03-02T23:30Z").thenNothing()
            .later(at: "2026-03-03T08:00Z").then("emitted warn/goal:g1/2026-03-02T23:00 [push]")
    }

    @Test(arguments: [
        Told.goalChanged("g1", #""deadline":"2026-03-02T10:00:00Z""#), .goalChanged("g1", #""title":"Run far""#),
    ])
    func `and is told where the deadline was said once more`(change: Told) {
        heldWarning().when(change, at: "2026-03-02T05:00Z")
            .later(at: "2026-03-02T08:00Z").then(warning("2026-03-02T04:00"))
    }

    /// The deadline is not near: nobody is woken to be told of days.
    @Test func `one that a run brings forward is not critical before its time`() {
        goal(
            "2026-03-06T06:00:00Z",
            .wants(#"{"kinds":{"deadline_warning":{"subtypes":{"24_hours":false,"6_hours":false}}}}"#)
        )
        .when(.run("deadline_warning"), at: "2026-03-03T02:00Z")
        .then("held deadline_warning/goal:g1/2026-03-06T05:00 until 2026-03-03T08:00Z quiet_hours")
        .later(at: "2026-03-03T08:00Z").then("emitted deadline_warning/goal:g1/2026-03-06T05:00 [push]")
    }

    @Test(arguments: [
        (
            justBefore("2026-03-06T05:00Z"),
            "held deadline_warning/goal:g1/2026-03-06T05:00 until 2026-03-06T08:00Z quiet_hours"
        ),
        ("2026-03-06T05:00Z", "emitted deadline_warning/goal:g1/2026-03-06T05:00 [push] critical"),
    ])
    func `nor a moment before it`(run: String, outcome: String) {
        goal(
            "2026-03-06T06:00:00Z",
            .wants(#"{"kinds":{"deadline_warning":{"subtypes":{"24_hours":false,"6_hours":false}}}}"#)
        )
        .unwatched(until: justBefore("2026-03-06T05:00Z"))
        .when(.run("deadline_warning"), at: run).then(outcome)
    }

    @Test func `at night the critical one rings, the others wait`() {
        goal("2026-03-03T06:00:00Z")
            .unwatched(until: "2026-03-02T12:00Z")
            .later(at: "2026-03-03T00:00Z")
            .then("held deadline_warning/goal:g1/2026-03-03T00:00 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T05:00Z")
            .then(
                "dropped deadline_warning/goal:g1/2026-03-03T00:00 superseded",
                warning("2026-03-03T05:00") + " critical")
    }

    @Test(arguments: [
        ("2026-03-03T07:59:59.999Z", "dropped deadline_warning/goal:g1/2026-03-03T01:59 expired"),
        ("2026-03-03T08:00:00Z", "dropped deadline_warning/goal:g1/2026-03-03T02:00 expired"),
        ("2026-03-03T08:00:00.001Z", "emitted deadline_warning/goal:g1/2026-03-03T02:00 [push]"),
    ])
    func `one that waits beyond the deadline is of no use (P1)`(deadline: String, outcome: String) {
        goal(
            deadline,
            .wants(#"{"kinds":{"deadline_warning":{"subtypes":{"1_hour":false}}}}"#)
        )
        .unwatched(until: "2026-03-03T07:00Z").later(at: "2026-03-03T08:00Z").then(outcome)
    }

    @Test func `checked in or ended, nobody is warned (P2)`() {
        goal("2026-03-03T20:00:00Z").when(.checkedIn("g1"), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-02T20:00Z").then("dropped deadline_warning/goal:g1/2026-03-02T20:00 settled")
        goal("2026-03-03T20:00:00Z").when(.goalEnded("g1"), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-05T20:00Z").thenNothing()
    }

    @Test func `moved, the warnings are those before the new deadline`() {
        goal("2026-03-03T20:00:00Z")
            .when(.goalChanged("g1", #""deadline":"2026-03-05T12:00:00Z""#), at: "2026-03-02T19:59:59.999Z")
            .later(at: "2026-03-04T12:00Z").then(warning("2026-03-04T12:00"))
            .when(.goalChanged("g1", #""deadline":"2026-03-04T18:00:00Z""#), at: "2026-03-04T13:00Z").thenNothing()
            .later(at: "2026-03-04T17:00Z").then(warning("2026-03-04T17:00") + " critical")
    }

    @Test func `hours are hours, whatever the clocks do (Europe/Dublin)`() {
        goal("2026-03-29T12:00:00+01:00", zone: "Europe/Dublin")
            .unwatched(until: "2026-03-27T12:00Z")
            .later(at: "2026-03-28T11:00Z").then(warning("2026-03-28T11:00"))
    }
}
