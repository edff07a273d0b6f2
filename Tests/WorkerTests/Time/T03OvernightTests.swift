import Testing

@Suite("T2 and T3, windows by the day they start on")
struct OvernightTests {
    /// 2026-03-06 is a Friday.
    @Test(arguments: [
        ("2026-03-05T23:00Z", false), ("2026-03-06T07:00Z", false), ("2026-03-06T21:59:59.999Z", false),
        ("2026-03-06T22:00Z", true), ("2026-03-07T00:00Z", true), ("2026-03-07T07:59:59.999Z", true),
        ("2026-03-07T08:00Z", false), ("2026-03-07T22:00Z", false),
    ])
    func `a Friday's night is the night after Friday`(at: String, isQuiet: Bool) {
        given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"days":["fri"]}}"#))
            .when(.requested("alert"), at: at)
            .then(isQuiet ? "held alert/#4 until 2026-03-07T08:00Z quiet_hours" : "emitted alert/#4 [push]")
    }

    @Test func `a minute between two nights parts them`() {
        given(
            .enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"start":"08:00","end":"07:59","days":["fri","sat"]}}"#)
        )
        .when(.requested("alert"), at: "2026-03-06T09:00Z")
        .then("held alert/#4 until 2026-03-07T07:59Z quiet_hours")
        .when(.wants(#"{"quiet_hours":{"start":"07:59","end":"07:58"}}"#), at: "2026-03-06T10:00Z")
        .then("held alert/#4 until 2026-03-07T07:58Z quiet_hours")
        .later(at: "2026-03-07T07:58Z").then("emitted alert/#4 [push]")
    }

    @Test func `by day a window lies within its day`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"quiet_hours":{"start":"12:00","end":"13:00","days":["mon"]}}"#))
            .when(.requested("alert"), at: "2026-03-02T12:59:59.999Z")
            .then("held alert/#4 until 2026-03-02T13:00Z quiet_hours")
            .when(.requested("reminder"), at: "2026-03-03T12:30Z")
            .then("2026-03-02T13:00Z emitted alert/#4 [push]", "emitted reminder/#7 [push]")
    }

    @Test func `a window that starts and ends at the same time is refused`() {
        given(.enrolled())
            .refuses(
                .wants(#"{"quiet_hours":{"start":"08:00"}}"#), at: "2026-03-02T12:00Z",
                "data.patch.quiet_hours.start: quiet hours that start and end at 08:00 are refused; "
                    + "switch quiet_hours.enabled off, or enabled for none at all"
            )
    }
}
