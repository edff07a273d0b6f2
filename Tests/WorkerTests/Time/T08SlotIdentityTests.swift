import Notices
import Testing

@Suite("T8, a slot comes once")
struct SlotIdentityTests {
    @Test func `a check-in is one a day, whatever its time becomes`() {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.wants(#"{"check_in_time":"15:00"}"#), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-03T15:00Z").then("emitted check_in/2026-03-03T15:00 [push]")
    }

    @Test func `one that was skipped is as used up as one that fired`() {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .when(.session, at: "2026-03-02T08:00Z")
            .later(at: "2026-03-02T09:00Z").then("skipped check_in 2026-03-02T09:00 already_active_today")
            .when(.wants(#"{"check_in_time":"15:00"}"#), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T23:00Z").thenNothing()
    }

    @Test func `travel west does not repeat it`() {
        given(.enrolled("Europe/Paris"), .wants(#"{"frequency":"daily"}"#))
            .later(at: "2026-03-02T09:00+01:00").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.moved(to: "America/New_York"), at: "2026-03-02T14:00+01:00")
            .later(at: "2026-03-02T23:00-05:00").thenNothing()
            .later(at: "2026-03-03T09:00-05:00").then("emitted check_in/2026-03-03T09:00 [push]")
    }

    @Test func `nor does a journey around the world and back`() {
        given(.enrolled("Pacific/Auckland"), .wants(#"{"frequency":"daily"}"#))
            .later(at: "2026-03-02T09:00+13:00").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-02T12:00+13:00")
            .then("emitted check_in/2026-03-01T09:00 [push]")
            .when(.moved(to: "Pacific/Auckland"), at: "2026-03-02T13:00+13:00").thenNothing()
            .later(at: "2026-03-02T23:00+13:00").thenNothing()
    }

    /// A month lies between the run and the slot, and much happens in it.
    @Test func `one that was brought forward weeks before its day does not come again on it`() {
        given(
            .enrolled(), .goal("g1", #""deadline":"2026-06-30T12:00:00Z","check_in_days":[]"#),
            policy: "goals", at: "2026-06-01T12:00Z"
        )
        .when(.run("deadline_warning"), at: "2026-06-14T12:00Z")
        .then("emitted deadline_warning/goal:g1/2026-06-29T12:00 [push]")
        .when(.requested("payment"), at: "2026-06-21T13:00Z").then("emitted payment/#5 [push]")
        .when(.requested("payment"), at: "2026-06-28T14:00Z").then("emitted payment/#7 [push]")
        .later(at: "2026-06-30T05:00Z").thenNothing()
        .later(at: "2026-06-30T06:00Z")
        .then("held deadline_warning/goal:g1/2026-06-30T06:00 until 2026-06-30T08:00Z quiet_hours")
    }

    /// A week ahead and more: the check-in is weekly, and each run takes the next.
    @Test func `however far ahead, and west of where it was brought forward`() {
        given(.enrolled("Pacific/Kiritimati"), .wants(#"{"frequency":"weekly"}"#))
            .later(at: "2026-03-02T09:00+14:00").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.run("check_in", force: true), at: "2026-03-02T10:00+14:00")
            .then("emitted check_in/2026-03-09T09:00 [push]")
            .when(.run("check_in", force: true), at: "2026-03-02T11:00+14:00")
            .then("emitted check_in/2026-03-16T09:00 [push]")
            .when(.requested("urgent"), at: "2026-03-09T12:00+14:00").then("emitted urgent/#8 [push]")
            .when(.moved(to: "Pacific/Pago_Pago"), .requested("urgent"), at: "2026-03-16T12:00+14:00")
            .then("emitted urgent/#11 [push]")
            .later(at: "2026-03-23T08:59-11:00").thenNothing()
            .later(at: "2026-03-23T09:00-11:00").then("emitted check_in/2026-03-23T09:00 [push]")
    }

    /// The six days to come are remembered with everything else of the week, and a hundred behind them.
    @Test func `as many as are remembered can be brought forward, and the next after them comes in its time`() {
        let scenario = given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
        for day in 0..<110 {
            scenario.when(.run("check_in", force: true), at: "2026-03-02T08:00Z")
            if day < 106 { scenario.unwatched(until: "2026-03-02T08:00Z") } else { scenario.thenNothing() }
        }
        scenario.later(at: "2026-06-16T08:59Z").thenNothing()
            .later(at: "2026-06-16T09:00Z").then("emitted check_in/2026-06-16T09:00 [push]")
    }

    /// Six hours before the deadline it is 15:00 in Paris; one hour before it is 15:00 in La Paz.
    @Test func `two warnings that come at one local time, since the person travelled, are two`() {
        given(
            .enrolled("Europe/Paris"), .goal("g1", #""deadline":"2026-03-03T20:00:00Z","check_in_days":[]"#),
            policy: "goals"
        )
        .unwatched(until: justBefore("2026-03-03T14:00Z"))
        .later(at: "2026-03-03T14:00Z").then("emitted deadline_warning/goal:g1/2026-03-03T15:00 [push]")
        .when(.moved(to: "America/La_Paz"), at: "2026-03-03T16:00Z").unwatched(until: justBefore("2026-03-03T19:00Z"))
        .later(at: "2026-03-03T19:00Z")
        .then("emitted deadline_warning/goal:g1/2026-03-03T19:00Z [push] critical")
        .job { #expect($0.slot?.text == "2026-03-03T15:00") }
        .when(
            .snoozes("deadline_warning/goal:g1/2026-03-03T19:00Z", 15), at: "2026-03-03T19:10Z"
        )
        .later(at: "2026-03-03T19:25Z")
        .then("emitted deadline_warning/goal:g1/2026-03-03T19:00Z~1 [push] critical")
    }

    @Test func `two that come at one local time, since the clocks went back, are two`() {
        let scenario = given(
            .enrolled("Europe/Paris"), .goal("g1", #""deadline":"2026-10-25T06:30:00Z","check_in_days":[]"#),
            .wants(
                #"{"quiet_hours":{"enabled":false},"goals":{"g1":{"repeat":"hourly_before_deadline","kinds":{"deadline_warning":{"enabled":false}}}}}"#
            ),
            policy: "goals", at: "2026-10-24T12:00Z"
        )
        scenario.unwatched(until: justBefore("2026-10-25T00:30Z"))
            .later(at: "2026-10-25T00:30Z")
            .then(
                "emitted goal_reminder/goal:g1/2026-10-25T02:30 [push]",
                "dropped deadline_warning/goal:g1/2026-10-25T02:30 kind_off"
            )
            .later(at: "2026-10-25T01:30Z").then("emitted goal_reminder/goal:g1/2026-10-25T01:30Z [push]")
            .later(at: "2026-10-25T02:30Z").then("emitted goal_reminder/goal:g1/2026-10-25T03:30 [push]")
    }

    @Test func `both are told as missed where nobody was there`() {
        given(
            .enrolled("Europe/Paris"), .goal("g1", #""deadline":"2026-10-25T06:30:00Z","check_in_days":[]"#),
            .wants(
                #"{"goals":{"g1":{"repeat":"hourly_before_deadline"}},"kinds":{"deadline_warning":{"subtypes":{"24_hours":false,"6_hours":false,"1_hour":false}}}}"#
            ),
            policy: "goals", at: "2026-10-24T12:00Z"
        )
        .asleep(until: "2026-10-25T12:00Z")
        .then(
            "skipped goal_reminder/goal:g1 2026-10-25T02:30 missed",
            "skipped goal_reminder/goal:g1 2026-10-25T01:30Z missed",
            "skipped goal_reminder/goal:g1 2026-10-25T03:30 missed",
            "skipped goal_reminder/goal:g1 2026-10-25T04:30 missed",
            "skipped goal_reminder/goal:g1 2026-10-25T05:30 missed",
            "skipped goal_reminder/goal:g1 2026-10-25T06:30 missed")
    }

    /// Reminded at 09:00 on Mondays, and every hour before the deadline.
    private func repeatsBefore(_ deadline: String, in zone: String) -> Scenario {
        given(
            .enrolled(zone),
            .goal("g1", "\"deadline\":\"\(deadline)\",\"reminder_time\":\"09:00\",\"check_in_days\":[\"mon\"]"),
            .wants(
                #"{"goals":{"g1":{"repeat":"hourly_before_deadline"}},"kinds":{"deadline_warning":{"enabled":false}}}"#),
            policy: "goals")
    }

    /// 09:00 in Paris is the reminder and six hours before the deadline at once; 09:00 in London is five hours before it.
    @Test func `a repeat before the deadline is not the reminder that had the same local time elsewhere`() {
        repeatsBefore("2026-03-02T14:00:00Z", in: "Europe/Paris")
            .unwatched(until: justBefore("2026-03-02T08:00Z"))
            .later(at: "2026-03-02T08:00Z")
            .then(
                "emitted goal_reminder/goal:g1/2026-03-02T09:00 [push]",
                "dropped deadline_warning/goal:g1/2026-03-02T09:00 kind_off"
            )
            .when(.moved(to: "Europe/London"), at: "2026-03-02T08:30Z").unwatched(
                until: justBefore("2026-03-02T09:00Z")
            )
            .later(at: "2026-03-02T09:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T09:00Z [push]")
            .later(at: "2026-03-02T10:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T10:00 [push]")
    }

    /// 09:00 in Kolkata is the reminder and five hours before the deadline at once; 09:00 in Karachi hangs on nothing.
    @Test func `a reminder that came together with a repeat before the deadline does not come again half an hour west`()
    {
        repeatsBefore("2026-03-02T08:30:00Z", in: "Asia/Kolkata")
            .unwatched(until: justBefore("2026-03-02T03:30Z"))
            .later(at: "2026-03-02T03:30Z").then("emitted goal_reminder/goal:g1/2026-03-02T09:00 [push]")
            .when(.moved(to: "Asia/Karachi"), at: "2026-03-02T03:40Z").unwatched(until: justBefore("2026-03-02T04:00Z"))
            .later(at: "2026-03-02T04:00Z").thenNothing()
    }

    @Test(arguments: [false, true])
    func `a warning that a run brought forward does not come again after travel`(force: Bool) {
        given(
            .enrolled("Europe/Paris"), .goal("g1", #""deadline":"2026-03-03T20:00:00Z","check_in_days":[]"#),
            policy: "goals", at: "2026-03-01T10:00Z"
        )
        .when(.run("deadline_warning", force: force), at: "2026-03-01T12:00Z")
        .then("emitted deadline_warning/goal:g1/2026-03-02T21:00 [push]")
        .when(.moved(to: "America/La_Paz"), at: "2026-03-01T15:00Z").unwatched(until: "2026-03-02T12:00Z")
        .later(at: justBefore("2026-03-03T14:00Z")).thenNothing()
        .later(at: "2026-03-03T14:00Z").then("emitted deadline_warning/goal:g1/2026-03-03T10:00 [push]")
    }

    /// The week's jobs are forgotten long before the warning is due.
    @Test func `nor one that was brought forward weeks before`() {
        given(
            .enrolled("Europe/Paris"), .goal("g1", #""deadline":"2026-06-30T20:00:00Z","check_in_days":[]"#),
            policy: "goals", at: "2026-06-01T12:00Z"
        )
        .when(.run("deadline_warning"), at: "2026-06-14T12:00Z")
        .then("emitted deadline_warning/goal:g1/2026-06-29T22:00 [push]")
        .when(.requested("payment"), at: "2026-06-28T14:00Z").unwatched(until: "2026-06-28T14:30Z")
        .when(.moved(to: "America/La_Paz"), at: "2026-06-28T15:00Z").unwatched(until: "2026-06-28T16:00Z")
        .later(at: justBefore("2026-06-30T14:00Z")).thenNothing()
    }

    @Test func `a deadline that is moved to where a clock shows the same is warned of anew`() {
        given(
            .enrolled("Europe/Paris"), .goal("g1", #""deadline":"2026-03-03T20:00:00Z","check_in_days":[]"#),
            policy: "goals"
        )
        .unwatched(until: justBefore("2026-03-03T14:00Z"))
        .later(at: "2026-03-03T14:00Z").then("emitted deadline_warning/goal:g1/2026-03-03T15:00 [push]")
        .when(.moved(to: "America/La_Paz"), at: "2026-03-03T16:00Z").unwatched(until: "2026-03-03T16:30Z")
        .when(.goalChanged("g1", #""deadline":"2026-03-04T01:00:00Z""#), at: "2026-03-03T17:00Z")
        .later(at: "2026-03-03T19:00Z").then("emitted deadline_warning/goal:g1/2026-03-03T19:00Z [push]")
    }

    @Test func `a digest is by its time as well`() {
        let policy = { (time: String) in
            #"{"name":"times","kinds":[{"name":"digest","digest":"daily","schedule":{"on":"daily","at":"\#(time)"}}]}"#
        }
        given(.enrolled(), policy: policy("18:00"))
            .when(.earned(5), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted digest/2026-03-02T18:00 [push] {points 5}")
            .when(.earned(7), .adopts(policy("20:00")), at: "2026-03-02T18:30Z")
            .later(at: "2026-03-02T20:00Z").then("emitted digest/2026-03-02T20:00 [push] {points 7}")
    }

    @Test func `a digest slot that had nothing to say is not used up (C5)`() {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .later(at: "2026-03-02T18:00+01:00").thenNothing()
            .when(.moved(to: "America/New_York"), .earned(5), at: "2026-03-02T19:00+01:00")
            .later(at: "2026-03-02T18:00-05:00").then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
    }
}
