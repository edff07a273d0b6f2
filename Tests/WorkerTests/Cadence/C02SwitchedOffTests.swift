import Testing

@Suite("C2, no slots while switched off")
struct SwitchedOffTests {
    @Test(arguments: [#"{"check_ins_enabled":false}"#, #"{"enabled":false}"#])
    func `slots do not exist meanwhile`(patch: String) {
        given(.enrolled(), .wants(patch)).later(at: "2026-03-08T12:00Z").thenNothing()
    }

    @Test(arguments: [("08:59:59.999", true), ("09:00:00.000", false), ("09:00:00.001", false)])
    func `switched on again, they are those after it (T10)`(time: String, comes: Bool) {
        let scenario = given(.enrolled(), .noCheckIns)
            .when(.wants(#"{"check_ins_enabled":true}"#), at: "2026-03-02T\(time)Z")
            .later(at: "2026-03-03T12:00Z")
        if comes {
            scenario.then("2026-03-02T09:00Z emitted check_in/2026-03-02T09:00 [push]")
        } else {
            scenario.thenNothing()
        }
    }

    @Test func `off and on within a day takes nothing away from the rest of it`() {
        given(.enrolled(), .wants(#"{"enabled":false}"#))
            .when(.wants(#"{"enabled":true}"#), at: "2026-03-02T08:00Z")
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
    }
}
