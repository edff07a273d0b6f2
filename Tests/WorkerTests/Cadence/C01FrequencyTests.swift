import Testing

@Suite("C1, how often check-ins come")
struct FrequencyTests {
    /// The week of Monday, 2 March 2026, at 09:00.
    private func week(_ patch: String, policy: String = "standard") -> Scenario {
        given(.enrolled(), .wants(patch), policy: policy).later(at: "2026-03-08T12:00Z")
    }

    private func slots(_ dates: String) -> [String] {
        dates.split(separator: " ").map { "2026-03-0\($0)T09:00Z emitted check_in/2026-03-0\($0)T09:00 [push]" }
    }

    @Test(arguments: [
        (#"{"frequency":"daily"}"#, "2 3 4 5 6 7 8"), (#"{"frequency":"few_times_a_week"}"#, "2 4 6"),
        (#"{"frequency":"weekly"}"#, "2"), ("{}", "2 4 6"),
        (#"{"frequency":"weekly","check_in_days":["tue","sun"]}"#, "3 8"),
        (#"{"frequency":"daily","check_in_days":[]}"#, ""),
        (#"{"frequency":"daily","check_in_days":null}"#, "2 3 4 5 6 7 8"),
    ])
    func `daily, a few times a week, weekly, or on days of their own`(patch: String, dates: String) {
        week(patch).then(contentsOf: slots(dates))
    }

    @Test func `a policy may name other days`() {
        let policy = """
            {"name":"weekend","frequencies":{"weekly":["sat"],"few_times_a_week":["tue","thu"]},
             "kinds":[{"name":"check_in","schedule":{"on":"check_in"}}]}
            """
        week(#"{"frequency":"weekly"}"#, policy: policy).then(contentsOf: slots("7"))
        week("{}", policy: policy).then(contentsOf: slots("3 5"))
    }

    @Test func `on the minute they chose`() {
        given(.enrolled("Asia/Kathmandu"), .wants(#"{"check_in_time":"12:34"}"#))
            .later(at: justBefore("2026-03-02T12:34+05:45")).thenNothing()
            .later(at: "2026-03-02T12:34+05:45").then("emitted check_in/2026-03-02T12:34 [push]")
            .later(at: "2026-03-03T12:34+05:45").thenNothing()
    }
}
