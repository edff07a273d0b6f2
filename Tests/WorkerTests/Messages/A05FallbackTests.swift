import Testing

@Suite("A5, fallbacks")
struct FallbackTests {
    private func fallback(_ strategy: String, _ message: Told) -> Scenario {
        given(.enrolled(), .consent(), .wants("{\"fallback_strategy\":\"\(strategy)\"}"), policy: "messageai")
            .when(message, at: "2026-03-02T12:00Z")
            .later(at: "2026-03-02T12:02Z").then("asks about c1 pause")
            .later(at: "2026-03-02T12:02:10Z")
    }

    @Test(arguments: [
        Told.message(in: "c1", "we need HELP"), .message(in: "c1", "lunch?", mentions: true),
    ])
    func `simple rules: a keyword or a mention raises a high notice`(message: Told) {
        fallback("simple_rules", message)
            .then(
                "concluded c1 by simple_rules: notify high, ai_unavailable",
                "emitted message/conversation:c1/#6 [push] high")
    }

    @Test(arguments: [Told.message(in: "c1", "helpful"), .message(in: "c1")])
    func `simple rules: anything else is dropped`(message: Told) {
        fallback("simple_rules", message)
            .then(
                "concluded c1 by simple_rules: be silent, ai_unavailable",
                "dropped message/conversation:c1/#6 no_rule_matched")
    }

    @Test func `notify all: a medium notice`() {
        fallback("notify_all", .message(in: "c1", "help"))
            .then(
                "concluded c1 by notify_all: notify medium, ai_unavailable",
                "emitted message/conversation:c1/#6 [push]")
    }

    @Test func `suppress all: dropped`() {
        fallback("suppress_all", .message(in: "c1", "help"))
            .then(
                "concluded c1 by suppress_all: be silent, ai_unavailable",
                "dropped message/conversation:c1/#6 suppressed")
    }
}
