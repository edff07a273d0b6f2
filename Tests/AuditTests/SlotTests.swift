import Testing

@Suite("T8, C4 and C5, as the judge sees them")
struct SlotTests {
    private static let slot = "anna/check_in/2026-03-02T09:00"

    @Test func `a slot fires once, ever`() throws {
        let checkIn = job("2026-03-02T09:00:00Z", Self.slot)
        #expect(try History(enrolled(), checkIn).found() == [])
        let again = job("2026-03-02T11:00:00Z", Self.slot)
        #expect(try History(enrolled(), checkIn, again).found() == ["job_ids 3", "endings 3"])
    }

    @Test func `a deadline's slot is due at its second, however strict the policy is`() throws {
        let policy =
            #"{"name":"strict","catch_up_minutes":0,"kinds":[{"name":"late","raised_by":[{"on":"goal_overdue"}]}]}"#
        let goal = fact(
            "2026-03-02T09:00:00Z", "goal_started", #"{"goal":"g","title":"G","deadline":"2026-03-02T12:00:01Z"}"#)
        let found = { (at: String) in
            try History(policy, enrolled(), goal, job(at, "anna/late/goal:g/2026-03-02T12:00")).found()
        }
        #expect(try found("2026-03-02T12:00:01Z") == [])
        #expect(try found("2026-03-02T12:00:00.999Z") == ["slot_times 3"])
        #expect(try found("2026-03-02T12:00:01.001Z") == ["slot_times 3"])
    }

    @Test func `however long ago it fired`() throws {
        let policy = #"{"name":"warnings","kinds":[{"name":"warning","schedule":{"on":"deadline"}}]}"#
        let goal = fact(
            "2026-06-01T12:00:00Z", "goal_started", #"{"goal":"g1","title":"G","deadline":"2026-12-30T12:00:00Z"}"#)
        let run = fact("2026-06-14T12:00:00Z", "run_requested", #"{"kind":"warning"}"#)
        let name = "anna/warning/goal:g1/2026-12-29T12:00"
        let first = job("2026-06-14T12:00:00Z", name)
        #expect(try History(policy, enrolled(), goal, run, first).found() == [])
        let again = job("2026-12-29T12:00:00Z", name)
        #expect(try History(policy, enrolled(), goal, run, first, again).found() == ["job_ids 5", "endings 5"])
        // Not the same job, but the same slot.
        let skip = skipped("2026-12-29T17:00:00Z", "daily_digest", "2026-12-29T18:00", "2026-12-29T18:00", 1)
        let early = job("2026-06-14T12:00:00Z", "anna/daily_digest/2026-12-29T18:00")
        let digestRun = fact("2026-06-14T12:00:00Z", "run_requested", #"{"kind":"daily_digest"}"#)
        #expect(try History(enrolled(), digestRun, early, skip).found() == ["slots 4"])
    }

    @Test func `what hangs on a deadline is the instant it was due at`() throws {
        let policy = #"{"name":"warnings","kinds":[{"name":"warning","schedule":{"on":"deadline"}}]}"#
        let goal = fact(
            "2026-03-01T12:00:00Z", "goal_started", #"{"goal":"g1","title":"G","deadline":"2026-03-03T20:00:00Z"}"#)
        let moved = fact("2026-03-03T16:00:00Z", "timezone_changed", #"{"timezone":"America/La_Paz"}"#)
        let first = job("2026-03-03T14:00:00Z", "anna/warning/goal:g1/2026-03-03T15:00")
        let found = { (at: String, slot: String) in
            try History(
                policy, enrolled("Europe/Paris"), goal, first, moved, job(at, "anna/warning/goal:g1/\(slot)")
            ).found()
        }
        // Another that comes at the same local time elsewhere is another.
        #expect(try found("2026-03-03T19:00:00Z", "2026-03-03T19:00Z") == [])
        #expect(try found("2026-03-03T18:59:59.999Z", "2026-03-03T19:00Z") == ["slot_times 5"])
        // The same one, as clocks show it there, and as none does.
        #expect(try found("2026-03-03T16:00:00Z", "2026-03-03T10:00") == ["slots 5"])
        #expect(try found("2026-03-03T16:00:00Z", "2026-03-03T14:00Z") == ["slots 5"])
    }

    @Test func `one that is skipped by its instant stands alone and is used up`() throws {
        let skip = { (last: String, count: Int) in
            try History(
                enrolled(), skipped("2026-03-20T14:00:00Z", "check_in", "2026-03-02T09:00Z", last, count),
                skipped("2026-03-20T14:00:00Z", "check_in", "2026-03-02T09:00Z", "2026-03-02T09:00Z", 1)
            ).found()
        }
        #expect(try skip("2026-03-02T09:00Z", 1) == ["slots 3"])
        #expect(try skip("2026-03-02T10:00Z", 2) == ["skips 2", "slots 3"])
    }

    @Test func `a cadence has one slot a day, whatever its time`() throws {
        let first = job("2026-03-02T09:00:00Z", Self.slot)
        let later = wants(#"{"check_in_time":"11:00"}"#, at: "2026-03-02T10:00:00Z")
        let second = job("2026-03-02T11:00:00Z", "anna/check_in/2026-03-02T11:00")
        #expect(try History(enrolled(), first, later, second).found() == ["slots 4"])
        // Other kinds are told apart by their time.
        let evening = Policies.standard.replacing("18:00", with: "19:00").split(separator: "\n").joined(separator: " ")
        let moved = fact("2026-03-02T18:30:00Z", "policy_adopted", "{\"policy\":\(evening)}").about(nil)
        let digest = { (time: String) in job("2026-03-02T\(time):00Z", "anna/daily_digest/2026-03-02T\(time)") }
        #expect(try History(enrolled(), digest("18:00"), moved, digest("19:00")).found() == [])
    }

    @Test func `travel cannot repeat a slot`() throws {
        let first = job("2026-03-02T00:00:00Z", Self.slot)
        let moved = fact("2026-03-02T10:00:00Z", "timezone_changed", #"{"timezone":"America/New_York"}"#)
        let again = dropped("2026-03-02T14:00:00Z", Self.slot, "settled")
        #expect(try History(enrolled("Asia/Tokyo"), first, moved, again).found() == ["endings 4"])
    }

    @Test func `a slot that was skipped does not fire`() throws {
        let skip = skipped("2026-03-06T14:00:00Z", "check_in", "2026-03-02T09:00", "2026-03-06T09:00", 3)
        let found = { (day: String) in
            try History(
                enrolled(), skip, dropped("2026-03-06T14:00:00Z", "anna/check_in/\(day)T09:00", "settled")
            ).found().map { String($0.split(separator: " ")[0]) }
        }
        #expect(try History(enrolled(), skip).found() == [])
        #expect(try found("2026-03-02").contains("slots"))
        #expect(try found("2026-03-04").contains("slots"))
        #expect(try found("2026-03-06").contains("slots"))
        #expect(try found("2026-03-05").contains("slots") == false)
        #expect(try History(enrolled(), skip, skip).found() == ["slots 3", "slots 3", "slots 3"])
    }

    @Test func `a slot that fired is not skipped`() throws {
        let fired = job("2026-03-02T09:00:00Z", Self.slot)
        let skip = skipped(
            "2026-03-02T09:00:00Z", "check_in", "2026-03-02T09:00", "2026-03-02T09:00", 1, "already_active_today")
        #expect(try History(enrolled(), fired, skip).found() == ["slots 3"])
    }

    @Test func `skipped slots are counted in order`() throws {
        let found = { (first: String, last: String, count: Int) in
            try History(enrolled(), skipped("2026-03-20T14:00:00Z", "check_in", first, last, count)).found()
        }
        #expect(try found("2026-03-02T09:00", "2026-03-02T09:00", 1) == [])
        #expect(try found("2026-03-04T09:00", "2026-03-02T09:00", 2) == ["skips 2"])
        #expect(try found("2026-03-02T09:00", "2026-03-04T09:00", 1) == ["skips 2"])
        #expect(try found("2026-03-02T09:00", "2026-03-04T09:00", 4) == ["skips 2"])
        #expect(
            try History(
                enrolled(),
                skipped("2026-03-20T14:00:00Z", "check_in", "2026-03-02T09:00", "2026-03-02T09:00", 1, "cooldown")
            ).found() == ["words 2"])
    }

    @Test(arguments: [
        ("2026-03-02T08:59:59.999Z", false), ("2026-03-02T09:00:00.000Z", true), ("2026-03-02T13:00:00.000Z", true),
        ("2026-03-02T13:00:00.001Z", false),
    ]) func `a slot fires at its time or at most four hours late`(at: String, isClean: Bool) throws {
        #expect(try History(enrolled(), job(at, Self.slot)).found() == (isClean ? [] : ["slot_times 2"]))
        let run = fact(at, "run_requested", #"{"kind":"check_in"}"#).about(nil)
        #expect(try History(enrolled(), run, job(at, Self.slot)).found() == [])
    }

    @Test func `a slot in the gap comes after it, one that comes twice comes first`() throws {
        let found = { (at: String, slot: String) in
            try History(
                enrolled("Europe/Paris"),
                wants(#"{"quiet_hours":{"enabled":false},"check_in_time":"02:30","frequency":"daily"}"#),
                job(at, "anna/check_in/\(slot)")
            ).found()
        }
        #expect(try found("2026-03-29T01:00:00.000Z", "2026-03-29T02:30") == [])
        #expect(try found("2026-03-29T00:59:59.999Z", "2026-03-29T02:30") == ["slot_times 3"])
        #expect(try found("2026-10-25T00:30:00.000Z", "2026-10-25T02:30") == [])
        #expect(try found("2026-10-25T00:29:59.999Z", "2026-10-25T02:30") == ["slot_times 3"])
    }

    @Test func `slots near by may be pulled into a bundle`() throws {
        let names = ["anna/lesson/goal:g1/2026-03-02T09:00", "anna/lesson/goal:g2/2026-03-02T09:15"]
        let policy = { (bundling: Bool) in
            """
            {"name":"p","kinds":[{"name":"lesson","schedule":{"on":"goal"},"bundling":\(bundling)}]}
            """
        }
        let goals = ["g1", "g2"].map {
            fact("2026-03-01T12:00:00Z", "goal_started", "{\"goal\":\"\($0)\",\"title\":\"G\"}")
        }
        let found = { (bundling: Bool, notices: [String]) in
            let bundle = job("2026-03-02T09:00:00Z", names[0], notices: notices)
            return try History(policy(bundling), [enrolled()] + goals + [bundle]).found()
        }
        #expect(try found(true, names) == [])
        #expect(try found(false, names) == ["slot_times 4", "bundles 4"])
        #expect(try found(true, [names[0], "anna/lesson/goal:g2/2026-03-02T09:16"]) == ["slot_times 4"])
    }

    @Test func `a slot does not fire while the one before it is held`() throws {
        let hours = wants(#"{"schedule":{"wed":[["10:00","12:00"]]}}"#)
        let hold = held("2026-03-02T09:00:00Z", Self.slot, until: "2026-03-04T10:00:00Z", "outside_schedule")
        let next = "anna/check_in/2026-03-04T09:00"
        let gone = dropped("2026-03-04T09:00:00Z", Self.slot, "superseded")
        let later = held("2026-03-04T09:00:00Z", next, until: "2026-03-04T10:00:00Z", "outside_schedule")
        #expect(try History(enrolled(), hours, hold, gone, later, job("2026-03-04T10:00:00Z", next)).found() == [])
        #expect(
            try History(enrolled(), hours, hold, job("2026-03-04T09:00:00Z", next)).found()
                == ["superseded 4", "schedule 4"])
    }
}
