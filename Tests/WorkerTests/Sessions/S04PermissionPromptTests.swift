import Notices
import Testing

@Suite("S4, asking for push permission")
struct PermissionPromptTests {
    private func enrolled(_ facts: Told...) -> Scenario {
        let scenario = given(.enrolled(), policy: "coachme")
        for fact in facts { scenario.when(fact, at: "2026-03-01T12:00Z") }
        return scenario
    }

    private static let words = (
        "Want me to check in with you between sessions?",
        "I'd love to check in between our sessions — a quick nudge to see how things are going. "
            + "You can always adjust this later."
    )

    @Test func `nobody is asked before a completed session, then once, in the app`() {
        enrolled(.opensApp, .closesApp, .opens("c1"))
            .later(at: "2026-03-02T09:00Z").thenNothing()
            .when(.session, at: "2026-03-02T09:00Z").then("emitted permission_prompt/#5 [in_app]")
            .says(Self.words.0, Self.words.1)
            .when(.session, at: "2026-03-03T09:00Z").thenNothing()
            .when(.session, at: "2026-03-04T09:00Z").thenNothing()
    }

    @Test func `a derived session is one (S3)`() {
        let scenario = enrolled()
        for minute in 0..<4 { scenario.when(.message(in: "c1"), at: "2026-03-02T12:0\(minute)Z") }
        scenario.when(.closesApp, at: "2026-03-02T12:04Z")
            .then("completed a session in c1", "emitted permission_prompt/#7 [in_app]")
    }

    @Test func `two sessions that end together ask once`() {
        let scenario = enrolled()
        for conversation in ["c1", "c2"] {
            for minute in 0..<4 { scenario.when(.message(in: conversation), at: "2026-03-02T12:0\(minute / 4)Z") }
        }
        scenario.when(.closesApp, at: "2026-03-02T12:04Z")
            .then(
                "completed a session in c1", "completed a session in c2", "emitted permission_prompt/#11 [in_app]")
    }

    @Test func `after not_now they are asked again, after a later session only`() {
        enrolled().when(.session, at: "2026-03-02T09:00Z").then("emitted permission_prompt/#2 [in_app]")
            .when(.permission("not_now"), at: "2026-03-02T09:01Z").thenNothing()
            .later(at: "2026-03-04T09:00Z").thenNothing()
            .when(.session, at: "2026-03-04T09:00Z").then("emitted permission_prompt/#5 [in_app]")
            .when(.session, at: "2026-03-05T09:00Z").thenNothing()
    }

    @Test func `a session in the same millisecond comes after it, and they are asked`() {
        enrolled().when(.session, at: "2026-03-02T09:00Z").then("emitted permission_prompt/#2 [in_app]")
            .when(.permission("not_now"), .session, at: "2026-03-04T09:00Z")
            .then("emitted permission_prompt/#5 [in_app]")
            .when(.session, at: "2026-03-04T09:00Z").thenNothing()
    }

    @Test func `a repeat of the question that was put off does not come, whatever session there was since`() {
        enrolled().when(.session, at: "2026-03-02T09:00Z").then("emitted permission_prompt/#2 [in_app]")
            .when(.snoozes("permission_prompt/#2", 60), at: "2026-03-02T09:05Z")
            .when(.permission("not_now"), at: "2026-03-02T09:10Z")
            .when(.session, at: "2026-03-02T09:30Z").then("emitted permission_prompt/#6 [in_app]")
            .later(at: "2026-03-02T10:05Z").then("dropped permission_prompt/#2~1 settled")
    }

