import Testing

@Suite("P8, as the judge sees it")
struct QuietHoursTests {
    private func found(
        at: String, zone: String = "UTC", _ kind: String = "reminder", _ patch: String = "{}",
        _ more: String = "", priority: String = "medium", _ policy: String = Policies.standard,
        on channels: [String] = ["push"]
    ) throws -> [String] {
        try History(
            policy, enrolled(zone), wants(patch), requested(at, kind, more),
            job(at, "anna/\(kind)/#3", on: channels, priority)
        ).found()
    }

    @Test(arguments: [
        ("2026-03-02T21:59:59.999Z", true), ("2026-03-02T22:00:00.000Z", false), ("2026-03-03T07:59:59.999Z", false),
        ("2026-03-03T08:00:00.000Z", true),
    ]) func `the night is half-open`(at: String, isClean: Bool) throws {
        #expect(try found(at: at) == (isClean ? [] : ["quiet_hours 4"]))
    }

    @Test(arguments: [
        // The clocks go forward in Paris at 01:00Z: the night is an hour shorter.
        ("2026-03-29T05:59:59.999Z", false), ("2026-03-29T06:00:00.000Z", true),
        // And back in autumn: an hour longer.
        ("2026-10-25T06:59:59.999Z", false), ("2026-10-25T07:00:00.000Z", true),
    ]) func `the night follows the person's clock`(at: String, isClean: Bool) throws {
        #expect(try found(at: at, zone: "Europe/Paris") == (isClean ? [] : ["quiet_hours 4"]))
    }

    @Test(arguments: [
        // 01:00–02:30 in the night that has 02:00–03:00 twice ends the second time (T5).
        ("2026-10-25T01:29:59.999Z", false), ("2026-10-25T01:30:00.000Z", true),
        ("2026-10-24T22:59:59.999Z", true), ("2026-10-24T23:00:00.000Z", false),
    ]) func `an end that comes twice is the second`(at: String, isClean: Bool) throws {
        let patch = #"{"quiet_hours":{"start":"01:00","end":"02:30"}}"#
        #expect(try found(at: at, zone: "Europe/Paris", "reminder", patch) == (isClean ? [] : ["quiet_hours 4"]))
    }

    @Test(arguments: [
        // From 02:30, which is skipped: the window begins with the first instant after the gap, 01:00Z (T4).
        ("2026-03-29T00:59:59.999Z", true), ("2026-03-29T01:00:00.000Z", false),
    ]) func `a start that does not exist is the end of the gap`(at: String, isClean: Bool) throws {
        let patch = #"{"quiet_hours":{"start":"02:30","end":"06:00"}}"#
        #expect(try found(at: at, zone: "Europe/Paris", "reminder", patch) == (isClean ? [] : ["quiet_hours 4"]))
    }

