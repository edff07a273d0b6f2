import Testing

/// No job gives itself a priority that its notice does not have, to come through quiet hours.
@Suite("§15, A5 and A6, as the judge sees them")
struct PressingTests {
    private static let night = "2026-03-03T03:00:00Z"

    private func goal(deadline: String) -> Step {
        fact(
            "2026-03-01T12:00:00Z", "goal_started", "{\"goal\":\"g1\",\"title\":\"G\",\"deadline\":\"\(deadline)\"}")
    }

    @Test func `a goal's reminder is as pressing as its kind`() throws {
        func found(_ kind: String, _ priority: String, at time: String) throws -> [String] {
            let policy = """
                {"name":"p","daily_cap":null,"cooldown_minutes":0,
                 "kinds":[{"name":"goal_reminder","priority":"\(kind)","schedule":{"on":"goal","at":"08:00"}}]}
                """
            let name = "anna/goal_reminder/goal:g1/2026-03-02T\(time)"
            let reminder = job("2026-03-02T\(time):00Z", name, priority)
            return try History(policy, enrolled(), goal(deadline: "2026-04-01T12:00:00Z"), reminder).found()
        }
        #expect(try found("high", "high", at: "08:00") == [])
        #expect(try found("high", "critical", at: "08:00") == ["carried 3"])
        #expect(try found("high", "critical", at: "07:00") == ["quiet_hours 3", "carried 3"])
        #expect(try found("critical", "critical", at: "07:00") == [])
    }

    // MARK: Warnings

    private func warned(
        _ priority: String, deadline: String, _ more: String = "", zone: String = "UTC", then: [Step] = [],
        at: String = night
    ) throws -> [String] {
        let policy = """
            {"name":"p","daily_cap":null,"cooldown_minutes":0,"kinds":[
                {"name":"warning","priority":"high","schedule":{"on":"deadline","offsets":[
                    {"minutes":1440,"subtype":"day"},{"minutes":60,"subtype":"hour"}]\(more)}}]}
            """
        let warning = job(at, "anna/warning/goal:g1/2026-03-03T03:00", priority)
        return try History(policy, [enrolled(zone), goal(deadline: deadline)] + then + [warning]).found()
    }

    private static let (anHour, aDay) = ("2026-03-03T04:00:00Z", "2026-03-04T03:00:00Z")

