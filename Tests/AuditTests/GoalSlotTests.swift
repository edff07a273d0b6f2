import Testing

@Suite("C6, as the judge sees it")
struct GoalSlotTests {
    private static let eight = "2026-03-02T08:00:00Z"
    private static let reminder = dropped(eight, "anna/goal_reminder/goal:g1/2026-03-02T08:00", "settled")

    private func goal(_ type: String, _ more: String = "", at: String = "2026-03-01T12:00:00Z") -> Step {
        fact(at, "goal_\(type)", "{\"goal\":\"g1\"\(more)}")
    }

    private static let title = #","title":"G""#
    private static let failed = #","outcome":"failed""#

    private func found(_ steps: Step...) throws -> [String] { try History(Policies.busy, [enrolled()] + steps).found() }

    @Test func `a slot is about a goal that is under way`() throws {
        let (start, end) = (goal("started", Self.title), goal("ended", Self.failed))
        #expect(try found(start, Self.reminder) == [])
        #expect(try found(Self.reminder) == ["goal_slots 2"])
        #expect(try found(goal("changed", Self.title), Self.reminder) == ["goal_slots 3"])
        #expect(try found(start, end, Self.reminder) == ["goal_slots 4"])
        #expect(try found(start, end, start, Self.reminder) == [])
        let other = fact("2026-03-01T12:00:00Z", "goal_ended", #"{"goal":"g2","outcome":"failed"}"#)
        #expect(try found(start, other, Self.reminder) == [])
        let ofNothing = dropped(Self.eight, "anna/goal_reminder/2026-03-02T08:00", "settled")
        #expect(try found(start, ofNothing) == ["goal_slots 3"])
    }

    /// T10: what is due at an instant is decided before a fact of that instant.
    @Test func `a goal may end when its slot has come`() throws {
        let (start, end) = (goal("started", Self.title), goal("ended", Self.failed, at: Self.eight))
        #expect(try found(start, Self.reminder, end) == [])
        #expect(try found(start, end, Self.reminder) == ["goal_slots 4"])
        // What waits was raised before.
        let hold = held(
            "2026-03-02T07:00:00Z", "anna/goal_reminder/goal:g1/2026-03-02T07:00", until: "2026-03-02T08:00:00Z")
        let gone = dropped(Self.eight, "anna/goal_reminder/goal:g1/2026-03-02T07:00", "settled")
        #expect(try found(start, hold, end, gone) == [])
    }

    @Test func `repeats of a reminder are at any time`() throws {
        let start = goal("started", Self.title + #","deadline":"2026-03-02T15:30:00Z""#)
        for time in ["10:00", "12:30", "14:30"] {
            let again = dropped("2026-03-02T\(time):00Z", "anna/goal_reminder/goal:g1/2026-03-02T\(time)", "settled")
            #expect(try found(start, again) == [])
        }
    }

    // MARK: Deadlines

    /// A day and an hour before the deadline, and at it.
    private static let warning = """
        {"name":"warnings","kinds":[
            {"name":"warning","schedule":{"on":"deadline","offsets":[
                {"minutes":1440,"subtype":"day"},{"minutes":60,"subtype":"hour"}]}},
            {"name":"late","raised_by":[{"on":"goal_overdue"}]}]}
        """

    private func warned(_ slot: String, kind: String = "warning", zone: String = "UTC", _ facts: Step...) throws
        -> [String]
    {
        let start = goal("started", Self.title + #","deadline":"2026-03-03T12:00:30Z""#)
        let at = "2026-03-\(slot):30Z"
        let drop = dropped(at, "anna/\(kind)/goal:g1/2026-03-\(slot)", "no_channel")
        return try History(Self.warning, [enrolled(zone), start] + facts + [drop]).found()
    }

    @Test func `a warning is as long before the deadline as its kind says`() throws {
        #expect(try warned("02T12:00") == [])
        #expect(try warned("03T11:00") == [])
        #expect(try warned("03T03:00") == ["goal_slots 3"])
        #expect(try warned("03T10:59") == ["goal_slots 3"])
        #expect(try warned("03T12:00", kind: "late") == [])
        #expect(try warned("03T12:01", kind: "late") == ["goal_slots 3"])
    }

    @Test func `a deadline that moves takes its warnings along`() throws {
        let moved = goal("changed", #","deadline":"2026-03-04T12:00:30Z""#)
        #expect(try warned("03T12:00", moved) == [])
        #expect(try warned("02T12:00", moved) == ["goal_slots 4"])
        // Started again without one, it has none.
        #expect(try warned("02T12:00", goal("started", Self.title)) == ["goal_slots 4"])
    }

    /// T8: in Beirut it is 23:23 twice that night. Whoever has travelled since is told of the warning that was due there.
    @Test(arguments: [("2025-10-25T23:23", []), ("2025-10-26T06:23", ["names 5"])])
    func `a warning that waited is for what the clock showed where it was due`(slot: String, found: [String]) throws {
        let name = "anna/warning/goal:g1/2025-10-25T21:23Z"
        let hold = held("2025-10-25T21:23:30Z", name, until: "2025-10-26T06:00:00Z")
        let travels = fact("2025-10-25T22:00:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo"}"#)
        let start = fact(
            "2025-10-25T10:00:00Z", "goal_started", #"{"goal":"g1","title":"G","deadline":"2025-10-26T21:23:30Z"}"#)
        let goes = job("2025-10-26T00:00:00Z", name, more: ",\"slot\":\"\(slot)\"")
        let all = try History(
            Self.warning, [enrolled("Asia/Beirut", at: "2025-10-25T09:00:00Z"), start, hold, travels, goes]
        ).found()
        #expect(all.filter { $0.hasPrefix("names") } == found, "\(all)")
    }

    @Test func `in a zone that is not known the hour is not`() throws {
        #expect(try warned("03T03:00", zone: "Mars/Olympus") == [])
    }

    @Test func `a kind that names no offsets is believed`() throws {
        let policy = #"{"name":"p","kinds":[{"name":"warning","schedule":{"on":"deadline"}}]}"#
        let start = goal("started", Self.title + #","deadline":"2026-03-03T12:00:00Z""#)
        let drop = dropped("2026-03-02T03:00:00Z", "anna/warning/goal:g1/2026-03-02T03:00", "no_channel")
        #expect(try History(policy, enrolled(), start, drop).found() == [])
    }
}
