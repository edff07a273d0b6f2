import Testing

@Suite("S1 to S4, as the judge sees them")
struct SnoozeTests {
    private static let noon = "2026-03-02T12:00:00Z"
    private static let note = "anna/reminder/#2"

    private func snoozed(_ at: String, _ job: String = note, minutes: Int = 15) -> Step {
        fact(at, "notice_snoozed", "{\"job\":\"\(job)\",\"minutes\":\(minutes)}")
    }

    private func found(_ after: Step..., request: String = "") throws -> [String] {
        let steps = [enrolled(), requested(Self.noon, "reminder", request), job(Self.noon, Self.note)]
        return try History(Policies.standard, steps + after).found()
    }

    @Test func `a repeat comes when it was asked for, not before and not unasked`() throws {
        let again = { (at: String) in job(at, Self.note + "~1") }
        #expect(try found(snoozed("2026-03-02T12:01:00Z"), again("2026-03-02T12:16:00Z")) == [])
        #expect(try found(snoozed("2026-03-02T12:01:00Z"), again("2026-03-02T12:15:59.999Z")) == ["snoozes 5"])
        #expect(try found(again("2026-03-02T12:16:00Z")) == ["snoozes 4"])
        #expect(
            try found(snoozed("2026-03-02T12:01:00Z"), job("2026-03-02T12:16:00Z", Self.note + "~2"))
                == ["snoozes 5", "waiting 4"])
    }

    /// Of many jobs those of some days ago are forgotten: when they were raised, and what else was in them.
    @Test(arguments: [#","subject":"goal:run""#, #","subject":"goal:tea""#])
    func `of a job that is forgotten neither its day nor its bundle is asked`(subject: String) throws {
        let old = "anna/reminder/goal:run/#4"
        var steps = [
            enrolled(), fact("2026-03-02T08:00:00Z", "goal_started", #"{"goal":"run","title":"Run"}"#),
            fact("2026-03-02T08:00:00Z", "goal_started", #"{"goal":"tea","title":"Tea"}"#),
            requested(Self.noon, "reminder", #","subject":"goal:run""#), job(Self.noon, old),
        ]
        for day in 3...11 {
            let at = "2026-03-\(day < 10 ? "0" : "")\(day)T12:00:00Z"
            steps += [requested(at, "reminder"), job(at, "anna/reminder/#\(steps.count + 1)")]
        }
        var again = job("2026-03-11T12:17:00Z", old + "~1")
        again.data = again.data.replacing(#","subject":"goal:run""#, with: subject)
        #expect(again.data.contains(subject))
        steps += [
            fact("2026-03-11T12:01:00Z", "checked_in", #"{"goal":"run"}"#), snoozed("2026-03-11T12:02:00Z", old), again,
        ]
        #expect(try History(Policies.standard, steps).found() == [])
    }

    @Test func `a repeat comes in the night and over the cap, but not to the opted-out`() throws {
        let late = snoozed("2026-03-02T21:30:00Z", minutes: 120)
        let again = job("2026-03-02T23:30:00Z", Self.note + "~1")
        #expect(try found(late, again) == [])
        let out = wants(#"{"enabled":false}"#, at: "2026-03-02T22:00:00Z")
        #expect(try found(late, out, again) == ["master_switch 6"])
        #expect(try found(late, out, dropped("2026-03-02T23:30:00Z", Self.note + "~1", "opted_out")) == [])
        #expect(try found(late, again, request: #","expires_at":"2026-03-02T23:00:00Z""#) == ["expired 5"])
    }

    @Test func `a repeat that comes late may be held, and then comes at an hour that suits (P8, P9)`() throws {
        let late = snoozed("2026-03-02T21:30:00Z")
        let (name, morning) = (Self.note + "~1", "2026-03-03T08:00:00Z")
        let hold = held("2026-03-03T03:10:00Z", name, until: morning)
        #expect(try found(late, hold, job(morning, name)) == [])
        #expect(try found(late, hold, job("2026-03-03T07:59:59.999Z", name)) == ["quiet_hours 6"])
        // Older versions had none wait.
        #expect(try found(late, job("2026-03-03T03:10:00Z", name)) == [])
        let awake = wants(#"{"quiet_hours":{"enabled":false}}"#, at: "2026-03-03T03:20:00Z")
        #expect(try found(late, hold, awake, job("2026-03-03T03:20:00Z", name)) == [])
        let out = wants(#"{"enabled":false}"#, at: "2026-03-03T03:20:00Z")
        #expect(try found(late, hold, out, dropped("2026-03-03T03:20:00Z", name, "opted_out")) == [])
        let shut = wants(#"{"schedule":{"tue":[["10:00","12:00"]]}}"#, at: "2026-03-03T03:20:00Z")
        #expect(try found(late, hold, shut, job(morning, name)) == ["schedule 7"])
    }

    @Test func `it is held for no other reason, no sooner, and not forgotten`() throws {
        let name = Self.note + "~1"
        let late = snoozed("2026-03-02T21:50:00Z")
        func held(_ at: String, _ reason: String = "quiet_hours", until: String = "2026-03-03T08:00:00Z") -> Step {
            AuditTests.held(at, name, until: until, reason)
        }
        let again = job("2026-03-03T08:00:00Z", name)
        #expect(try found(late, held("2026-03-02T22:06:00.001Z"), again) == [])
        #expect(try found(late, held("2026-03-02T22:06:00Z"), again) == ["snoozes 5"])
        let twice = held("2026-03-03T03:10:00Z")
        #expect(try found(late, twice, twice, again) == ["holds 6"])
        let capped = held("2026-03-03T03:10:00Z", "cooldown", until: "2026-03-03T03:30:00Z")
        #expect(try found(late, capped, again) == ["holds 5", "holds 5"])
        let next = [requested("2026-03-03T09:00:00Z", "alert"), job("2026-03-03T09:00:00Z", "anna/alert/#6")]
        let last = [requested("2026-03-03T10:00:00Z", "alert"), job("2026-03-03T10:00:00Z", "anna/alert/#8")]
        #expect(try found(late, twice, next[0], next[1], last[0], last[1]) == ["waiting 4"])
    }

    @Test func `it is held under its own name`() throws {
        let name = Self.note + "~1"
        func found(_ kind: String, _ more: String = "") throws -> [String] {
            let hold = fact(
                "2026-03-03T03:10:00Z", "notice_held",
                """
                {"notice":"\(name)","kind":"\(kind)"\(more),"until":"2026-03-03T08:00:00Z","reason":"quiet_hours"}
                """)
            return try self.found(snoozed("2026-03-02T21:30:00Z"), hold, job("2026-03-03T08:00:00Z", name))
        }
        #expect(try found("reminder") == [])
        #expect(try found("alert") == ["names 5"])
        #expect(try found("reminder", #","subject":"thing:x""#) == ["names 5"])
    }

    @Test func `what waits for no such hour is not held (P14)`() throws {
        let evening = "2026-03-02T21:00:00Z"
        func found(
            _ kind: String = "reminder", of policy: String = Policies.standard, _ more: String = "",
            on channels: [String] = ["push"], wanting wishes: String = #"{"check_in_time":"09:30"}"#,
            for reason: String = "quiet_hours",
            until end: String = "2026-03-03T08:00:00Z"
        ) throws -> [String] {
            let note = "anna/\(kind)/#2"
            return try History(
                policy,
                [
                    enrolled("UTC", #","email":"anna@example.org""#), requested(Self.noon, kind, more),
                    job(Self.noon, note, on: channels), wants(wishes, at: evening),
                    snoozed("2026-03-02T21:30:00Z", note),
                    held("2026-03-03T03:10:00Z", note + "~1", until: end, reason),
                    job(end, note + "~1", on: channels),
                ]
            ).found()
        }
        #expect(try found() == [])
        #expect(try found("urgent") == ["holds 6"])
        #expect(try found("alert") == [])
        let exempt = #"{"quiet_hours":{"exceptions":["reminder"]}}"#
        #expect(try found(wanting: exempt) == ["holds 6"])
        // Exceptions open no schedule.
        let both = exempt.replacing("}}", with: #"},"schedule":{"tue":[["10:00","12:00"]]}}"#)
        #expect(try found(wanting: both, for: "outside_schedule", until: "2026-03-03T10:00:00Z") == [])
        let mails = ["push", "email"]
        #expect(try found("payment", of: Policies.busy, on: mails) == ["holds 6"])
    }

    @Test func `a reading settles a repeat only when it came after the snooze (P2)`() throws {
        let note = "anna/reminder/conversation:c1/#2"
        let again = job("2026-03-02T12:17:00Z", note + "~1")
        let read = { (at: String) in fact(at, "messages_read", #"{"conversation":"c1"}"#) }
        let asked = [
            enrolled(), requested(Self.noon, "reminder", #","subject":"conversation:c1""#), job(Self.noon, note),
        ]
        let before = [read("2026-03-02T12:01:00Z"), snoozed("2026-03-02T12:02:00Z", note), again]
        let after = [snoozed("2026-03-02T12:02:00Z", note), read("2026-03-02T12:03:00Z"), again]
        #expect(try History(Policies.standard, asked + before).found() == [])
        #expect(try History(Policies.standard, asked + after).found() == ["settled 6"])
    }

    /// Two reminders told together, of which only the second may come again.
    @Test func `a repeat of a bundle is for what is still open, and says what it is about`() throws {
        let first = "anna/reminder/thing:x/#2"
        let both = job(Self.noon, first, notices: [first, "anna/reminder/thing:y/#3"])
        func found(_ end: String, _ after: Step..., about subject: String?) throws -> [String] {
            let named = subject.map { ",\"subject\":\"\($0)\"" } ?? ""
            let again = fact(
                "2026-03-02T13:30:00Z", "job_emitted",
                """
                {"job":"\(first)~1","kind":"reminder","notices":["\(first)~1"]\(named),"channels":["push"],\
                "priority":"medium","title":"","body":"","actions":[],"data":{},"summary":{}}
                """)
            let steps = [
                enrolled(), requested(Self.noon, "reminder", ",\"subject\":\"thing:x\"\(end)"),
                requested(Self.noon, "reminder", #","subject":"thing:y""#), both,
                snoozed("2026-03-02T12:30:00Z", first, minutes: 60),
            ]
            return try History(Policies.standard, steps + after + [again]).found()
        }
        let expires = #","expires_at":"2026-03-02T13:00:00Z""#
        let off = wants(
            #"{"subjects":{"thing:x":{"kinds":{"reminder":{"enabled":false}}}}}"#, at: "2026-03-02T12:40:00Z")
        let allOff = wants(#"{"kinds":{"reminder":{"enabled":false}}}"#, at: "2026-03-02T12:40:00Z")
        #expect(try found("", about: nil) == [])
        #expect(try found("", about: "thing:x") == ["carried 6"])
        #expect(try found(expires, about: "thing:y") == [])
        #expect(try found(expires, about: "thing:x") == ["carried 6"])
        // As older versions said of every repeat of several.
        #expect(try found(expires, about: nil) == [])
        #expect(try found("", off, about: "thing:y") == [])
        #expect(try found("", allOff, about: nil) == ["kind_switch 7"])
    }

    /// Two reminders told together, of which one is about a goal that has mail alone.
    @Test func `and goes where what is still open goes (P6)`() throws {
        let first = "anna/reminder/goal:g1/#4"
        func found(_ after: Step..., about subject: String? = nil, on channels: String) throws -> [String] {
            let named = subject.map { ",\"subject\":\"\($0)\"" } ?? ""
            let again = fact(
                "2026-03-02T13:30:00Z", "job_emitted",
                """
                {"job":"\(first)~1","kind":"reminder","notices":["\(first)~1"]\(named),"channels":[\(channels)],\
                "priority":"medium","title":"","body":"","actions":[],"data":{},"summary":{}}
                """)
            let steps = [
                enrolled("UTC", #","email":"anna@example.org""#),
                wants(#"{"goals":{"g1":{"kinds":{"reminder":{"channels":["email"]}}}}}"#),
                fact("2026-03-01T12:00:02Z", "goal_started", #"{"goal":"g1","title":"G"}"#),
                requested(Self.noon, "reminder", #","subject":"goal:g1""#),
                requested(Self.noon, "reminder", #","subject":"thing:y""#),
                job(Self.noon, first, on: ["push", "email"], notices: [first, "anna/reminder/thing:y/#5"]),
                snoozed("2026-03-02T12:30:00Z", first, minutes: 60),
            ]
            return try History(Policies.standard, steps + after + [again]).found()
        }
        let both = #""push","email""#
        #expect(try found(on: both) == [])
        #expect(try found(on: #""push""#) == ["every_channel 8"])
        // The goal's only channel is gone (P6), and with it what is about the goal.
        let bounced = fact(
            "2026-03-02T12:40:00Z", "job_failed",
            #"{"job":"\#(first)","channel":"email","reason":"550","permanent":true}"#)
        #expect(try found(bounced, about: "thing:y", on: #""push""#) == [])
        let ended = fact("2026-03-02T12:40:00Z", "goal_ended", #"{"goal":"g1","outcome":"completed"}"#)
        #expect(try found(ended, about: "thing:y", on: #""push""#) == [])
        #expect(try found(ended, about: "thing:y", on: both) == ["channels 9"])
    }

    @Test func `a repeat that was asked for is not forgotten`() throws {
        let alert = [requested("2026-03-02T13:00:00Z", "alert"), job("2026-03-02T13:00:00Z", "anna/alert/#5")]
        let next = [requested("2026-03-02T14:00:00Z", "alert"), job("2026-03-02T14:00:00Z", "anna/alert/#7")]
        let ask = snoozed("2026-03-02T12:01:00Z")
        #expect(try found(ask, alert[0], alert[1], next[0], next[1]) == ["waiting 4"])
    }

    @Test func `three snoozes at most`() throws {
        var steps = [enrolled(), requested(Self.noon), job(Self.noon, Self.note)]
        var last = Self.note
        for number in 1...3 {
            steps.append(snoozed("2026-03-02T1\(number + 1):30:00Z", last))
            last = Self.note + "~\(number)"
            steps.append(job("2026-03-02T1\(number + 1):45:00Z", last))
        }
        #expect(try History(Policies.standard, steps).found() == [])
        steps.append(snoozed("2026-03-02T15:30:00Z", last))
        #expect(try History(Policies.standard, steps).found() == ["snoozes 10"])
        steps.append(job("2026-03-02T15:45:00Z", Self.note + "~4"))
        #expect(try History(Policies.standard, steps).found() == ["snoozes 10", "snoozes 11"])
    }

    // MARK: Sessions and prompts

    private func exchanged(_ count: Int, last: String = "2026-03-02T12:00:00Z") -> [Step] {
        (0..<count).map { fact(last, "message_received", "{\"conversation\":\"c1\",\"message\":\"m\($0)\"}") }
    }

    private func derived(_ at: String) -> Step {
        fact(at, "session_completed", #"{"conversation":"c1","derived":true}"#)
    }

    @Test func `a derived session had four messages`() throws {
        let found = { (count: Int) in
            try History(Policies.chatty, [enrolled()] + exchanged(count) + [derived("2026-03-02T12:05:00Z")]).found()
        }
        #expect(try found(3) == ["sessions 5"])
        #expect(try found(4) == [])
        let twice = [enrolled()] + exchanged(4) + [derived("2026-03-02T12:05:00Z"), derived("2026-03-02T12:10:00Z")]
        #expect(try History(Policies.chatty, twice).found() == ["sessions 7"])
    }

    @Test func `a derived session comes after five minutes or when the app is closed`() throws {
        let open = fact("2026-03-02T11:00:00Z", "app_opened")
        let found = { (steps: [Step]) in
            try History(Policies.chatty, [enrolled(), open] + exchanged(4) + steps).found()
        }
        #expect(try found([derived("2026-03-02T12:04:59.999Z")]) == ["sessions 7"])
        #expect(try found([derived("2026-03-02T12:05:00.000Z")]) == [])
        let closed = fact("2026-03-02T12:01:00Z", "app_closed")
        #expect(try found([closed, derived("2026-03-02T12:01:00Z")]) == [])
    }

    private func prompts(_ steps: Step...) throws -> [String] {
        try History(Policies.chatty, [enrolled()] + steps).found()
    }

    private func prompt(_ at: String, _ seq: Int) -> Step {
        job(at, "anna/permission_prompt/#\(seq)", on: ["in_app"])
    }

    @Test func `permission is asked for after a session, and again only after a not now and another`() throws {
        let session = { (at: String) in fact(at, "session_completed") }
        let answer = { (status: String) in
            fact("2026-03-02T12:30:00Z", "push_permission_changed", "{\"status\":\"\(status)\"}")
        }
        let first = prompt("2026-03-02T12:00:00Z", 2)
        #expect(try prompts(session(Self.noon), first) == [])
        #expect(try prompts(fact(Self.noon, "app_opened"), first) == ["prompts 3"])
        let second = { (seq: Int) in prompt("2026-03-02T13:00:00Z", seq) }
        let later = session("2026-03-02T13:00:00Z")
        #expect(try prompts(session(Self.noon), first, later, second(4)) == ["prompts 5"])
        #expect(try prompts(session(Self.noon), first, answer("not_now"), later, second(5)) == [])
        #expect(try prompts(session(Self.noon), first, answer("not_now"), second(4)) == ["prompts 5"])
        #expect(try prompts(session(Self.noon), first, answer("granted"), later, second(5)) == ["prompts 6"])
        #expect(try prompts(session(Self.noon), first, answer("denied"), later, second(5)) == ["prompts 6"])
        // Who puts it off on another device has answered all the same.
        #expect(
            try prompts(session(Self.noon), first, answer("denied"), answer("not_now"), later, second(6))
                == ["prompts 7"])
        // Nor is who answered asked once more by a repeat.
        let snooze = fact(
            "2026-03-02T12:15:00Z", "notice_snoozed", #"{"job":"anna/permission_prompt/#2","minutes":60}"#)
        let again = job(
            "2026-03-02T13:15:00Z", "anna/permission_prompt/#2~1", on: ["in_app"],
            notices: ["anna/permission_prompt/#2~1"])
        #expect(try prompts(session(Self.noon), first, snooze, again) == [])
        for status in ["granted", "denied", "not_now"] {
            #expect(try prompts(session(Self.noon), first, snooze, answer(status), again) == ["prompts 6"], "\(status)")
        }
    }
}