    @Test func `a warning is critical when the deadline is near`() throws {
        #expect(try warned("critical", deadline: Self.anHour) == [])
        #expect(try warned("critical", deadline: Self.aDay) == ["quiet_hours 3", "carried 3"])
        #expect(try warned("high", deadline: Self.aDay) == ["quiet_hours 3"])
        #expect(try warned("critical", deadline: Self.aDay, #","critical_minutes":1440"#) == [])
        let nearer = try warned("critical", deadline: Self.anHour, #","critical_minutes":59"#)
        #expect(nearer == ["quiet_hours 3", "carried 3"])
    }

    /// A run has brought it forward.
    @Test func `and is not before its time`() throws {
        let early = "2026-03-03T02:59:00Z"
        let before = try warned("critical", deadline: Self.anHour, at: early)
        #expect(before.contains("quiet_hours 3") && before.contains("carried 3"), "\(before)")
        let inItsMinute = try warned("critical", deadline: "2026-03-03T04:00:59Z", at: "2026-03-03T03:00:59Z")
        #expect(inItsMinute == [], "\(inItsMinute)")
    }

    /// P8: it is held for as long as it takes, and keeps the priority it was raised with.
    @Test func `it stays as pressing as it was, whatever becomes of the deadline`() throws {
        let hold = held(Self.night, "anna/warning/goal:g1/2026-03-03T03:00", until: "2026-03-03T08:00:00Z")
        let moved = fact("2026-03-03T07:00:00Z", "goal_changed", #"{"goal":"g1","deadline":"2026-03-03T09:00:00Z"}"#)
        let morning = "2026-03-03T08:00:00Z"
        #expect(try warned("high", deadline: Self.aDay, then: [hold, moved], at: morning) == [])
        #expect(try warned("critical", deadline: Self.aDay, then: [hold, moved], at: morning) == ["carried 5"])
    }

    @Test func `raised where nobody knows what hour it is, it is believed`() throws {
        let hold = held(Self.night, "anna/warning/goal:g1/2026-03-03T03:00", until: "2026-03-04T03:00:00Z")
        let landed = fact("2026-03-03T03:10:00Z", "timezone_changed", #"{"timezone":"UTC"}"#)
        #expect(
            try warned(
                "critical", deadline: Self.aDay, zone: "Mars/Olympus", then: [hold, landed], at: "2026-03-03T03:10:00Z")
                == [])
    }

    // MARK: Messages

    private func message(_ more: String = "", conversation: String = "c1") -> Step {
        fact(Self.night, "message_received", "{\"conversation\":\"\(conversation)\",\"message\":\"m1\"\(more)}")
    }

    private func told(_ priority: String, _ number: Int) -> Step {
        job(Self.night, "anna/message/conversation:c1/#\(number)", priority)
    }

    private static let mention = #","mentions_user":true"#

    @Test func `a message is high where it mentions them or holds a keyword`() throws {
        func found(_ more: String, _ priority: String) throws -> [String] {
            try History(Policies.chatty, enrolled(), message(more), told(priority, 2)).found()
        }
        #expect(try found(Self.mention, "high") == [])
        #expect(try found(#","keywords":["urgent"],"length":9"#, "high") == [])
        #expect(try found(Self.mention, "critical") == ["carried 3"])
        #expect(try found("", "high") == ["quiet_hours 3", "carried 3"])
        #expect(try found(#","mentions_user":false,"keywords":[]"#, "high") == ["quiet_hours 3", "carried 3"])
    }

    @Test func `its notice is named after it`() throws {
        let (own, other) = (message(Self.mention), message(Self.mention, conversation: "c2"))
        #expect(try History(Policies.chatty, enrolled(), own, told("high", 1)).found() == ["raised 3"])
        #expect(try History(Policies.chatty, enrolled(), other, told("high", 2)).found() == ["raised 3"])
        // Each raises one.
        let two = [enrolled(), own, message(), told("high", 2), told("medium", 3)]
        #expect(try History(Policies.chatty, two).found() == ["quiet_hours 5"])
    }

    /// A conversation of somebody who opted in, and what was concluded of it.
    private func analysed(
        _ conclusion: String, _ priority: String, _ number: Int = 4, _ facts: Step...
    ) throws -> [String] {
        let policy = Policies.chatty.replacing(#""chatty","#, with: #""chatty","smart_messages":true,"#)
        let consent = fact("2026-03-01T12:00:00Z", "consent_given", #"{"by":"user"}"#)
        let concluded = fact(
            Self.night, "analysis_concluded", "{\"conversation\":\"c1\",\"reason\":\"r\",\(conclusion)}")
        return try History(
            policy, [enrolled(), consent] + facts + [message(), concluded, told(priority, number)]
        ).found()
    }

    @Test func `an analysis says how pressing it is`() throws {
        let high = #""source":"ai","notify":true,"priority":"high""#
        let medium = #""source":"ai","notify":true,"priority":"medium""#
        #expect(try analysed(high, "high") == [])
        #expect(try analysed(medium, "high") == ["quiet_hours 5", "carried 5"])
        #expect(try analysed(#""source":"simple_rules","notify":true,"priority":"high""#, "high") == [])
        #expect(try analysed(#""source":"ai","notify":false,"priority":"high""#, "high") == ["raised 5"])
        // The messages themselves are not kept: a notice of theirs is believed.
        #expect(try analysed(medium, "high", 3) == [])
    }

    @Test func `who has opted out is told of each again`() throws {
        let out = wants(#"{"enabled":false}"#)
        let medium = #""source":"notify_all","notify":true,"priority":"medium""#
        #expect(try analysed(medium, "high", 4, out) == ["quiet_hours 6", "carried 6"])
        #expect(try analysed(medium, "high", 5, out) == ["quiet_hours 6", "carried 6"])
    }
}
