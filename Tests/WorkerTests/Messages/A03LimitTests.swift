import Testing

@Suite("A3, so many analyses in an hour")
struct AnalysisLimitTests {
    /// Five analyses, or so many, a minute apart from 12:01 on, which begins the window.
    private func five(_ count: Int = 5) -> Scenario {
        let scenario = given(
            .enrolled(), .consent(), .wants(#"{"max_analyses_per_hour":5,"pause_threshold_seconds":60}"#),
            policy: "messageai")
        for minute in 0..<count { scenario.when(.message(in: "c\(minute)"), at: "2026-03-02T12:0\(minute)Z") }
        return scenario.unwatched(until: "2026-03-02T12:06Z")
    }

    /// At the end of the hour the next window begins, and what was asked a moment before is not in it.
    @Test(arguments: [(5, "13:01:00.000", 4), (4, "13:00:59.999", 5)])
    func `what is asked at the end of an hour counts in its own`(before: Int, time: String, after: Int) {
        let scenario = five(before).when(.message(in: "c9"), at: "2026-03-02T\(time.minuteBefore)Z").thenNothing()
            .later(at: "2026-03-02T\(time)Z").then("asks about c9 pause").unwatched(until: "2026-03-02T13:02Z")
        for minute in 2..<(2 + after) {
            scenario.when(.message(in: "d"), at: "2026-03-02T13:0\(minute)Z").thenNothing()
                .later(at: "2026-03-02T13:0\(minute + 1)Z").then("asks about d pause")
                .when(.answer("d", notify: false), at: "2026-03-02T13:0\(minute + 1)Z")
                .then("concluded d by ai: be silent, because")
        }
        scenario.when(.message(in: "e"), at: "2026-03-02T13:08Z").thenNothing()
            .later(at: "2026-03-02T13:09Z")
            .then(
                "concluded e by simple_rules: be silent, analysis_limit",
                "dropped message/conversation:e/#45 no_rule_matched")
    }

    @Test(arguments: [
        ("13:00:59.999", ["concluded c9 by simple_rules: be silent, analysis_limit"]),
        ("13:01:00.000", ["asks about c9 pause"]), ("13:01:00.001", ["asks about c9 pause"]),
    ])
    func `in the window of an hour that began with the first`(time: String, outcome: [String]) {
        let asked = "2026-03-02T\(time)Z"
        let scenario = five().when(.message(in: "c9"), at: "2026-03-02T\(time.minuteBefore)Z").thenNothing()
            .later(at: asked)
        if outcome[0].hasPrefix("concluded") {
            scenario.then(
                "concluded c9 by simple_rules: be silent, analysis_limit",
                "dropped message/conversation:c9/#25 no_rule_matched")
        } else {
            scenario.then(contentsOf: outcome)
        }
    }

    @Test func `beyond it the fallback decides`() {
        five().when(.message(in: "c9", "production down!"), at: "2026-03-02T12:30Z")
            .later(at: "2026-03-02T12:31Z")
            .then(
                "concluded c9 by simple_rules: notify high, analysis_limit",
                "emitted message/conversation:c9/#25 [push] high")
    }
}

extension String {
    /// A minute earlier, of a time after 13:00.
    fileprivate var minuteBefore: String { hasPrefix("13:00") ? "12:59" + dropFirst(5) : "13:00" + dropFirst(5) }
}
