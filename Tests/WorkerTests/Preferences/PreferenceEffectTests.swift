import Notices
import Testing

@Suite("§3, preferences take effect with the commit that records them")
struct PreferenceEffectTests {
    private func held() -> Scenario {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T22:30Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
    }

    @Test func `every held notice is considered again at that instant`() {
        held().when(.wants(#"{"quiet_hours":{"enabled":false}}"#), at: "2026-03-02T23:00Z")
            .then("emitted reminder/#3 [push]")
        held().when(.wants(#"{"quiet_hours":{"start":"23:00"}}"#), at: "2026-03-02T22:45Z")
            .then("emitted reminder/#3 [push]")
        held().when(.wants(#"{"quiet_hours":{"end":"09:30"}}"#), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T09:30Z quiet_hours")
        held().when(.wants(#"{"digest_mode":true,"quiet_hours":{"exceptions":["reminder"]}}"#), at: "2026-03-02T23:00Z")
            .then("gathered reminder/#3 into daily_digest/2026-03-03T18:00 digest_mode")
    }

    @Test func `a patch that changes nothing considers nothing again`() {
        held().when(.opensApp, .wants("{}"), .wants(#"{"digest_mode":false}"#), at: "2026-03-02T23:00Z").thenNothing()
    }

    @Test func `future slots are computed from the new document`() {
        given(.enrolled())
            .when(.wants(#"{"check_in_time":"11:00"}"#), at: "2026-03-02T08:00Z")
            .later(at: "2026-03-02T11:00Z").then("emitted check_in/2026-03-02T11:00 [push]")
            .when(.wants(#"{"frequency":"daily"}"#), at: "2026-03-03T10:59:59.999Z")
            .later(at: "2026-03-03T11:00Z").then("emitted check_in/2026-03-03T11:00 [push]")
    }

    @Test(arguments: [("10:00", false), ("10:01", true)])
    func `a time that has passed today does not fire today`(time: String, fires: Bool) {
        let scenario = given(.enrolled(), .wants(#"{"check_in_time":"20:00"}"#))
            .when(.wants("{\"check_in_time\":\"\(time)\"}"), at: "2026-03-02T10:00Z")
            .later(at: "2026-03-02T23:00Z")
        if fires {
            scenario.then("2026-03-02T\(time)Z emitted check_in/2026-03-02T\(time) [push]")
        } else {
            scenario.thenNothing()
        }
    }

    @Test func `a change at the slot's instant comes after it (T10)`() {
        given(.enrolled())
            .when(.wants(#"{"check_in_time":"11:00"}"#), at: "2026-03-02T09:00Z")
            .then("emitted check_in/2026-03-02T09:00 [push]")
            .later(at: "2026-03-02T23:00Z").thenNothing()
    }

    @Test func `a preset is theirs until a hand changes something`() {
        let preset = { (scenario: Scenario, expected: String?) in
            _ = scenario.person { #expect($0.details.preset == expected) }
        }
        let scenario = given(.enrolled(), .preset("minimal"), policy: "goals")
        preset(scenario, "minimal")
        scenario.when(.requested("referee"), at: "2026-03-02T09:00Z").then("dropped referee/#3 kind_off")
            .when(.wants(#"{"kinds":{"referee":{"enabled":true}}}"#), at: "2026-03-02T10:00Z")
        preset(scenario, "custom")
        scenario.when(.requested("referee"), at: "2026-03-02T11:00Z").then("emitted referee/#6 [push]")
            .when(.preset("all"), at: "2026-03-02T12:00Z")
        preset(scenario, "all")
        scenario.when(.requested("social"), at: "2026-03-02T13:00Z").then("emitted social/#9 [push]")
            .when(.reset, at: "2026-03-02T14:00Z")
        preset(scenario, nil)
        scenario.when(.requested("social"), at: "2026-03-02T15:00Z").then("dropped social/#12 kind_off")
    }

    @Test func `a preset considers again what is held`() {
        given(.enrolled(), policy: "goals")
            .when(.requested("referee"), at: "2026-03-02T23:00Z")
            .then("held referee/#2 until 2026-03-03T08:00Z quiet_hours")
            .when(.preset("minimal"), at: "2026-03-02T23:30Z").then("dropped referee/#2 kind_off")
    }

    @Test func `a reset puts the document back and leaves people where they are`() {
        given(.enrolled("Asia/Kathmandu"), .wants(#"{"check_in_time":"15:00","quiet_hours":{"end":"12:00"}}"#))
            .when(.requested("reminder"), at: "2026-03-02T08:30+05:45")
            .then("held reminder/#3 until 2026-03-02T12:00+05:45 quiet_hours")
            .when(.reset, at: "2026-03-02T08:45+05:45").then("emitted reminder/#3 [push]")
            .later(at: "2026-03-02T09:00+05:45").then("emitted check_in/2026-03-02T09:00 [push]")
    }

    @Test func `null gives a default back`() {
        given(.enrolled(), .wants(#"{"check_in_time":"15:00"}"#), .wants(#"{"check_in_time":null}"#))
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
    }
}