    @Test func `not_now under a policy that asks nobody is remembered when one comes that does`() throws {
        let texts = try ["messageai", "coachme"].map { try #require(ShippedPolicies.text(of: $0)) }
        enrolled().when(.session, at: "2026-03-02T09:00Z").then("emitted permission_prompt/#2 [in_app]")
            .when(.adopts(texts[0]), at: "2026-03-02T10:00Z")
            .when(.permission("not_now"), at: "2026-03-02T10:01Z")
            .when(.adopts(texts[1]), at: "2026-03-02T10:02Z")
            .when(.snoozes("permission_prompt/#2", 60), at: "2026-03-02T10:05Z")
            .later(at: "2026-03-02T11:05Z").then("dropped permission_prompt/#2~1 settled")
    }

    @Test(arguments: ["granted", "denied"])
    func `after an answer never again`(status: String) {
        enrolled().when(.session, at: "2026-03-02T09:00Z").then("emitted permission_prompt/#2 [in_app]")
            .when(.permission(status), at: "2026-03-02T09:01Z")
            .unwatched(until: "2026-03-10T08:00Z")
            .when(.session, at: "2026-03-10T08:00Z").thenNothing()
        enrolled(.permission(status)).when(.session, at: "2026-03-02T09:00Z").thenNothing()
    }

    @Test(arguments: ["granted", "denied"])
    func `an answer stands where another device of theirs puts it off`(status: String) {
        enrolled().when(.session, at: "2026-03-02T09:00Z").then("emitted permission_prompt/#2 [in_app]")
            .when(.permission(status), at: "2026-03-02T09:01Z")
            .when(.permission("not_now"), at: "2026-03-02T09:02Z")
            .person { #expect($0.flags.contains(status == "granted" ? .permissionGranted : .permissionDenied)) }
            .when(.session, at: "2026-03-02T09:03Z").thenNothing()
    }

    @Test func `saying yes switches check-ins on`() {
        enrolled().later(at: "2026-03-03T09:00Z").thenNothing()
            .when(.permission("granted"), at: "2026-03-03T09:00Z").thenNothing()
            .later(at: "2026-03-04T10:00Z").then("emitted check_in/2026-03-04T10:00 [push]")
    }

    @Test func `even if the system then denies it: they are there when another channel is`() {
        enrolled(.permission("denied"))
            .person { #expect($0.preferences.checkInsEnabled) }
            .later(at: "2026-03-02T10:00Z").then("dropped check_in/2026-03-02T10:00 no_channel")
            .when(.permission("granted"), at: "2026-03-03T10:00Z")
            .later(at: "2026-03-04T10:00Z").then("emitted check_in/2026-03-04T10:00 [push]")
    }

    @Test func `an answer while the question waits for the morning settles it (P2)`() {
        enrolled().when(.session, at: "2026-03-02T23:00Z")
            .then("held permission_prompt/#2 until 2026-03-03T08:00Z quiet_hours")
            .when(.permission("granted"), at: "2026-03-03T07:00Z").then("dropped permission_prompt/#2 settled")
    }

    /// Also told in the same millisecond, behind the session.
    @Test(arguments: ["2026-03-02T23:00:00.000Z", "2026-03-02T23:00:00.001Z", "2026-03-03T07:00:00.000Z"])
    func `not_now while the question waits is for that question too`(time: String) {
        enrolled().when(.session, at: "2026-03-02T23:00Z")
            .then("held permission_prompt/#2 until 2026-03-03T08:00Z quiet_hours")
            .when(.permission("not_now"), at: time).thenNothing()
            .later(at: "2026-03-03T08:00Z").then("dropped permission_prompt/#2 settled")
            .when(.session, at: "2026-03-03T09:00Z").then("emitted permission_prompt/#6 [in_app]")
    }

    @Test func `a session after that not_now asks anew, once`() {
        enrolled().when(.session, at: "2026-03-02T23:00Z")
            .then("held permission_prompt/#2 until 2026-03-03T08:00Z quiet_hours")
            .when(.permission("not_now"), at: "2026-03-03T06:00Z")
            .when(.session, at: "2026-03-03T07:00Z")
            .then("held permission_prompt/#5 until 2026-03-03T08:00Z quiet_hours")
            .later(at: "2026-03-03T08:00Z")
            .then("dropped permission_prompt/#2 settled", "emitted permission_prompt/#5 [in_app]")
    }

    @Test func `at the end of the morning's hold with no answer it is asked`() {
        enrolled().when(.session, at: "2026-03-02T23:00Z")
            .then("held permission_prompt/#2 until 2026-03-03T08:00Z quiet_hours")
            .when(.session, at: "2026-03-03T07:00Z").thenNothing()
            .later(at: "2026-03-03T08:00Z").then("emitted permission_prompt/#2 [in_app]")
    }

    @Test func `other policies ask nobody`() {
        given(.enrolled(), .noCheckIns).when(.session, at: "2026-03-02T09:00Z").thenNothing()
    }
}
