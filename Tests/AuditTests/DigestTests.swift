import Audit
import CivilTime
import Testing

@Suite("D5 to D7, as the judge sees them")
struct DigestTests {
    /// A digest of the day and one of the week, points with a switch of their own, and kinds that may be wished for.
    private static let policy = """
        {"name":"digests","daily_cap":99,"cooldown_minutes":0,"preferences":{"check_ins_enabled":false},"kinds":[
            {"name":"note","on_request":true,"digests":["none","daily","weekly"]},
            {"name":"tip","on_request":true,"digests":["weekly","none"],"subtypes":[{"name":"odd"}]},
            {"name":"points"},
            {"name":"day","digest":"daily","schedule":{"on":"daily","at":"18:00"},"points":"points"},
            {"name":"week","digest":"weekly","schedule":{"on":"weekly","day":"sun","at":"19:00"}}]}
        """

    private static let monday = "anna/day/2026-03-02T18:00"
    private static let sunday = "anna/week/2026-03-08T19:00"
    private static let six = "2026-03-02T18:00:00Z"

    private func found(_ steps: Step...) throws -> [String] {
        try History(Self.policy, [enrolled()] + steps).found()
    }

    private func earned(_ points: Int, _ at: String, for subject: String = "child:lea") -> Step {
        fact(at, "points_earned", #"{"points":\#(points),"subject":"\#(subject)"}"#)
    }

    private func digest(_ counts: String, _ at: String = six, _ name: String = monday) -> Step {
        job(at, name, more: #","summary":{\#(counts)}"#)
    }

    private func off(_ kind: String, at: String = "2026-03-01T12:00:01Z") -> Step {
        wants(#"{"subjects":{"child:lea":{"kinds":{"\#(kind)":{"enabled":false}}}}}"#, at: at)
    }

    @Test func `a digest counts what was earned, older days apart from its own`() throws {
        let sunday = earned(7, "2026-03-01T23:59:59.999Z")
        let monday = earned(5, "2026-03-02T00:00:00Z", for: "child:tom")
        #expect(try found(sunday, monday, digest(#""points":12,"points_earlier":7"#)) == [])
        #expect(try found(sunday, monday, digest(#""points":12"#)) == ["counts 4"])
        #expect(try found(sunday, monday, digest(#""points":5"#)) == ["counts 4"])
        #expect(try found(monday, digest(#""points":5"#)) == [])
        // What was told is not told again.
        let next = digest(#""points":5"#, "2026-03-03T18:00:00Z", "anna/day/2026-03-03T18:00")
        #expect(try found(monday, digest(#""points":5"#), next) == ["counts 4"])
    }

    @Test func `a digest counts what it lists`() throws {
        let daily = wants(#"{"kinds":{"note":{"digest":"daily"}}}"#)
        let ask = requested("2026-03-02T09:00:00Z", "note")
        let waits = gathered("2026-03-02T09:00:00Z", "anna/note/#3", into: Self.monday, "digest_mode")
        func told(_ counts: String) throws -> [String] {
            let digest = job(
                Self.six, Self.monday, notices: [Self.monday, "anna/note/#3"], more: #","summary":{\#(counts)}"#)
            return try found(daily, ask, waits, digest)
        }
        #expect(try told(#""notices":1"#) == [])
        #expect(try told(#""notices":0"#) == ["counts 5"])
        #expect(try told(#""notices":2"#) == ["counts 5"])
        #expect(try told("") == [])
        // What comes again names itself alone, whatever it counts.
        let first = job(Self.six, Self.monday, notices: [Self.monday, "anna/note/#3"])
        let snooze = fact("2026-03-02T18:10:00Z", "notice_snoozed", "{\"job\":\"\(Self.monday)\",\"minutes\":15}")
        let (name, counts) = (Self.monday + "~1", #","summary":{"notices":1}"#)
        let again = job("2026-03-02T18:25:00Z", name, notices: [name], more: counts)
        #expect(try found(daily, ask, waits, first, snooze, again) == [])
    }

    @Test func `a week's review counts what was done from Monday to its own instant`() throws {
        let before = fact("2026-03-01T23:59:59.999Z", "session_completed")
        let first = fact("2026-03-02T00:00:00Z", "session_completed")
        let last = fact("2026-03-08T18:59:59.999Z", "checked_in")
        func review(_ sessions: Int, _ checkIns: Int) -> Step {
            digest(#""sessions":\#(sessions),"check_ins":\#(checkIns)"#, "2026-03-08T19:00:00Z", Self.sunday)
        }
        #expect(try found(before, first, last, review(1, 1)) == [])
        #expect(try found(before, first, last, review(2, 1)) == ["counts 5"])
        #expect(try found(before, first, last, review(1, 0)) == ["counts 5"])
        #expect(try found(before, first, last, review(0, 1)) == ["counts 5"])
        #expect(try found(first, first, last, review(2, 1)) == [])
    }

    @Test func `points that are switched off, altogether or for a subject, are not told`() throws {
        let earned = earned(5, "2026-03-02T09:00:00Z")
        #expect(try found(off("points"), earned, digest(#""points":5"#)) == ["counts 4"])
        #expect(try found(off("day"), earned, digest(#""points":5"#)) == ["counts 4"])
        #expect(try found(off("note"), earned, digest(#""points":5"#)) == [])
        #expect(try found(earned, off("points", at: "2026-03-02T09:00:01Z"), digest(#""points":5"#)) == ["counts 4"])
        let all = wants(#"{"kinds":{"points":{"enabled":false}}}"#)
        #expect(try found(all, earned, digest(#""points":5"#)) == ["counts 4", "kind_switch 4"])
    }

    @Test func `a kind that is wanted in a digest waits for that one`() throws {
        let ask = requested("2026-03-02T09:00:00Z", "note")
        let note = "anna/note/#3"
        let weekly = wants(#"{"kinds":{"note":{"digest":"weekly"}}}"#)
        let daily = wants(#"{"kinds":{"note":{"digest":"daily"}}}"#)
        #expect(try found(weekly, ask, job("2026-03-02T09:00:00Z", note)) == ["digest_mode 4"])
        #expect(try found(daily, ask, job("2026-03-02T09:00:00Z", note)) == ["digest_mode 4"])
        let into = { (digest: String) in gathered("2026-03-02T09:00:00Z", note, into: digest, "digest_mode") }
        #expect(try found(weekly, ask, into(Self.sunday)) == [])
        #expect(try found(weekly, ask, into(Self.monday)) == ["digest_mode 4"])
        #expect(try found(daily, ask, into(Self.monday)) == [])
        #expect(try found(off("note"), ask, into(Self.monday)) == ["digest_mode 4"])
        // The first that a policy offers is everybody's.
        let tip = requested("2026-03-02T09:00:00Z", "tip")
        #expect(try found(tip, job("2026-03-02T09:00:00Z", "anna/tip/#2")) == ["digest_mode 3"])
    }

    @Test func `what was gathered for the week is not told in the day's digest`() throws {
        let weekly = wants(#"{"kinds":{"note":{"digest":"weekly"}}}"#)
        let ask = requested("2026-03-02T09:00:00Z", "note")
        let gathering = gathered("2026-03-02T09:00:00Z", "anna/note/#3", into: Self.sunday, "digest_mode")
        let early = job(Self.six, Self.monday, notices: [Self.monday, "anna/note/#3"])
        #expect(try found(weekly, ask, gathering, early) == ["bundles 5"])
        let told = job("2026-03-08T19:00:00Z", Self.sunday, notices: [Self.sunday, "anna/note/#3"])
        #expect(try found(weekly, ask, gathering, told) == [])
        // Left out of its digest it would never be told (P20).
        #expect(try found(weekly, ask, gathering, job("2026-03-08T19:00:00Z", Self.sunday)) == ["waiting 5"])
    }

    /// On a Sunday whose review had nothing to tell, the next was brought forward: what is gathered then waits for the one behind it.
    @Test func `what comes behind a review that was brought forward has two weeks`() throws {
        let at = "2026-03-08T20:00:00Z"
        let (next, last) = ("anna/week/2026-03-15T19:00", "anna/week/2026-03-22T19:00")
        let steps = [
            enrolled(), wants(#"{"kinds":{"note":{"digest":"weekly"}}}"#), requested(at, "note"),
            gathered(at, "anna/note/#3", into: next, "digest_mode"), fact(at, "run_requested", #"{"kind":"week"}"#),
            job(at, next, notices: [next, "anna/note/#3"]), requested(at, "note"),
            gathered(at, "anna/note/#7", into: last, "digest_mode"),
        ]
        let history = History(Self.policy, steps)
        #expect(try history.found(.decided(until: Instant(rfc3339: "2026-03-22T18:59:00Z"))) == [])
        #expect(try history.found(.decided(until: Instant(rfc3339: "2026-03-25T00:00:00Z"))) == ["waiting 8"])
    }

    /// Somebody's schedule is open on Saturdays alone, so that Sunday's review waits for six days.
    @Test(arguments: [(1, []), (0, ["counts 7"]), (2, ["counts 7"])])
    func `a review that waits for days counts its own week, whatever was done since`(
        sessions: Int, found: [String]
    ) throws {
        let review = "anna/week/2026-03-22T19:00"
        let done = ["2026-03-01T13:00:00Z", "2026-03-17T12:00:00Z"].map { fact($0, "session_completed") }
        let waits = held("2026-03-22T19:00:00Z", review, until: "2026-03-28T10:00:00Z", "outside_schedule")
        let told = digest(#""sessions":\#(sessions),"check_ins":0"#, "2026-03-28T10:00:00Z", review)
        #expect(
            try self.found(
                wants(#"{"schedule":{"sat":[["10:00","23:00"]]}}"#), done[0], done[1], waits,
                fact("2026-03-28T09:00:00Z", "session_completed"), told) == found)
    }

    @Test func `a weekly digest that is off tells what was gathered, and not the week (D5)`() throws {
        let silent = wants(#"{"kinds":{"week":{"enabled":false}}}"#)
        let done = fact("2026-03-04T10:00:00Z", "checked_in")
        let week = digest(#""sessions":0,"check_ins":1"#, "2026-03-08T19:00:00Z", Self.sunday)
        #expect(try found(silent, done, week) == ["kind_switch 4"])
        #expect(try found(done, week) == [])
        #expect(try found(silent, done, digest(#""notices":0"#, "2026-03-08T19:00:00Z", Self.sunday)) == [])
    }

    @Test func `a kind or a part of it that is off for a subject does not reach them about it (P5)`() throws {
        let about = { (subject: String) in #","subject":"\#(subject)","data":{"subtype":"odd"}"# }
        let asked = { (subject: String, off: Step) in
            [
                off, wants(#"{"kinds":{"tip":{"digest":"none"}}}"#, at: "2026-03-01T12:00:02Z"),
                requested("2026-03-02T09:00:00Z", "tip", about(subject)),
                job("2026-03-02T09:00:00Z", "anna/tip/\(subject)/#4"),
            ]
        }
        let part = wants(#"{"subjects":{"child:lea":{"kinds":{"tip":{"subtypes":{"odd":false}}}}}}"#)
        for off in [off("tip"), part] {
            #expect(try History(Self.policy, [enrolled()] + asked("child:lea", off)).found() == ["kind_switch 5"])
            #expect(try History(Self.policy, [enrolled()] + asked("child:tom", off)).found() == [])
        }
    }
}
