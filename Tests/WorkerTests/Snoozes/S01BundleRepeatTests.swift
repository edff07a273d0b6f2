import Notices
import Testing

@Suite("S1, bundles that come again")
struct BundleRepeatTests {
    private static let parts = #"""
        {"name":"parts","cooldown_minutes":0,"kinds":[{"name":"n","on_request":true,"bundling":true,
        "subtypes":[{"name":"sa"},{"name":"sb"}],
        "copy":{"title":"T","body":"B","bundle_title":"{count} things","bundle_body":"{items}"}}]}
        """#

    /// Two notices that are held overnight and told in one job at 08:00, which is snoozed for an hour at 08:30.
    private func bundled(
        _ first: Told, _ second: Told, policy: String = "standard", then facts: Told...
    ) -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns, .goal("g"), policy: policy)
        scenario.when(first, at: "2026-03-02T01:10Z").when(second, at: "2026-03-02T01:20Z")
            .unwatched(until: "2026-03-02T08:00Z")
        var name = ""
        scenario.job { name = String($0.job.text.dropFirst("anna/".count)) }
        scenario.when(.snoozes(name, 60), at: "2026-03-02T08:30Z")
        for fact in facts { scenario.when(fact, at: "2026-03-02T08:40Z") }
        return scenario
    }

    private let milk = Told.requested("reminder", and: #""title":"Buy milk""#)
    private let goal = Told.requested("reminder", "goal:g", and: #""title":"About G""#)

    @Test func `what has no subject comes again though the other's goal has ended`() {
        bundled(goal, milk, then: .goalEnded("g"))
            .later(at: "2026-03-02T09:30Z").then("emitted reminder/goal:g/#4~1 [push]")
            .says("Buy milk", "You asked to be reminded.").isInThread(nil)
        bundled(milk, goal, then: .goalEnded("g"))
            .later(at: "2026-03-02T09:30Z").then("emitted reminder/#4~1 [push]")
            .says("Buy milk", "You asked to be reminded.").isInThread(nil)
    }

    @Test func `it is about nothing that the first time was not about`() {
        bundled(milk, goal)
            .later(at: "2026-03-02T09:30Z").then("emitted reminder/#4~1 [push]")
            .says("2 reminders", "Tap to see them all.").isInThread(nil)
        let other = Told.requested("reminder", "thing:x", and: #""title":"Other""#)
        let same = Told.requested("reminder", "thing:x", and: #""title":"Same""#)
        bundled(other, same)
            .isInThread("thing:x")
            .later(at: "2026-03-02T09:30Z").then("emitted reminder/thing:x/#4~1 [push]")
            .says("2 reminders", "Tap to see them all.").isInThread("thing:x")
    }

    @Test func `what has expired is told no more, in the words of what has not (P1)`() {
        let first = Told.requested(
            "reminder", "thing:x", expires: "2026-03-02T09:00:00Z", and: #""title":"AAA","data":{"k":"a"}"#)
        for subject in ["thing:x", "thing:y"] {
            bundled(first, .requested("reminder", subject, and: #""title":"BBB","data":{"k":"b"}"#))
                .later(at: "2026-03-02T09:30Z").then("emitted reminder/thing:x/#4~1 [push]")
                .says("BBB", "You asked to be reminded.").isInThread(subject).carries(["k": "b"])
        }
    }

    @Test(arguments: [("sa", "BBB", "thing:y"), ("sb", "AAA", "thing:x")])
    func `a part that is off is told no more, and the other is (P5)`(part: String, title: String, subject: String) {
        bundled(
            .requested("n", "thing:x", and: #""title":"AAA","data":{"subtype":"sa"}"#),
            .requested("n", "thing:y", and: #""title":"BBB","data":{"subtype":"sb"}"#), policy: Self.parts,
            then: .wants(#"{"kinds":{"n":{"subtypes":{"\#(part)":false}}}}"#)
        )
        .later(at: "2026-03-02T09:30Z").then("emitted n/thing:x/#4~1 [push]").says(title, "B").isInThread(subject)
    }

    @Test func `with none left it is dropped by what stood against the first`() {
        bundled(goal, milk, then: .goalEnded("g"), .wants(#"{"kinds":{"reminder":{"enabled":false}}}"#))
            .later(at: "2026-03-02T09:30Z").then("dropped reminder/goal:g/#4~1 settled")
    }

    @Test(arguments: [
        ("{}", [Channel.push, .email]),
        (#"{"reminder":{"channels":["sms"]}}"#, [.email, .sms]),
    ])
    func `it goes on the channels of all that it tells of, and none of them counts as stopped (P6, N6)`(
        kinds: String, expected: [Channel]
    ) {
        let scenario = bundled(
            milk, goal,
            then: Told(
                "contact_changed", #"{"email":"anna@example.org","phone":"+14155550100","phone_verified":true}"#),
            .wants(
                #"{"channels":{"sms":true},"kinds":\#(kinds),"goals":{"g":{"kinds":{"reminder":{"channels":["email"]}}}}}"#
            )
        ).later(at: "2026-03-02T09:30Z")
        var (channels, topic): ([Channel], JobTopic) = ([], JobTopic(kind: "reminder"))
        scenario.job { (channels, topic) = ($0.channels, JobTopic($0)) }
        #expect(channels == expected)
        scenario.contact(about: topic) { contact in
            #expect(channels.compactMap { contact.stops.objection(to: $0, isTest: false) } == [])
        }
    }

    @Test func `snoozed once more it still has all that may come`() {
        bundled(goal, milk)
            .later(at: "2026-03-02T09:30Z").then("emitted reminder/goal:g/#4~1 [push]")
            .when(.snoozes("reminder/goal:g/#4~1", 60), .goalEnded("g"), at: "2026-03-02T09:40Z")
            .later(at: "2026-03-02T10:40Z").then("emitted reminder/goal:g/#4~2 [push]")
            .says("Buy milk", "You asked to be reminded.")
    }
}
