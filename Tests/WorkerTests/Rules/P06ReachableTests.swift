import Testing

/// P16 says what is reachable; P6 drops what no chosen channel reaches.
@Suite("P6 and P16, channels that are chosen and reachable")
struct ReachableTests {
    private static let mail = #""email":"anna@example.com""#
    private static let everywhere = Told.wants(
        #"{"channels":{"sms":true},"kinds":{"reminder":{"channels":["push","email","sms"]}}}"#)

    @Test func `push is reachable until it is denied`() {
        given(.enrolled(), .noCheckIns, .permission("not_now"))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#4 [push]")
            .when(.permission("denied"), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T10:00Z").then("dropped reminder/#7 no_channel")
            .when(.permission("granted"), at: "2026-03-02T11:00Z")
            .when(.requested("reminder"), at: "2026-03-02T11:00Z").then("emitted reminder/#10 [push]")
    }

    @Test func `push is gone with the last device, not with one of two`() {
        given(.enrolled(), .noCheckIns, .device("d1"), .device("d2"), .lostDevice("d1"))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#6 [push]")
            .when(.lostDevice("d2"), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T10:00Z").then("dropped reminder/#9 no_channel")
            .when(.device("d3"), at: "2026-03-02T11:00Z")
            .when(.requested("reminder"), at: "2026-03-02T11:00Z").then("emitted reminder/#12 [push]")
    }

    @Test func `a device that was never known takes nothing away`() {
        given(.enrolled(), .noCheckIns, .lostDevice("d9"))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#4 [push]")
    }

    @Test func `email needs an address that has not bounced`() {
        given(.enrolled(), .noCheckIns, .wants(#"{"kinds":{"reminder":{"channels":["email"]}}}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("dropped reminder/#4 no_channel")
            .when(.enrolled("UTC", Self.mail), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T10:00Z").then("emitted reminder/#7 [email]")
            .when(.failed("reminder/#7", on: "email", permanent: false), at: "2026-03-02T11:00Z")
            .when(.requested("reminder"), at: "2026-03-02T11:00Z").then("emitted reminder/#10 [email]")
            .when(.failed("reminder/#10", on: "email", permanent: true), at: "2026-03-02T12:00Z")
            .when(.requested("reminder"), at: "2026-03-02T12:00Z").then("dropped reminder/#13 no_channel")
    }

    @Test func `sms needs a verified phone`() {
        given(.enrolled("UTC", Self.mail), .noCheckIns, Self.everywhere)
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#4 [push, email]")
            .when(.asksForCode("+4915112345678"), .enters(code: "345678"), at: "2026-03-02T09:30Z").then(
                "verified 5678"
            )
            .when(.requested("reminder"), at: "2026-03-02T10:00Z").then("emitted reminder/#9 [push, email, sms]")
    }

    @Test func `the switches of the channels stand over the kind's own list`() {
        given(.enrolled("UTC", Self.mail), .noCheckIns, Self.everywhere, .wants(#"{"channels":{"push":false}}"#))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#5 [email]")
            .when(.wants(#"{"channels":{"email":false}}"#), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T10:00Z").then("dropped reminder/#8 no_channel")
    }

    @Test func `in_app is always reachable`() {
        given(.enrolled(), .noCheckIns, .permission("denied"), .opensApp)
            .when(.requested("reminder"), at: "2026-03-01T12:01Z").then("emitted reminder/#5 [in_app]")
    }

    @Test(arguments: [
        ("2026-03-03T07:59:59.999Z", "dropped reminder/#3 no_channel"),
        ("2026-03-03T08:00Z", "emitted reminder/#3 [push]"),
    ])
    func `what is held is dropped when nothing reaches them any more`(at: String, outcome: String) {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(.permission("denied"), at: at)
            .then(outcome)
    }
}
