import Testing

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
            .when(.message(in: "c1"), at: "2026-03-02T12:02Z").then("emitted message/conversation:c1/#9 [push]")
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
