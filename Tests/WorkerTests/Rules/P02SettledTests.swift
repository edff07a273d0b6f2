import Testing

@Suite("P2, settled")
struct SettledTests {
    @Test func `a reminder of a goal that has ended is dropped`() {
        given(.enrolled(), .noCheckIns, .goal("g1"))
            .when(.requested("reminder", "goal:g1"), at: "2026-03-02T23:00Z")
            .then("held reminder/goal:g1/#4 until 2026-03-03T08:00Z quiet_hours")
            .when(.goalEnded("g1", "cancelled"), at: "2026-03-03T07:00Z").thenNothing()
            .later(at: "2026-03-03T08:00Z")
            .then("dropped reminder/goal:g1/#4 settled")
    }

    /// It is another goal under the same id: nobody is to check in on it because of one that is over.
    @Test(arguments: ["2026-03-02T23:00:00.001Z", "2026-03-03T07:00:00.000Z"])
    func `nor does it come for one that was started again since`(end: String) {
        given(.enrolled(), .noCheckIns, .goal("g1", title: "Run"))
            .when(.requested("reminder", "goal:g1"), at: "2026-03-02T23:00Z")
            .then("held reminder/goal:g1/#4 until 2026-03-03T08:00Z quiet_hours")
            .when(.goalEnded("g1", "cancelled"), .goal("g1", title: "Swim"), at: end).thenNothing()
            .when(.requested("reminder", "goal:g1"), at: "2026-03-03T07:00Z")
            .then("held reminder/goal:g1/#8 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z")
            .then("dropped reminder/goal:g1/#4 settled", "emitted reminder/goal:g1/#8 [push]")
    }

    /// What is said once more while it goes on ends nothing.
    @Test func `a goal that is told again while it goes on stays the same`() {
        given(.enrolled(), .noCheckIns, .goal("g1"))
            .when(.requested("reminder", "goal:g1"), at: "2026-03-02T23:00Z")
            .then("held reminder/goal:g1/#4 until 2026-03-03T08:00Z quiet_hours")
            .when(.goal("g1"), at: "2026-03-03T07:00Z").thenNothing()
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/goal:g1/#4 [push]")
    }

