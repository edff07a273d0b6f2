import CivilTime
import Notices
import Testing

/// The policy document, field by field (SPEC §1, §15).
@Suite("Reading a policy")
struct PolicyReadingTests {
    @Test func `every field is read`() throws {
        let policy = try Policy(
            document: """
                {"name":"full","about":"All of it.","default_timezone":"Europe/Paris","consent":"person","daily_cap":7,
                 "cooldown_minutes":45,"overload":{"jobs":4,"minutes":20},"catch_up_minutes":90,"bundle_minutes":5,
                 "quiet_pass":"high","check_ins_after_yes":true,"smart_messages":true,
                 "frequencies":{"daily":["mon","tue"],"few_times_a_week":["sat"],"weekly":["sun"]},
                 "snoozes":{"minutes":[60,15],"times":2},
                 "preferences":{"check_in_time":"11:00","pause_threshold_seconds":30},
                 "ranges":{"pause_threshold_seconds":[30,40],"active_conversation_threshold":[20,20],"max_analyses_per_hour":[0,10]},
                 "kinds":[{"name":"note","on_request":true},{"name":"message","schedule":{"on":"message"}}],
                 "presets":[{"name":"calm","about":"Less.","patch":{"digest_mode":true}}]}
                """)
        #expect(policy.name.text == "full" && policy.about.text == "All of it.")
        #expect(policy.defaultZone.text == "Europe/Paris")
        #expect(policy.consent == .person)
        #expect(policy.dailyCap == 7)
        #expect(policy.cooldownMinutes == 45)
        #expect((policy.overload.jobs, policy.overload.minutes) == (4, 20))
        #expect(policy.catchUpMinutes == 90)
        #expect(policy.bundleMinutes == 5)
        #expect(policy.quietPass == .high)
        #expect(policy.checkInsAfterYes && policy.isSmart)
        #expect((policy.frequencies.daily, policy.frequencies.fewTimesAWeek) == ([.mon, .tue], .sat))
        #expect(policy.frequencies.weekly == .sun)
        #expect(policy.snoozes.minutes == [60, 15] && policy.snoozes.times == 2)
        #expect(policy.defaults == json(#"{"check_in_time":"11:00","pause_threshold_seconds":30}"#))
        #expect(policy.ranges.pauseThresholdSeconds == 30...40)
        #expect(policy.ranges.activeConversationThreshold == 20...20)
        #expect(policy.ranges.maxAnalysesPerHour == 0...10)
        #expect(policy.presets.count == 1)
        #expect(policy.presets[0].name.text == "calm" && policy.presets[0].about.text == "Less.")
        #expect(policy.presets[0].patch == json(#"{"digest_mode":true}"#))
    }

