import Testing

@Suite("A1, what is kept of a message")
struct KeywordTests {
    @Test func `keywords, mention and length, never the text`() {
        given(.enrolled(), .consent(), policy: "messageai")
            .when(.message(in: "c1", "This is URGENT, please help", mentions: true), at: "2026-03-02T12:00Z")
            .records(
                #"{"conversation":"c1","message":"m","mentions_user":true,"keywords":["urgent","help"],"length":27}"#)
    }

    @Test func `the person's own keywords are looked for`() {
        given(.enrolled(), .consent(), .wants(#"{"priority_keywords":["fire drill"]}"#), policy: "messageai")
            .when(.message(in: "c1", "Fire   DRILL now, urgent"), at: "2026-03-02T12:00Z")
            .records(#"{"conversation":"c1","message":"m","keywords":["fire drill"],"length":24}"#)
    }

    @Test func `a job about it says nothing of it`() {
        given(.enrolled(), policy: "messageai")
            .when(.message(in: "c1", "a secret"), at: "2026-03-02T12:00Z")
            .then("emitted message/conversation:c1/#2 [push]")
            .says("MessageAI", "You have a new message")
            .carries(["conversation": "c1", "message": "m"])
    }
}
