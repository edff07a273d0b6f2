import CivilTime
import Notices
import Simulation
import Testing
import Worker

@testable import Reports

@Suite("A person's day (V1)")
struct PersonDayTests {
    private func told(_ ranges: [Range<Instant>]) -> [String] { ranges.map { "\($0.lowerBound)/\($0.upperBound)" } }
    private func told(_ slots: [DaySlot]) -> [String] { slots.map { "\($0.at) \($0.kind) \($0.state.rawValue)" } }

    private func monday(until end: String = "2026-03-02T20:00:00Z") throws -> Life {
        try Life(
            until: end,
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
                ("2026-03-02T10:00:00Z", "notice_requested", #"{"kind":"alert","title":"Rain"}"#),
                ("2026-03-02T10:05:00Z", "notice_requested", #"{"kind":"alert","title":"More"}"#),
                ("2026-03-02T10:06:00Z", "app_opened", "{}"),
                ("2026-03-02T10:07:00Z", "app_closed", "{}"),
            ])
    }

    @Test func `today has quiet hours, what came, what waits and what is to come`() throws {
        let day = try monday(until: "2026-03-02T10:10:00Z").day(nil, now: "2026-03-02T10:10:00Z")
        #expect(day.date == LocalDate("2026-03-02") && day.zone == "Europe/Paris")
        #expect(told([day.day]) == ["2026-03-01T23:00:00.000Z/2026-03-02T23:00:00.000Z"])
        #expect(day.now == (try Instant(rfc3339: "2026-03-02T10:10:00Z")))
        #expect(
            told(day.quiet) == [
                "2026-03-01T23:00:00.000Z/2026-03-02T07:00:00.000Z",
                "2026-03-02T21:00:00.000Z/2026-03-02T23:00:00.000Z",
            ])
        #expect(day.schedule == nil)
        #expect(told(day.appOpen) == ["2026-03-02T10:06:00.000Z/2026-03-02T10:07:00.000Z"])
        #expect(
            told(day.slots) == [
                "2026-03-02T08:00:00.000Z check_in fired", "2026-03-02T17:00:00.000Z daily_digest to_come",
            ])
        #expect(day.slots.first?.notice == "anna/check_in/2026-03-02T09:00")
        #expect(
            day.marks.map(\.type) == ["emitted", "raised", "emitted", "raised", "held"])
        #expect(day.marks.last?.until == (try Instant(rfc3339: "2026-03-02T10:30:00Z")))
        #expect(day.marks.last?.reason == "cooldown")
        #expect(day.jobs == 2 && day.dailyCap == 3)
        #expect(day.nextWake == (try Instant(rfc3339: "2026-03-02T10:30:00Z")))
    }

    @Test(
        arguments: [
            ("2026-03-02T21:30:00Z", "2026-03-03T07:00:00.000Z"), ("2026-03-02T23:30:00Z", "2026-03-03T07:00:00.000Z"),
            ("2026-03-02T20:59:00Z", nil), ("2026-03-03T07:00:00Z", nil),
        ] as [(String, String?)])
    func `quiet hours end when they end, and not at midnight`(now: String, end: String?) throws {
        let day = try monday(until: now).day(nil, now: now)
        #expect(day.quietUntil.map { "\($0)" } == end)
        #expect(day.quiet.allSatisfy { day.day.contains($0.lowerBound) && $0.upperBound <= day.day.upperBound })
        #expect(try monday(until: now).day("2026-03-01", now: now).quietUntil == nil)
    }

    @Test func `what counts towards the cap is told beside all that was handed out (P17)`() throws {
        let life = try Life(
            until: "2026-03-02T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
                ("2026-03-02T10:00:00Z", "notice_requested", #"{"kind":"urgent","title":"Fire"}"#),
                ("2026-03-02T10:05:00Z", "notice_requested", #"{"kind":"alert","title":"Rain"}"#),
            ])
        let day = try life.day(nil, now: "2026-03-02T12:00:00Z")
        let handedOut = day.marks.count { $0.type == "emitted" }
        #expect(day.allJobs == handedOut && day.jobs == handedOut - 1)
        #expect(try life.day("2026-03-01", now: "2026-03-02T12:00:00Z").allJobs == 0)
    }

    @Test func `the day and the person's state count what was handed out alike, and neither counts a test (N8)`()
        throws
    {
        let life = try Life(
            until: "2026-03-02T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                ("2026-03-02T10:00:00Z", "notice_requested", #"{"kind":"urgent","title":"Fire"}"#),
                ("2026-03-02T10:05:00Z", "test_requested", #"{"kind":"alert"}"#),
            ])
        var whole = Biography(of: "anna", life.plan)
        for event in life.log { whole.take(event) }
        let now = try Instant(rfc3339: "2026-03-02T12:00:00Z")
        let day = try life.day(nil, now: "2026-03-02T12:00:00Z")
        #expect(day.marks.count { $0.type == "emitted" } == day.allJobs + 1)
        #expect(try #require(whole.person).allJobsToday(now) == day.allJobs)
    }

    @Test func `a day that has passed is as it was at its end`() throws {
        let life = try monday(until: "2026-03-05T12:00:00Z")
        let day = try life.day("2026-03-02", now: "2026-03-05T12:00:00Z")
        #expect(day.now == nil && day.jobs == 3)
        #expect(told(day.slots) == ["2026-03-02T08:00:00.000Z check_in fired"])
        #expect(day.marks.map(\.type).last == "emitted")
        #expect(day.nextWake == (try Instant(rfc3339: "2026-03-04T08:00:00Z")))
        #expect(try life.day("2026-03-03", now: "2026-03-05T12:00:00Z").marks.isEmpty)
        #expect(throws: PersonDay.Problem.notKnownThen) {
            try life.day("2026-02-27", now: "2026-03-05T12:00:00Z")
        }
    }

    @Test func `a day to come has the slots that the schedules name`() throws {
        let day = try monday().day("2026-03-04", now: "2026-03-02T20:00:00Z")
        #expect(
            told(day.slots) == [
                "2026-03-04T08:00:00.000Z check_in to_come", "2026-03-04T17:00:00.000Z daily_digest to_come",
            ])
        #expect(day.now == nil && day.jobs == 0)
    }

    @Test func `a digest that has nothing to tell says so as long as it is to come (D1, D4)`() throws {
        func silence(_ more: [(at: String, type: String, data: String)]) throws -> String? {
            let life = try Life(
                until: "2026-03-02T12:00:00Z",
                [
                    ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
                    ("2026-03-01T12:01:00Z", "preferences_changed", #"{"patch":{"digest_mode":true}}"#),
                ] + more)
            let digest = try life.day(nil, now: "2026-03-02T12:00:00Z").slots.first { $0.kind == "daily_digest" }
            return try #require(digest).silence
        }
        #expect(try silence([])?.contains("nothing was gathered") == true)
        let gathered = [("2026-03-02T10:00:00Z", "notice_requested", #"{"kind":"reminder","title":"Water"}"#)]
        #expect(try silence(gathered) == nil)
        // What was gathered may not be told any more: the digest drops it, and does not come.
        let off = (
            "2026-03-02T11:00:00Z", "preferences_changed", #"{"patch":{"kinds":{"reminder":{"enabled":false}}}}"#
        )
        #expect(try silence(gathered + [off]) != nil)
        // What a later day's digest will tell, nobody knows.
        let later = try monday().day("2026-03-04", now: "2026-03-02T20:00:00Z")
        #expect(later.slots.allSatisfy { $0.silence == nil })
    }

    /// What explain says of it: a slot of a kind that is off, or of somebody without the consent that is asked for, comes to nothing.
    @Test func `a slot that a rule would drop for what is known says so as long as it is to come (P3–P8)`() throws {
        func silence(
            _ kind: String, _ policy: String, _ more: [(at: String, type: String, data: String)],
            enrolled: String = #"{"timezone":"Etc/UTC"}"#
        ) throws -> String? {
            let life = try Life(
                policy, until: "2026-03-02T12:00:00Z", [("2026-03-01T12:00:00Z", "user_enrolled", enrolled)] + more)
            let slot = try life.day(nil, now: "2026-03-02T12:00:00Z").slots.first {
                $0.kind == kind && $0.state == .toCome
            }
            return try #require(slot).silence
        }
        let goal = ("2026-03-01T12:01:00Z", "goal_started", #"{"goal":"run","title":"Run","reminder_time":"18:00"}"#)
        #expect(try silence("goal_reminder", "microcommit", [goal]) == nil)
        func wishes(_ patch: String) -> (at: String, type: String, data: String) {
            ("2026-03-01T12:02:00Z", "preferences_changed", #"{"patch":\#(patch)}"#)
        }
        let off = wishes(#"{"kinds":{"goal_reminder":{"enabled":false}}}"#)
        #expect(try silence("goal_reminder", "microcommit", [goal, off])?.hasSuffix("(P5)") == true)
        let done = ("2026-03-02T11:00:00Z", "checked_in", #"{"goal":"run"}"#)
        #expect(try silence("goal_reminder", "microcommit", [goal, done])?.hasSuffix("(P2)") == true)
        // A child's points are something to tell, and their parent's consent is missing.
        let points = ("2026-03-02T11:00:00Z", "points_earned", #"{"points":5,"subject":"child:lea"}"#)
        let minor = #"{"timezone":"Etc/UTC","minor":true}"#
        #expect(try silence("daily_summary", "screentime", [points]) == nil)
        #expect(try silence("daily_summary", "screentime", [points], enrolled: minor)?.hasSuffix("(P3)") == true)
    }

    @Test func `what was gathered names the digest that tells of it`() throws {
        let life = try Life(
            until: "2026-03-02T20:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Europe/Paris"}"#),
                ("2026-03-01T12:01:00Z", "preferences_changed", #"{"patch":{"digest_mode":true}}"#),
                ("2026-03-02T10:00:00Z", "notice_requested", #"{"kind":"reminder","title":"Water"}"#),
            ])
        let marks = try life.day(nil, now: "2026-03-02T20:00:00Z").marks
        let gathered = try #require(marks.first { $0.type == "gathered" })
        let digest = try #require(marks.first { $0.type == "emitted" && $0.kind == "daily_digest" })
        #expect(gathered.into != nil && gathered.into == digest.notice)
    }

    /// Three goals of one morning, of which the first waits for the end of quiet hours: one job, "3 goals" (`P19`).
    @Test func `what went out with another stands in the day by itself, with the job it went in`() throws {
        let goals = [("run", "07:30"), ("thesis", "08:00"), ("piano", "08:10")].map { goal, time in
            (
                "2026-03-01T12:01:00Z", "goal_started",
                #"{"goal":"\#(goal)","title":"\#(goal)","reminder_time":"\#(time)"}"#
            )
        }
        let life = try Life(
            "microcommit", until: "2026-03-02T09:00:00Z",
            [("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#)] + goals)
        let day = try life.day("2026-03-02", now: "2026-03-02T09:00:00Z")
        let job = "anna/goal_reminder/goal:run/2026-03-02T07:30"
        let names = [
            job, "anna/goal_reminder/goal:thesis/2026-03-02T08:00", "anna/goal_reminder/goal:piano/2026-03-02T08:10",
        ]
        #expect(day.marks.map(\.type) == ["held", "emitted", "joined", "joined"])
        #expect(day.marks.dropFirst().map(\.notice) == names && day.marks.suffix(2).allSatisfy { $0.into == job })
        #expect(day.slots.filter { $0.state == .fired }.map(\.notice) == names)
        #expect(day.allJobs == 1)
        #expect(day.marks.suffix(2).map(\.subject) == ["goal:thesis", "goal:piano"])
        #expect(day.document["subjects"]?["goal:piano"]?.string == "piano")
    }

    @Test func `quiet hours that change in the middle of a day are drawn as they were in force`() throws {
        let life = try Life(
            until: "2026-03-03T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                (
                    "2026-03-02T12:00:00Z", "preferences_changed",
                    #"{"patch":{"quiet_hours":{"start":"20:00","end":"06:00"}}}"#
                ),
            ])
        #expect(
            told(try life.day("2026-03-02", now: "2026-03-03T12:00:00Z").quiet) == [
                "2026-03-02T00:00:00.000Z/2026-03-02T08:00:00.000Z",
                "2026-03-02T20:00:00.000Z/2026-03-03T00:00:00.000Z",
            ])
    }

    @Test func `of a day with thousands of marks the latest are told, and how many are not (G11)`() throws {
        func points(_ count: Int, from start: String) throws -> [(at: String, type: String, data: String)] {
            let start = try Instant(rfc3339: start)
            return (0..<count).map { place in
                ("\(start.advanced(bySeconds: Int64(5 * place)))", "points_earned", #"{"points":1}"#)
            }
        }
        // Half of the first day's come before its midnight in Paris, so they are of the day before.
        let lines =
            try [("2026-02-28T12:00:00Z", "user_enrolled", #"{"timezone":"Europe/Paris"}"#)]
            + points(3_000, from: "2026-03-01T20:55:00Z") + points(6_500, from: "2026-03-02T02:00:00Z")
        let life = try Life(until: "2026-03-02T12:00:00Z", lines)
        for (date, now) in [("2026-03-01", "2026-03-02T12:00:00Z"), ("2026-03-02", "2026-03-02T12:00:00Z")] {
            let day = try life.day(date, now: now)
            let all = life.log.filter { day.day.contains($0.at) }.flatMap(DayMark.all).count
            #expect(day.marks.count == min(all, PersonDay.marksMax) && day.marksLeftOut == all - day.marks.count)
        }
        #expect(try life.day("2026-03-02", now: "2026-03-02T12:00:00Z").marksLeftOut > 5_000)
    }

    @Test func `no stretch of the last day that can be written is told as nothing`() throws {
        let life = try Life(
            until: "2026-03-02T12:00:00Z",
            [("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"America/New_York"}"#)])
        let day = try life.day("9999-12-31", now: "2026-03-02T12:00:00Z")
        let quiet = try #require(day.document["quiet"]?.elements)
        #expect(quiet.count == 1 && quiet.allSatisfy { $0["from"] != $0["to"] })
    }

    @Test func `slots that were missed or not needed say so, each by itself`() throws {
        let life = try Life(
            until: "2026-03-02T20:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                ("2026-03-01T13:00:00Z", "preferences_changed", #"{"patch":{"frequency":"daily"}}"#),
                ("2026-03-02T07:00:00Z", "session_completed", "{}"),
            ])
        #expect(
            told(try life.day("2026-03-02", now: "2026-03-03T12:00:00Z").slots) == [
                "2026-03-02T09:00:00.000Z check_in skipped"
            ])
        // Nobody was there on the morning after.
        var missed = SlotsSkipped()
        (missed.kind, missed.reason, missed.count) = (Identifier("check_in"), .missed, 1)
        (missed.first, missed.last) = (LocalSlot("2026-03-03T09:00"), LocalSlot("2026-03-03T09:00"))
        let late = try life.followed(by: .slotsSkipped(missed), at: "2026-03-03T14:00:00Z")
        #expect(
            told(try late.day("2026-03-03", now: "2026-03-04T12:00:00Z").slots) == [
                "2026-03-03T09:00:00.000Z check_in missed"
            ])
    }

    @Test func `a slot that was brought forward days before has fired, and tells when that was`() throws {
        let life = try Life(
            until: "2026-03-02T20:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                ("2026-03-02T12:00:00Z", "run_requested", #"{"kind":"check_in"}"#),
                ("2026-03-02T12:10:00Z", "run_requested", #"{"kind":"check_in"}"#),
            ])
        for (date, decided) in [("2026-03-04", "2026-03-02T12:00:00Z"), ("2026-03-06", "2026-03-02T12:10:00Z")] {
            // As a day to come, as today, and as one that has passed.
            for (asked, now) in [
                (date, "2026-03-02T20:00:00Z"), (nil, "\(date)T20:00:00Z"), (date, "2026-03-09T08:00:00Z"),
            ] as [(String?, String)] {
                let slots = try life.day(asked, now: now).slots.filter { $0.kind == "check_in" }
                #expect(told(slots) == ["\(date)T09:00:00.000Z check_in fired"], "\(now)")
                #expect(slots.first?.notice == "anna/check_in/\(date)T09:00")
                #expect(slots.first?.decidedAt == (try Instant(rfc3339: decided)))
            }
        }
    }

    @Test func `what is gathered waits until its digest, and is told of no day behind it`() throws {
        let life = try Life(
            until: "2026-03-02T23:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                ("2026-03-01T12:01:00Z", "preferences_changed", #"{"patch":{"digest_mode":true}}"#),
                ("2026-03-02T19:00:00Z", "notice_requested", #"{"kind":"reminder","title":"Water"}"#),
            ])
        func waits(_ date: String?, now: String) throws -> [String?] { try life.day(date, now: now).waits.map(\.into) }
        let digest = "anna/daily_digest/2026-03-03T18:00"
        #expect(try waits(nil, now: "2026-03-03T00:00:00Z") == [digest])
        #expect(try waits("2026-03-03", now: "2026-03-03T00:00:00Z") == [digest])
        #expect(try waits("2026-03-03", now: "2026-03-02T23:00:00Z") == [])
        #expect(try waits("2027-03-03", now: "2026-03-02T23:00:00Z") == [])
    }

    @Test func `what waited when a day began and came in the morning is told of that day`() throws {
        let life = try Life(
            until: "2026-03-04T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                ("2026-03-02T22:30:00Z", "notice_requested", #"{"kind":"alert","title":"Rain"}"#),
            ])
        let waits = try life.day("2026-03-03", now: "2026-03-04T12:00:00Z").waits
        let morning = try Instant(rfc3339: "2026-03-03T08:00:00Z")
        #expect(waits.map(\.kind) == ["alert"] && waits.first?.until == morning)
        #expect(try life.day("2026-03-04", now: "2026-03-04T12:00:00Z").waits == [])
    }

    /// A weekly schedule that is open on Mondays alone.
    @Test func `what waits is told on each day that it waits, and nothing is outside a schedule that is not set yet`()
        throws
    {
        let life = try Life(
            until: "2026-03-06T12:00:00Z",
            [
                ("2026-03-01T12:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                (
                    "2026-03-03T12:00:00Z", "preferences_changed",
                    #"{"patch":{"schedule":{"mon":[["09:00","17:00"]]}}}"#
                ),
                ("2026-03-03T13:00:00Z", "notice_requested", #"{"kind":"alert","title":"Rain"}"#),
                ("2026-03-05T13:00:00Z", "app_opened", "{}"),
            ])
        let monday = try Instant(rfc3339: "2026-03-09T09:00:00Z")
        func waits(_ date: String?) throws -> [String] {
            let day = try life.day(date, now: "2026-03-06T12:00:00Z")
            return day.waits.filter { $0.until == monday }.map { "\($0.kind) \($0.raisedAt) \($0.reason)" }
        }
        #expect(try waits("2026-03-03") == [])
        let alert = "alert 2026-03-03T13:00:00.000Z outside_schedule"
        for date in ["2026-03-04", "2026-03-05", nil, "2026-03-09"] {
            #expect(try waits(date).contains(alert), "\(date ?? "now")")
        }
        #expect(try waits("2026-03-10") == [], "by then it is gone")
        let changed = try life.day("2026-03-03", now: "2026-03-06T12:00:00Z")
        #expect(told(try #require(changed.schedule)) == ["2026-03-03T00:00:00.000Z/2026-03-03T12:00:00.000Z"])
    }

    @Test(arguments: ShippedPolicies.names)
    func `every job of any history is on exactly one day, and no slot on two`(policy: String) throws {
        var (slotsTold, slotsSent) = (0, 0)
        for seed in 0..<20 as Range<UInt64> {
            let history = RandomHistory(.init(seed: seed, policy: policy))
            guard !history.adoptsPolicies else { continue }
            let user = "u1"
            let jobs = history.events.compactMap { event -> UInt64? in
                guard case .jobEmitted = event.payload, event.user == user else { return nil }
                return event.seq
            }
            var (whole, zones): (Biography, Set<String>) = (Biography(of: user, history.plan), [])
            for event in history.events {
                whole.take(event)
                if let zone = whole.person?.zone.name { zones.insert(zone) }
            }
            guard let first = history.events.first?.at else { continue }
            var (seen, fired): ([UInt64], [String]) = ([], [])
            let begin = LocalDate(daysSince1970: Int32(first.wholeSeconds / 86_400) - 1)
            for offset in 0..<30 {
                var day = PersonDay(of: user, on: begin.advanced(byDays: offset), now: history.end)
                guard let report = try? day.told(of: history.events, biography: { Biography(of: user, history.plan) })
                else {
                    continue
                }
                seen += report.marks.filter { $0.type == "emitted" }.map(\.seq)
                fired += report.slots.compactMap(\.notice)
                #expect(report.slots.allSatisfy { report.day.contains($0.at) })
                #expect(report.quiet.allSatisfy { !$0.isEmpty && report.day.clamped(to: $0) == $0 })
            }
            #expect(seen == jobs.filter { seq in seen.contains(seq) } && Set(seen).count == seen.count)
            #expect(Set(fired).count == fired.count, "seed \(seed): \(fired.sorted())")
            slotsTold += fired.count
            slotsSent += history.events.count { event in
                guard case .jobEmitted(let job) = event.payload, event.user == user else { return false }
                return job.notices.contains { $0.slot != nil }
            }
            #expect(
                seen.count == jobs.count || history.end.milliseconds(since: first) > 28 * 86_400_000,
                "seed \(seed): \(jobs.filter { !seen.contains($0) }), from \(first) to \(history.end), \(zones)")
        }
        #expect(slotsTold > 0 || slotsSent == 0, "where a policy has slots some are told")
    }
}
