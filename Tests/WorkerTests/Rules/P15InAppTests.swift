import Testing

@Suite("P15, with the app open")
struct InAppTests {
    @Test(arguments: [
        ("23:00:00.000", "emitted reminder/#4 [in_app]"), ("23:01:59.999", "emitted reminder/#4 [in_app]"),
        ("23:02:00.000", "held reminder/#4 until 2026-03-03T08:00Z quiet_hours"),
    ])
    func `they are reached in the app at once, for 2 minutes`(time: String, outcome: String) {
        given(.enrolled(), .noCheckIns)
            .when(.opensApp, at: "2026-03-02T23:00Z")
            .when(.requested("reminder"), at: "2026-03-02T\(time)Z").then(outcome)
    }

    @Test func `opening a conversation opens the app`() {
        given(.enrolled(), .noCheckIns)
            .when(.opens("c1"), .requested("reminder"), at: "2026-03-02T23:00Z").then("emitted reminder/#4 [in_app]")
    }

    @Test func `a message sent keeps it open`() {
        given(.enrolled(), .noCheckIns)
            .when(.opensApp, at: "2026-03-02T23:00Z")
            .when(.sends(in: "c1"), at: "2026-03-02T23:01Z")
            .when(.requested("reminder"), at: "2026-03-02T23:02:59.999Z").then("emitted reminder/#5 [in_app]")
            .when(.requested("reminder"), at: "2026-03-02T23:03Z")
            .then("held reminder/#7 until 2026-03-03T08:00Z quiet_hours")
    }

    @Test func `closed is closed`() {
        given(.enrolled(), .noCheckIns)
            .when(.opensApp, .closesApp, .requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#5 until 2026-03-03T08:00Z quiet_hours")
    }

    @Test func `opening the app releases no hold`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.opensApp, at: "2026-03-02T23:10Z").thenNothing()
            .later(at: "2026-03-03T07:59:59.999Z").thenNothing()
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#3 [push]")
    }

    @Test func `a hold that ends while it is open ends in the app`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.opensApp, at: "2026-03-03T07:59Z")
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#3 [in_app]")
    }

    @Test func `nor does a repeat that comes a moment before the hold ends`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.requested("urgent"), at: "2026-03-03T07:44Z").then("emitted urgent/#5 [push]")
            .when(.snoozes("urgent/#5", 15), at: "2026-03-03T07:44:59.999Z")
            .when(.opensApp, at: "2026-03-03T07:59Z").thenNothing()
            .later(at: justBefore("2026-03-03T08:00Z")).then("emitted urgent/#5~1 [in_app]")
            .later(at: "2026-03-03T08:00Z").then("emitted reminder/#3 [in_app]")
    }

    @Test func `such jobs count for no cap`() {
        let scenario = given(.enrolled(), .noCheckIns, .opensApp)
        for _ in 0..<4 { scenario.when(.requested("alert"), at: "2026-03-01T12:00:30Z") }
        scenario.unwatched(until: "2026-03-01T12:02Z")
            .when(.requested("alert"), at: "2026-03-01T12:02Z").then("emitted alert/#12 [push]")
    }

    @Test func `P1 to P5 and P7 are still asked`() {
        given(.enrolled(), .noCheckIns, .opensApp, .wants(#"{"kinds":{"alert":{"enabled":false}}}"#))
            .when(.requested("alert"), at: "2026-03-01T12:01Z").then("dropped alert/#5 kind_off")
            .when(.requested("reminder", expires: "2026-03-01T12:01:00Z"), at: "2026-03-01T12:01Z")
            .then("dropped reminder/#7 expired")
        given(.enrolled(), .noCheckIns, .goal("g1"), .checkedIn("g1"), .opensApp)
            .when(.requested("reminder", "goal:g1"), at: "2026-03-01T12:01Z")
            .then("dropped reminder/goal:g1/#6 settled")
        given(.enrolled("UTC", #""minor":true"#), .opensApp, policy: "screentime")
            .when(.requested("goal_achieved"), at: "2026-03-01T12:01Z").then("dropped goal_achieved/#3 no_consent")
        given(.enrolled(), .noCheckIns, .opensApp, .wants(#"{"enabled":false}"#))
            .when(.requested("reminder"), at: "2026-03-01T12:01Z").then("dropped reminder/#5 opted_out")
        given(.enrolled(), .noCheckIns, .opens("c1"))
            .when(.requested("reminder", "conversation:c1"), at: "2026-03-01T12:01Z")
            .then("dropped reminder/conversation:c1/#4 viewing")
    }

    @Test func `a critical notice comes in the app too`() {
        given(.enrolled(), .noCheckIns, .opensApp)
            .when(.requested("urgent"), at: "2026-03-01T12:01Z").then("emitted urgent/#4 [in_app]")
    }
}
