import CivilTime
import Notices
import Testing

@Suite("S2, three snoozes at most")
struct ThirdSnoozeTests {
    /// The last repeat is remembered when the job itself and its snoozes are a week old.
    @Test func `three are three, a week later as well`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T09:15Z").then("emitted alert/#3~1 [push]")
            .when(.snoozes("alert/#3~1", 15), at: "2026-03-02T09:15Z")
            .later(at: "2026-03-02T09:30Z").then("emitted alert/#3~2 [push]")
            .when(.snoozes("alert/#3~2", 15), at: "2026-03-02T09:30Z")
            .later(at: "2026-03-02T09:45Z").then("emitted alert/#3~3 [push]")
            .when(.requested("alert"), at: "2026-03-09T09:40Z").then("emitted alert/#11 [push]")
            .when(.snoozes("alert/#11", 15), at: "2026-03-09T09:41Z")
            .refuses(
                .snoozes("alert/#3~3", 15), at: "2026-03-09T09:42Z",
                "data.job: \"anna/alert/#3\" was snoozed 3 times, which is as often as it may be")
    }

    /// It is snoozed in the millisecond in which it went out, and no older job is remembered.
    @Test(arguments: [0, 999]) func `three are three, whatever else was snoozed before or since`(forgotten: Int) {
        let snooze = Told.snoozes("alert/#3", 60)
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), snooze, snooze, snooze, at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .person { anna in
                // Of jobs that nobody remembers.
                for number in 0..<forgotten {
                    var before = anna.details.snoozeCounts[0]
                    before.base = "anna/before/#\(number)"
                    before.lastAt = Instant(local: justBefore("2026-03-02T09:00Z"))
                    anna.details.snoozeCounts.append(before)
                }
            }
            .when(.requested("urgent"), .snoozes("urgent/#8", 15), at: "2026-03-02T09:01Z")
            .then("emitted urgent/#8 [push]")
            .refuses(
                snooze, at: "2026-03-02T09:02Z",
                "data.job: \"anna/alert/#3\" was snoozed 3 times, which is as often as it may be")
    }

    @Test func `the third says it is the last, a fourth is refused`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert", and: #""body":"Look at this.""#), at: "2026-03-02T09:00Z")
            .then("emitted alert/#3 [push]")
            .when(.snoozes("alert/#3", 15), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T09:15Z").then("emitted alert/#3~1 [push]").says("Alert", "Look at this.")
            .when(.snoozes("alert/#3~1", 15), at: "2026-03-02T09:20Z")
            .later(at: "2026-03-02T09:35Z").then("emitted alert/#3~2 [push]").says("Alert", "Look at this.")
            .when(.snoozes("alert/#3~2", 15), at: "2026-03-02T09:40Z")
            .later(at: "2026-03-02T09:55Z").then("emitted alert/#3~3 [push]")
            .says("Alert", "Look at this. This is your final reminder.")
            .refuses(
                .snoozes("alert/#3~3", 15), at: "2026-03-02T09:56Z",
                "data.job: \"anna/alert/#3\" was snoozed 3 times, which is as often as it may be"
            )
            .refuses(
                .snoozes("alert/#3", 60), at: "2026-03-02T09:57Z",
                "data.job: \"anna/alert/#3\" was snoozed 3 times, which is as often as it may be")
    }

    @Test func `words that a phone would cut leave room for that: it is said before them`() {
        let words = String(repeating: "x", count: 215)
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert", and: #""body":"\#(words)""#), at: "2026-03-02T09:00Z")
            .then("emitted alert/#3 [push]")
            .when(
                .snoozes("alert/#3", 15), .snoozes("alert/#3", 60), .snoozes("alert/#3", 120), at: "2026-03-02T09:00Z"
            )
            .later(at: "2026-03-02T09:15Z").then("emitted alert/#3~1 [push]").says("Alert", words)
            .later(at: "2026-03-02T10:00Z").then("emitted alert/#3~2 [push]").says("Alert", words)
            .later(at: "2026-03-02T11:00Z").then("emitted alert/#3~3 [push]")
            .says("Alert", "This is your final reminder. " + String(repeating: "x", count: 210) + "…")
    }

    @Test func `it is said of the one that comes last, whichever was asked for last`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert", and: #""body":"Look.""#), at: "2026-03-02T09:00Z")
            .then("emitted alert/#3 [push]")
            .when(
                .snoozes("alert/#3", 15), .snoozes("alert/#3", 120), .snoozes("alert/#3", 60), at: "2026-03-02T09:00Z"
            )
            .later(at: "2026-03-02T09:15Z").then("emitted alert/#3~1 [push]").says("Alert", "Look.")
            .later(at: "2026-03-02T10:00Z").then("emitted alert/#3~3 [push]").says("Alert", "Look.")
            .later(at: "2026-03-02T11:00Z").then("emitted alert/#3~2 [push]")
            .says("Alert", "Look. This is your final reminder.")
    }

    @Test func `a repeat is sent as long as a slot is, and no days later`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"enabled":false}}"#))
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#4 [push]").isSentUntil(nil)
            .when(.snoozes("alert/#4", 15), at: "2026-03-02T09:00Z")
            .later(at: "2026-03-02T09:15Z").then("emitted alert/#4~1 [push]").isSentUntil("2026-03-02T13:15Z")
    }

    @Test func `other lengths are refused`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#3 [push]")
            .refuses(.snoozes("alert/#3", 30), at: "2026-03-02T09:01Z", "data.minutes: 30 is not 15, 60 or 120")
            .refuses(
                .snoozes("alert/#9", 15), at: "2026-03-02T09:01Z",
                "data.job: \"anna/alert/#9\" is not a job that was emitted for this person in the last 7 days")
    }

    @Test func `nobody snoozes another's`() {
        given(.enrolled(), .noCheckIns, .enrolled().of("ben"), .noCheckIns.of("ben"))
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#5 [push]")
            .refuses(
                .snoozes("alert/#5", 15).of("ben"), at: "2026-03-02T09:01Z",
                "data.job: \"anna/alert/#5\" is not a job that was emitted for this person in the last 7 days")
    }
}
