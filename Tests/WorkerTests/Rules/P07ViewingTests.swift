import Testing

@Suite("P7, looking at it already")
struct ViewingTests {
    /// 2 minutes are over at 12:02:00.000.
    @Test(arguments: [
        ("2026-03-01T12:00:00.000Z", "dropped reminder/conversation:c1/#4 viewing"),
        ("2026-03-01T12:01:59.999Z", "dropped reminder/conversation:c1/#4 viewing"),
        ("2026-03-01T12:02:00.000Z", "emitted reminder/conversation:c1/#4 [push]"),
        ("2026-03-01T12:02:00.001Z", "emitted reminder/conversation:c1/#4 [push]"),
    ])
    func `a look is fresh for 2 minutes`(at: String, outcome: String) {
        given(.enrolled(), .noCheckIns, .opens("c1"))
            .when(.requested("reminder", "conversation:c1"), at: at).then(outcome)
    }

    @Test func `another conversation's notice is shown in the app`() {
        given(.enrolled(), .noCheckIns, .opens("c1"))
            .when(.requested("reminder", "conversation:c2"), at: "2026-03-01T12:01Z")
            .then("emitted reminder/conversation:c2/#4 [in_app]")
    }

    @Test func `a newer conversation is the one they look at`() {
        given(.enrolled(), .noCheckIns, .opens("c1"), .opens("c2"))
            .when(
                .requested("reminder", "conversation:c1"), .requested("reminder", "conversation:c2"),
                at: "2026-03-01T12:01Z"
            )
            .then(
                "emitted reminder/conversation:c1/#5 [in_app]", "dropped reminder/conversation:c2/#7 viewing")
    }

    @Test func `closing the conversation or the app ends the look`() {
        given(.enrolled(), .noCheckIns, .opens("c1"), .leaves("c1"))
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-01T12:01Z")
            .then("emitted reminder/conversation:c1/#5 [in_app]")
        given(.enrolled(), .noCheckIns, .opens("c1"), .closesApp)
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-01T12:01Z")
            .then("emitted reminder/conversation:c1/#5 [push]")
    }

    @Test func `closing another conversation does not`() {
        given(.enrolled(), .noCheckIns, .opens("c1"), .leaves("c2"))
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-01T12:01Z")
            .then("dropped reminder/conversation:c1/#5 viewing")
    }

    @Test func `sending a message keeps the look fresh`() {
        given(.enrolled(), .noCheckIns, .opens("c1"))
            .when(.sends(in: "c1"), at: "2026-03-01T12:01:30Z")
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-01T12:03:29.999Z")
            .then("dropped reminder/conversation:c1/#5 viewing")
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-01T12:03:30Z")
            .then("emitted reminder/conversation:c1/#7 [push]")
    }

    @Test func `what is critical is not repeated to someone who reads it`() {
        given(.enrolled(), .noCheckIns, .opens("c1"))
            .when(.requested("urgent", "conversation:c1"), at: "2026-03-01T12:01Z")
            .then("dropped urgent/conversation:c1/#4 viewing")
    }
}
