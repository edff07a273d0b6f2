import Testing

@Suite("T1, everyone's own zone")
struct OwnZoneTests {
    @Test func `nine o'clock is nine o'clock where they are`() {
        given(.enrolled("Asia/Kathmandu"), .enrolled("America/St_Johns").of("ben"), at: "2026-03-01T20:00Z")
            .later(at: "2026-03-02T09:00+05:45").then("emitted check_in/2026-03-02T09:00 [push]")
            .later(at: "2026-03-02T09:00-03:30").then("emitted ben/check_in/2026-03-02T09:00 [push]")
    }

    @Test func `someone who never said theirs is in the policy's`() {
        let policy = """
            {"name":"far","default_timezone":"Pacific/Auckland","kinds":[{"name":"check_in","schedule":{"on":"check_in"}}]}
            """
        given(.opensApp, .closesApp, policy: policy)
            .later(at: "2026-03-02T09:00+13:00").then("emitted check_in/2026-03-02T09:00 [push]")
    }
}
