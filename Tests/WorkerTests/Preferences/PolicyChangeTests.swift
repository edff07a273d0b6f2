import Notices
import Testing

@Suite("§1, one policy in force at a time")
struct PolicyChangeTests {
    private static func shipped(_ name: String) -> Told { .adopts(ShippedPolicies.text(of: name) ?? "") }

    @Test func `from its commit on it decides, for everyone`() {
        given(.enrolled(), .enrolled().of("ben"))
            .when(Self.shipped("coachme"), at: "2026-03-02T08:00Z").thenNothing()
            .later(at: "2026-03-02T12:00Z").thenNothing()
            .when(.permission("granted").of("ben"), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-04T10:00Z").then("emitted ben/check_in/2026-03-04T10:00 [push]")
    }

    @Test func `what is held is asked by the new rules`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("alert"), at: "2026-03-02T22:30Z")
            .then("held alert/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(
                .adopts(
                    #"{"name":"early","preferences":{"quiet_hours":{"end":"06:00"}},"kinds":[{"name":"alert","on_request":true}]}"#
                ), at: "2026-03-02T23:00Z"
            )
            .then("held alert/#3 until 2026-03-03T06:00Z quiet_hours")
            .later(at: "2026-03-03T06:00Z").then("emitted alert/#3 [push] high")
    }

    @Test func `there and back, preferences and jobs of before still count`() {
        given(.enrolled(), .wants(#"{"check_in_time":"08:30"}"#))
            .when(.requested("alert"), at: "2026-03-02T08:20Z").then("emitted alert/#3 [push]")
            .when(Self.shipped("messageai"), at: "2026-03-02T08:25Z")
            .when(Self.shipped("standard"), at: "2026-03-02T08:26Z").thenNothing()
            .when(.requested("alert"), at: "2026-03-02T08:27Z").then("held alert/#7 until 2026-03-02T08:50Z cooldown")
            .later(at: "2026-03-02T08:50Z")
            .then("2026-03-02T08:30Z emitted check_in/2026-03-02T08:30 [push]", "emitted alert/#7 [push]")
    }

    @Test func `what a policy locks is locked no longer than it is in force (P5, P14)`() {
        given(.enrolled(), policy: "goals")
            .when(.requested("payment"), at: "2026-03-02T09:00Z").then("emitted payment/#2 [push]")
            .when(.snoozes("payment/#2", 60), Self.shipped("standard"), at: "2026-03-02T09:01Z").thenNothing()
            .later(at: "2026-03-02T10:01Z")
            .then("dropped payment/#2~1 kind_off")
    }

    @Test func `a slot that fired does not come again with it (T8)`() {
        given(.enrolled())
            .later(at: "2026-03-02T09:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
            .when(
                .adopts(
                    #"{"name":"late","preferences":{"check_in_time":"15:00"},"kinds":[{"name":"check_in","schedule":{"on":"check_in"}}]}"#
                ), at: "2026-03-02T12:00Z"
            )
            .later(at: "2026-03-02T23:00Z").thenNothing()
            .later(at: "2026-03-04T15:00Z").then("emitted check_in/2026-03-04T15:00 [push]")
    }
}
