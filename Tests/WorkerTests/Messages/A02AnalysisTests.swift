import Notices
import Testing

@Suite("A2, when a conversation is analysed")
struct AnalysisTests {
    private func optedIn(_ patch: String = "{}") -> Scenario {
        given(.enrolled(), .consent(), .wants(patch), policy: "messageai")
    }

    @Test func `after the pause, on the millisecond`() {
        optedIn().when(.message(in: "c1"), at: "2026-03-02T12:00Z").thenNothing()
            .later(at: justBefore("2026-03-02T12:02Z")).thenNothing()
            .later(at: "2026-03-02T12:02Z").then("asks about c1 pause")
    }

    @Test(arguments: [("12:01:59.999", "2026-03-02T12:03:59.999Z"), ("12:02:00.000", "2026-03-02T12:02Z")])
    func `another message starts the pause again, one at its end comes too late (T10)`(time: String, asked: String) {
        let scenario = optedIn().when(.message(in: "c1"), at: "2026-03-02T12:00Z")
            .when(.message(in: "c1"), at: "2026-03-02T\(time)Z")
        if asked == "2026-03-02T12:02Z" {
            scenario.then("asks about c1 pause")
        } else {
            scenario.thenNothing().later(at: justBefore(asked)).thenNothing().later(at: asked).then(
                "asks about c1 pause")
        }
    }

    @Test func `or after so many messages, whichever is first`() {
        let scenario = optedIn(#"{"active_conversation_threshold":10}"#)
        for second in 0..<9 { scenario.when(.message(in: "c1"), at: "2026-03-02T12:00:0\(second)Z") }
        scenario.thenNothing()
            .when(.message(in: "c2"), at: "2026-03-02T12:00:09Z").thenNothing()
            .when(.message(in: "c1"), at: "2026-03-02T12:00:10Z").then("asks about c1 threshold")
    }

    @Test func `messages since the last analysis`() {
        let scenario = optedIn(#"{"active_conversation_threshold":10}"#)
        for second in 10..<29 { scenario.when(.message(in: "c1"), at: "2026-03-02T12:00:\(second)Z") }
        scenario.then("2026-03-02T12:00:19Z asks about c1 threshold")
            .when(.answer("c1", notify: false), at: "2026-03-02T12:00:28Z")
            .then("concluded c1 by ai: be silent, because")
            .when(.message(in: "c1"), at: "2026-03-02T12:00:29Z").then("asks about c1 threshold")
    }

    @Test func `read, it starts over`() {
        optedIn().when(.message(in: "c1"), at: "2026-03-02T12:00Z")
            .when(.reads("c1"), at: justBefore("2026-03-02T12:02Z"))
            .later(at: "2026-03-02T13:00Z").thenNothing()
            .when(.message(in: "c1"), at: "2026-03-02T13:00Z")
            .later(at: "2026-03-02T13:02Z").then("asks about c1 pause")
            .when(.reads("c1"), at: "2026-03-02T13:02:01Z")
            .when(.answer("c1", notify: true), at: "2026-03-02T13:02:02Z").thenNothing()
            .later(at: "2026-03-02T14:00Z").thenNothing()
    }

    @Test func `not while they are looking at it (P7)`() {
        optedIn().when(.message(in: "c1"), at: "2026-03-02T12:00Z")
            .when(.opens("c1"), at: "2026-03-02T12:01Z")
            .later(at: justBefore("2026-03-02T12:03Z")).thenNothing()
            .later(at: "2026-03-02T12:03Z").then("asks about c1 pause")
        optedIn().when(.message(in: "c1"), at: "2026-03-02T12:00Z")
            .when(.opens("c1"), at: "2026-03-02T12:01Z")
            .when(.leaves("c1"), at: "2026-03-02T12:02:30Z").then("asks about c1 pause")
    }

    @Test func `an answer raises its notice, or none`() {
        optedIn().when(.message(in: "c1", "hello"), at: "2026-03-02T12:00Z")
            .later(at: "2026-03-02T12:02Z").then("asks about c1 pause")
            .when(.answer("c1", notify: true, "high", "Ben asks for lunch"), at: "2026-03-02T12:02:05Z")
            .then("concluded c1 by ai: notify high, because", "emitted message/conversation:c1/#7 [push] high")
            .says("MessageAI", "Ben asks for lunch")
            .when(.message(in: "c1"), at: "2026-03-02T12:10Z")
            .later(at: "2026-03-02T12:12Z").then("asks about c1 pause")
            .when(.answer("c1", notify: false), at: "2026-03-02T12:12:05Z")
            .then("concluded c1 by ai: be silent, because")
    }

    @Test func `what came while the analyser was asked waits for a pause of its own`() {
        let text = ShippedPolicies.text(of: "messageai") ?? ""
        let policy = text.replacing("[60, 300]", with: "[5, 300]")
        #expect(policy != text)
        given(.enrolled(), .consent(), .wants(#"{"pause_threshold_seconds":5}"#), policy: policy)
            .when(.message(in: "c1"), at: "2026-03-02T12:00:00Z")
            .later(at: "2026-03-02T12:00:05Z").then("asks about c1 pause")
            .when(.message(in: "c1"), at: "2026-03-02T12:00:06Z")
            .when(.answer("c1", notify: false), at: "2026-03-02T12:00:10.999Z")
            .then("concluded c1 by ai: be silent, because")
            .later(at: "2026-03-02T12:00:11Z").then("asks about c1 pause")
    }

    @Test func `an answer that nobody asked for changes nothing`() {
        optedIn().when(.answer("c1", notify: true), at: "2026-03-02T12:00Z").thenNothing()
    }
}
