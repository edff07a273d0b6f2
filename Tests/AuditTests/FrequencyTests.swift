import Testing

@Suite("P11, P12 and P13, as the judge sees them")
struct FrequencyTests {
    /// Anna's jobs of three kinds at these instants.
    private func jobs(_ kinds: [String], _ times: [String], zone: String = "UTC") -> [Step] {
        var steps = [enrolled(zone, at: "2026-01-01T00:00:00Z"), wants(#"{"quiet_hours":{"enabled":false}}"#)]
        for (kind, at) in zip(kinds, times) {
            steps += [requested(at, kind), job(at, "anna/\(kind)/#\(steps.count + 1)")]
        }
        return steps
    }

    @Test func `a kind cools down for half an hour`() throws {
        let found = { (at: String) in
            try History(Policies.standard, jobs(["reminder", "reminder"], ["2026-03-02T10:00:00Z", at])).found()
        }
        #expect(try found("2026-03-02T10:29:59.999Z") == ["cooldown 6"])
        #expect(try found("2026-03-02T10:30:00.000Z") == [])
        #expect(try found("2026-03-02T10:00:00.000Z") == ["cooldown 6"])
        #expect(
            try History(
                Policies.standard, jobs(["reminder", "alert"], ["2026-03-02T10:00:00Z", "2026-03-02T10:00:01Z"])
            )
            .found() == [])
    }

    /// P19: what goes with another is not asked P11 and P13, and that other need not be asked either.
    @Test func `what goes with something critical needs no cooldown and no place of its own`() throws {
        let found = { (priority: String, policy: String) in
            let at = "2026-03-02T10:10:00Z"
            return try History(
                policy, enrolled(), requested("2026-03-02T10:00:00Z"), job("2026-03-02T10:00:00Z", "anna/reminder/#2"),
                requested(at), requested(at, "reminder", ",\"priority\":\"\(priority)\""),
                job(at, "anna/reminder/#5", priority, notices: ["anna/reminder/#5", "anna/reminder/#4"])
            ).found()
        }
        #expect(try found("critical", Policies.standard) == [])
        #expect(try found("high", Policies.standard) == ["cooldown 6"])
        let one = Policies.standard.replacing(
            #""standard","#, with: #""standard","daily_cap":1,"cooldown_minutes":0,"#)
        #expect(try found("critical", one) == [])
        #expect(try found("high", one) == ["daily_cap 6"])
        // At night it goes alone.
        let night = "2026-03-02T23:00:00Z"
        let both = job(night, "anna/reminder/#3", "critical", notices: ["anna/reminder/#3", "anna/reminder/#2"])
        let asked = [requested(night), requested(night, "reminder", #","priority":"critical""#)]
        #expect(try History(Policies.standard, [enrolled()] + asked + [both]).found() == ["quiet_hours 4"])
    }

    @Test func `the cap is three a local day`() throws {
        let kinds = ["reminder", "alert", "reminder", "alert"]
        let found = { (times: [String], zone: String) in
            try History(Policies.standard, jobs(kinds, times, zone: zone)).found()
        }
        let day = ["2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"]
        #expect(try found(day + ["2026-03-02T23:59:59.999Z"], "UTC") == ["daily_cap 10"])
        #expect(try found(day + ["2026-03-03T00:00:00.000Z"], "UTC") == [])
        // In New York that is still the same day, and in Auckland it had long begun.
        #expect(try found(day + ["2026-03-03T04:59:59.999Z"], "America/New_York") == ["daily_cap 10"])
        #expect(try found(day + ["2026-03-03T05:00:00.000Z"], "America/New_York") == [])
        #expect(try found(day + ["2026-03-02T11:00:00.000Z"], "Pacific/Auckland") == [])
    }

    @Test func `a day of 25 hours has one cap`() throws {
        // Paris on 25 October 2026: from 22:00Z to 23:00Z.
        let kinds = ["reminder", "alert", "reminder", "alert"]
        let first = ["2026-10-24T22:00:00.000Z", "2026-10-25T10:00:00Z", "2026-10-25T11:00:00Z"]
        #expect(
            try History(Policies.standard, jobs(kinds, first + ["2026-10-25T22:59:59.999Z"], zone: "Europe/Paris"))
                .found() == ["daily_cap 10"])
        #expect(
            try History(Policies.standard, jobs(kinds, first + ["2026-10-25T23:00:00.000Z"], zone: "Europe/Paris"))
                .found() == [])
    }

    @Test func `an evening that comes again belongs to the day that had begun`() throws {
        // In St John's the clocks went back at 00:01 in 2010, at 02:31Z, into the evening of the day before.
        let kinds = ["reminder", "alert", "reminder", "alert"]
        let before = ["2010-11-06T15:00:00Z", "2010-11-06T16:00:00Z", "2010-11-06T17:00:00Z"]
        let found = { (at: String) in
            var steps = jobs(kinds, before + [at], zone: "America/St_Johns")
            steps[0].at = "2010-01-01T00:00:00Z"
            steps[1].at = "2010-01-01T00:00:00Z"
            return try History(Policies.standard, steps).found()
        }
        #expect(try found("2010-11-07T02:29:59.999Z") == ["daily_cap 10"])
        #expect(try found("2010-11-07T02:30:00.000Z") == [])
        #expect(try found("2010-11-07T02:31:00.000Z") == [])
    }

    @Test func `the day that counts is the one of the zone the person is in now`() throws {
        var steps = jobs(
            ["reminder", "alert", "reminder"], ["2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"])
        steps += [
            fact("2026-03-02T15:30:00Z", "timezone_changed", #"{"timezone":"Asia/Tokyo"}"#),
            requested("2026-03-02T15:30:00Z", "alert"), job("2026-03-02T15:30:00Z", "anna/alert/#10"),
        ]
        #expect(try History(Policies.standard, steps).found() == [])
        steps[8] = fact("2026-03-02T15:30:00Z", "timezone_changed", #"{"timezone":"Europe/Paris"}"#)
        #expect(try History(Policies.standard, steps).found() == ["daily_cap 11"])
    }

    @Test func `critical notices neither count nor are stopped`() throws {
        var steps = jobs(
            ["reminder", "alert", "reminder"], ["2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"])
        let urgent = { (number: Int, at: String) in
            [requested(at, "urgent"), job(at, "anna/urgent/#\(number)", "critical")]
        }
        #expect(try History(Policies.standard, steps + urgent(9, "2026-03-02T11:00:00Z")).found() == [])
        steps.removeLast(2)
        steps += urgent(7, "2026-03-02T09:30:00Z")
        steps += [requested("2026-03-02T11:00:00Z", "reminder"), job("2026-03-02T11:00:00Z", "anna/reminder/#9")]
        #expect(try History(Policies.standard, steps).found() == [])
    }

    @Test func `the last of the day is kept for a digest that has something to tell`() throws {
        let two = jobs(["reminder", "alert"], ["2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z"])
        let digest = "anna/daily_digest/2026-03-02T18:00"
        let waiting = [
            requested("2026-03-02T10:00:00Z"), gathered("2026-03-02T10:00:00Z", "anna/reminder/#7", into: digest),
        ]
        let third = [requested("2026-03-02T11:00:00Z", "alert"), job("2026-03-02T11:00:00Z", "anna/alert/#9")]
        let told = [job("2026-03-02T18:00:00Z", digest, notices: [digest, "anna/reminder/#7"])]
        #expect(try History(Policies.standard, two + waiting + told).found() == [])
        #expect(try History(Policies.standard, two + waiting + third).found() == ["daily_cap 10"])
        let after = [requested("2026-03-02T19:00:00Z", "alert"), job("2026-03-02T19:00:00Z", "anna/alert/#10")]
        #expect(try History(Policies.standard, two + waiting + told + after).found() == ["daily_cap 11"])
    }

    /// What is due at an instant is decided before a fact of that instant (T10): the digest had nothing to say.
    @Test(arguments: [("17:59:59.999", ["daily_cap 8"]), ("18:00:00.000", [])])
    func `none is kept for a digest whose time came before there was anything to tell`(time: String, found: [String])
        throws
    {
        let two = jobs(["reminder", "alert"], ["2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z"])
        let at = "2026-03-02T\(time)Z"
        let third = [fact(at, "points_earned", #"{"points":5}"#), requested(at, "alert"), job(at, "anna/alert/#8")]
        let steps = two + third
        let number = steps.count
        #expect(
            try History(Policies.standard, Array(steps.dropLast()) + [job(at, "anna/alert/#\(number - 1)")]).found()
                == found.map { _ in "daily_cap \(number)" })
    }

    @Test func `ten in an hour are enough where there is no cap`() throws {
        let minutes = (0..<10).map { "2026-03-02T10:0\($0):00Z" }
        let found = { (at: String, kind: String, priority: String) in
            var steps = [enrolled()]
            for at in minutes { steps += [requested(at, "note"), job(at, "anna/note/#\(steps.count + 1)")] }
            steps += [requested(at, kind, ",\"priority\":\"\(priority)\""), job(at, "anna/\(kind)/#22", priority)]
            return try History(Policies.busy, steps).found()
        }
        #expect(try found("2026-03-02T10:59:59.999Z", "note", "medium") == ["overload 23"])
        #expect(try found("2026-03-02T11:00:00.000Z", "note", "medium") == [])
        #expect(try found("2026-03-02T10:30:00.000Z", "note", "critical") == [])
    }

    @Test func `a digest is not asked, however much came before it (D2)`() throws {
        var steps = [enrolled()]
        for minute in 0..<10 {
            let at = "2026-03-02T10:0\(minute):00Z"
            steps += [requested(at, "note"), job(at, "anna/note/#\(steps.count + 1)")]
        }
        steps += [fact("2026-03-02T10:10:00Z", "session_completed")]
        let review = "anna/review/2026-03-02T10:30"
        let told = job("2026-03-02T10:30:00Z", review, more: #","summary":{"sessions":1}"#)
        #expect(try History(Policies.busy, steps + [told]).found() == [])
    }

    @Test func `only the summary waits for the window by itself`() throws {
        let history = { (name: String, steps: [Step]) in
            try History(
                Policies.busy,
                [enrolled()] + steps + [held("2026-03-02T10:30:00Z", name, until: "2026-03-02T11:00:00Z", "overload")]
            ).found()
        }
        let asked = requested("2026-03-02T10:30:00Z", "note")
        #expect(
            try history(
                "anna/summary/#2",
                [asked, gathered("2026-03-02T10:30:00Z", "anna/note/#2", into: "anna/summary/#2", "overload")]
            ).allSatisfy { !$0.hasPrefix("words") })
        #expect(try history("anna/note/#2", [asked]).contains("words 3"))
    }

    @Test func `the summary of what was too much is asked as well`() throws {
        let history = { (at: String, asked: String, priority: String) in
            var steps = [enrolled()]
            for minute in 0..<10 {
                let at = "2026-03-02T10:0\(minute):00Z"
                steps += [requested(at, "note"), job(at, "anna/note/#\(steps.count + 1)")]
            }
            steps += [
                requested("2026-03-02T10:30:00Z", "note", ",\"priority\":\"\(asked)\""),
                gathered("2026-03-02T10:30:00Z", "anna/note/#22", into: "anna/summary/#23", "overload"),
                job(at, "anna/summary/#23", priority, notices: ["anna/summary/#23", "anna/note/#22"]),
            ]
            return try History(Policies.busy, steps).found()
        }
        #expect(try history("2026-03-02T10:59:59.999Z", "medium", "medium") == ["overload 24"])
        #expect(try history("2026-03-02T11:00:00Z", "medium", "medium") == [])
        // As pressing as what it tells of, and no more.
        #expect(try history("2026-03-02T11:00:00Z", "high", "high") == [])
        #expect(try history("2026-03-02T11:00:00Z", "medium", "high") == ["carried 24"])
    }

    @Test func `what is shown in the app counts for nothing`() throws {
        var steps = jobs(
            ["reminder", "alert", "reminder"], ["2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z"])
        steps += [
            fact("2026-03-02T10:01:00Z", "app_opened"), requested("2026-03-02T10:02:00Z"),
            job("2026-03-02T10:02:00Z", "anna/reminder/#10", on: ["in_app"]),
        ]
        #expect(try History(Policies.standard, steps).found() == [])
    }
}