    @Test func `nor does the repeat of one that was snoozed`() {
        given(.enrolled(), .noCheckIns, .goal("g1", title: "Run"), policy: "goals")
            .later(at: "2026-03-02T08:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
            .when(.snoozes("goal_reminder/goal:g1/2026-03-02T08:00", 120), at: "2026-03-02T08:10Z")
            .when(.goalEnded("g1"), .goal("g1", title: "Swim"), at: "2026-03-02T09:00Z").thenNothing()
            .later(at: "2026-03-02T10:10Z").then("dropped goal_reminder/goal:g1/2026-03-02T08:00~1 settled")
    }

    @Test(arguments: [
        ("2026-03-01T23:59:59.999+01:00", false), ("2026-03-02T00:00:00.000+01:00", true),
        ("2026-03-02T22:29:59.999+01:00", true), ("2026-03-02T23:59:59.999+01:00", true),
        ("2026-03-03T00:00:00.000+01:00", false), ("2026-03-03T00:00:00.001+01:00", false),
    ])
    func `a check-in of the goal on the notice's own local day settles it`(checkIn: String, settles: Bool) {
        let scenario = given(.enrolled("Europe/Paris"), .noCheckIns, .goal("g1"))
        let isBefore = checkIn < "2026-03-02T22:30"
        if isBefore { scenario.when(.checkedIn("g1"), at: checkIn) }
        scenario.when(.requested("reminder", "goal:g1"), at: "2026-03-02T22:30+01:00")
        if isBefore, settles {
            scenario.then("dropped reminder/goal:g1/#5 settled")
            return
        }
        let name = isBefore ? "reminder/goal:g1/#5" : "reminder/goal:g1/#4"
        scenario.then("held \(name) until 2026-03-03T08:00+01:00 quiet_hours")
        if !isBefore { scenario.when(.checkedIn("g1"), at: checkIn) }
        scenario.later(at: "2026-03-03T08:00+01:00")
            .then(settles ? "dropped \(name) settled" : "emitted \(name) [push]")
    }

    /// Monday in Auckland begins late on Monday in Honolulu's own reckoning: at 10:00 there it is Sunday here.
    @Test func `travel does not undo a check-in on the notice's own local day`() {
        given(
            .enrolled("Pacific/Auckland"), .goal("g1", #""check_in_days":["mon"]"#),
            .wants(#"{"kinds":{"timezone_adjusted":{"enabled":false}},"schedule":{"mon":[["20:00","21:00"]]}}"#),
            policy: "goals", at: "2026-03-02T00:30+13:00"
        )
        .later(at: "2026-03-02T08:00+13:00")
        .then("held goal_reminder/goal:g1/2026-03-02T08:00 until 2026-03-02T20:00+13:00 outside_schedule")
        .when(.checkedIn("g1"), at: "2026-03-02T10:00+13:00")
        .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-02T12:00+13:00")
        .then("dropped goal_reminder/goal:g1/2026-03-02T08:00 settled", "dropped timezone_adjusted/#6 kind_off")
    }

    /// Tuesday in Tokyo began at 15:00 on Monday in London's reckoning: before that it is another day for both.
    @Test(arguments: [("2026-03-02T14:59:59.999Z", false), ("2026-03-02T15:00:00.000Z", true)])
    func `a session on the date of a check-in where they are now settles it`(session: String, settles: Bool) {
        given(
            .enrolled("UTC"),
            .wants(
                #"{"frequency":"daily","check_in_time":"01:00","quiet_hours":{"start":"00:30","end":"08:00"}}"#
            ), at: "2026-03-02T14:00Z"
        )
        .when(Told("session_completed", #"{"session":"s"}"#), at: session)
        .later(at: "2026-03-03T01:00Z")
        .then("held check_in/2026-03-03T01:00 until 2026-03-03T08:00Z quiet_hours")
        .when(.moved(to: "Asia/Tokyo"), at: "2026-03-03T02:00Z")
        .then(settles ? "dropped check_in/2026-03-03T01:00 settled" : "emitted check_in/2026-03-03T01:00 [push]")
    }

    @Test func `a check-in on that date where they are now settles it as well`() {
        given(
            .enrolled("Pacific/Auckland"), .goal("g1", #""check_in_days":["mon"]"#),
            .wants(#"{"kinds":{"timezone_adjusted":{"enabled":false}},"schedule":{"mon":[["20:00","21:00"]]}}"#),
            policy: "goals", at: "2026-03-02T00:30+13:00"
        )
        .unwatched(until: "2026-03-02T08:00+13:00")
        .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-02T12:00+13:00")
        .then(
            "held goal_reminder/goal:g1/2026-03-02T08:00 until 2026-03-02T20:00-10:00 outside_schedule",
            "dropped timezone_adjusted/#5 kind_off"
        )
        .when(.checkedIn("g1"), at: "2026-03-02T10:00-10:00")
        .later(at: "2026-03-02T20:00-10:00").then("dropped goal_reminder/goal:g1/2026-03-02T08:00 settled")
    }

    @Test func `nor a session since the day of a check-in began`() {
        given(
            .enrolled("Pacific/Auckland"),
            .wants(#"{"frequency":"daily","schedule":{"mon":[["20:00","21:00"]]}}"#), at: "2026-03-02T08:30+13:00"
        )
        .later(at: "2026-03-02T09:00+13:00")
        .then("held check_in/2026-03-02T09:00 until 2026-03-02T20:00+13:00 outside_schedule")
        .when(.session, at: "2026-03-02T10:00+13:00")
        .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-02T12:00+13:00")
        .then("dropped check_in/2026-03-02T09:00 settled")
    }

    @Test func `a repeat keeps the day of its goal's reminder`() {
        given(
            .enrolled("Pacific/Auckland"), .goal("g1", #""check_in_days":["mon"]"#),
            .wants(#"{"kinds":{"timezone_adjusted":{"enabled":false}}}"#), policy: "goals",
            at: "2026-03-02T00:30+13:00"
        )
        .unwatched(until: "2026-03-02T08:00+13:00")
        .when(.snoozes("goal_reminder/goal:g1/2026-03-02T08:00", 120), at: "2026-03-02T09:00+13:00")
        .when(.checkedIn("g1"), at: "2026-03-02T10:00+13:00")
        .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-02T10:30+13:00").unwatched(until: "2026-03-02T10:59+13:00")
        .later(at: "2026-03-02T11:00+13:00").then("dropped goal_reminder/goal:g1/2026-03-02T08:00~1 settled")
    }

    @Test(arguments: [
        (Told.reads("c1"), "dropped reminder/conversation:c1/#3 settled"),
        (Told.opens("c1"), "dropped reminder/conversation:c1/#3 settled"),
        (Told.reads("c2"), "emitted reminder/conversation:c1/#3 [push]"),
        (Told.leaves("c1"), "emitted reminder/conversation:c1/#3 [push]"),
    ])
    func `what tells of a conversation is settled when it was read or opened since`(does: Told, outcome: String) {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-02T23:00Z")
            .then("held reminder/conversation:c1/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(does, at: "2026-03-03T07:00Z").thenNothing()
            .later(at: "2026-03-03T08:00Z").then(outcome)
    }

    @Test func `what was read before it was raised settles nothing`() {
        given(.enrolled(), .noCheckIns)
            .when(.reads("c1"), .requested("reminder", "conversation:c1"), at: "2026-03-02T23:00Z")
            .then("held reminder/conversation:c1/#4 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/conversation:c1/#4 [push]")
    }

    @Test func `a repeat that was asked for is settled as well`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-02T10:00Z")
            .then("emitted reminder/conversation:c1/#3 [push]")
            .when(.snoozes("reminder/conversation:c1/#3", 15), at: "2026-03-02T10:01Z")
            .when(.reads("c1"), at: "2026-03-02T10:10Z")
            .later(at: "2026-03-02T10:16Z").then("dropped reminder/conversation:c1/#3~1 settled")
    }

    @Test func `a check-in of another goal settles nothing`() {
        given(.enrolled(), .noCheckIns, .goal("g1"), .goal("g2"))
            .when(.checkedIn("g2"), .checkedIn(), at: "2026-03-02T09:00Z")
            .when(.requested("reminder", "goal:g1"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/goal:g1/#7 [push]")
    }

    /// The slot of Monday 23:00 waits for Tuesday 08:00.
    @Test(arguments: [
        ("2026-03-01T23:59:59.999Z", false), ("2026-03-02T23:00:00.001Z", true), ("2026-03-03T07:59:59.999Z", true),
    ])
    func `a session since the day of its slot began settles a check-in`(session: String, settles: Bool) {
        let scenario = given(.enrolled(), .wants(#"{"check_in_time":"23:00","frequency":"weekly"}"#))
        if session < "2026-03-02T23" { scenario.when(.session, at: session) }
        scenario.later(at: "2026-03-02T23:00Z")
            .then("held check_in/2026-03-02T23:00 until 2026-03-03T08:00Z quiet_hours")
        if session > "2026-03-02T23" { scenario.when(.session, at: session).thenNothing() }
        scenario.later(at: "2026-03-03T08:00Z")
            .then(settles ? "dropped check_in/2026-03-02T23:00 settled" : "emitted check_in/2026-03-02T23:00 [push]")
    }

    /// The first instant of a day is in it. A run with `force` is not asked C3, which would say the same.
    @Test(arguments: [
        ("2026-03-01T23:59:59.999+01:00", "emitted"), ("2026-03-02T00:00:00.000+01:00", "dropped"),
        ("2026-03-02T00:00:00.001+01:00", "dropped"),
    ])
    func `a session at the very beginning of the day is of that day`(session: String, outcome: String) {
        given(.enrolled("Europe/Paris"))
            .when(.session, at: session)
            .when(.run("check_in", force: true), at: "2026-03-02T08:30+01:00")
            .then("\(outcome) check_in/2026-03-02T09:00 \(outcome == "emitted" ? "[push]" : "settled")")
    }

    @Test func `a check-in made at the instant the hold ends comes too late to settle it (T10)`() {
        given(.enrolled(), .wants(#"{"check_in_time":"23:00","frequency":"weekly"}"#))
            .unwatched(until: "2026-03-03T07:59Z")
            .when(.checkedIn(), at: "2026-03-03T08:00Z")
            .then("emitted check_in/2026-03-02T23:00 [push]")
    }

    /// Whoever has given up at night is not wished good luck in the morning.
    @Test func `that a goal has started is told of none that has ended`() {
        for policy in [
            "microcommit", #"{"name":"own","kinds":[{"name":"goal_lifecycle","raised_by":[{"on":"goal_started"}]}]}"#,
        ] {
            given(.enrolled(), policy: policy)
                .when(.goal("g1"), at: "2026-03-02T23:10Z")
                .then("held goal_lifecycle/goal:g1/#2 until 2026-03-03T08:00Z quiet_hours")
                .when(.goalEnded("g1", "cancelled"), at: "2026-03-02T23:40Z").thenNothing()
                .later(at: "2026-03-03T08:00Z").then("dropped goal_lifecycle/goal:g1/#2 settled")
        }
    }

    @Test func `what tells of a goal's end is not settled by it`() {
        given(.enrolled(), .goal("g1"), policy: "goals")
            .when(.goalEnded("g1", "failed"), at: "2026-03-02T07:00Z")
            .when(
                .requested("goal_lifecycle", "goal:g1", and: #""data":{"subtype":"goal_failed"}"#),
                at: "2026-03-02T09:00Z"
            )
            .then("emitted goal_lifecycle/goal:g1/#4 [push]")
    }
}
