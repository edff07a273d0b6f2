import Testing

@Suite("C1, D1 and D3, as the judge sees them")
struct SlotDayTests {
    /// A check-in of a day of March 2026, which begins on a Sunday, at its own time.
    private func checkIn(_ slot: String) -> Step { job("2026-03-\(slot):00Z", "anna/check_in/2026-03-\(slot)") }

    private static func adopted(_ at: String, _ policy: String = Policies.standard) -> Step {
        let line = policy.split(separator: "\n").joined(separator: " ")
        return fact(at, "policy_adopted", "{\"policy\":\(line)}").about(nil)
    }

    @Test(arguments: [
        ("02T09:00", true), ("03T09:00", false), ("04T09:00", true), ("05T09:00", false), ("06T09:00", true),
        ("07T09:00", false), ("08T09:00", false), ("02T10:00", false), ("02T08:59", false),
    ]) func `a check-in comes on its days, at its time`(slot: String, isClean: Bool) throws {
        #expect(try History(enrolled(), checkIn(slot)).found() == (isClean ? [] : ["slot_days 2"]))
    }

    @Test(arguments: [
        (#"{"frequency":"weekly"}"#, "09T09:00", true), (#"{"frequency":"weekly"}"#, "06T09:00", false),
        (#"{"frequency":"daily"}"#, "05T09:00", true), (#"{"frequency":"daily"}"#, "05T10:00", false),
        (#"{"check_in_days":["sat"]}"#, "07T09:00", true), (#"{"check_in_days":["sat"]}"#, "06T09:00", false),
        (#"{"check_in_days":["sat"],"frequency":"daily"}"#, "06T09:00", false),
        (#"{"check_in_time":"10:00"}"#, "06T10:00", true), (#"{"check_in_time":"10:00"}"#, "06T09:00", false),
    ]) func `as the person configured them`(patch: String, slot: String, isClean: Bool) throws {
        #expect(try History(enrolled(), wants(patch), checkIn(slot)).found() == (isClean ? [] : ["slot_days 3"]))
    }

    @Test(arguments: [("03T10:00", true), ("02T10:00", false), ("03T09:00", false)])
    func `or else as the policy has them`(slot: String, isClean: Bool) throws {
        let policy = """
            {"name":"p","frequencies":{"few_times_a_week":["tue"]},"preferences":{"check_in_time":"10:00"},
             "kinds":[{"name":"check_in","schedule":{"on":"check_in"}}]}
            """
        #expect(try History(policy, enrolled(), checkIn(slot)).found() == (isClean ? [] : ["slot_days 2"]))
    }

    @Test(arguments: [("02T09:00", true), ("03T09:00", false)])
    func `what cannot be read is as usual`(slot: String, isClean: Bool) throws {
        let policy = """
            {"name":"p","preferences":{"check_in_time":7,"frequency":"never"},
             "kinds":[{"name":"check_in","schedule":{"on":"check_in"}}]}
            """
        #expect(try History(policy, enrolled(), checkIn(slot)).found() == (isClean ? [] : ["slot_days 2"]))
    }

    /// SPEC §3: a person stores only what differs from the defaults.
    @Test(arguments: [("09:00", "11T11:00", []), ("09:00", "11T09:00", ["slot_days 4"]), ("10:00", "11T10:00", [])])
    func `whoever chose the usual time has the next policy's`(chosen: String, slot: String, found: [String]) throws {
        let next = Self.adopted(
            "2026-03-03T12:00:00Z",
            Policies.standard.replacing(
                #""standard","#, with: #""standard","preferences":{"check_in_time":"11:00"},"#))
        let wish = wants(#"{"check_in_time":"\#(chosen)"}"#)
        #expect(try History(enrolled(), wish, next, checkIn(slot)).found() == found)
    }

    // MARK: What is left alone

    /// 48 hours before a Thursday's check-in, which nobody configured.
    @Test(arguments: [("2026-03-03T09:00:00.000Z", ["slot_days 3"]), ("2026-03-03T09:00:00.001Z", [])])
    func `around a change nothing is judged`(at: String, found: [String]) throws {
        let changes = [
            wants("{}", at: at), fact(at, "preferences_reset"), fact(at, "preset_applied", #"{"preset":"none"}"#),
            fact(at, "push_permission_changed", #"{"status":"granted"}"#),
            fact(at, "timezone_changed", #"{"timezone":"Africa/Abidjan"}"#),
            wants(#"{"timezone":"Africa/Abidjan"}"#, at: at), Self.adopted(at),
        ]
        for change in changes {
            #expect(try History(enrolled(), change, checkIn("05T09:00")).found() == found, "\(change)")
        }
        let digest = dropped("2026-03-05T12:00:00Z", "anna/daily_digest/2026-03-05T12:00", "no_channel")
        let later = at.replacing("T09", with: "T12")
        #expect(try History(enrolled(), Self.adopted(later), digest).found() == found)
    }

    @Test func `a change on the way to a late check-in is one as well`() throws {
        let late = job("2026-03-05T11:00:00Z", "anna/check_in/2026-03-05T09:00")
        #expect(try History(enrolled(), late).found() == ["slot_days 2"])
        #expect(try History(enrolled(), wants("{}", at: "2026-03-05T10:00:00Z"), late).found() == [])
    }

    @Test func `who keeps their zone, or says nothing of what they want, changes nothing`() throws {
        let keep = fact(
            "2026-03-05T07:00:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo","keep":true}"#)
        #expect(try History(enrolled(), keep, checkIn("05T09:00")).found() == ["slot_days 3"])
        let opened = fact("2026-03-05T07:00:00Z", "session_completed")
        #expect(try History(enrolled(), opened, checkIn("06T09:00")).found() == [])
    }

    @Test func `what was said with the enrolment is no change, a moment later it is`() throws {
        let seven = "2026-03-03T07:00:00Z"
        let found = { (at: String) in
            let wish = wants(#"{"check_in_time":"10:00","frequency":"daily"}"#, at: at)
            return try History(enrolled(at: seven), wish, checkIn("03T09:00")).found()
        }
        #expect(try found(seven) == ["slot_days 3"])
        #expect(try found("2026-03-03T07:00:00.001Z") == [])
        // Nine o'clock in Paris; slots are those after the enrolment (T10).
        let paris = { (at: String) in
            try History(
                enrolled("Europe/Paris", at: at), job("2026-03-03T08:00:00Z", "anna/check_in/2026-03-03T09:00")
            ).found()
        }
        #expect(try paris("2026-03-03T07:59:59.999Z") == ["slot_days 2"])
        #expect(try paris("2026-03-03T08:00:00.000Z") == [])
    }

    @Test func `what a run brings forward is left alone`() throws {
        let at = "2026-03-05T09:00:00Z"
        let run = fact(at, "run_requested", #"{"kind":"check_in"}"#).about(nil)
        #expect(try History(enrolled(), run, checkIn("05T09:00")).found() == [])
        let other = fact(at, "run_requested", #"{"kind":"daily_digest"}"#).about(nil)
        #expect(try History(enrolled(), other, checkIn("05T09:00")).found() == ["slot_days 3"])
    }

    @Test func `in a zone that is not known nobody knows what hour it is`() throws {
        let hold = held("2026-03-03T09:00:00Z", "anna/check_in/2026-03-03T09:00", until: "2026-03-04T09:00:00Z")
        #expect(try History(enrolled("Mars/Olympus"), hold).found() == [])
    }

    @Test func `a time that the clocks skip or repeat is what it is called`() throws {
        let wish = wants(
            #"{"quiet_hours":{"enabled":false},"check_in_time":"02:30","frequency":"daily"}"#,
            at: "2026-03-01T12:00:01Z")
        let found = { (at: String, slot: String) in
            try History(enrolled("Europe/Paris"), wish, job(at, "anna/check_in/\(slot)")).found()
        }
        #expect(try found("2026-03-29T01:00:00Z", "2026-03-29T02:30") == [])
        #expect(try found("2026-03-29T01:00:00Z", "2026-03-29T03:00") == ["slot_days 3"])
        #expect(try found("2026-10-25T00:30:00Z", "2026-10-25T02:30") == [])
    }

    // MARK: Digests, and what has no slots

    @Test(arguments: [
        ("daily_digest/2026-03-02T18:00", true), ("daily_digest/2026-03-02T12:00", false),
        ("weekly_review/2026-03-08T19:00", true), ("weekly_review/2026-03-04T19:00", false),
        ("weekly_review/2026-03-08T15:00", false),
    ]) func `a digest comes on its day, at its time`(name: String, isClean: Bool) throws {
        let at = "\(name.split(separator: "/")[1]):00Z"
        let digest = dropped(at, "anna/\(name)", "no_channel")
        #expect(try History(enrolled(), digest).found() == (isClean ? [] : ["slot_days 2"]))
    }

    @Test func `a digest that is held to another day has its day still`() throws {
        let digest = "anna/daily_digest/2026-03-04T18:00"
        let quiet = wants(#"{"quiet_hours":{"start":"17:00"}}"#)
        let hold = held("2026-03-04T18:00:00Z", digest, until: "2026-03-05T08:00:00Z")
        #expect(try History(enrolled(), quiet, hold, job("2026-03-05T08:00:00Z", digest)).found() == [])
    }

    @Test(arguments: [
        "anna/check_in/2026-03-02T09:00Z", "anna/check_in/goal:g1/2026-03-02T09:00", "anna/reminder/2026-03-02T09:00",
    ]) func `nothing else is named as a slot is`(name: String) throws {
        #expect(try History(enrolled(), job("2026-03-02T09:00:00Z", name)).found() == ["slot_days 2"])
    }

    @Test func `a kind that comes by a schedule of another version is believed`() throws {
        let policy = #"{"name":"p","kinds":[{"name":"moon","schedule":{"on":"full_moon"}}]}"#
        let moon = job("2026-03-03T12:00:00Z", "anna/moon/2026-03-03T12:00")
        #expect(try History(policy, enrolled(), moon).found() == [])
    }
}
