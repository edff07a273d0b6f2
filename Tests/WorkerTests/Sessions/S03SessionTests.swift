import Testing

@Suite("S3, when a session is complete")
struct SessionTests {
    /// Messages of 12:00 to 12:03, received and sent in turn.
    private func talk(_ messages: Int, in conversation: String = "c1") -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns)
        for minute in 0..<messages {
            let fact: Told = minute % 2 == 0 ? .message(in: conversation) : .sends(in: conversation)
            scenario.when(fact, at: "2026-03-02T12:0\(minute)Z")
        }
        return scenario.thenNothing()
    }

    @Test func `four messages and five minutes of silence`() {
        talk(4).later(at: justBefore("2026-03-02T12:08Z")).thenNothing()
            .later(at: "2026-03-02T12:08Z").then("completed a session in c1")
            .later(at: "2026-03-02T23:00Z").thenNothing()
    }

    @Test func `three are too few`() {
        talk(3).when(.closesApp, at: "2026-03-02T12:05Z").later(at: "2026-03-02T23:00Z").thenNothing()
    }

    @Test func `four messages and the app closed`() {
        talk(4).when(.closesApp, at: "2026-03-02T12:03Z").then("completed a session in c1")
    }

    @Test(arguments: [("12:07:59.999", false), ("12:08:00.000", true)])
    func `another message breaks the silence, unless five minutes are over (T10)`(time: String, isOver: Bool) {
        let scenario = talk(4).when(.message(in: "c1"), at: "2026-03-02T\(time)Z")
        if isOver {
            scenario.then("completed a session in c1").later(at: "2026-03-02T23:00Z").thenNothing()
        } else {
            scenario.thenNothing().later(at: "2026-03-02T12:12:59.999Z").then("completed a session in c1")
        }
    }

    /// Four messages in each of two, the last ones a millisecond apart.
    private func two() -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns)
        for minute in 0..<3 {
            for conversation in ["c1", "c2"] {
                scenario.when(.sends(in: conversation), at: "2026-03-02T12:0\(minute)Z")
            }
        }
        return scenario.when(.sends(in: "c1"), at: "2026-03-02T12:03Z")
            .when(.sends(in: "c2"), at: justAfter("2026-03-02T12:03Z")).thenNothing()
    }

    @Test func `each has its own silence, and where the app is closed the newest is first`() {
        two().later(at: "2026-03-02T12:08Z").then("completed a session in c1")
            .later(at: justAfter("2026-03-02T12:08Z")).then("completed a session in c2")
        two().when(.closesApp, at: "2026-03-02T12:04Z")
            .then("completed a session in c2", "completed a session in c1")
    }

    @Test func `each conversation has its own count`() {
        let scenario = talk(3)
        scenario.when(.message(in: "c2"), .message(in: "c2"), at: "2026-03-02T12:03Z").thenNothing()
            .when(.closesApp, at: "2026-03-02T12:04Z").thenNothing()
            .when(.sends(in: "c1"), at: "2026-03-02T12:05Z")
            .later(at: "2026-03-02T12:10Z").then("completed a session in c1")
    }

    @Test func `counted since the last completion`() {
        talk(4).when(.session, at: "2026-03-02T12:04Z").thenNothing()
            .later(at: "2026-03-02T12:30Z").thenNothing()
            .when(.message(in: "c1"), at: "2026-03-02T12:31Z")
            .later(at: "2026-03-02T13:00Z").thenNothing()
    }

    @Test func `a derived session counts like one that is told (C3, D3)`() {
        let scenario = given(.enrolled(), .wants(#"{"check_in_time":"13:00"}"#))
        for minute in 0..<4 { scenario.when(.sends(in: "c1"), at: "2026-03-02T12:0\(minute)Z") }
        scenario.later(at: "2026-03-02T13:00Z")
            .then(
                "2026-03-02T12:08Z completed a session in c1", "skipped check_in 2026-03-02T13:00 already_active_today"
            )
            .unwatched(until: "2026-03-08T12:00Z")
            .later(at: "2026-03-08T19:00Z").then("emitted weekly_review/2026-03-08T19:00 [push] {sessions 1}")
    }
}
