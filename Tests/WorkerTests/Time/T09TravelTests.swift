import CivilTime
import Notices
import Testing

@Suite("T9, travel")
struct TravelTests {
    private static let daily = Told.wants(#"{"frequency":"daily"}"#)

    /// Paris 14:00 is Tokyo 22:00: the check-in there was at 09:00, too late. Kathmandu's was 8 hours ago.
    @Test func `a slot of today that has passed there is caught up with, or missed`() {
        // At 07:30 in Paris it is 12:15 in Kathmandu: 195 minutes after 09:00.
        given(.enrolled("Europe/Paris"), Self.daily)
            .when(.moved(to: "Asia/Kathmandu"), at: "2026-03-02T07:30+01:00")
            .then("emitted check_in/2026-03-02T09:00 [push]")
        // At 08:30 in Paris it is 16:30 in Tokyo.
        given(.enrolled("Europe/Paris"), Self.daily)
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T08:30+01:00")
            .then("skipped check_in 2026-03-02T09:00 missed")
    }

    @Test(arguments: [
        ("2026-03-02T13:00:00.000+09:00", "emitted check_in/2026-03-02T09:00 [push]"),
        ("2026-03-02T12:59:59.999+09:00", "emitted check_in/2026-03-02T09:00 [push]"),
        ("2026-03-02T13:00:00.001+09:00", "skipped check_in 2026-03-02T09:00 missed"),
    ])
    func `240 minutes late is late enough (C5)`(at: String, outcome: String) {
        given(.enrolled("Europe/Paris"), Self.daily).when(.moved(to: "Asia/Tokyo"), at: at).then(outcome)
    }

    @Test func `a slot that is still to come there comes there`() {
        given(.enrolled("Asia/Tokyo"), Self.daily)
            .when(.moved(to: "Europe/Paris"), at: "2026-03-02T08:59:59.999+09:00")
            .later(at: "2026-03-02T09:00+01:00").then("emitted check_in/2026-03-02T09:00 [push]")
    }

    @Test func `holds are computed anew`() {
        // 23:00 in Paris is 17:00 in New York: nobody sleeps there.
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T22:30+01:00")
            .then("held alert/#3 until 2026-03-03T08:00+01:00 quiet_hours")
            .when(.moved(to: "America/New_York"), at: "2026-03-02T23:00+01:00").then("emitted alert/#3 [push]")
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T22:30+01:00")
            .then("held alert/#3 until 2026-03-03T08:00+01:00 quiet_hours")
            .when(.moved(to: "Europe/Dublin"), at: "2026-03-02T23:00+01:00")
            .then("held alert/#3 until 2026-03-03T08:00Z quiet_hours")
    }

    @Test func `a timezone in the preferences is the same thing`() {
        given(.enrolled("Europe/Paris"), Self.daily)
            .when(.wants(#"{"timezone":"Asia/Tokyo"}"#), at: "2026-03-02T13:00+09:00")
            .then("emitted check_in/2026-03-02T09:00 [push]")
    }

    @Test func `with keep nothing moves`() {
        given(.enrolled("Europe/Paris"), Self.daily)
            .when(.moved(to: "Asia/Tokyo", keep: true), at: "2026-03-02T07:30+01:00").thenNothing()
            .later(at: "2026-03-02T09:00+01:00").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.requested("alert"), at: "2026-03-02T22:00+01:00")
            .then("held alert/#5 until 2026-03-03T08:00+01:00 quiet_hours")
    }

    @Test func `the zone they are in already changes nothing`() {
        given(.enrolled("Europe/Paris"), Self.daily)
            .later(at: "2026-03-02T09:00+01:00").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(.moved(to: "Europe/Paris"), at: "2026-03-02T10:00+01:00").thenNothing()
    }

    /// From Kiritimati (+14) to Honolulu (−10): the same clock, a date earlier.
    @Test func `eastwards over the date line a day comes again, its check-in does not`() {
        given(.enrolled("Pacific/Kiritimati"), Self.daily, at: "2026-03-01T12:00Z")
            .later(at: "2026-03-03T09:00+14:00")
            .then(
                "2026-03-02T09:00+14:00 emitted check_in/2026-03-02T09:00 [push]",
                "emitted check_in/2026-03-03T09:00 [push]"
            )
            .when(.moved(to: "Pacific/Honolulu"), at: "2026-03-03T10:00+14:00").thenNothing()
            .later(at: "2026-03-03T09:00-10:00").thenNothing()
            .later(at: "2026-03-04T09:00-10:00").then("emitted check_in/2026-03-04T09:00 [push]")
    }

    @Test func `westwards over the date line a day is left out`() {
        given(.enrolled("Pacific/Honolulu"), Self.daily, at: "2026-03-01T20:00Z")
            .later(at: "2026-03-02T09:00-10:00").then("emitted check_in/2026-03-02T09:00 [push]")
            // 10:00 there, on the 3rd: an hour after that day's check-in.
            .when(.moved(to: "Pacific/Kiritimati"), at: "2026-03-02T10:00-10:00")
            .then("emitted check_in/2026-03-03T09:00 [push]")
            .later(at: "2026-03-04T09:00+14:00").then("emitted check_in/2026-03-04T09:00 [push]")
    }

    @Test func `slots from before enrolment do not come by travel (T10)`() {
        given(.enrolled("Europe/Paris"), Self.daily, at: "2026-03-02T05:00Z")
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T05:01Z").thenNothing()
    }

    /// Slots that a changed document brings are those after the change.
    @Test func `nor do slots that a later deadline brought (T10)`() {
        let goal = Told.goal("g", #""reminder_time":"09:00","deadline":"2026-03-01T13:00:00Z""#)
        let later = Told.goalChanged("g", #""deadline":"2026-03-09T12:00:00Z""#)
        given(.enrolled(), goal, policy: "goals").unwatched(until: "2026-03-03T08:30Z")
            .when(later, at: "2026-03-03T08:30Z")
            .when(.moved(to: "Europe/Berlin"), at: "2026-03-03T08:40Z").then("emitted timezone_adjusted/#4 [push]")
            .later(at: "2026-03-04T09:00+01:00").then("emitted goal_reminder/goal:g/2026-03-04T09:00 [push]")
    }

    /// A deadline that comes at the instant of the change is over: the reminders begin again.
    @Test(arguments: [("08:29:59.999", false), ("08:30:00.000", false), ("08:30:00.001", true)])
    func `what a later deadline brought is what was over before it`(deadline: String, comes: Bool) {
        let goal = Told.goal(
            "g", #""reminder_time":"09:00","check_in_days":["tue"],"deadline":"2026-03-03T\#(deadline)Z""#)
        given(.enrolled(), goal, policy: "goals").unwatched(until: "2026-03-03T08:30Z")
            .when(Told.goalChanged("g", #""deadline":"2026-03-29T12:00:00Z""#), at: "2026-03-03T08:30Z")
            .unwatched(until: "2026-03-03T08:30Z")
            .when(.moved(to: "Europe/Berlin"), at: "2026-03-03T08:40Z").unwatched(until: "2026-03-03T08:40Z")
            .person { person in
                let slot = person.marks.contains {
                    $0.flags.contains(.slot) && $0.memo?.subject == "goal:g"
                        && $0.at == Instant(local: "2026-03-03T08:40Z")
                }
                #expect(slot == comes)
            }
    }

    @Test(arguments: [("09:00", true), ("09:10", false)])
    func `nor those that a policy brought, unless they were there before (T10)`(before: String, isThere: Bool) {
        func nudging(at time: String, _ name: String) -> Told {
            .adopts(#"{"name":"\#(name)","kinds":[{"name":"nudge","schedule":{"on":"daily","at":"\#(time)"}}]}"#)
        }
        let scenario = given(.enrolled(), .noCheckIns).when(nudging(at: before, "a"), at: "2026-03-02T12:00Z")
            .when(nudging(at: "09:00", "b"), at: "2026-03-03T08:30Z")
            .when(.moved(to: "Europe/Berlin"), at: "2026-03-03T08:40Z")
        if isThere { scenario.then("emitted nudge/2026-03-03T09:00 [push]") } else { scenario.thenNothing() }
    }

    @Test func `a digest that has passed there is caught up with`() {
        given(.enrolled("Europe/Paris"), .noCheckIns)
            .when(.earned(5), at: "2026-03-02T11:00+01:00")
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T12:00+01:00")
            .then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
    }

    /// 19:30 in Cairo is 02:30 in Tokyo, where both waited for the morning.
    @Test func `a digest is asked in its turn (P18), when what was held has been gathered`() {
        given(.enrolled("Asia/Tokyo"), .noCheckIns, .wants(#"{"digest_mode":true}"#))
            .when(.requested("reminder"), .requested("reminder"), at: "2026-03-03T01:00+09:00")
            .then(
                "held reminder/#4 until 2026-03-03T08:00+09:00 quiet_hours",
                "held reminder/#6 until 2026-03-03T08:00+09:00 quiet_hours"
            )
            .when(.moved(to: "Africa/Cairo"), at: "2026-03-02T19:30+02:00")
            .then(
                "gathered reminder/#4 into daily_digest/2026-03-02T18:00 digest_mode",
                "gathered reminder/#6 into daily_digest/2026-03-02T18:00 digest_mode",
                "emitted daily_digest/2026-03-02T18:00 (daily_digest/2026-03-02T18:00, reminder/#4, reminder/#6) [push] {notices 2}"
            )
            .later(at: "2026-03-03T23:00+02:00").thenNothing()
    }

    /// 22:30 in Cairo is 05:30 in Tokyo: quiet there, and too late for the digest of 18:00.
    @Test func `a digest that is too late is missed for what was gathered before its turn (P18)`() {
        given(
            .enrolled("Asia/Tokyo"), .noCheckIns,
            .wants(#"{"digest_mode":true,"quiet_hours":{"enabled":true,"start":"23:00","end":"08:00"}}"#)
        )
        .when(.requested("reminder"), at: "2026-03-03T01:00+09:00")
        .then("held reminder/#4 until 2026-03-03T08:00+09:00 quiet_hours")
        .when(.moved(to: "Africa/Cairo"), at: "2026-03-02T22:30+02:00")
        .then(
            "gathered reminder/#4 into daily_digest/2026-03-03T18:00 digest_mode",
            "skipped daily_digest 2026-03-02T18:00 missed"
        )
        .later(at: "2026-03-03T18:00+02:00")
        .then(
            "emitted daily_digest/2026-03-03T18:00 (daily_digest/2026-03-03T18:00, reminder/#4) [push] {notices 1}")
    }

    /// Whichever the policy names first.
    @Test(arguments: [false, true])
    func `several that are too late are recorded in the order of P18`(isHighFirst: Bool) {
        let kinds = [("tip", "low"), ("pill", "high")].map { name, priority in
            #"{"name":"\#(name)","priority":"\#(priority)","schedule":{"on":"daily","at":"09:00"}}"#
        }
        let listed = (isHighFirst ? kinds.reversed() : kinds).joined(separator: ",")
        given(.enrolled(), .noCheckIns)
            .when(.adopts(#"{"name":"a","kinds":[\#(listed)]}"#), at: "2026-03-02T12:00Z")
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-03T08:30Z")
            .then("skipped pill 2026-03-03T09:00 missed", "skipped tip 2026-03-03T09:00 missed")
    }

    @Test func `a digest that finds nothing to say in its turn leaves no trace, and comes later that day elsewhere`() {
        given(.enrolled("Asia/Tokyo"), .noCheckIns)
            .when(.moved(to: "Africa/Cairo"), at: "2026-03-02T19:30+02:00").thenNothing()
            .when(.earned(5), at: "2026-03-02T20:00+02:00").thenNothing()
            .when(.moved(to: "Africa/Casablanca"), at: "2026-03-02T20:30+02:00")
            .then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
    }

    /// Monday's check-in waits for Saturday when Tuesday's has passed in Tokyo.
    @Test(arguments: [
        (
            "2026-03-03T13:00:00.000+09:00",
            [
                "dropped check_in/2026-03-02T09:00 superseded",
                "held check_in/2026-03-03T09:00 until 2026-03-07T09:00+09:00 outside_schedule",
            ]
        ),
        (
            "2026-03-03T13:00:00.001+09:00",
            [
                "held check_in/2026-03-02T09:00 until 2026-03-07T09:00+09:00 outside_schedule",
                "skipped check_in 2026-03-03T09:00 missed",
            ]
        ),
    ])
    func `a slot that is missed there supersedes nothing`(at: String, outcome: [String]) {
        given(.enrolled("Europe/Paris"), Self.daily, .wants(#"{"schedule":{"sat":[["09:00","17:00"]]}}"#))
            .later(at: "2026-03-02T09:00+01:00")
            .then("held check_in/2026-03-02T09:00 until 2026-03-07T09:00+01:00 outside_schedule")
            .when(.moved(to: "Asia/Tokyo"), at: at).then(contentsOf: outcome)
    }

    @Test func `under microcommit they are told, and may keep their old zone`() {
        given(.enrolled("Europe/Paris"), policy: "goals")
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T12:00+09:00")
            .then("emitted timezone_adjusted/#2 [push]")
            .says("Your check-in time adjusted for new timezone", "Keep original timezone, or use new timezone?")
            .when(.moved(to: "Asia/Tokyo", keep: true), at: "2026-03-02T13:00+09:00").thenNothing()
    }

    /// There and back within a day of leaving is one journey; after a day it is another.
    @Test(arguments: [
        ("2026-03-03T19:59:59.999+09:00", []),
        ("2026-03-03T20:00:00.000+09:00", ["emitted timezone_adjusted/#4 [push]"]),
    ])
    func `back in a zone that was left less than a day before, nobody is told`(back: String, told: [String]) {
        given(.enrolled("Europe/Paris"), policy: "goals")
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T20:00+09:00")
            .then("emitted timezone_adjusted/#2 [push]")
            .when(.moved(to: "Europe/Paris"), at: back).then(contentsOf: told)
    }

    @Test func `a zone that was only passed through is one that was left`() {
        given(.enrolled("Europe/Paris"), policy: "goals")
            .when(.moved(to: "Asia/Dubai"), at: "2026-03-02T09:00Z").then("emitted timezone_adjusted/#2 [push]")
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T13:00Z")
            .then("held timezone_adjusted/#4 until 2026-03-03T08:00+09:00 quiet_hours")
            .when(.moved(to: "Asia/Dubai"), at: "2026-03-02T15:00Z")
            .then("emitted timezone_adjusted/#4 [push]")
            .when(.moved(to: "Europe/Paris"), at: "2026-03-02T17:00Z").thenNothing()
            // Left at 13:00 and at 17:00 the day before.
            .when(.moved(to: "Asia/Dubai"), at: "2026-03-03T16:59:59.999Z").thenNothing()
    }

    @Test func `another name of the same zone is no journey`() {
        given(.enrolled("Asia/Kolkata"), policy: "goals")
            .when(.moved(to: "Asia/Calcutta"), at: "2026-03-02T10:00+05:30").thenNothing()
        // It catches up with nothing: the digest had nothing to say at 18:00.
        given(.enrolled("Asia/Kolkata"), .noCheckIns)
            .when(.earned(5), at: "2026-03-02T18:30+05:30").thenNothing()
            .when(.moved(to: "Asia/Calcutta"), at: "2026-03-02T19:00+05:30").thenNothing()
        // Back under the other name, and kept under the other name.
        given(.enrolled("Asia/Kolkata"), policy: "goals")
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T14:00+09:00").then("emitted timezone_adjusted/#2 [push]")
            .when(.moved(to: "Asia/Calcutta"), at: "2026-03-02T14:00+05:30").thenNothing()
        given(.enrolled("Europe/London"), policy: "goals")
            .when(.moved(to: "America/New_York"), at: "2026-03-02T14:00Z").then("emitted timezone_adjusted/#2 [push]")
            .when(.moved(to: "US/Eastern", keep: true), at: "2026-03-02T14:20Z").thenNothing()
            .person { #expect($0.zone.name == "Europe/London") }
    }

    @Test func `keep after an adjustment puts the schedule back`() {
        given(.enrolled("Europe/Paris"), Self.daily)
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T16:00+09:00")
            .then("skipped check_in 2026-03-02T09:00 missed")
            .when(.moved(to: "Asia/Tokyo", keep: true), at: "2026-03-02T17:00+09:00").thenNothing()
            .when(.requested("alert"), at: "2026-03-03T07:30+01:00")
            .then("held alert/#6 until 2026-03-03T08:00+01:00 quiet_hours")
            .later(at: "2026-03-03T09:00+01:00")
            .then("2026-03-03T08:00+01:00 emitted alert/#6 [push]", "emitted check_in/2026-03-03T09:00 [push]")
            // It was put back once; from now on nothing moves.
            .when(.moved(to: "Asia/Tokyo", keep: true), at: "2026-03-03T10:00+01:00").thenNothing()
            .later(at: "2026-03-04T09:00+01:00").then("emitted check_in/2026-03-04T09:00 [push]")
    }

    @Test func `keep leaves a zone as well: back in it within a day nobody is told`() {
        func back(at: String) -> Scenario {
            given(.enrolled("Europe/Berlin"), policy: "goals")
                .when(.moved(to: "Europe/London"), at: "2026-03-02T09:00Z")
                .then("emitted timezone_adjusted/#2 [push]")
                .when(.moved(to: "Europe/London", keep: true), at: "2026-03-02T10:00Z").thenNothing()
                .when(.moved(to: "Europe/Lisbon"), at: "2026-03-02T12:00Z").then("emitted timezone_adjusted/#5 [push]")
                .when(.moved(to: "Europe/London"), at: at)
        }
        back(at: "2026-03-03T09:59:59.999Z").thenNothing()
        back(at: "2026-03-03T10:00Z").then("emitted timezone_adjusted/#7 [push]")
    }

    /// 07:00Z is 10:00 three hours to the east, two hours after the goals' time.
    @Test(arguments: [
        (#"{"goals":{"a":{"kinds":{"achievement":{"enabled":false}}}}}"#, true),
        (#"{"subjects":{"goal:a":{"kinds":{"achievement":{"enabled":false}}}}}"#, true),
        (#"{"goals":{"a":{"reminder_time":"08:01"}}}"#, false),
        (#"{"goals":{"a":{"repeat":"hourly_before_deadline"}}}"#, false),
        // Of every day the day before is every day: nothing changes (`T10`).
        (#"{"goals":{"a":{"days_before":1}}}"#, true),
    ])
    func `a goal's passed slot there is lost to a change of its own schedule alone`(patch: String, comes: Bool) {
        given(.enrolled(), .goal("a"), .wants(#"{"quiet_hours":{"enabled":false}}"#), policy: "microcommit")
            .when(.wants(patch), at: "2026-03-02T06:00Z")
            .when(.moved(to: "Etc/GMT-3"), at: "2026-03-02T07:00Z")
            .unwatched(until: "2026-03-02T07:00Z")
            .person { person in
                #expect(person.marks.contains { $0.flags.contains(.slot) && $0.memo?.subject == "goal:a" } == comes)
            }
    }

    @Test func `keep of another zone than the schedule is in moves nothing`() {
        given(.enrolled("Europe/Paris"), Self.daily)
            .when(.moved(to: "Asia/Tokyo"), at: "2026-03-02T16:00+09:00")
            .then("skipped check_in 2026-03-02T09:00 missed")
            .when(.moved(to: "Asia/Seoul", keep: true), at: "2026-03-02T17:00+09:00").thenNothing()
            .later(at: "2026-03-03T09:00+09:00").then("emitted check_in/2026-03-03T09:00 [push]")
    }
}
