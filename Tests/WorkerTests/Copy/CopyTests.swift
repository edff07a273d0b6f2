import Notices
import Testing

/// The words of jobs: the policy's, filled in with what people wrote.
@Suite("§11, what a job says")
struct CopyTests {
    private func reminder(_ title: String) -> Scenario {
        given(.enrolled(), .goal("g1", title: title), policy: "goals")
            .later(at: "2026-03-02T08:00Z").then("emitted goal_reminder/goal:g1/2026-03-02T08:00 [push]")
    }

    @Test func `what people write is never looked at again`() {
        reminder("{name} {count|goal|goals}")
            .says("Time to check in on {name} {count|goal|goals}", "Tap to check in.")
    }

    @Test func `it stays on its line and turns no text around`() {
        reminder(#"Run\r\nBcc: eve@example.com\u202Eevil"#)
            .says("Time to check in on Run  Bcc: eve@example.comevil", "Tap to check in.")
    }

    @Test func `it is as long as its channels can show`() {
        reminder(String(repeating: "long ", count: 30)).job { job in
            let title = "\(job.title)"
            #expect(title.count <= 65)
            #expect(title.hasSuffix("long…"))
        }
    }

    @Test func `the app's own words come before the policy's`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", and: #""title":"Plants","body":"Water\nthem""#), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#3 [push]").says("Plants", "Water\nthem")
    }

    @Test func `words of nothing but blanks are none, and its kind's stand there`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder", and: #""title":" \n","body":"\u200b""#), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#3 [push]").says("Reminder", "You asked to be reminded.")
    }

    @Test func `a coach does not say the same every day`() {
        let scenario = given(.enrolled(), .permission("granted"), .wants(#"{"frequency":"daily"}"#), policy: "coachme")
        scenario.later(at: "2026-03-02T10:00Z").then("emitted check_in/2026-03-02T10:00 [push]")
        var first = ""
        scenario.job { first = "\($0.body)" }
            .later(at: "2026-03-03T10:00Z").then("emitted check_in/2026-03-03T10:00 [push]")
            .job { #expect("\($0.body)" != first) }
    }

    @Test func `priorities are the kinds' or the request's`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T09:00Z").then("emitted urgent/#3 [push]")
            .when(.requested("reminder", priority: "low"), at: "2026-03-02T10:00Z").then(
                "emitted reminder/#5 [push] low")
    }
}
