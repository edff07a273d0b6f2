import Audit
import CivilTime
import Testing

/// A policy that comes while something waits for a digest or summary of the one before.
@Suite("Audit: what a new policy finds waiting")
struct SuccessionTests {
    private static let (noon, later) = ("2026-03-02T12:00:00Z", "2026-03-02T13:00:00Z")
    private static let note = #"{"name":"note","on_request":true,"digestible":true}"#

    private static func digest(_ name: String) -> String {
        #"{"name":"\#(name)","digest":"daily","schedule":{"on":"daily","at":"18:00"}}"#
    }

    private static func weekly(_ name: String) -> String {
        #"{"name":"\#(name)","digest":"weekly","schedule":{"on":"weekly","day":"sun","at":"19:00"}}"#
    }

    private static func policy(_ kinds: String, at: String = "2026-03-01T12:00:00Z", _ rules: String = "") -> Step {
        fact(at, "policy_adopted", #"{"policy":{"name":"p"\#(rules),"kinds":[\#(kinds)]}}"#).about(nil)
    }

    private static func found(after next: Step, _ what: Step) throws -> [String] {
        try History(
            Policies.busy, policy("\(note),\(digest("day"))"), enrolled(), wants(#"{"digest_mode":true}"#),
            requested(noon, "note"), gathered(noon, "anna/note/#4", into: "anna/day/2026-03-02T18:00", "digest_mode"),
            next, what
        ).found()
    }

    @Test func `without any digest it goes out by itself, or is held`() throws {
        let bare = Self.policy(#"{"name":"note","on_request":true}"#, at: Self.later)
        #expect(try Self.found(after: bare, job(Self.later, "anna/note/#4")) == [])
        let holding = Self.policy(
            #"{"name":"note","on_request":true}"#, at: Self.later,
            #","preferences":{"quiet_hours":{"start":"12:00","end":"15:00"}}"#)
        let hold = held(Self.later, "anna/note/#4", until: "2026-03-02T15:00:00Z")
        #expect(try Self.found(after: holding, hold) == [])
    }

    @Test func `another digest of the same days stands in its place`() throws {
        let renamed = Self.policy("\(Self.note),\(Self.digest("evening"))", at: Self.later)
        #expect(try Self.found(after: renamed, job(Self.later, "anna/note/#4")) != [])
    }

    @Test func `a summary that waits has its turn under the name it had`() throws {
        func found(_ next: Step, _ kind: String) throws -> [String] {
            let rules = #","daily_cap":null,"cooldown_minutes":0,"overload":{"jobs":10,"minutes":60}"#
            return try History(
                Policies.busy, Self.policy(#"\#(Self.note),{"name":"summary","schedule":{"on":"overload"}}"#, rules),
                enrolled(), wants("{}"), requested(Self.noon, "note"),
                gathered(Self.noon, "anna/note/#4", into: "anna/summary/#5", "overload"), next,
                job(
                    Self.later, "anna/summary/#5", notices: ["anna/summary/#5", "anna/note/#4"], kind: kind,
                    more: #","summary":{"notices":1}"#)
            ).found()
        }
        let rules = #","daily_cap":null,"cooldown_minutes":0,"overload":{"jobs":10,"minutes":60}"#
        func policy(_ summary: String) -> Step {
            Self.policy(
                #"\#(Self.note),{"name":"\#(summary)","schedule":{"on":"overload"}}"#, at: Self.later, rules)
        }
        #expect(try found(policy("many"), "many") == found(policy("summary"), "summary"))
    }

    @Test func `a digest's time of before the policy is no slot of its, wherever somebody lands`() throws {
        func digest(at time: String) -> String {
            #"{"name":"day","digest":"daily","schedule":{"on":"daily","at":"\#(time)"}}"#
        }
        func found(moving time: String) throws -> [String] {
            try History(
                Policies.busy, Self.policy("\(Self.note),\(digest(at: "20:00"))"), enrolled(),
                wants(#"{"digest_mode":true}"#), requested("2026-03-02T10:30:00Z", "note"),
                gathered("2026-03-02T10:30:00Z", "anna/note/#4", into: "anna/day/2026-03-02T20:00", "digest_mode"),
                Self.policy("\(Self.note),\(digest(at: time))", at: "2026-03-02T11:00:00Z"),
                fact("2026-03-02T12:00:00Z", "timezone_changed", #"{"timezone":"Etc/GMT-1"}"#)
            ).found()
        }
        // In the new zone 10:00 was before the policy, and 12:30 after it.
        #expect(try found(moving: "10:00") == [])
        #expect(try found(moving: "12:30") == ["waiting 7"])
    }

    @Test func `a week's digest that a policy moves is waited for from then on`() throws {
        func digest(_ day: String) -> String {
            #"{"name":"week","digest":"weekly","schedule":{"on":"weekly","day":"\#(day)","at":"19:00"}}"#
        }
        let tip = #"{"name":"tip","on_request":true,"digests":["weekly"]}"#
        func found(by until: String) throws -> [String] {
            try History(
                Policies.busy, Self.policy("\(tip),\(digest("thu"))"), enrolled(),
                requested("2026-03-06T10:00:00Z", "tip"),
                gathered("2026-03-06T10:00:00Z", "anna/tip/#3", into: "anna/week/2026-03-12T19:00", "digest_mode"),
                Self.policy("\(tip),\(digest("sun"))", at: "2026-03-09T11:00:00Z")
            ).found(.decided(until: try Instant(rfc3339: until)))
        }
        #expect(try found(by: "2026-03-14T20:00:00Z") == [])
        #expect(try found(by: "2026-03-18T20:00:00Z") != [])
    }

    @Test func `a week's digest that a policy calls otherwise is waited for as long, and missed like its own (C5)`()
        throws
    {
        let tip = #"{"name":"tip","on_request":true,"digests":["weekly"]}"#
        let missed = skipped("2026-03-12T12:00:00Z", "week", "2026-03-08T19:00", "2026-03-08T19:00", 1)
        func found(by until: String, _ after: Step...) throws -> [String] {
            let steps = [
                Self.policy("\(tip),\(Self.weekly("review"))"), enrolled(), requested("2026-03-02T09:02:00Z", "tip"),
                gathered(
                    "2026-03-02T09:02:00Z", "anna/tip/#3", into: "anna/review/2026-03-08T19:00", "digest_mode"),
                Self.policy("\(tip),\(Self.weekly("week"))", at: "2026-03-02T09:10:00Z"),
            ]
            return try History(Policies.busy, steps + after).found(.decided(until: try Instant(rfc3339: until)))
        }
        #expect(try found(by: "2026-03-08T18:59:59Z") == [])
        #expect(try found(by: "2026-03-12T12:00:00Z") == ["waiting 4"])
        // What was gathered stays for the next.
        #expect(try found(by: "2026-03-15T19:00:00Z", missed) == [])
        #expect(try found(by: "2026-03-20T12:00:00Z", missed) == ["waiting 4"])
    }

    @Test func `a week's schedule that a policy makes a digest is waited for from then on`() throws {
        let tip = #"{"name":"tip","on_request":true,"digests":["weekly"]}"#
        let plain = #"{"name":"week","schedule":{"on":"weekly","day":"sun","at":"19:00"}}"#
        let friday = #"{"name":"review","digest":"weekly","schedule":{"on":"weekly","day":"fri","at":"19:00"}}"#
        func found(by until: String) throws -> [String] {
            try History(
                Policies.busy, Self.policy("\(tip),\(friday),\(plain)"), enrolled(),
                requested("2026-03-06T20:00:00Z", "tip"),
                gathered("2026-03-06T20:00:00Z", "anna/tip/#3", into: "anna/review/2026-03-13T19:00", "digest_mode"),
                Self.policy("\(tip),\(Self.weekly("week"))", at: "2026-03-13T12:00:00Z")
            ).found(.decided(until: try Instant(rfc3339: until)))
        }
        #expect(try found(by: "2026-03-15T18:59:59Z") == [])
        #expect(try found(by: "2026-03-21T12:00:00Z") == ["waiting 4"])
    }

    @Test func `a day's digest is the day's, though the next policy gives its name to the week's`() throws {
        let next = Self.policy("\(Self.note),\(Self.digest("evening")),\(Self.weekly("day"))", at: Self.later)
        func told(in digest: String, at instant: String) throws -> [String] {
            try Self.found(after: next, job(instant, digest, notices: [digest, "anna/note/#4"]))
        }
        #expect(try told(in: "anna/evening/2026-03-02T18:00", at: "2026-03-02T18:00:00Z") == [])
        let week = try told(in: "anna/day/2026-03-08T19:00", at: "2026-03-08T19:00:00Z")
        #expect(week.contains("bundles 7"))
    }

    @Test func `the last place of a day is kept for what the day's digest tells, whatever that is called (P13)`() throws
    {
        let (tip, plain) = (
            #"{"name":"tip","on_request":true,"digests":["daily","weekly"]}"#, #"{"name":"plain","on_request":true}"#
        )
        /// Three jobs on a day, after another policy has come.
        func found(_ before: String, _ after: String, into: String, _ wish: String) throws -> [String] {
            let ten = "2026-03-02T10:00:00Z"
            let rules = #","cooldown_minutes":0"#
            let steps = [
                Self.policy("\(tip),\(plain),\(before)", rules), enrolled(),
                wants(#"{"kinds":{"tip":{"digest":"\#(wish)"}}}"#), requested(ten, "tip"),
                gathered(ten, "anna/tip/#4", into: into, "digest_mode"),
                Self.policy("\(tip),\(plain),\(after)", at: "2026-03-02T11:00:00Z", rules),
            ]
            let jobs = ["2026-03-02T12:00:00Z", "2026-03-02T12:01:00Z", "2026-03-02T12:02:00Z"].enumerated().flatMap {
                [requested($1, "plain"), job($1, "anna/plain/#\(7 + 2 * $0)")]
            }
            return try History(Policies.busy, steps + jobs).found()
        }
        let (day, week) = ("anna/day/2026-03-02T18:00", "anna/day/2026-03-08T19:00")
        let both = "\(Self.digest("day")),\(Self.weekly("week"))"
        let others = "\(Self.digest("evening")),\(Self.weekly("week"))"
        #expect(try found(both, others, into: day, "daily") == ["daily_cap 12"])
        let swapped = "\(Self.digest("week")),\(Self.weekly("day"))"
        #expect(try found(swapped, both, into: week, "weekly") == [])
    }

    @Test func `a summary that is gathered for goes on under the name it began with`() throws {
        func found(into name: String) throws -> [String] {
            let rules = #","daily_cap":null,"cooldown_minutes":0,"overload":{"jobs":10,"minutes":60}"#
            return try History(
                Policies.busy, Self.policy(#"\#(Self.note),{"name":"summary","schedule":{"on":"overload"}}"#, rules),
                enrolled(), wants("{}"), requested(Self.noon, "note"),
                gathered(Self.noon, "anna/note/#4", into: "anna/summary/#5", "overload"),
                Self.policy(
                    #"\#(Self.note),{"name":"many","schedule":{"on":"overload"}}"#, at: Self.later, rules),
                requested(Self.later, "note"), gathered(Self.later, "anna/note/#7", into: name, "overload")
            ).found()
        }
        #expect(try found(into: "anna/summary/#5") == [])
        #expect(try found(into: "anna/summary/#8") == ["waiting 8"])
    }
}
