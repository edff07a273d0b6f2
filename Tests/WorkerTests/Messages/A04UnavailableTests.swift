import Testing

@Suite("A4, without an answer")
struct UnavailableTests {
    private func asked(_ text: String = "help me") -> Scenario {
        given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1", text), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-02T12:02Z").then("asks about c1 pause")
    }

    private static let fallback = "concluded c1 by simple_rules: notify high, ai_unavailable"

    @Test func `ten seconds, then the fallback decides`() {
        asked().later(at: justBefore("2026-03-02T12:02:10Z")).thenNothing()
            .later(at: "2026-03-02T12:02:10Z").then(Self.fallback, "emitted message/conversation:c1/#5 [push] high")
    }

    @Test(arguments: [("12:02:09.999", true), ("12:02:10.000", false), ("12:02:10.001", false)])
    func `an answer after ten seconds is no answer (T10)`(time: String, counts: Bool) {
        let scenario = asked().when(.answer("c1", notify: false), at: "2026-03-02T\(time)Z")
            .later(at: "2026-03-02T12:30Z")
        if counts {
            scenario.then("2026-03-02T\(time)Z concluded c1 by ai: be silent, because")
        } else {
            scenario.then(
                "2026-03-02T12:02:10Z \(Self.fallback)",
                "2026-03-02T12:02:10Z emitted message/conversation:c1/#5 [push] high")
        }
    }

    @Test func `an answer without words to show is no answer, and is refused`() {
        let problem = "data.text: is empty, and a notice needs words; analysis_failed leaves it to the fallback"
        asked()
            .refuses(.answer("c1", notify: true, "high", ""), at: "2026-03-02T12:02:03Z", problem)
            .refuses(.answer("c1", notify: true, "high", " \u{200B}"), at: "2026-03-02T12:02:04Z", problem)
            .later(at: "2026-03-02T12:02:10Z").then(Self.fallback, "emitted message/conversation:c1/#5 [push] high")
        asked().when(.answer("c1", notify: false, "low", ""), at: "2026-03-02T12:02:03Z")
            .then("concluded c1 by ai: be silent, because")
    }

    @Test(arguments: [("12:02:09.999", false), ("12:02:10.000", true)])
    func `nor does anything else that happens end it sooner`(time: String, isOver: Bool) {
        let scenario = asked().when(.message(in: "c2"), at: "2026-03-02T\(time)Z")
        if isOver {
            scenario.then(Self.fallback, "emitted message/conversation:c1/#5 [push] high")
        } else {
            scenario.thenNothing()
        }
    }

    @Test func `a failure is told at once`() {
        asked().when(.noAnswer("c1"), at: "2026-03-02T12:02:03Z")
            .then(Self.fallback, "emitted message/conversation:c1/#6 [push] high")
    }
}
