import CivilTime
import Notices
import Simulation
import Testing

@Suite("S1, snoozes")
struct SnoozeTests {
    @Test(arguments: [(15, "09:16"), (60, "10:01"), (120, "11:01")])
    func `the notice comes again at that instant exactly`(minutes: Int, time: String) {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert", and: #""title":"T","body":"B""#), at: "2026-03-02T09:00Z")
            .then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", minutes), at: "2026-03-02T09:01Z").thenNothing()
            .later(at: justBefore("2026-03-02T\(time)Z")).thenNothing()
            .later(at: "2026-03-02T\(time)Z").then("emitted alert/#3~1 [push]").says("T", "B")
    }

    @Test func `what comes a moment before does not bring it along`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), .requested("urgent"), at: "2026-03-02T09:00Z")
            .then("emitted alert/#3 [push]", "emitted urgent/#5 [push]")
            .when(.snoozes("urgent/#5", 15), at: justBefore("2026-03-02T09:05Z"))
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T09:05Z")
            .later(at: justBefore("2026-03-02T09:20Z")).then("emitted urgent/#5~1 [push]")
            .later(at: "2026-03-02T09:20Z").then("emitted alert/#3~1 [push]")
    }

    @Test(arguments: [("09:00:00.000", true), ("09:00:00.001", false)])
    func `a job may be snoozed for seven days, and that is offered for as long`(time: String, isRemembered: Bool) {
        let now = Instant(local: "2026-03-09T\(time)Z")
        let scenario = given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .later(at: "2026-03-09T\(time)Z")
            .person { anna in
                let minutes = anna.snoozeMinutes(
                    of: "anna/alert/#3", emittedAt: Instant(local: "2026-03-02T09:00Z"), at: now,
                    ShippedPlans["standard"])
                #expect(minutes == (isRemembered ? [15, 60, 120] : []))
            }
        if isRemembered {
            scenario.when(.snoozes("alert/#3", 15), at: "2026-03-09T\(time)Z").thenNothing()
        } else {
            scenario.refuses(
                .snoozes("alert/#3", 15), at: "2026-03-09T\(time)Z",
                "data.job: \"anna/alert/#3\" is not a job that was emitted for this person in the last 7 days")
        }
    }

    @Test func `quiet or not, and in any cooldown`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T21:50Z").then("emitted reminder/#3 [push]")
            .when(.snoozes("reminder/#3", 15), at: "2026-03-02T21:50Z")
            .later(at: "2026-03-02T22:05Z").then("emitted reminder/#3~1 [push]")
    }

    @Test func `and over the cap`() {
        let scenario = given(.enrolled(), .noCheckIns)
        for hour in ["09", "10", "11"] { scenario.when(.requested("alert"), at: "2026-03-02T\(hour):00Z") }
        scenario.unwatched(until: "2026-03-02T11:00Z")
            .when(.snoozes("alert/#3", 60), at: "2026-03-02T11:30Z")
            .later(at: "2026-03-02T12:30Z").then("emitted alert/#3~1 [push]")
    }

    @Test func `P1 to P7 are asked`() {
        given(.enrolled(), .noCheckIns, .goal("g1"))
            .when(.requested("reminder", "goal:g1"), at: "2026-03-02T09:00Z").then("emitted reminder/goal:g1/#4 [push]")
            .when(.snoozes("reminder/goal:g1/#4", 60), .checkedIn("g1"), at: "2026-03-02T09:05Z")
            .later(at: "2026-03-02T10:05Z").then("dropped reminder/goal:g1/#4~1 settled")
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#3 [push]")
            .when(.snoozes("reminder/#3", 60), .wants(#"{"enabled":false}"#), at: "2026-03-02T09:05Z").thenNothing()
            .later(at: "2026-03-02T10:05Z").then("dropped reminder/#3~1 opted_out")
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/conversation:c1/#3 [push]")
            .when(.opens("c1"), .snoozes("reminder/conversation:c1/#3", 60), at: "2026-03-02T09:01Z")
            .when(.sends(in: "c1"), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T10:01Z").then("dropped reminder/conversation:c1/#3~1 viewing")
        given(.enrolled("UTC", #""minor":true"#), .consent(by: "guardian"), policy: "screentime")
            .when(.requested("goal_achieved"), at: "2026-03-02T09:00Z").then("emitted goal_achieved/#3 [push]")
            .when(.snoozes("goal_achieved/#3", 60), .noConsent(by: "guardian"), at: "2026-03-02T09:05Z").thenNothing()
            .later(at: "2026-03-02T10:05Z").then("dropped goal_achieved/#3~1 no_consent")
        for (told, reason) in [
            (Told.permission("denied"), "no_channel"),
            (.wants(#"{"kinds":{"reminder":{"enabled":false}}}"#), "kind_off"),
        ] {
            given(.enrolled(), .noCheckIns)
                .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#3 [push]")
                .when(.snoozes("reminder/#3", 60), told, at: "2026-03-02T09:05Z").thenNothing()
                .later(at: "2026-03-02T10:05Z").then("dropped reminder/#3~1 \(reason)")
        }
        for (expiry, outcome) in [
            ("10:05:00.000", "dropped reminder/#3~1 expired"), ("10:05:00.001", "emitted reminder/#3~1 [push]"),
        ] {
            given(.enrolled(), .noCheckIns)
                .when(.requested("reminder", expires: "2026-03-02T\(expiry)Z"), at: "2026-03-02T09:00Z")
                .then("emitted reminder/#3 [push]")
                .when(.snoozes("reminder/#3", 60), at: "2026-03-02T09:05Z")
                .later(at: "2026-03-02T10:05Z").then(outcome)
        }
    }

    @Test func `what was read before the snooze comes again, what was read after it does not (P2)`() {
        let snoozed = { (order: [Told]) in
            let scenario = given(.enrolled(), .noCheckIns)
            scenario.when(.requested("reminder", "conversation:c1"), at: "2026-03-02T09:00Z")
                .then("emitted reminder/conversation:c1/#3 [push]")
            for told in order { scenario.when(told, at: "2026-03-02T09:01Z") }
            return scenario.later(at: "2026-03-02T10:01Z")
        }
        let snooze = Told.snoozes("reminder/conversation:c1/#3", 60)
        snoozed([.reads("c1"), snooze]).then("emitted reminder/conversation:c1/#3~1 [push]")
        snoozed([snooze, .reads("c1")]).then("dropped reminder/conversation:c1/#3~1 settled")
    }

    @Test func `a check-in comes again under its own slot`() {
        given(.enrolled())
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.snoozes("check_in/2026-03-02T09:00", 120), at: "2026-03-02T09:30Z")
            .later(at: "2026-03-02T11:30Z").then("emitted check_in/2026-03-02T09:00~1 [push]")
    }

    @Test func `with the app open it comes there (P15)`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T09:00Z")
            .when(.opensApp, at: "2026-03-02T09:14Z")
            .later(at: "2026-03-02T09:15Z").then("emitted alert/#3~1 [in_app]")
    }

    @Test func `a repeat of a bundle is for those still open`() {
        let scenario = given(.enrolled(), .goal("g1"), .goal("g2"), policy: "goals")
        let bundle = "goal_reminder/goal:g1/2026-03-02T08:00"
        scenario.later(at: "2026-03-02T08:00Z")
            .then("emitted \(bundle) (\(bundle), goal_reminder/goal:g2/2026-03-02T08:00) [push]")
            .when(.snoozes(bundle, 60), .checkedIn("g1"), at: "2026-03-02T08:10Z")
            .later(at: "2026-03-02T09:10Z").then("emitted \(bundle)~1 [push]")
            // It says what is left, and not "2 goals".
            .says("Time to check in on Goal g2", "Tap to check in.")
            .when(.snoozes("\(bundle)~1", 60), .checkedIn("g2"), at: "2026-03-02T09:20Z")
            .later(at: "2026-03-02T10:20Z").then("dropped \(bundle)~2 settled")
    }

    @Test func `what a schedule raised is worded as it is true when it comes again`() {
        given(.enrolled(), .goal("g1", #""deadline":"2026-03-02T18:00:00Z""#), policy: "microcommit")
            .unwatched(until: "2026-03-02T15:00Z")
            .when(.snoozes("deadline_warning/goal:g1/2026-03-02T12:00", 60), at: "2026-03-02T15:30Z")
            .later(at: "2026-03-02T16:30Z").then("emitted deadline_warning/goal:g1/2026-03-02T12:00~1 [push]")
            .says("Goal g1: 90 minutes left", "Check in before the deadline.")
    }

    @Test func `what it comes a moment before is not brought along`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T21:00Z").then("emitted alert/#3 [push]")
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#5 until 2026-03-03T08:00Z quiet_hours")
            .when(.snoozes("alert/#3", 60), at: "2026-03-03T06:59:59.999Z")
            .later(at: "2026-03-03T07:59:59.999Z").then("emitted alert/#3~1 [push]")
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#5 [push]")
    }

    @Test func `snoozed twice before it came, it comes twice`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 60), .snoozes("alert/#3", 15), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T09:15Z").then("emitted alert/#3~2 [push]")
            .later(at: "2026-03-02T10:00Z").then("emitted alert/#3~1 [push]")
    }

    @Test func `a digest that comes again takes nothing from the next one`() {
        given(.enrolled(), .noCheckIns)
            .when(.earned(5), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
            .when(.snoozes("daily_digest/2026-03-02T18:00", 60), .earned(7), at: "2026-03-02T18:30Z")
            .later(at: "2026-03-02T19:30Z").then("emitted daily_digest/2026-03-02T18:00~1 [push]")
            .says("Your day", "5 points earned today.")
            .later(at: "2026-03-03T18:00Z").then(
                "emitted daily_digest/2026-03-03T18:00 [push] {points 7, points_earlier 7}")
    }

    @Test func `travel does not move it`() {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00+01:00").then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 60), .moved(to: "Asia/Tokyo"), at: "2026-03-02T09:00+01:00")
            .later(at: "2026-03-02T10:00+01:00").then("emitted alert/#3~1 [push]")
    }
}
