import Testing

@Suite("T9, as the judge sees it")
struct JourneyTests {
    private static let moved = fact("2026-03-02T17:30:00Z", "timezone_changed", #"{"timezone":"Africa/Cairo"}"#)
    private static let today = "anna/daily_digest/2026-03-02T18:00"

    /// Held at night in Tokyo, where it was 02:30 when the person was in Cairo at 19:30.
    private func landed(_ decisions: Step...) throws -> [String] {
        let steps = [
            enrolled("Asia/Tokyo"), wants(#"{"digest_mode":true}"#), requested("2026-03-02T16:00:00Z"),
            held("2026-03-02T16:00:00Z", "anna/reminder/#3", until: "2026-03-02T23:00:00Z"), Self.moved,
        ]
        return try History(Policies.standard, steps + decisions).found()
    }

    @Test func `the digest of the day there is asked when what was held has been gathered`() throws {
        let told = job("2026-03-02T17:30:00Z", Self.today, notices: [Self.today, "anna/reminder/#3"])
        let gathering = gathered("2026-03-02T17:30:00Z", "anna/reminder/#3", into: Self.today, "digest_mode")
        #expect(try landed(gathering, told) == [])
        let late = gathered(
            "2026-03-02T17:30:00Z", "anna/reminder/#3", into: "anna/daily_digest/2026-03-03T18:00", "digest_mode")
        #expect(try landed(late) == ["waiting 5"])
        // Whatever is decided later, its turn was then.
        #expect(try landed(late, requested("2026-03-02T17:31:00Z", "urgent")) == ["waiting 5"])
    }

    @Test(arguments: [
        ("2026-03-02T16:00:00.000Z", ["waiting 4"]), ("2026-03-02T15:59:59.999Z", []),
        ("2026-03-02T20:00:00.000Z", ["waiting 4"]), ("2026-03-02T20:00:00.001Z", []),
    ])
    func `if it has passed there and is not too late (C5)`(at: String, found: [String]) throws {
        let moved = fact(at, "timezone_changed", #"{"timezone":"Africa/Cairo"}"#)
        let gathering = gathered(
            "2026-03-02T15:00:00Z", "anna/reminder/#2", into: "anna/daily_digest/2026-03-03T18:00")
        #expect(
            try History(enrolled("Asia/Tokyo"), requested("2026-03-02T15:00:00Z"), gathering, moved).found() == found)
    }

    @Test func `a digest that was taken already, and one from before enrolment, are not asked`() throws {
        let gathering = gathered(
            "2026-03-02T15:00:00Z", "anna/reminder/#2", into: "anna/daily_digest/2026-03-03T18:00")
        let new = enrolled("Asia/Tokyo", at: "2026-03-02T16:30:00Z")
        let later = gathered(
            "2026-03-02T16:40:00Z", "anna/reminder/#2", into: "anna/daily_digest/2026-03-03T18:00")
        #expect(try History(new, requested("2026-03-02T16:40:00Z"), later, Self.moved).found() == [])
        // In Tokyo it was told at 09:00Z.
        let told = job("2026-03-02T09:00:00Z", Self.today)
        #expect(
            try History(
                enrolled("Asia/Tokyo"), told, requested("2026-03-02T15:00:00Z"), shifted(gathering, 3), Self.moved
            )
            .found() == [])
    }

    private func shifted(_ step: Step, _ seq: Int) -> Step {
        var step = step
        step.data = step.data.replacing("#2", with: "#\(seq)")
        return step
    }

    @Test(arguments: [("2026-03-03T11:59:59.999Z", ["raised 5"]), ("2026-03-03T12:00:00.000Z", [])])
    func `nobody is told of being back within a day`(at: String, found: [String]) throws {
        let policy = #"{"name":"travelling","kinds":[{"name":"adjusted","schedule":{"on":"travel"}}]}"#
        let there = fact("2026-03-02T12:00:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo"}"#)
        let told = dropped("2026-03-02T12:00:00Z", "anna/adjusted/#2", "no_channel")
        let back = fact(at, "timezone_changed", #"{"timezone":"Europe/Paris"}"#)
        #expect(
            try History(
                policy, enrolled("Europe/Paris"), there, told, back, dropped(at, "anna/adjusted/#4", "no_channel")
            )
            .found() == found)
    }

    @Test(arguments: [("2026-03-03T12:59:59.999Z", ["raised 7"]), ("2026-03-03T13:00:00.000Z", [])])
    func `a zone that keep took the schedule out of was left then`(at: String, found: [String]) throws {
        let policy = #"{"name":"travelling","kinds":[{"name":"adjusted","schedule":{"on":"travel"}}]}"#
        let move = { (at: String, zone: String, more: String) in
            fact(at, "timezone_changed", "{\"timezone\":\"\(zone)\"\(more)}")
        }
        let told = { (at: String, seq: Int) in dropped(at, "anna/adjusted/#\(seq)", "no_channel") }
        #expect(
            try History(
                policy, enrolled("Europe/Paris"), move("2026-03-02T12:00:00Z", "Asia/Tokyo", ""),
                told("2026-03-02T12:00:00Z", 2), move("2026-03-02T13:00:00Z", "Asia/Tokyo", #","keep":true"#),
                move("2026-03-02T14:00:00Z", "Asia/Dubai", ""), told("2026-03-02T14:00:00Z", 5),
                move(at, "Asia/Tokyo", ""), told(at, 7)
            )
            .found() == (found.isEmpty ? [] : ["raised 8"]))
    }

    /// 06:30Z is 15:30 in Tokyo and 07:30 in Paris, where it is quiet.
    @Test func `keep takes the schedule back to the zone before, once`() throws {
        let there = fact("2026-03-02T12:00:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo"}"#)
        let keep = fact("2026-03-02T13:00:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo","keep":true}"#)
        let other = fact("2026-03-02T13:00:00Z", "timezone_changed", #"{"timezone":"Asia/Seoul","keep":true}"#)
        let found = { (facts: [Step]) in
            let request = requested("2026-03-03T06:30:00Z", "alert")
            let sent = job("2026-03-03T06:30:00Z", "anna/alert/#\(facts.count + 2)", "high")
            return try History(Policies.standard, [enrolled("Europe/Paris")] + facts + [request, sent]).found()
        }
        #expect(try found([there]) == [])
        #expect(try found([there, other]) == [])
        #expect(try found([there, keep]) == ["quiet_hours 5"])
    }

    @Test func `a slot that is missed there supersedes nothing`() throws {
        let monday = "anna/check_in/2026-03-02T09:00"
        let moved = fact("2026-03-03T07:30:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo"}"#)
        let found = { (decisions: [Step]) in
            try History(
                Policies.standard,
                [
                    enrolled("Europe/Paris"), wants(#"{"schedule":{"sat":[["09:00","12:00"]]}}"#),
                    held("2026-03-02T08:00:00Z", monday, until: "2026-03-07T08:00:00Z", "outside_schedule"), moved,
                ] + decisions
            ).found()
        }
        let missed = skipped("2026-03-03T07:30:00Z", "check_in", "2026-03-03T09:00", "2026-03-03T09:00", 1)
        let gone = dropped("2026-03-03T07:30:00Z", monday, "superseded")
        #expect(try found([missed]) == [])
        #expect(try found([gone, missed]) == ["superseded 5"])
    }
}
