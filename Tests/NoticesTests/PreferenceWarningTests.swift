import CivilTime
import Notices
import Testing

/// SPEC §3: what is said with a change that happens all the same.
@Suite("Warnings of a change")
struct PreferenceWarningTests {
    private func warnings(
        _ policy: String, _ patch: String, on current: String = "{}", reminders: [String] = []
    ) throws -> [String] {
        let rules = try shipped(policy)
        let old = json(current)
        let new = rules.differences(of: old, patchedWith: json(patch), saidYes: true)
        let standing = PreferenceStanding(
            goals: reminders.enumerated().map { .init(id: "g\($0)", reminderTime: time($1)) })
        return rules.warnings(from: old, to: new, saidYes: true, standing: standing).map(\.sentence)
    }

    @Test func `quiet hours over the check-in time`() throws {
        let late =
            "your quiet hours overlap with the check-in time 22:30 on Monday, Wednesday and Friday: check-ins wait until they end at 08:00"
        #expect(try warnings("standard", #"{"check_in_time":"22:30"}"#) == [late])
        #expect(
            try warnings("standard", #"{"check_in_time":"22:00","check_in_days":["sun"]}"#).first?.contains(
                "22:00 on Sunday:") == true)
        #expect(try warnings("standard", #"{"check_in_time":"07:59"}"#).count == 1)
        #expect(try warnings("standard", #"{"check_in_time":"08:00"}"#) == [])
        #expect(try warnings("standard", #"{"check_in_time":"21:59"}"#) == [])
        // It is said once, and again only when what it is about has changed.
        #expect(try warnings("standard", #"{"digest_mode":true}"#, on: #"{"check_in_time":"22:30"}"#) == [])
        #expect(try warnings("standard", #"{"check_in_time":"23:00"}"#, on: #"{"check_in_time":"22:30"}"#).count == 1)
        #expect(try warnings("standard", #"{"frequency":"daily"}"#, on: #"{"check_in_time":"22:30"}"#).count == 1)
        #expect(
            try warnings(
                "standard", #"{"check_ins_enabled":true}"#, on: #"{"check_in_time":"22:30","check_ins_enabled":false}"#
            ).count == 1)
    }

    @Test func `but not where no check-in falls into them`() throws {
        // Friday night reaches into Saturday and nowhere else (`T3`).
        let fridays = #"{"quiet_hours":{"days":["fri"]}}"#
        #expect(try warnings("standard", #"{"check_in_time":"07:00"}"#, on: fridays) == [])
        #expect(
            try warnings("standard", #"{"check_in_time":"07:00","check_in_days":["sat","sun"]}"#, on: fridays).first?
                .contains("07:00 on Saturday:") == true)
        #expect(
            try warnings("standard", #"{"check_in_time":"23:00"}"#, on: fridays).first?.contains("23:00 on Friday:")
                == true)
        let late = #"{"check_in_time":"22:30"}"#
        for current in [
            #"{"check_ins_enabled":false}"#, #"{"enabled":false}"#, #"{"quiet_hours":{"enabled":false}}"#,
            #"{"kinds":{"check_in":{"enabled":false}}}"#, #"{"quiet_hours":{"exceptions":["check_in"]}}"#,
            #"{"quiet_hours":{"start":"12:00","end":"13:00"}}"#, #"{"check_in_days":[]}"#,
        ] { #expect(try warnings("standard", late, on: current) == [], "\(current)") }
        for policy in ["screentime", "messageai", "microcommit"] {
            let useless = "check_in_time has no effect: no kind of notice of \(policy) checks in"
            #expect(try warnings(policy, late) == [useless])
        }
        let noon = try warnings(
            "standard", #"{"check_in_time":"12:30"}"#, on: #"{"quiet_hours":{"start":"12:00","end":"13:00"}}"#)
        #expect(noon.count == 1)
    }

    @Test func `quiet hours over every reminder time`() throws {
        let patch = #"{"quiet_hours":{"start":"18:00","end":"10:00"}}"#
        #expect(
            try warnings("microcommit", patch, reminders: ["20:00", "08:00", "08:00"]) == [
                "your quiet hours overlap with every reminder time (08:00, 20:00): reminders wait until they end at 10:00"
            ])
        #expect(try warnings("microcommit", patch, reminders: ["08:00", "12:00"]) == [])
        #expect(try warnings("microcommit", patch, reminders: []) == [])
        #expect(
            try warnings("microcommit", #"{"kinds":{"social":{"enabled":true}}}"#, on: patch, reminders: ["08:00"])
                == [])
        #expect(
            try warnings(
                "microcommit", #"{"quiet_hours":{"start":"18:00","end":"10:00","days":["fri"]}}"#, reminders: ["08:00"])
                == [])
        #expect(
            try warnings(
                "microcommit", #"{"quiet_hours":{"start":"18:00","end":"10:00","exceptions":["goal_reminder"]}}"#,
                reminders: ["08:00"]) == [])
        #expect(
            try warnings(
                "microcommit",
                #"{"quiet_hours":{"start":"18:00","end":"10:00"},"kinds":{"goal_reminder":{"enabled":false}}}"#,
                reminders: ["08:00"]) == [])
        #expect(try warnings("standard", patch, reminders: ["08:00"]).allSatisfy { !$0.contains("reminder") })
    }

    @Test func `a schedule of nothing but quiet hours`() throws {
        let never = ["the hours of your schedule are all quiet hours: what keeps to both never reaches you"]
        func schedule(_ slots: String) -> String { #"{"schedule":{"mon":[\#(slots)]}}"# }
        #expect(try warnings("standard", schedule(#"["22:30","23:30"]"#)) == never)
        #expect(try warnings("standard", schedule(#"["22:00","23:59"],["06:00","08:00"]"#)) == never)
        // A minute is enough, before quiet hours or after them.
        #expect(try warnings("standard", schedule(#"["21:59","23:30"]"#)) == [])
        #expect(try warnings("standard", schedule(#"["06:00","08:01"]"#)) == [])
        // Sunday's night ends on Monday.
        #expect(
            try warnings("standard", schedule(#"["06:00","07:00"]"#), on: #"{"quiet_hours":{"days":["sun"]}}"#) == never
        )
        #expect(
            try warnings("standard", schedule(#"["06:00","07:00"]"#), on: #"{"quiet_hours":{"days":["mon"]}}"#) == [])
        let evening = schedule(#"["19:00","21:00"]"#)
        #expect(try warnings("standard", #"{"quiet_hours":{"start":"18:00"}}"#, on: evening) == never)
        #expect(try warnings("standard", #"{"digest_mode":true}"#, on: schedule(#"["22:30","23:30"]"#)) == [])
    }

    @Test func `what a goal has no use for`() throws {
        func warnings(_ patch: String, hasDeadline: Bool = false, hasDays: Bool = false) throws -> [String] {
            let rules = try shipped("microcommit")
            let new = rules.differences(of: json("{}"), patchedWith: json(patch), saidYes: true)
            let goal = PreferenceStanding.Goal(
                id: "g", reminderTime: nil, hasDeadline: hasDeadline, hasDays: hasDays)
            return rules.warnings(from: json("{}"), to: new, saidYes: true, standing: PreferenceStanding(goals: [goal]))
                .map(\.sentence)
        }
        let hourly = #"{"goals":{"g":{"repeat":"hourly_before_deadline"}}}"#
        #expect(try warnings(hourly) == ["goals.g.repeat has no effect for now: the goal has no deadline"])
        #expect(try warnings(hourly, hasDeadline: true) == [])
        let ahead = #"{"goals":{"g":{"days_before":1}}}"#
        #expect(
            try warnings(ahead) == [
                "goals.g.days_before has no effect for now: the goal has no check-in days, and is reminded of daily"
            ])
        #expect(try warnings(ahead, hasDays: true) == [])
        // Of a goal that has not begun nobody knows.
        #expect(try warnings(#"{"goals":{"h":{"days_before":1,"repeat":"hourly_before_deadline"}}}"#) == [])
    }

    @Test func `what is set of a kind that is off`() throws {
        let off = #"{"kinds":{"goal_reminder":{"enabled":false},"product_update":{"enabled":false}}}"#
        let reminders = "what is set of “Goal reminders” has no effect while that is off"
        let ofGoal = "what is set of “Goal reminders” for goal g has no effect while that is off"
        #expect(try warnings("microcommit", #"{"reminder_time":"07:00"}"#, on: off) == [reminders])
        #expect(try warnings("microcommit", #"{"goals":{"g":{"reminder_time":"07:00"}}}"#, on: off) == [ofGoal])
        #expect(try warnings("microcommit", #"{"reminder_time":"07:00"}"#) == [])
        let ownOff = #"{"goals":{"g":{"kinds":{"goal_reminder":{"enabled":false}}}}}"#
        #expect(try warnings("microcommit", #"{"goals":{"g":{"repeat":"every_2_hours"}}}"#, on: ownOff) == [ofGoal])
        #expect(try warnings("microcommit", #"{"goals":{"h":{"repeat":"every_2_hours"}}}"#, on: ownOff) == [])
        // A switch by itself is what it says.
        #expect(try warnings("microcommit", ownOff) == [])
        #expect(try warnings("microcommit", #"{"kinds":{"goal_reminder":{"enabled":false}}}"#) == [])
    }

    @Test func `a kind that is switched on and reaches nobody`() throws {
        let rules = try shipped("microcommit")
        func warnings(reachable: ChannelSet) -> [String] {
            let off = json(#"{"kinds":{"product_update":{"enabled":false}}}"#)
            let new = rules.differences(
                of: off, patchedWith: json(#"{"kinds":{"product_update":{"enabled":true}}}"#), saidYes: true)
            return rules.warnings(
                from: off, to: new, saidYes: true, standing: PreferenceStanding(reachable: reachable)
            ).map(\.sentence)
        }
        #expect(
            warnings(reachable: [.push, .inApp]) == [
                "“Product updates” does not reach you for now: no email address is known, or mails to it came back"
            ])
        #expect(warnings(reachable: [.email, .inApp]) == [])
    }

    @Test func `everything off`() throws {
        let missing = "every kind of notice is off: you may miss check-ins"
        #expect(try warnings("standard", #"{"enabled":false}"#) == [missing])
        #expect(try warnings("standard", #"{"enabled":false,"channels":{"push":false}}"#) == [missing])
        let kinds = ["urgent", "alert", "reminder", "check_in", "daily_digest", "weekly_review"]
        let off = kinds.map { "\"\($0)\":{\"enabled\":false}" }
        #expect(try warnings("standard", "{\"kinds\":{\(off.joined(separator: ","))}}") == [missing])
        #expect(try warnings("standard", "{\"kinds\":{\(off.dropFirst().joined(separator: ","))}}") == [])
        let butCheckIns = (off[0...2] + off[4...5]).joined(separator: ",")
        #expect(try warnings("standard", "{\"check_ins_enabled\":false,\"kinds\":{\(butCheckIns)}}") == [missing])
        #expect(try warnings("standard", #"{"digest_mode":true}"#, on: #"{"enabled":false}"#) == [])
        #expect(
            try warnings("microcommit", #"{"enabled":false}"#) == [
                missing + " (Payment & financial: required, and sent all the same)"
            ])
    }

    /// What is off is asked as `P4` to `P6` ask it: a kind with no channel that is on comes as little as one that is off.
    @Test(arguments: ["standard", "coachme", "screentime"]) func `everything off, by the channels alone`(
        policy: String
    ) throws {
        for channels in [#"{"push":false}"#, #"{"push":false,"email":false}"#] {
            let told = try warnings(policy, #"{"channels":\#(channels)}"#).filter { $0.contains("miss check-ins") }
            #expect(told == ["no channel is left for your notices: you may miss check-ins"])
        }
    }

    @Test func `every kind with no channel of its own is on, and has none left`() throws {
        let kinds = ["urgent", "alert", "reminder", "check_in", "daily_digest", "weekly_review"]
        let none = kinds.map { "\"\($0)\":{\"channels\":[]}" }.joined(separator: ",")
        #expect(
            try warnings("standard", "{\"kinds\":{\(none)}}")
                == ["no channel is left for your notices: you may miss check-ins"])
    }

    @Test func `everything off, channel after channel, or for all but a goal`() throws {
        #expect(try warnings("messageai", #"{"channels":{"push":false}}"#).count == 1)
        #expect(try warnings("microcommit", #"{"channels":{"push":false}}"#) == [])
        let both = try warnings("microcommit", #"{"channels":{"email":false}}"#, on: #"{"channels":{"push":false}}"#)
        #expect(both.first?.hasPrefix("no channel is left for your notices: you may miss check-ins") == true)
        let none = #"{"channels":{"push":false,"email":false,"sms":false}}"#
        #expect(try warnings("microcommit", #"{"channels":{"email":true}}"#, on: none) == [])
        let texts = #"{"goals":{"g1":{"kinds":{"goal_reminder":{"channels":["sms"]}}}},"channels":{"sms":true}}"#
        #expect(
            try warnings("microcommit", #"{"channels":{"push":false,"email":false}}"#, on: texts, reminders: ["08:00"])
                == [])
    }

    @Test func `the channels that are left reach nobody`() throws {
        let rules = try shipped("microcommit")
        let new = rules.differences(of: .emptyObject, patchedWith: json(#"{"channels":{"push":false}}"#), saidYes: true)
        func told(_ reachable: ChannelSet) -> [String] {
            rules.warnings(
                from: .emptyObject, to: new, saidYes: true, standing: PreferenceStanding(reachable: reachable)
            ).filter { $0.kind == .everythingOff }.map(\.sentence)
        }
        #expect(
            told([.push, .inApp]) == [
                "every notice is now to come by email, which does not reach you: you may miss check-ins "
                    + "(Payment & financial: required, and sent all the same)"
            ])
        #expect(told([.push, .email, .inApp]) == [])
        // It is said of what the change brings about: who was not reached before is not told anew.
        #expect(told([.inApp]) == [])
    }

    @Test func `opting out of smart notifications`() throws {
        let every = "smart notifications are off: you will receive a notice for every message"
        #expect(try warnings("messageai", #"{"enabled":false}"#) == [every])
        #expect(try warnings("messageai", #"{"enabled":false}"#, on: #"{"enabled":false}"#) == [])
        #expect(try warnings("messageai", #"{"enabled":null}"#, on: #"{"enabled":false}"#) == [])
        #expect(try warnings("messageai", #"{"enabled":true}"#) == [])
    }

    /// `P14`.
    @Test func `switching off what is required`() throws {
        #expect(
            try warnings("microcommit", #"{"kinds":{"payment":{"enabled":false}}}"#) == [
                "Payment & financial: required, and sent all the same, but for “Payment reminder”"
            ])
        #expect(
            try warnings(
                "microcommit", #"{"kinds":{"payment":{"subtypes":{"payment_failed":false,"payment_reminder":true}}}}"#)
                == [
                    "“Payment failed” of Payment & financial: required, and sent all the same"
                ])
        #expect(
            try warnings("microcommit", #"{"kinds":{"payment":{"channels":["push","sms"]}}}"#) == [
                "Payment & financial always come by push and email"
            ])
        #expect(try warnings("microcommit", #"{"kinds":{"payment":{"channels":["push","email","sms"]}}}"#) == [])
        #expect(try warnings("microcommit", #"{"kinds":{"payment":{"subtypes":{"payment_reminder":true}}}}"#) == [])
        #expect(
            try warnings(
                "microcommit", #"{"kinds":{"social":{"enabled":true}}}"#,
                on: #"{"kinds":{"payment":{"enabled":false}}}"#)
                == [])
    }

    /// `P14`.
    @Test(arguments: [("goals", "g1", "goal g1"), ("subjects", "child:lea", "child:lea")])
    func `switching off what is required, for one goal or subject`(field: String, id: String, name: String) throws {
        func told(_ kind: String, on current: String = "{}") throws -> [String] {
            try warnings("microcommit", #"{"\#(field)":{"\#(id)":{"kinds":{"payment":\#(kind)}}}}"#, on: current)
        }
        let whole = "Payment & financial, also for \(name): required, and sent all the same, but for “Payment reminder”"
        #expect(try told(#"{"enabled":false}"#) == [whole])
        #expect(try told(#"{"enabled":true}"#) == [])
        #expect(
            try told(#"{"subtypes":{"payment_failed":false}}"#) == [
                "“Payment failed” of Payment & financial, also for \(name): required, and sent all the same"
            ])
        let off = #"{"\#(field)":{"\#(id)":{"kinds":{"payment":{"enabled":false}}}}}"#
        #expect(try told(#"{"enabled":false}"#, on: off) == [])
        #expect(try told(#"{"enabled":null}"#, on: off) == [])
    }

    @Test func `settings of goals where nothing reminds of goals`() throws {
        func useless(_ field: String, _ policy: String) -> String {
            "goals.g1.\(field) has no effect: no kind of notice of \(policy) reminds of goals"
        }
        #expect(
            try warnings("standard", #"{"goals":{"g1":{"reminder_time":"07:00"}}}"#)
                == [useless("reminder_time", "standard")])
        #expect(
            try warnings("coachme", #"{"goals":{"g1":{"repeat":"every_2_hours","days_before":1}}}"#)
                == [useless("repeat", "coachme"), useless("days_before", "coachme")])
        #expect(try warnings("microcommit", #"{"goals":{"g1":{"reminder_time":"07:00"}}}"#) == [])
    }

    @Test func `exceptions from quiet hours that change nothing`() throws {
        func told(_ policy: String, _ kind: String, on current: String = "{}") throws -> [String] {
            try warnings(policy, #"{"quiet_hours":{"exceptions":["\#(kind)"]}}"#, on: current)
        }
        let locked = "an exception for “Payment & financial” has no effect: quiet hours never keep it back"
        #expect(try told("microcommit", "payment") == [locked])
        #expect(try told("microcommit", "payment", on: #"{"quiet_hours":{"exceptions":["payment"]}}"#) == [])
        #expect(try told("microcommit", "goal_reminder") == [])
        #expect(
            try told("coachme", "permission_prompt").first?.hasSuffix("has no effect: it never rings by itself") == true
        )
        #expect(try told("standard", "alert") == [])
        // What is critical passes by itself (P14); who sets another list without it has said nothing of it.
        let critical = "an exception for critical notices has no effect: quiet hours never keep them back"
        #expect(try told("standard", "critical") == [critical])
        #expect(try warnings("microcommit", #"{"quiet_hours":{"exceptions":[]}}"#) == [critical])
        #expect(try warnings("microcommit", #"{"quiet_hours":{"start":"21:00"}}"#) == [])
    }

    @Test func `lists of which nothing is left`() throws {
        let quiet = "quiet hours have no effect: they are on no day of the week"
        #expect(try warnings("standard", #"{"quiet_hours":{"days":[]}}"#) == [quiet])
        #expect(try warnings("standard", #"{"quiet_hours":{"days":[],"enabled":false}}"#) == [])
        #expect(
            try warnings("standard", #"{"check_in_days":[]}"#) == ["no check-in comes: no day is chosen for them"])
        #expect(
            try warnings("standard", #"{"kinds":{"alert":{"channels":[]}}}"#) == [
                "“Alerts” can reach you in no way: no channel is chosen for it"
            ])
        #expect(try warnings("standard", #"{"kinds":{"alert":{"channels":[],"enabled":false}}}"#) == [])
    }
}
