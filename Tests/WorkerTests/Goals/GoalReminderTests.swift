import Testing

/// `microcommit`'s reminders: each goal's, at its own time, on its own days.
@Suite("C6, goal reminders")
struct GoalReminderTests {
    private func goal(_ more: String, _ facts: Told...) -> Scenario {
        let scenario = given(.enrolled(), .goal("g1", more, title: "Run"), policy: "goals")
        for fact in facts { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario
    }

    private func reminded(_ slots: String...) -> [String] {
        slots.map { "\($0)Z emitted goal_reminder/goal:g1/\($0) [push]" }
    }

    private static let noWarnings = Told.wants(
        #"{"kinds":{"deadline_warning":{"subtypes":{"24_hours":false,"6_hours":false,"1_hour":false}}}}"#)

    @Test(arguments: [("2026-03-03T08:00:00.000Z", 1), ("2026-03-03T08:00:00.001Z", 2)])
    func `they end with its deadline, and so do offers to adjust them`(deadline: String, count: Int) {
        let slots = ["2026-03-02T08:00", "2026-03-03T08:00"].prefix(count)
        goal("\"deadline\":\"\(deadline)\"", Self.noWarnings)
            .later(at: "2026-03-02T23:00Z").then(contentsOf: slots.prefix(1).flatMap { reminded($0) })
            .unwatched(until: "2026-03-03T07:59Z")
            .later(at: "2026-03-03T08:00Z")
            .then(contentsOf: slots.dropFirst().map { "emitted goal_reminder/goal:g1/\($0) [push]" })
            .later(at: "2026-03-08T23:00Z").thenNothing()
    }

    @Test func `one that waits when the deadline comes is no use any more`() {
        goal(#""reminder_time":"23:00","deadline":"2026-03-03T08:00:00Z""#, Self.noWarnings)
            .unwatched(until: "2026-03-02T22:00Z")
            .later(at: "2026-03-02T23:00Z")
            .then("held goal_reminder/goal:g1/2026-03-02T23:00 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z").then("dropped goal_reminder/goal:g1/2026-03-02T23:00 expired")
    }

    @Test func `every day at 08:00 unless they say otherwise`() {
        goal("").later(at: "2026-03-03T07:59Z").then(contentsOf: reminded("2026-03-02T08:00"))
        goal(#""reminder_time":"12:30","check_in_days":["tue"]"#)
            .later(at: "2026-03-06T12:00Z")
            .then(
                "2026-03-03T12:30Z emitted goal_reminder/goal:g1/2026-03-03T12:30 [push]",
                "2026-03-04T10:00Z emitted adjust_timing/goal:g1/2026-03-04T10:00 [push]")
    }

    @Test func `the person's own time for the goal comes before the goal's`() {
        goal(#""reminder_time":"12:30""#, .wants(#"{"goals":{"g1":{"reminder_time":"09:15"}}}"#))
            .later(at: "2026-03-02T23:00Z").then(contentsOf: reminded("2026-03-02T09:15"))
    }

    @Test(arguments: [(0, "2026-03-04T08:00"), (1, "2026-03-03T08:00"), (2, "2026-03-02T08:00")])
    func `days before`(days: Int, slot: String) {
        goal(#""check_in_days":["wed"]"#, .wants("{\"goals\":{\"g1\":{\"days_before\":\(days)}}}"))
            .later(at: "\(slot)Z").then("emitted goal_reminder/goal:g1/\(slot) [push]")
    }

    @Test func `every two hours until checked in`() {
        goal(
            #""reminder_time":"16:00","check_in_days":["mon"]"#,
            .wants(#"{"goals":{"g1":{"repeat":"every_2_hours"}}}"#)
        )
        .later(at: "2026-03-02T16:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T16:00 [push]")
        .later(at: "2026-03-02T18:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T18:00 [push]")
        .when(.checkedIn("g1"), at: "2026-03-02T19:00Z")
        .later(at: "2026-03-02T20:00Z").then("dropped goal_reminder/goal:g1/2026-03-02T20:00 settled")
    }

    @Test func `every hour from six hours before the deadline`() {
        goal(
            #""check_in_days":[],"deadline":"2026-03-02T20:00:00Z""#,
            .wants(
                #"{"goals":{"g1":{"repeat":"hourly_before_deadline","kinds":{"deadline_warning":{"enabled":false}}}}}"#)
        )
        .unwatched(until: justBefore("2026-03-02T14:00Z"))
        .later(at: "2026-03-02T14:00Z")
        .then(
            "emitted goal_reminder/goal:g1/2026-03-02T14:00 [push]",
            "dropped deadline_warning/goal:g1/2026-03-02T14:00 kind_off"
        )
        // Whatever is heard of them a moment before.
        .when(.device("phone"), at: justBefore("2026-03-02T15:00Z")).thenNothing()
        .later(at: "2026-03-02T16:00Z")
        .then(
            "2026-03-02T15:00Z emitted goal_reminder/goal:g1/2026-03-02T15:00 [push]",
            "emitted goal_reminder/goal:g1/2026-03-02T16:00 [push]")
    }

    @Test func `a moment before the reminder's own time an hour before the deadline brings it along (P19)`() {
        goal(
            #""reminder_time":"09:00","deadline":"2026-03-02T11:59:59.999Z""#,
            .wants(
                #"{"goals":{"g1":{"repeat":"hourly_before_deadline","kinds":{"deadline_warning":{"enabled":false}}}}}"#)
        )
        .unwatched(until: justBefore("2026-03-02T08:59:59.999Z"))
        .later(at: "2026-03-02T08:59:59.999Z")
        .then(
            "emitted goal_reminder/goal:g1/2026-03-02T08:59 (goal_reminder/goal:g1/2026-03-02T08:59, goal_reminder/goal:g1/2026-03-02T09:00) [push]"
        )
    }

    /// A quarter of an hour is pulled forward, and not a moment more.
    @Test func `a repeat that comes a quarter of an hour and a moment before the reminder leaves it where it is (P19)`()
    {
        goal(
            #""reminder_time":"09:00","deadline":"2026-03-02T11:44:59.999Z""#,
            .wants(
                #"{"goals":{"g1":{"repeat":"hourly_before_deadline","kinds":{"deadline_warning":{"enabled":false}}}}}"#)
        )
        .unwatched(until: justBefore("2026-03-02T08:44:59.999Z"))
        .later(at: "2026-03-02T08:44:59.999Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:44 [push]")
        .later(at: "2026-03-02T09:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T09:00 [push]")
    }

    /// 08:00 in Honolulu was half an hour before they landed there, and is three hours before a deadline that was set after it.
    @Test func `a reminder at the instant of an hourly one is caught up with after travel (T9, C5)`() {
        given(
            .enrolled(), .goal("g1", #""reminder_time":"08:00""#),
            .wants(#"{"goals":{"g1":{"repeat":"hourly_before_deadline"}}}"#), policy: "goals", at: "2026-03-21T15:21Z"
        )
        .when(.goalChanged("g1", #""deadline":"2026-03-21T21:00:00Z""#), at: "2026-03-21T18:20Z").thenNothing()
        .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-21T18:30Z")
        .then("emitted goal_reminder/goal:g1/2026-03-21T08:00 [push]", "emitted timezone_adjusted/#5 [push]")
    }

    /// The clocks go from 01:00 to 03:00: two of the day's times come at once, and the first of them gives the name.
    @Test func `two times of a day that come at once are one (T4, Antarctica/Troll)`() {
        given(
            .enrolled("Antarctica/Troll"), .goal("g1", #""reminder_time":"01:00""#),
            .wants(#"{"quiet_hours":{"enabled":false},"goals":{"g1":{"repeat":"every_2_hours"}}}"#), policy: "goals",
            at: "2026-03-28T12:00Z"
        )
        .unwatched(until: justBefore("2026-03-29T01:00Z"))
        .later(at: "2026-03-29T01:00Z").then("emitted goal_reminder/goal:g1/2026-03-29T01:00 [push]")
        .later(at: "2026-03-29T03:00Z").then("emitted goal_reminder/goal:g1/2026-03-29T05:00 [push]")
    }

    @Test(arguments: [("2026-03-01T20:00Z", ""), ("2026-03-02T14:00Z", ""), ("2026-03-02T19:00Z", " critical")])
    func `a warning comes whatever was heard of them a moment before`(at: String, priority: String) {
        goal(#""check_in_days":[],"deadline":"2026-03-02T20:00:00Z""#, .wants(#"{"quiet_hours":{"enabled":false}}"#))
            .unwatched(until: justBefore(justBefore(at)))
            .when(.device("phone"), at: justBefore(at)).thenNothing()
            .later(at: at).then("emitted deadline_warning/goal:g1/\(at.dropLast()) [push]\(priority)")
    }

    /// 08:00 in Honolulu was an hour before the person landed there.
    @Test(arguments: [
        nil, Told.goalChanged("g1", #""reminder_time":"08:00""#), .goalChanged("g1", #""check_in_days":["sat","sun"]"#),
        .wants(#"{"goals":{"g1":{"reminder_time":"08:00"}}}"#),
    ])
    func `what is said once more as it was takes no reminder away (T9, T10)`(again: Told?) {
        let scenario = given(
            .enrolled("UTC"), .goal("g1", #""reminder_time":"08:00","check_in_days":["sat","sun"]"#), policy: "goals",
            at: "2026-03-21T15:21Z")
        if let again { scenario.when(again, at: "2026-03-21T18:20Z") }
        scenario.unwatched(until: "2026-03-21T18:30Z").when(.moved(to: "Pacific/Honolulu"), at: "2026-03-21T19:00Z")
            .then(
                "emitted goal_reminder/goal:g1/2026-03-21T08:00 [push]",
                "emitted timezone_adjusted/#\(again == nil ? 3 : 4) [push]")
    }

    /// Every day at 08:00 is what a goal that says nothing has.
    @Test(arguments: [
        Told.goalChanged("g1", #""reminder_time":"08:00""#),
        .goalChanged("g1", #""check_in_days":["mon","tue","wed","thu","fri","sat","sun"]"#),
        .wants(#"{"goals":{"g1":{"days_before":2}}}"#), .wants(#"{"reminder_time":"08:00"}"#),
    ])
    func `nor does what was so without being said (T9, T10)`(said: Told) {
        given(.enrolled("UTC"), .goal("g1"), policy: "goals", at: "2026-03-21T15:21Z")
            .when(said, at: "2026-03-21T18:20Z")
            .unwatched(until: "2026-03-21T18:30Z").when(.moved(to: "Pacific/Honolulu"), at: "2026-03-21T19:00Z")
            .then("emitted goal_reminder/goal:g1/2026-03-21T08:00 [push]", "emitted timezone_adjusted/#4 [push]")
    }

    @Test func `a goal that has ended reminds of nothing`() {
        goal("").when(.goalEnded("g1"), at: justBefore("2026-03-02T08:00Z"))
            .later(at: "2026-03-05T08:00Z").thenNothing()
    }

    @Test func `changed, its reminders are those after the change (T10)`() {
        goal(#""reminder_time":"12:00""#)
            .when(.goalChanged("g1", #""reminder_time":"09:00""#), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T23:00Z").thenNothing()
            .later(at: "2026-03-03T09:00Z").then("emitted goal_reminder/goal:g1/2026-03-03T09:00 [push]")
    }

    @Test func `checked in before its time a reminder is settled (P2)`() {
        goal("").when(.checkedIn("g1"), at: "2026-03-02T00:00Z")
            .later(at: "2026-03-02T08:00Z").then("dropped goal_reminder/goal:g1/2026-03-02T08:00 settled")
        goal("").when(.checkedIn("g1"), at: justBefore("2026-03-02T00:00Z"))
            .later(at: "2026-03-02T08:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
    }

    @Test func `after a first unanswered one another time is offered, once`() {
        goal("").later(at: "2026-03-02T08:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
            .later(at: "2026-03-03T10:00Z")
            .then(
                "2026-03-03T08:00Z emitted goal_reminder/goal:g1/2026-03-03T08:00 [push]",
                "emitted adjust_timing/goal:g1/2026-03-03T10:00 [push]"
            )
            .says(
                "Adjust reminder timing?",
                "You missed a check-in on Run. Another time of day might suit you better."
            )
            .later(at: "2026-03-05T07:00Z")
            .then("2026-03-04T08:00Z emitted goal_reminder/goal:g1/2026-03-04T08:00 [push]")
    }

    /// The reminder for Friday is due on Thursday evening and held until Friday morning.
    @Test func `a day that was checked in on before its reminder came is not missed`() {
        for (checkIn, isMissed) in [
            ("2026-03-04T23:59:59.999Z", true), ("2026-03-06T00:00Z", false), ("2026-03-06T07:00Z", false),
        ] {
            given(
                .enrolled(), .goal("g1", #""reminder_time":"22:30","check_in_days":["fri"]"#),
                .wants(#"{"goals":{"g1":{"days_before":1}}}"#), policy: "goals"
            )
            .when(.checkedIn("g1"), at: checkIn).unwatched(until: "2026-03-06T08:00Z")
            .later(at: "2026-03-07T10:00Z")
            .then(contentsOf: isMissed ? ["emitted adjust_timing/goal:g1/2026-03-07T10:00 [push]"] : [])
        }
    }

    @Test func `a day is missed by whoever checked in right before it, and not by whoever did the morning after`() {
        for (checkIn, isMissed) in [("2026-03-04T23:59:59.999Z", true), ("2026-03-06T07:00Z", false)] {
            given(.enrolled(), .goal("g1", #""reminder_time":"22:30","check_in_days":["thu"]"#), policy: "goals")
                .when(.checkedIn("g1"), at: checkIn).unwatched(until: "2026-03-06T08:00Z")
                .later(at: "2026-03-06T10:00Z")
                .then(contentsOf: isMissed ? ["emitted adjust_timing/goal:g1/2026-03-06T10:00 [push]"] : [])
        }
    }

    @Test func `of several goals missed on one day one is asked about`() {
        given(.enrolled(), .goal("g1"), .goal("g2"), .goal("g3"), policy: "goals")
            .unwatched(until: "2026-03-03T09:00Z")
            .later(at: "2026-03-03T10:00Z").then("emitted adjust_timing/goal:g1/2026-03-03T10:00 [push]")
            .unwatched(until: "2026-03-04T09:00Z").later(at: "2026-03-04T23:00Z").thenNothing()
        given(.enrolled(), .goal("g1"), .goal("g2"), policy: "goals")
            .unwatched(until: "2026-03-03T09:00Z")
            .when(.run("adjust_timing", force: true), at: "2026-03-03T09:30Z")
            .then("emitted adjust_timing/goal:g1/2026-03-03T10:00 [push]")
            .later(at: "2026-03-03T23:00Z").thenNothing()
    }

    @Test func `an offer that waits is one, and one that is dropped is none`() {
        given(
            .enrolled(), .goal("g1"), .goal("g2"),
            .wants(#"{"goals":{"g1":{"kinds":{"adjust_timing":{"enabled":false}}}}}"#),
            policy: "goals"
        )
        .unwatched(until: "2026-03-03T09:00Z")
        .later(at: "2026-03-03T10:00Z")
        .then(
            "dropped adjust_timing/goal:g1/2026-03-03T10:00 kind_off",
            "emitted adjust_timing/goal:g2/2026-03-03T10:00 [push]")
        given(.enrolled(), .goal("g1"), .goal("g2"), policy: "goals")
            .unwatched(until: "2026-03-03T09:00Z")
            .when(.wants(#"{"schedule":{"tue":[["12:00","13:00"]]}}"#), at: "2026-03-03T09:30Z")
            .later(at: "2026-03-03T10:00Z")
            .then("held adjust_timing/goal:g1/2026-03-03T10:00 until 2026-03-03T12:00Z outside_schedule")
            .later(at: "2026-03-03T12:00Z").then("emitted adjust_timing/goal:g1/2026-03-03T10:00 [push]")
    }

    @Test func `an answered one offers nothing`() {
        goal(#""check_in_days":["mon"]"#)
            .later(at: "2026-03-02T08:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
            .when(.checkedIn("g1"), at: "2026-03-02T23:59:59.999Z")
            .later(at: "2026-03-05T10:00Z").thenNothing()
    }
}
