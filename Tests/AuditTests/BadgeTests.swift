import Testing

@Suite("D8, as the judge sees it")
struct BadgeTests {
    private static let policy = """
        {"name":"badges","daily_cap":99,"cooldown_minutes":0,"preferences":{"check_ins_enabled":false},"kinds":[
            {"name":"note","on_request":true,"digestible":true},
            {"name":"day","digest":"daily","schedule":{"on":"daily","at":"18:00"}}]}
        """

    private func found(_ steps: Step...) throws -> [String] {
        try History(Self.policy, [enrolled()] + steps).found()
    }

    private func asked(_ time: String, day: String = "02") -> Step { requested("2026-03-\(day)T\(time)Z", "note") }

    private func sent(_ number: Int, _ time: String, badge: Int, day: String = "02") -> Step {
        job("2026-03-\(day)T\(time)Z", "anna/note/#\(number)", more: #","badge":\#(badge)"#)
    }

    @Test func `a badge counts the notices that were not looked at`() throws {
        let (first, second) = (asked("09:00:00"), asked("10:00:00"))
        #expect(try found(first, sent(2, "09:00:00", badge: 1), second, sent(4, "10:00:00", badge: 2)) == [])
        #expect(try found(first, sent(2, "09:00:00", badge: 1), second, sent(4, "10:00:00", badge: 1)) == ["badge 5"])
        #expect(try found(first, sent(2, "09:00:00", badge: 0)) == ["badge 3"])
    }

    @Test(arguments: [
        ("notice_opened", #"{"job":"anna/note/#2"}"#), ("notice_dismissed", #"{"job":"anna/note/#2"}"#),
        ("feed_seen", "{}"), ("history_cleared", "{}"),
    ])
    func `what was looked at counts no more`(type: String, data: String) throws {
        let seen = fact("2026-03-02T09:30:00Z", type, data)
        let before = (asked("09:00:00"), sent(2, "09:00:00", badge: 1))
        #expect(try found(before.0, before.1, seen, asked("10:00:00"), sent(5, "10:00:00", badge: 1)) == [])
        #expect(
            try found(before.0, before.1, seen, asked("10:00:00"), sent(5, "10:00:00", badge: 2)) == ["badge 6"])
    }

    @Test func `seven days are counted, and not a millisecond more`() throws {
        let first = (asked("09:00:00"), sent(2, "09:00:00", badge: 1))
        let within = "09:00:00", just = "08:59:59.999"
        #expect(try found(first.0, first.1, asked(within, day: "09"), sent(4, within, badge: 1, day: "09")) == [])
        #expect(try found(first.0, first.1, asked(just, day: "09"), sent(4, just, badge: 2, day: "09")) == [])
        #expect(
            try found(first.0, first.1, asked(just, day: "09"), sent(4, just, badge: 1, day: "09")) == ["badge 5"])
    }

    @Test func `a digest counts for what it lists`() throws {
        let wish = wants(#"{"digest_mode":true}"#)
        let day = "anna/day/2026-03-02T18:00"
        let waiting = [
            asked("09:00:00"), gathered("2026-03-02T09:00:00Z", "anna/note/#3", into: day, "digest_mode"),
            asked("10:00:00"), gathered("2026-03-02T10:00:00Z", "anna/note/#5", into: day, "digest_mode"),
        ]
        func digest(badge: Int) -> Step {
            job(
                "2026-03-02T18:00:00Z", day, notices: [day, "anna/note/#3", "anna/note/#5"],
                more: #","badge":\#(badge)"#)
        }
        let history = { (badge: Int) in
            try History(Self.policy, [enrolled(), wish] + waiting + [digest(badge: badge)]).found()
        }
        #expect(try history(2) == [])
        #expect(try history(3) == ["badge 7"])
        // What comes again stands for as many, whether or not they were looked at meanwhile.
        let again = { (badge: Int) in
            [
                fact("2026-03-02T18:10:00Z", "feed_seen"),
                fact("2026-03-02T18:15:00Z", "notice_snoozed", "{\"job\":\"\(day)\",\"minutes\":15}"),
                job("2026-03-02T18:30:00Z", day + "~1", notices: [day + "~1"], more: #","badge":\#(badge)"#),
            ]
        }
        let repeated = { (badge: Int) in
            try History(Self.policy, [enrolled(), wish] + waiting + [digest(badge: 2)] + again(badge)).found()
        }
        #expect(try repeated(2) == [])
        #expect(try repeated(1) == ["badge 10"])
    }
}
