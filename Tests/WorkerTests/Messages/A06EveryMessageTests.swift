import CivilTime
import Notices
import Simulation
import Testing
import Worker

@Suite("A6, a notice for every message")
struct EveryMessageTests {
    @Test func `for those who did not opt in, at once`() {
        given(.enrolled(), policy: "messageai")
            .when(
                .message(in: "c1", "lunch?"), .message(in: "c1", "help!"), .message(in: "c2"), at: "2026-03-02T12:00Z"
            )
            .then(
                "emitted message/conversation:c1/#2 [push]", "emitted message/conversation:c1/#4 [push] high",
                "emitted message/conversation:c2/#6 [push]"
            )
            .later(at: "2026-03-02T12:10Z").thenNothing()
    }

    @Test func `and for those who opted out, whose switch is no master switch (P4)`() {
        given(.enrolled(), .consent(), .wants(#"{"enabled":false}"#), policy: "messageai")
            .warns("smart notifications are off: you will receive a notice for every message")
            .when(.message(in: "c1"), at: "2026-03-02T12:00Z").then("emitted message/conversation:c1/#4 [push]")
            .when(.wants(#"{"enabled":true}"#), at: "2026-03-02T12:00Z").warns()
            .when(.message(in: "c1"), at: "2026-03-02T12:01Z").thenNothing()
            .when(.noConsent(), at: "2026-03-02T12:01Z")
            .then(
                "concluded c1 by notify_all: notify medium, opted_out", "emitted message/conversation:c1/#9 [push]"
            )
            .when(.message(in: "c1"), at: "2026-03-02T12:02Z").then("emitted message/conversation:c1/#11 [push]")
    }

    @Test(arguments: [Told.wants(#"{"enabled":false}"#), .noConsent()])
    func `who opts out is told of what waited for its analysis`(out: Told) {
        given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1", "production down"), .message(in: "c2"), at: "2026-03-02T12:00Z").thenNothing()
            .when(out, at: "2026-03-02T12:01Z")
            .then(
                "concluded c1 by notify_all: notify high, opted_out",
                "concluded c2 by notify_all: notify medium, opted_out",
                "emitted message/conversation:c1/#6 [push] high", "emitted message/conversation:c2/#7 [push]"
            )
            // It says nothing of the analyser, and nothing is left to be analysed.
            .person { #expect($0.details.analyses.fallbackReason == nil) }
            .when(.consent(), .wants(#"{"enabled":true}"#), at: "2026-03-03T12:00Z")
            .later(at: "2026-03-03T13:00Z").thenNothing()
    }

    @Test func `by the rules that hold for every message (P5, P7)`() {
        let messagesOff = Told.wants(#"{"kinds":{"message":{"enabled":false}}}"#)
        given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1"), .message(in: "c2"), .opens("c1"), at: "2026-03-02T12:00Z")
            .when(.noConsent(), at: "2026-03-02T12:01Z")
            .then(
                "concluded c1 by notify_all: notify medium, opted_out",
                "concluded c2 by notify_all: notify medium, opted_out",
                "dropped message/conversation:c1/#7 viewing", "emitted message/conversation:c2/#8 [in_app]")
        given(.enrolled(), .consent(), messagesOff, policy: "messageai")
            .when(.message(in: "c1"), at: "2026-03-02T12:00Z").when(.noConsent(), at: "2026-03-02T12:01Z")
            .then(
                "concluded c1 by notify_all: notify medium, opted_out", "dropped message/conversation:c1/#6 kind_off")
    }

    /// No answer may silence what they want to be told of, and no fallback either.
    @Test func `an analysis that is under way is not waited for, and all is told in one notice`() {
        given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1"), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-02T12:02Z").then("asks about c1 pause")
            .when(.message(in: "c1"), .noConsent(), at: "2026-03-02T12:02:01Z")
            .then(
                "concluded c1 by notify_all: notify medium, opted_out", "emitted message/conversation:c1/#7 [push]"
            )
            .when(.answer("c1", notify: false), at: "2026-03-02T12:02:02Z").thenNothing()
            .later(at: "2026-03-02T12:10Z").thenNothing()
    }

    @Test func `and who has messages of a policy that analyses none any more`() {
        let text = ShippedPolicies.text(of: "messageai") ?? ""
        let plain = text.replacing(#""smart_messages": true"#, with: #""smart_messages": false"#)
        #expect(plain != text)
        given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1"), at: "2026-03-02T12:00Z")
            .when(.adopts(plain.split(separator: "\n").joined(separator: " ")), at: "2026-03-02T12:01Z")
            .then(
                "concluded c1 by notify_all: notify medium, opted_out", "emitted message/conversation:c1/#5 [push]")
    }

    /// Facts that were appended while no worker ran, or that one took which did not look at it.
    @Test(arguments: [
        (
            "16:00:00.000",
            ["concluded c1 by notify_all: notify high, opted_out", "emitted message/conversation:c1/#5 [push] high"]
        ),
        (
            "16:00:00.001",
            ["concluded c1 by suppress_all: be silent, missed", "dropped message/conversation:c1/#5 suppressed"]
        ),
    ])
    func `somebody who looks later tells of it as late as of a slot (C5)`(time: String, outcome: [String]) throws {
        let told = Told.wants(#"{"enabled":false}"#)
        let facts: [(told: Told, at: String)] = [
            (.enrolled(), "2026-03-02T11:00Z"), (.consent(), "2026-03-02T11:00Z"),
            (.message(in: "c1", "help"), "2026-03-02T12:00Z"), (told, "2026-03-02T12:01Z"),
        ]
        let reader = FactReader(zoneProblem: ShippedPlans.zones.problem(with:))
        var register = Register(ShippedPlans["messageai"])
        for (number, fact) in facts.enumerated() {
            let at = Instant(local: fact.at)
            let payload = try reader.read(fact.told.line(at: at.description)).payload.recordable
            register.fold(Event(seq: UInt64(number + 1), at: at, user: "anna", payload: payload))
        }
        let heard = Heard()
        let now = Instant(local: "2026-03-02T\(time)Z")
        var chronicle = Chronicle(resuming: register, at: now, nextSequence: 5) { heard.events += $0 }
        chronicle.wind(to: now.advanced(byHours: 1))
        #expect(heard.events.map { Sentence($0, .utc, register.plan).text } == outcome)
        #expect(heard.events.allSatisfy { $0.at == now })
    }

    private final class Heard {
        var events: [Event] = []
    }

    /// Quiet hours drop what is below high.
    @Test func `a mention and a keyword are high, and reach them at night`() {
        given(.enrolled(), policy: "messageai")
            .when(
                .message(in: "c1", "lunch?"), .message(in: "c1", "lunch?", mentions: true),
                .message(in: "c2", "URGENT"),
                at: "2026-03-02T23:00Z"
            )
            .then(
                "dropped message/conversation:c1/#2 quiet_hours", "emitted message/conversation:c1/#4 [push] high",
                "emitted message/conversation:c2/#6 [push] high")
    }

    @Test func `not to someone who is looking at it (P7)`() {
        given(.enrolled(), .opens("c1"), policy: "messageai")
            .when(.message(in: "c1"), .message(in: "c2"), at: "2026-03-01T12:01Z")
            .then("dropped message/conversation:c1/#3 viewing", "emitted message/conversation:c2/#5 [in_app]")
    }

    @Test func `other policies send nothing for a message`() {
        given(.enrolled(), .noCheckIns).when(.message(in: "c1", "help"), at: "2026-03-02T12:00Z").thenNothing()
    }

    @Test func `a job about a message can be replied to, and leads to it`() {
        given(.enrolled(), policy: "messageai")
            .when(.message(in: "c1"), at: "2026-03-02T12:00Z").then("emitted message/conversation:c1/#2 [push]")
            .carries(["conversation": "c1", "message": "m"])
            .offers("SMART_NOTIFICATION_CATEGORY", ["reply", "mark_read", "helpful", "not_helpful"])
            .isInThread("conversation:c1")
    }
}
