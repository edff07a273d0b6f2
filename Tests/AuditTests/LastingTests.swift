import Testing

@Suite("P1, P2, P9 and P10, as the judge sees them")
struct LastingTests {
    @Test(arguments: [("11:59:59.999", true), ("12:00:00.000", false), ("12:00:00.001", false)])
    func `nothing goes out once it has expired`(time: String, isClean: Bool) throws {
        let at = "2026-03-02T\(time)Z"
        let history = { (kind: String, priority: String) in
            try History(
                enrolled(), requested("2026-03-02T08:00:00Z", kind, #","expires_at":"2026-03-02T12:00:00Z""#),
                job(at, "anna/\(kind)/#2", priority)
            ).found()
        }
        #expect(try history("reminder", "medium") == (isClean ? [] : ["expired 3"]))
        #expect(try history("urgent", "critical") == (isClean ? [] : ["expired 3"]))
    }

    private static let slot = "2026-03-02T08:00:00Z"
    private static let reminder = "anna/goal_reminder/goal:g1/2026-03-02T08:00"

    private func reminded(_ facts: Step..., at: String = slot, zone: String = "UTC") throws -> [String] {
        let start = fact("2026-02-01T12:00:00Z", "goal_started", #"{"goal":"g1","title":"G"}"#)
        var steps = [enrolled(zone, at: "2026-02-01T12:00:00Z"), start] + facts
        steps.append(job(at, Self.reminder))
        return try History(Policies.busy, steps).found()
    }

    @Test func `a goal that ended is spoken of no more`() throws {
        let ended = fact("2026-03-01T12:00:00Z", "goal_ended", #"{"goal":"g1","outcome":"completed"}"#)
        let again = fact("2026-03-01T13:00:00Z", "goal_started", #"{"goal":"g1","title":"G"}"#)
        let other = fact("2026-03-01T12:00:00Z", "goal_ended", #"{"goal":"g2","outcome":"failed"}"#)
        #expect(try reminded() == [])
        #expect(try reminded(ended) == ["goal_slots 4", "settled 4"])
        #expect(try reminded(other) == [])
        #expect(try reminded(ended, again) == [])
    }

    @Test func `what was asked for after the end is about the end`() throws {
        let ended = fact("2026-03-02T12:00:00Z", "goal_ended", #"{"goal":"g1","outcome":"completed"}"#)
        let asked = requested("2026-03-02T12:00:00Z", "note", #","subject":"goal:g1""#)
        let at = "2026-03-02T12:00:00Z"
        #expect(
            try History(Policies.busy, enrolled(), ended, asked, job(at, "anna/note/goal:g1/#3")).found() == [])
        #expect(
            try History(Policies.busy, enrolled(), asked, ended, job(at, "anna/note/goal:g1/#2")).found()
                == ["settled 4"])
    }

    @Test func `what was about a goal that ended is not about the next of its name`() throws {
        let asked = requested("2026-03-02T12:00:00Z", "note", #","subject":"goal:g1""#)
        let ended = fact("2026-03-02T12:30:00Z", "goal_ended", #"{"goal":"g1","outcome":"completed"}"#)
        let again = fact("2026-03-02T12:31:00Z", "goal_started", #"{"goal":"g1","title":"G"}"#)
        let late = job("2026-03-02T13:00:00Z", "anna/note/goal:g1/#2")
        let found = try History(Policies.busy, enrolled(), asked, ended, again, late).found()
        #expect(found.contains("settled 5"), "\(found)")
        let next = try History(Policies.busy, enrolled(), ended, again, asked, late).found()
        #expect(!next.contains { $0.hasPrefix("settled") }, "\(next)")
    }

    @Test func `a goal checked in on the notice's own day needs no reminder`() throws {
        let checkedIn = { (at: String, goal: String) in fact(at, "checked_in", "{\"goal\":\"\(goal)\"}") }
        #expect(try reminded(checkedIn("2026-03-02T00:00:00.000Z", "g1")) == ["settled 4"])
        #expect(try reminded(checkedIn("2026-03-01T23:59:59.999Z", "g1")) == [])
        #expect(try reminded(checkedIn("2026-03-02T07:00:00Z", "g2")) == [])
    }

    @Test func `a notice's own day is the one it had where it was raised`() throws {
        let policy = #"{"name":"p","kinds":[{"name":"lesson","schedule":{"on":"goal"}}]}"#
        let found = { (checkIn: String) in
            try History(
                policy, enrolled("Pacific/Auckland"),
                held(
                    "2026-03-01T19:00:00.000Z", "anna/lesson/goal:g1/2026-03-02T08:00",
                    until: "2026-03-03T19:00:00.000Z",
                    "daily_cap"),
                fact("2026-03-01T20:00:00.000Z", "timezone_changed", #"{"timezone":"Pacific/Honolulu"}"#),
                fact(checkIn, "checked_in", #"{"goal":"g1"}"#),
                job("2026-03-03T19:00:00.000Z", "anna/lesson/goal:g1/2026-03-02T08:00")
            ).found().filter { $0.hasPrefix("settled") }
        }
        // Monday in Auckland, Monday in Honolulu, neither.
        #expect(try found("2026-03-01T21:00:00.000Z") == ["settled 5"])
        #expect(try found("2026-03-02T20:00:00.000Z") == ["settled 5"])
        #expect(try found("2026-03-03T10:00:00.000Z") == [])
    }

    @Test func `a check-in is settled by a session or check-in since its day began`() throws {
        let found = { (done: Step) in
            try History(
                enrolled("Europe/Paris"), done, job("2026-03-02T08:00:00Z", "anna/check_in/2026-03-02T09:00")
            ).found()
        }
        // The day began in Paris at 23:00Z.
        #expect(try found(fact("2026-03-01T22:59:59.999Z", "session_completed")) == [])
        #expect(try found(fact("2026-03-01T23:00:00.000Z", "session_completed")) == ["settled 3"])
        #expect(try found(fact("2026-03-01T22:59:59.999Z", "checked_in", #"{"goal":"g1"}"#)) == [])
        #expect(try found(fact("2026-03-01T23:00:00.000Z", "checked_in", #"{"goal":"g1"}"#)) == ["settled 3"])
    }

    @Test(arguments: [
        ("2026-03-02T08:59:59.999Z", false), ("2026-03-02T09:00:00.000Z", true), ("2026-03-02T16:59:59.999Z", true),
        ("2026-03-02T17:00:00.000Z", false), ("2026-03-03T10:00:00.000Z", false), ("2026-03-06T21:30:00Z", true),
    ]) func `nothing goes out outside a weekly schedule`(at: String, isClean: Bool) throws {
        let schedule =
            #"{"quiet_hours":{"enabled":false},"schedule":{"mon":[["09:00","17:00"]],"fri":[["21:00","01:00"]]}}"#
        let found = { (kind: String, priority: String) in
            try History(
                enrolled(), wants(schedule), requested(at, kind), job(at, "anna/\(kind)/#3", priority)
            ).found()
        }
        #expect(try found("alert", "high") == (isClean ? [] : ["schedule 4"]))
        #expect(try found("urgent", "critical") == [])
    }

    @Test func `a slot of the schedule may run into the next day`() throws {
        let schedule = wants(#"{"quiet_hours":{"enabled":false},"schedule":{"fri":[["21:00","01:00"]]}}"#)
        let found = { (at: String) in
            try History(enrolled(), schedule, requested(at, "alert"), job(at, "anna/alert/#3")).found()
        }
        #expect(try found("2026-03-07T00:59:59.999Z") == [])
        #expect(try found("2026-03-07T01:00:00.000Z") == ["schedule 4"])
        #expect(try found("2026-03-06T00:30:00.000Z") == ["schedule 4"])
    }

    @Test func `in digest mode what can be gathered does not go out by itself`() throws {
        let noon = "2026-03-02T12:00:00Z"
        let found = { (kind: String) in
            try History(
                enrolled(), wants(#"{"digest_mode":true}"#), requested(noon, kind), job(noon, "anna/\(kind)/#3")
            ).found()
        }
        #expect(try found("reminder") == ["digest_mode 4"])
        #expect(try found("alert") == [])
    }
}
