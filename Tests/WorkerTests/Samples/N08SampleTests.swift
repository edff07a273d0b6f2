import Notices
import Testing

/// N8: a sample of a kind, to see that it arrives.
@Suite("N8, tests of a kind")
struct SampleTests {
    private static func tests(_ kind: String, on channel: String? = nil) -> Told {
        let only = channel.map { ",\"channel\":\"\($0)\"" } ?? ""
        return Told("test_requested", "{\"kind\":\"\(kind)\"\(only)}")
    }

    private static let policy = """
        {"name":"p","consent":"person","kinds":[
          {"name":"note","on_request":true,"channels":["push","email"],
           "sample":{"title":"A note","body":"How notes look","data":{"link":"app://note"}}},
          {"name":"bare","on_request":true,"copy":{"title":"{count} {count|thing|things}"}}]}
        """

    @Test func `is told as the policy says, with Test in front, and is asked P6 only`() {
        given(
            .enrolled("UTC", #""email":"a@example.com""#), .opensApp,
            .wants(#"{"enabled":false,"kinds":{"note":{"enabled":false}}}"#), policy: Self.policy,
            at: "2026-03-01T23:30Z"
        )
        .when(Self.tests("note"), at: "2026-03-01T23:30Z").then("emitted note/#4 [push, email]")
        .says("Test: A note", "How notes look").carries(["link": "app://note"])
        .job { #expect($0.isTest == true && $0.badge == 0) }
        .isSentUntil("2026-03-01T23:40Z")
        .when(Self.tests("bare", on: "push"), at: "2026-03-01T23:31Z").then("emitted bare/#6 [push]")
        .says("Test: 1 thing", "")
    }

    @Test func `goes to one channel, or is dropped where that does not reach them`() {
        given(.enrolled("UTC", #""email":"a@example.com""#), policy: Self.policy)
            .when(Self.tests("note", on: "email"), at: "2026-03-02T09:00Z").then("emitted note/#2 [email]")
            .when(Self.tests("note", on: "sms"), at: "2026-03-02T09:00Z").then("dropped note/#4 no_channel")
            .when(.permission("denied"), Self.tests("bare"), at: "2026-03-02T09:00Z").then("dropped bare/#7 no_channel")
    }

    @Test func `counts for no cap, no cooldown and no badge, and keeps what a digest is for`() {
        given(.enrolled(), .noCheckIns, .earned(5), at: "2026-03-02T08:00Z")
            .when(
                Self.tests("alert"), Self.tests("alert"), Self.tests("alert"), Self.tests("daily_digest"),
                at: "2026-03-02T09:00Z"
            )
            .then(
                "emitted alert/#4 [push]", "emitted alert/#6 [push]", "emitted alert/#8 [push]",
                "emitted daily_digest/#10 [push]"
            )
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#12 [push]")
            .job { #expect($0.badge == 1) }
            .later(at: "2026-03-02T18:00Z").then("emitted daily_digest/2026-03-02T18:00 [push] {points 5}")
    }

    @Test func `cannot be snoozed, and its outcome is heard`() {
        given(.enrolled(), .noCheckIns, Self.tests("alert"))
            .refuses(
                .snoozes("alert/#3", 15), at: "2026-03-01T12:01Z",
                "data.job: \"anna/alert/#3\" is a test, which does not come again"
            )
            .when(.delivered("alert/#3"), at: "2026-03-01T12:01Z")
    }

    @Test func `is of a kind that the policy has, to somebody who is known`() {
        given(.enrolled())
            .refuses(
                Self.tests("allert"), at: "2026-03-02T09:00Z",
                "data.kind: \"allert\" is not a kind of this policy (known here: urgent, alert, reminder, check_in, daily_digest, weekly_review); did you mean alert?"
            )
            .refuses(
                Self.tests("alert").of("nobody"), at: "2026-03-02T09:00Z",
                "user: \"nobody\" is nobody known here")
    }
}
