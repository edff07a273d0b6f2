import Notices
import Testing

/// What one person can accumulate, up to the limit and beyond it.
@Suite("G11, limits of one person")
struct LimitTests {
    private static let night = "2026-03-02T23:00Z"

    /// A second later for each.
    private static func moment(_ number: Int) -> String {
        "2026-03-02T12:\(10 + number / 60):\(number % 60 < 10 ? "0" : "")\(number % 60)Z"
    }

    /// As many alerts in the night as may wait: the requests are numbers 3, 5, … 2,001.
    private func full() -> Scenario {
        let scenario = given(.enrolled(), .noCheckIns)
        for _ in 0..<1_000 { scenario.when(.requested("alert"), at: Self.night) }
        return scenario.unwatched(until: Self.night).person { #expect($0.details.waiting.count == 1_000) }
    }

    @Test func `one more than may wait is dropped, and what need not wait goes out`() {
        full()
            .when(.requested("alert"), at: Self.night).then("dropped alert/#2003 overload")
            .when(.requested("urgent"), at: Self.night).then("emitted urgent/#2005 [push]")
            .person { #expect($0.details.waiting.count == 1_000) }
    }

    @Test func `those that wait already go on waiting, and give room as they end`() {
        full()
            .when(.wants(#"{"check_in_time":"10:00"}"#), at: Self.night).thenNothing()
            .person { #expect($0.details.waiting.count == 1_000) }
            .when(.wants(#"{"enabled":false}"#), at: Self.night).unwatched(until: Self.night)
            .person { #expect($0.details.waiting.isEmpty) }
            .when(.wants(#"{"enabled":true}"#), .requested("alert"), at: Self.night)
            .then("held alert/#3006 until 2026-03-03T08:00Z quiet_hours")
    }

    @Test func `a digest may wait beyond the limit, since it tells of the others`() {
        let scenario = given(.enrolled(), .noCheckIns, .wants(#"{"digest_mode":true}"#))
        for _ in 0..<1_000 { scenario.when(.requested("reminder"), at: "2026-03-02T12:00Z") }
        scenario.unwatched(until: "2026-03-02T12:00Z")
            .when(.requested("reminder"), at: "2026-03-02T12:00Z").then("dropped reminder/#2004 overload")
            .when(.wants(#"{"quiet_hours":{"start":"17:00"}}"#), at: "2026-03-02T12:01Z").thenNothing()
            .later(at: "2026-03-02T18:00Z")
            .then("held daily_digest/2026-03-02T18:00 until 2026-03-03T08:00Z quiet_hours")
            .person { #expect($0.details.waiting.count == 1_001) }
            .later(at: "2026-03-03T08:00Z")
            .job { #expect($0.notices.count == 1_001) }
    }

    @Test func `the hundred and first device is refused until another has gone`() {
        let scenario = given(.enrolled(), .noCheckIns)
        for number in 1...100 { scenario.when(.device("d\(number)"), at: Self.night) }
        scenario.when(.device("d1"), at: Self.night)
            .refuses(
                .device("d101"), at: Self.night,
                "data.device: this person has 100 devices; tell of one that is gone with device_removed first"
            )
            .when(.lostDevice("d7"), .device("d101"), at: Self.night).thenNothing()
    }

    @Test func `the goal after five hundred that go on is refused, an ended one started again too`() {
        let scenario = given(.enrolled(), .noCheckIns, .goal("g0"), .goalEnded("g0", "failed"))
        for number in 1...500 { scenario.when(.goal("g\(number)"), at: Self.night) }
        let words = "data.goal: this person has 500 goals that have not ended; end one first"
        scenario.refuses(.goal("g501"), at: Self.night, words)
            .refuses(.goal("g0"), at: Self.night, words)
            .when(.goal("g1"), at: Self.night)
            .when(.goalEnded("g2", "failed"), .goal("g501"), at: Self.night).thenNothing()
    }

    @Test func `of goals that ended the last five hundred are remembered`() {
        let scenario = given(.enrolled(), .noCheckIns)
        for number in 0..<520 {
            scenario.when(.goal("g\(number)"), .goalEnded("g\(number)"), at: Self.moment(number))
        }
        scenario.person { person in
            #expect(person.details.goals.count == 500)
            #expect(Set(person.details.goals.map(\.id)) == Set((20..<520).map { "g\($0)" }))
        }
    }

    /// Of two that ended at one instant the one that was started first goes.
    @Test(arguments: [("b", "a", "10:59:59.999"), ("a", "b", "11:00:00.000")])
    func `the one that ended first is forgotten first`(first: String, last: String, time: String) {
        let scenario = given(.enrolled(), .noCheckIns, .goal("a"), .goal("b"))
            .when(.goalEnded(first), at: "2026-03-02T\(time)Z").when(.goalEnded(last), at: "2026-03-02T11:00Z")
        for number in 1..<500 {
            scenario.when(.goal("g\(number)"), .goalEnded("g\(number)"), at: Self.moment(number))
        }
        scenario.person { person in
            let left = Set(person.details.goals.map(\.id)).intersection(["a", "b"])
            #expect(person.details.goals.count == 500 && left == [last])
        }
    }

    @Test func `a message in one conversation more than can be looked at is refused until one has been read`() {
        let scenario = given(.enrolled(), .consent(), policy: "messageai")
        for number in 1...500 { scenario.when(.message(in: "c\(number)"), at: "2026-03-02T12:00Z") }
        scenario
            .refuses(
                .message(in: "c501"), at: "2026-03-02T12:00Z",
                "data.conversation: this person has 500 conversations with messages still to be looked at; "
                    + "send it again in a few minutes, or messages_read of another first"
            )
            .when(.message(in: "c7"), at: "2026-03-02T12:00Z")
            .when(.reads("c7"), .message(in: "c501"), at: "2026-03-02T12:00Z").thenNothing()
    }

    @Test func `conversations in which little happened are forgotten, the oldest first`() {
        let scenario = given(.enrolled(), .noCheckIns)
        for number in 1...510 {
            scenario.when(.message(in: "c\(number)"), at: Self.moment(number))
        }
        scenario.person { person in
            #expect(person.details.conversations.map(\.id) == (11...510).map { "c\($0)" })
        }
    }

    /// Of two in which it was quiet for as long, the one that began first.
    @Test(arguments: [("12:00:00.000", "c1"), ("12:00:00.001", "c2")])
    func `that is the one in which it was quiet for longest`(last: String, forgotten: String) {
        let scenario = given(.enrolled(), .noCheckIns)
            .when(.message(in: "c1"), .message(in: "c2"), at: "2026-03-02T12:00Z")
            .when(.message(in: "c1"), at: "2026-03-02T\(last)Z")
        for number in 3...501 { scenario.when(.message(in: "c\(number)"), at: "2026-03-02T12:00:01Z") }
        scenario.person { person in
            let left = person.details.conversations.map(\.id)
            #expect(left.count == 500 && !left.contains(forgotten))
        }
    }

    @Test func `settings of more goals than may have them are refused, and putting one back makes room`() {
        let scenario = given(.enrolled(), policy: "goals")
        func settings(_ numbers: ClosedRange<Int>) -> Told {
            .wants("{\"goals\":{\(numbers.map { "\"g\($0)\":{\"days_before\":1}" }.joined(separator: ","))}}")
        }
        scenario.when(settings(1...500), at: Self.night)
            .refuses(
                settings(501...501), at: Self.night,
                "data.patch.goals: 501 goals and subjects would have settings of their own, and 500 is the most; "
                    + "put those of others back with null first"
            )
            .when(.wants(#"{"goals":{"g1":null,"g501":{"days_before":1}}}"#), at: Self.night)
            .person { #expect($0.preferences.goals.count == 500) }
    }

    @Test func `the snooze after a hundred that have not come again is refused`() {
        let scenario = given(.enrolled(), .opensApp, policy: "goals", at: Self.night)
        for number in 0..<101 {
            scenario.when(.requested("payment"), at: Self.night)
            if number < 100 { scenario.when(.snoozes("payment/#\(3 + 3 * number)", 15), at: Self.night) }
        }
        scenario.unwatched(until: Self.night)
            .refuses(
                .snoozes("payment/#303", 15), at: Self.night,
                "data.job: this person has 100 snoozed notices that have not come again; wait for one")
    }
}