    @Test func `every field of a kind is read`() throws {
        let text = smallPolicy(
            kind: """
                ,"label":"Notes","priority":"high","enabled":false,"schedule":{"on":"daily","at":"07:05"},"locked":true,
                "bundling":true,"settled_by_goal":false,"over_cap":"hold","in_quiet_hours":"drop","cooldown_minutes":5,
                "channels":["email","push","in_app"],"required_channels":["sms"],
                "subtypes":[{"name":"a"},{"name":"b_c","label":"B","enabled":false,"locked":false}],
                "copy":{"title":"T","body":"B","bundle_title":"BT","bundle_body":"BB","bodies":["1","2"]},
                "category":"CAT","actions":["go","stop"]
                """)
        let kind = try Policy(document: text).kinds[0]
        #expect(kind.name.text == "note" && kind.label.text == "Notes")
        #expect(kind.priority == .high)
        #expect(kind.isOnRequest && !kind.isOnByDefault && kind.isLocked && kind.isBundling && !kind.isSettledByGoal)
        #expect(kind.schedule == .daily(time("07:05")))
        #expect(kind.overCap == .hold)
        #expect(kind.inQuietHours == .drop)
        #expect(kind.cooldownMinutes == 5)
        #expect(kind.channels == [.push, .email, .inApp])
        #expect(kind.requiredChannels == .sms)
        #expect(kind.subtypes.map(\.name.text) == ["a", "b_c"])
        #expect(kind.subtypes.map(\.label.text) == ["A", "B"])
        #expect(kind.subtypes.map(\.isOnByDefault) == [true, false])
        #expect(kind.subtypes.map(\.isLocked) == [true, false])
        #expect(
            [kind.copy.title, kind.copy.body, kind.copy.bundleTitle, kind.copy.bundleBody] == ["T", "B", "BT", "BB"])
        #expect(kind.copy.bodies == ["1", "2"])
        #expect(kind.category?.text == "CAT")
        #expect(kind.actions.map(\.text) == ["go", "stop"])
    }

    @Test func `what is left out is as in standard`() throws {
        let policy = try Policy(document: smallPolicy())
        var bare = Policy()
        bare.name = Identifier("small")
        var kind = KindRule()
        kind.name = Identifier("note")
        kind.label = Text("Note")
        kind.isOnRequest = true
        bare.kinds = [kind]
        #expect(policy == bare)
        #expect(try Policy(document: smallPolicy(#","daily_cap":3"#)) == bare)
        let noCap = smallPolicy(#","daily_cap":null"#, others: #",{"name":"many","schedule":{"on":"overload"}}"#)
        #expect(try Policy(document: noCap).dailyCap == nil)
    }

    @Test func `a kind without a label is called by its name`() throws {
        for (name, label) in [("goal_reminder", "Goal reminder"), ("x", "X"), ("a.b-c", "A b c"), ("_", "")] {
            let text = #"{"name":"p","kinds":[{"name":"\#(name)","on_request":true}]}"#
            #expect(try Policy(document: text).kinds[0].label.text == label)
        }
    }

    @Test func `every schedule is read`() throws {
        var offsets = DeadlineOffsets()
        offsets.offsets = [.init(minutes: 60, subtype: "a"), .init(minutes: 5, subtype: "a", escalation: "b")]
        offsets.criticalMinutes = 10
        let list = #"[{"minutes":60,"subtype":"a"},{"minutes":5,"subtype":"a","escalation":"b"}]"#
        let cases: [(String, Schedule)] = [
            (#"{"on":"check_in"}"#, .checkIn),
            (#"{"on":"daily","at":"18:00"}"#, .daily(time("18:00"))),
            (#"{"on":"weekly","day":"sun","at":"19:00"}"#, .weekly(.sun, time("19:00"))),
            (#"{"on":"goal","at":"08:00"}"#, .goal(time("08:00"))),
            (#"{"on":"deadline","offsets":\#(list),"critical_minutes":10}"#, .deadline(offsets)),
            (#"{"on":"session"}"#, .session),
            (#"{"on":"travel"}"#, .travel),
            (#"{"on":"missed_check_in","at":"10:00"}"#, .missedCheckIn(time("10:00"))),
            (#"{"on":"message"}"#, .message),
            (#"{"on":"overload"}"#, .overload),
        ]
        for (text, schedule) in cases {
            let document = smallPolicy(kind: #","subtypes":[{"name":"a"},{"name":"b"}],"schedule":"# + text)
            #expect(try Policy(document: document).kinds[0].schedule == schedule)
            #expect(text.contains(schedule.word))
        }
    }

    @Test func `a bad value of the policy is refused with its path and what is allowed`() {
        let cases: [(fields: String, refusal: String)] = [
            (
                #","nam":1"#,
                "nam: is not a field here; did you mean name? (known here: name, about, default_timezone, "
            ),
            (#","about":1"#, "about: 1 is not a text of at most 4096 bytes"),
            (#","default_timezone":"a b""#, #"default_timezone: "a b" is not an IANA time zone such as Europe/Paris"#),
            (#","default_timezone":"Mars/Phobos""#, "default_timezone: Mars/Phobos is not a time zone"),
            (#","consent":"all""#, #"consent: "all" is not one of none, guardian_for_minors, person"#),
            (#","daily_cap":0"#, "daily_cap: 0 is not a whole number from 1 to 1000"),
            (#","daily_cap":2.5"#, "daily_cap: 2.5 is not a whole number from 1 to 1000"),
            (#","daily_cap":1001"#, "daily_cap: 1001 is not a whole number from 1 to 1000"),
            (#","cooldown_minutes":-1"#, "cooldown_minutes: -1 is not a whole number from 0 to 10080"),
            (#","cooldown_minutes":null"#, "cooldown_minutes: null is not a whole number from 0 to 10080"),
            (#","overload":3"#, "overload: 3 is not an object"),
            (#","overload":{"jobs":0}"#, "overload.jobs: 0 is not a whole number from 1 to 1000"),
            (#","overload":{"minutes":1441}"#, "overload.minutes: 1441 is not a whole number from 1 to 1440"),
            (
                #","overload":{"job":1}"#,
                "overload.job: is not a field here; did you mean jobs? (known here: jobs, minutes)"
            ),
            (#","catch_up_minutes":10081"#, "catch_up_minutes: 10081 is not a whole number from 0 to 10080"),
            (#","bundle_minutes":1441"#, "bundle_minutes: 1441 is not a whole number from 0 to 1440"),
            (#","quiet_pass":"low""#, #"quiet_pass: "low" is not one of high, critical"#),
            (#","check_ins_after_yes":1"#, "check_ins_after_yes: 1 is not true or false"),
            (#","smart_messages":"no""#, #"smart_messages: "no" is not true or false"#),
            (#","frequencies":{"daily":[]}"#, "frequencies.daily: needs at least one day"),
            (
                #","frequencies":{"weekly":["moon"]}"#,
                #"frequencies.weekly[0]: "moon" is not one of mon, tue, wed, thu, fri, sat, sun"#
            ),
            (
                #","frequencies":{"hourly":["mon"]}"#,
                "frequencies.hourly: is not a field here (known here: daily, few_times_a_week, weekly)"
            ),
            (#","snoozes":{"minutes":[15,30]}"#, "snoozes.minutes[1]: 30 is not 15, 60 or 120"),
            (#","snoozes":{"minutes":[15,15]}"#, "snoozes.minutes: names one length twice"),
            (#","snoozes":{"times":-1}"#, "snoozes.times: -1 is not a whole number from 0 to 100"),
            (#","preferences":[]"#, "preferences: a list is not an object of preferences"),
            (#","preferences":{"check_in_time":"9"}"#, #"preferences.check_in_time: "9" is not a time HH:MM"#),
            (
                #","preferences":{"timezone":"UTC"}"#,
                "preferences.timezone: is each person's own; a policy cannot set it"
            ),
            (#","preferences":{"goals":{}}"#, "preferences.goals: is each person's own; a policy cannot set it"),
            (
                #","ranges":{"pause_threshold_seconds":[60]}"#,
                "ranges.pause_threshold_seconds: is not the lowest and the highest value, such as [60,300]"
            ),
            (
                #","ranges":{"active_conversation_threshold":[50,10]}"#,
                "ranges.active_conversation_threshold: is not the lowest and the highest value, such as [10,50]"
            ),
            (
                #","ranges":{"max_analyses_per_hour":[-1,10]}"#,
                "ranges.max_analyses_per_hour[0]: -1 is not a whole number from 0 to 1000"
            ),
            (
                #","presets":[{"name":"a"}]"#,
                "presets[0].patch: is missing; it must be an object with the preferences to change"
            ),
            (#","presets":[{"patch":{}}]"#, "presets[0].name: is missing; it must be \(Identifier.allowed)"),
            (
                #","presets":[{"name":"a","patch":{"mode":1}}]"#,
                "presets[0].patch.mode: is not a preference (known here: enabled, "
            ),
            (
                #","presets":[{"name":"a","patch":{"timezone":"UTC"}}]"#,
                "presets[0].patch.timezone: is each person's own"
            ),
            (#","presets":[3]"#, "presets[0]: 3 is not an object"),
            (#","presets":{}"#, "presets: an object is not a list of at most 20 objects"),
        ]
        for (fields, refusal) in cases {
            let found = policyRefusal(smallPolicy(fields))
            #expect(found?.hasPrefix(refusal) == true, "\(fields): \(found ?? "taken")")
        }
        #expect(policyRefusal("[]") == "a policy is a JSON object")
        #expect(policyRefusal("{") == "not JSON: column 2: the text ends here: expected a key in double quotes")
        #expect(policyRefusal("{}") == "name: is missing; it must be \(Identifier.allowed)")
        #expect(policyRefusal(#"{"name":"a b","kinds":[]}"#) == #"name: "a b" is not \#(Identifier.allowed)"#)
        #expect(
            policyRefusal(#"{"name":"a"}"#)
                == "kinds: is missing; it must be a list of the kinds of notice, each an object with at least a name")
        let many = (0...100).map { #"{"name":"k\#($0)","on_request":true}"# }.joined(separator: ",")
        #expect(
            policyRefusal(#"{"name":"a","kinds":[\#(many)]}"#)
                == "kinds: 101 elements are more than 100, the most that are taken")
    }

    @Test func `a bad value of a kind is refused with its path and what is allowed`() {
        let schedules = "check_in, daily, weekly, goal, deadline, session, travel, missed_check_in, message, overload"
        let days = "mon, tue, wed, thu, fri, sat, sun"
        let cases: [(fields: String, refusal: String)] = [
            (#","labl":"x""#, "labl: is not a field here; did you mean label? (known here: name, label, priority, "),
            (#","label":[]"#, "label: a list is not a text of at most 4096 bytes"),
            (#","priority":"urgent""#, #"priority: "urgent" is not one of low, medium, high, critical"#),
            (#","enabled":null"#, "enabled: null is not true or false"),
            (#","schedule":"daily""#, #"schedule: "daily" is not an object"#),
            (#","schedule":{}"#, "schedule.on: is missing; it must be one of \(schedules)"),
            (#","schedule":{"on":"hourly"}"#, #"schedule.on: "hourly" is not one of \#(schedules)"#),
            (#","schedule":{"on":"daily"}"#, "schedule.at: is missing; it must be a time HH:MM"),
            (#","schedule":{"on":"daily","at":"24:00"}"#, #"schedule.at: "24:00" is not a time HH:MM"#),
            (#","schedule":{"on":"weekly","at":"10:00"}"#, "schedule.day: is missing; it must be one of \(days)"),
            (#","schedule":{"on":"weekly","day":"so","at":"10:00"}"#, #"schedule.day: "so" is not one of \#(days)"#),
            (
                #","schedule":{"on":"check_in","at":"10:00"}"#,
                "schedule.at: is not a field here (known here: on)"
            ),
            (
                #","schedule":{"on":"deadline"}"#,
                #"schedule.offsets: needs at least one, such as {"minutes":60,"subtype":"1_hour"}"#
            ),
            (
                #","schedule":{"on":"deadline","offsets":[{"subtype":"a"}]}"#,
                "schedule.offsets[0].minutes: is missing; it must be a whole number from 1 to 44640"
            ),
            (
                #","schedule":{"on":"deadline","offsets":[{"minutes":0,"subtype":"a"}]}"#,
                "schedule.offsets[0].minutes: 0 is not a whole number from 1 to 44640"
            ),
            (#","digest":"monthly""#, #"digest: "monthly" is not one of daily, weekly"#),
            (#","over_cap":"wait""#, #"over_cap: "wait" is not one of drop, hold, gather"#),
            (#","in_quiet_hours":"ring""#, #"in_quiet_hours: "ring" is not one of drop, hold"#),
            (#","cooldown_minutes":10081"#, "cooldown_minutes: 10081 is not a whole number from 0 to 10080"),
            (#","channels":[]"#, "channels: needs at least one of push, email, sms, in_app"),
            (#","channels":["pager"]"#, #"channels[0]: "pager" is not one of push, email, sms, in_app"#),
            (#","subtypes":[{"label":"x"}]"#, "subtypes[0].name: is missing; it must be \(Identifier.allowed)"),
            (
                #","subtypes":[{"name":"x","on":true}]"#,
                "subtypes[0].on: is not a field here (known here: name, label, enabled, locked)"
            ),
            (
                #","copy":{"text":"x"}"#,
                "copy.text: is not a field here (known here: title, body, bundle_title, bundle_body, earlier, bodies)"
            ),
            (#","copy":{"bodies":["a",""]}"#, "copy.bodies: has an empty line"),
            (#","category":"a b""#, #"category: "a b" is not \#(Identifier.allowed)"#),
            (#","actions":["a b"]"#, #"actions[0]: "a b" is not \#(Identifier.allowed)"#),
            (
                #","actions":["1","2","3","4","5","6","7","8","9","10","11"]"#,
                "actions: 11 actions are more than the most, 10"
            ),
        ]
        for (fields, refusal) in cases {
            let found = policyRefusal(smallPolicy(kind: fields))
            #expect(found?.hasPrefix("kinds[0]." + refusal) == true, "\(fields): \(found ?? "taken")")
        }
        #expect(
            policyRefusal(#"{"name":"p","kinds":[{}]}"#)
                == "kinds[0].name: is missing; it must be \(Identifier.allowed)")
        #expect(
            policyRefusal(smallPolicy(#","daily_cap":null"#, kind: #","over_cap":"drop""#))
                == "kinds[0].over_cap: says nothing where daily_cap is null; leave it out")
    }

    @Test func `a changed byte is refused or read, and never more`() throws {
        var (count, refused) = (0, 0)
        for (seed, name) in ShippedPolicies.names.enumerated() {
            let text = try #require(ShippedPolicies.text(of: name))
            var random = RandomJSON(seed: UInt64(seed))
            for _ in 0..<400 {
                let bytes = random.mutated(text)
                guard let policy = try? Policy(recorded: String(decoding: bytes, as: UTF8.self)) else {
                    refused += 1
                    continue
                }
                count += 1
                _ = policy.contradictions()
                _ = Rulebook(policy).preferences(differing: .emptyObject, saidYes: true)
            }
        }
        var random = RandomJSON(seed: 77)
        for _ in 0..<500 { #expect(policyRefusal(random.value()) != nil) }
        #expect(count > 0 && refused > 0, "\(count) were read, \(refused) refused")
    }
}