    @Test(arguments: [
        ("2026-03-06T23:00:00Z", false), ("2026-03-07T07:59:59.999Z", false), ("2026-03-07T08:00:00Z", true),
        ("2026-03-07T23:00:00Z", true), ("2026-03-06T07:00:00Z", true),
    ]) func `a night belongs to the day it starts on`(at: String, isClean: Bool) throws {
        #expect(
            try found(at: at, "reminder", #"{"quiet_hours":{"days":["fri"]}}"#) == (isClean ? [] : ["quiet_hours 4"]))
    }

    @Test func `a night before a date that was skipped runs into the next there is`() throws {
        // Samoa had no 30 December 2011; it went from the 29th to the 31st at 10:00Z.
        let history = { (at: String) in
            try History(
                enrolled("Pacific/Apia", at: "2011-12-01T00:00:00Z"), requested(at), job(at, "anna/reminder/#2")
            ).found()
        }
        #expect(try history("2011-12-30T09:59:59.999Z") == ["quiet_hours 3"])
        #expect(try history("2011-12-30T17:59:59.999Z") == ["quiet_hours 3"])
        #expect(try history("2011-12-30T18:00:00.000Z") == [])
    }

    @Test func `who is exempt may be rung`() throws {
        let night = "2026-03-02T23:00:00Z"
        #expect(try found(at: night, "urgent", priority: "critical") == [])
        #expect(try found(at: night, "alert", priority: "high") == ["quiet_hours 4"])
        #expect(try found(at: night, "reminder", #"{"quiet_hours":{"exceptions":["reminder"]}}"#) == [])
        #expect(try found(at: night, "reminder", #"{"quiet_hours":{"enabled":false}}"#) == [])
        #expect(
            try found(at: night, "reminder", #"{"quiet_hours":{"exceptions":["critical"]}}"#) == ["quiet_hours 4"])
    }

    @Test func `a job is no more urgent than its notice`() throws {
        let night = "2026-03-02T23:00:00Z"
        #expect(try found(at: night, "reminder", priority: "critical") == ["quiet_hours 4", "carried 4"])
        #expect(try found(at: night, "reminder", "{}", #","priority":"critical""#, priority: "critical") == [])
    }

    @Test func `high passes where the policy says so`() throws {
        let steps = { (priority: String, mention: Bool) in
            [
                enrolled(),
                fact(
                    "2026-03-02T23:00:00Z", "message_received",
                    "{\"conversation\":\"c1\",\"message\":\"m1\",\"mentions_user\":\(mention)}"),
                job("2026-03-02T23:00:00Z", "anna/message/conversation:c1/#2", priority),
            ]
        }
        #expect(try History(Policies.chatty, steps("high", true)).found() == [])
        #expect(try History(Policies.chatty, steps("medium", false)).found() == ["quiet_hours 3"])
    }

    @Test func `locked kinds pass, and those parts of them that are not locked do not`() throws {
        let night = "2026-03-02T23:00:00Z"
        let steps = { (subtype: String) in
            [
                enrolled("UTC", #","email":"a@example.com""#),
                requested(night, "payment", #","data":{"subtype":"\#(subtype)"}"#),
                job(night, "anna/payment/#2", on: subtype == "soon" ? ["push"] : ["push", "email"]),
            ]
        }
        #expect(try History(Policies.busy, steps("failed")).found() == [])
        #expect(try History(Policies.busy, steps("soon")).found() == ["quiet_hours 3"])
    }

    @Test func `a forced run that is recorded passes, at its instant and for its kind`() throws {
        let history = { (run: String, at: String) in
            try History(
                enrolled(), requested("2026-03-02T23:00:00Z"),
                held("2026-03-02T23:00:00Z", "anna/reminder/#2", until: "2026-03-03T08:00:00Z"),
                fact("2026-03-02T23:30:00Z", "run_requested", run).about(nil),
                job(at, "anna/reminder/#2")
            ).found()
        }
        #expect(try history(#"{"force":true}"#, "2026-03-02T23:30:00Z") == [])
        #expect(try history(#"{"force":true,"user":"anna","kind":"reminder"}"#, "2026-03-02T23:30:00Z") == [])
        #expect(try history(#"{"force":true}"#, "2026-03-02T23:30:00.001Z") == ["quiet_hours 5"])
        #expect(try history(#"{"force":true,"user":"bert"}"#, "2026-03-02T23:30:00Z") == ["quiet_hours 5"])
        #expect(try history(#"{"force":true,"kind":"alert"}"#, "2026-03-02T23:30:00Z") == ["quiet_hours 5"])
        #expect(try history("{}", "2026-03-02T23:30:00Z") == ["quiet_hours 5"])
    }

    @Test func `preferences hold from the fact that records them`() throws {
        let history = { (first: Step, second: Step) in
            try History(
                enrolled(), requested("2026-03-02T21:30:00Z"), first, second
            ).found()
        }
        let earlier = wants(#"{"quiet_hours":{"start":"21:00"}}"#, at: "2026-03-02T21:30:00Z")
        let emitted = job("2026-03-02T21:30:00Z", "anna/reminder/#2")
        #expect(try history(emitted, earlier) == [])
        #expect(try history(earlier, emitted) == ["quiet_hours 4"])
    }

    @Test func `putting a field back to null is the default again`() throws {
        let history = History(
            enrolled(), wants(#"{"quiet_hours":{"enabled":false}}"#), wants(#"{"quiet_hours":{"enabled":null}}"#),
            requested("2026-03-02T23:00:00Z"), job("2026-03-02T23:00:00Z", "anna/reminder/#4"))
        #expect(try history.found() == ["quiet_hours 5"])
    }

    @Test func `quiet hours are those of the zone the person is in now`() throws {
        let history = { (keep: String) in
            try History(
                enrolled("Europe/Paris"), requested("2026-03-02T21:30:00Z"),
                fact("2026-03-02T21:30:00Z", "timezone_changed", "{\"timezone\":\"Asia/Tokyo\"\(keep)}"),
                job("2026-03-02T21:30:00Z", "anna/reminder/#2")
            ).found()
        }
        // 22:30 in Paris, 06:30 in Tokyo: quiet in both; 15:00Z is 16:00 there and midnight here.
        #expect(try history("") == ["quiet_hours 4"])
        let afternoon = { (step: Step) in
            try History(
                enrolled("Europe/Paris"), step, requested("2026-03-02T15:00:00Z"),
                job("2026-03-02T15:00:00Z", "anna/reminder/#3")
            ).found()
        }
        let at = "2026-03-02T10:00:00Z"
        #expect(try afternoon(fact(at, "timezone_changed", #"{"timezone":"Asia/Tokyo"}"#)) == ["quiet_hours 4"])
        #expect(try afternoon(fact(at, "timezone_changed", #"{"timezone":"Asia/Tokyo","keep":true}"#)) == [])
        #expect(try afternoon(wants(#"{"timezone":"Asia/Tokyo"}"#, at: at)) == ["quiet_hours 4"])
    }

    /// Clocks go back from three to two: one night ends with the second two o'clock, and the next has begun with the first half past.
    @Test(arguments: [
        ("2026-10-26T01:00:00Z", []), ("2026-10-25T01:00:00Z", ["holds 4"]), ("2026-10-25T00:00:00Z", ["holds 4"]),
    ])
    func `where a night ends after the next has begun, a hold ends with the next`(until: String, found: [String]) throws
    {
        let asked = "2026-10-24T16:00:00Z"
        let wish = wants(#"{"check_ins_enabled":false,"quiet_hours":{"start":"02:30","end":"02:00"}}"#)
        let steps = [enrolled("Europe/Berlin", at: "2026-03-01T12:00:00Z"), wish, requested(asked)]
        #expect(
            try History(Policies.standard, steps + [held(asked, "anna/reminder/#3", until: until)]).found() == found)
    }
}
