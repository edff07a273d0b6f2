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

    /// What they tell is told by nothing else.
    @Test func `several, a digest and a week say what there is where the policy gives no words for it`() {
        let bare = """
            {"name":"bare","preferences":{"quiet_hours":{"enabled":false}},"kinds":[
             {"name":"note","label":"Note","on_request":true,"bundling":true,"digestible":true,"copy":{"bodies":["Look"]}},
             {"name":"daily_digest","digest":"daily","schedule":{"on":"daily","at":"18:00"}},
             {"name":"week","digest":"weekly","schedule":{"on":"weekly","day":"mon","at":"19:00"}}]}
            """
        given(.enrolled(), policy: bare)
            .when(.earned(5), at: "2026-03-02T11:00Z")
            .later(at: "2026-03-02T18:00Z").then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
            .says("Daily digest", "5 points earned today.")
            .later(at: "2026-03-02T19:00Z").then("emitted week/2026-03-02T19:00 [push] {points 5}")
            .says("Week", "0 sessions, 0 check-ins, 5 points, 0 goals achieved.")
        let notes = [("Milk", "Buy milk"), ("Bread", "Buy bread")].map {
            Told.requested("note", and: #""title":"\#($0.0)","body":"\#($0.1)""#)
        }
        given(.enrolled(), .wants(#"{"schedule":{"tue":[["09:00","17:00"]]}}"#), policy: bare)
            .when(notes[0], notes[1], at: "2026-03-02T11:00Z").unwatched(until: "2026-03-03T09:00Z")
            .says("Note (2)", "Milk, Bread.")
    }

    @Test func `priorities are the kinds' or the request's`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T09:00Z").then("emitted urgent/#3 [push]")
            .when(.requested("reminder", priority: "low"), at: "2026-03-02T10:00Z").then(
                "emitted reminder/#5 [push] low")
    }
}
