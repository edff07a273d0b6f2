import Notices
import Testing

/// SPEC §3: a preset's preview lists every change as path, from, to, and in one sentence.
@Suite("Previews")
struct PreferencePreviewTests {
    private func lines(_ policy: String, _ patch: String, on current: String = "{}") throws -> [String] {
        let rules = try shipped(policy)
        let old = json(current)
        let new = rules.differences(of: old, patchedWith: json(patch), saidYes: true)
        return rules.changes(from: old, to: new, saidYes: true).map {
            "\($0.path): \($0.from.text) → \($0.to.text). \($0.sentence)"
        }
    }

    @Test func `a weekly schedule is told by the days whose hours change`() throws {
        let work = #"{"schedule":{"mon":[["09:00","17:00"]],"tue":[["09:00","17:00"]],"sat":[]}}"#
        func sentence(_ patch: String, on current: String) throws -> String? {
            let rules = try shipped("microcommit")
            let new = rules.differences(of: json(current), patchedWith: json(patch), saidYes: true)
            return rules.changes(from: json(current), to: new, saidYes: true).map(\.sentence).first
        }
        #expect(try sentence(work, on: "{}") == "Notices come only in these hours: Monday and Tuesday 09:00–17:00")
        #expect(
            try sentence(#"{"schedule":{"mon":[["09:00","12:00"],["13:00","17:00"]]}}"#, on: work)
                == "On Monday notices come 09:00–12:00 and 13:00–17:00 instead of 09:00–17:00")
        #expect(
            try sentence(#"{"schedule":{"tue":[],"sun":[["10:00","11:00"]]}}"#, on: work)
                == "On Tuesday notices come at no hour instead of 09:00–17:00; "
                + "on Sunday notices come 10:00–11:00 instead of at no hour")
        #expect(try sentence(#"{"schedule":null}"#, on: work) == "Notices may come at any hour of the week")
    }

    @Test func `each field has its sentence`() throws {
        let cases: [(policy: String, patch: String, line: String)] = [
            ("standard", #"{"enabled":false}"#, "enabled: true → false. Turns off all notices"),
            ("messageai", #"{"enabled":false}"#, "enabled: true → false. Turns off smart notifications"),
            ("standard", #"{"check_ins_enabled":false}"#, "check_ins_enabled: true → false. Turns off check-ins"),
            (
                "standard", #"{"frequency":"daily"}"#,
                #"frequency: "few_times_a_week" → "daily". Check-ins come daily instead of a few times a week"#
            ),
            (
                "standard", #"{"check_in_time":"08:30"}"#,
                #"check_in_time: "09:00" → "08:30". Check-ins come at 08:30 instead of 09:00"#
            ),
            (
                "standard", #"{"check_in_days":["mon","tue"]}"#,
                #"check_in_days: null → ["mon","tue"]. Check-ins come on Monday and Tuesday"#
            ),
            (
                "standard", #"{"quiet_hours":{"enabled":false}}"#,
                "quiet_hours.enabled: true → false. Turns off quiet hours"
            ),
            (
                "standard", #"{"quiet_hours":{"start":"21:00"}}"#,
                #"quiet_hours.start: "22:00" → "21:00". Quiet hours start at 21:00 instead of 22:00"#
            ),
            (
                "standard", #"{"quiet_hours":{"end":"07:00"}}"#,
                #"quiet_hours.end: "08:00" → "07:00". Quiet hours end at 07:00 instead of 08:00"#
            ),
            (
                "standard", #"{"quiet_hours":{"days":["sat","sun"]}}"#,
                #"quiet_hours.days: ["mon","tue","wed","thu","fri","sat","sun"] → ["sat","sun"]. Quiet hours are kept on Saturday and Sunday instead of every day"#
            ),
            (
                "microcommit", #"{"quiet_hours":{"exceptions":["critical","referee","payment"]}}"#,
                #"quiet_hours.exceptions: ["critical"] → ["critical","referee","payment"]. Quiet hours make an exception for critical notices, referee interactions and payment & financial"#
            ),
            (
                "microcommit", #"{"quiet_hours":{"exceptions":[]}}"#,
                #"quiet_hours.exceptions: ["critical"] → []. Quiet hours make no exception but for what is critical"#
            ),
            (
                "standard", #"{"digest_mode":true}"#,
                "digest_mode: false → true. Gathers what can wait into a digest"
            ),
            (
                "microcommit", #"{"reminder_time":"07:00"}"#,
                #"reminder_time: "08:00" → "07:00". Reminders of goals come at 07:00 instead of 08:00"#
            ),
            (
                "microcommit", #"{"kinds":{"product_update":{"digest":"weekly"}}}"#,
                #"kinds.product_update.digest: "none" → "weekly". Gathers product updates for the weekly digest"#
            ),
            (
                "microcommit", #"{"choices":{"celebration_level":"epic"}}"#,
                #"choices.celebration_level: "standard" → "epic". Sets celebration level to "Epic (full celebration with confetti)" instead of "Standard (text + animation)""#
            ),
            (
                "screentime", #"{"subjects":{"child:lea":{"kinds":{"points_earned":{"enabled":false}}}}}"#,
                #"subjects.child:lea: null → {"kinds":{"points_earned":{"enabled":false}}}. Turns off points earned for child:lea"#
            ),
            ("standard", #"{"channels":{"sms":true}}"#, "channels.sms: false → true. Turns on notices by SMS"),
            (
                "microcommit", #"{"kinds":{"goal_reminder":{"enabled":false}}}"#,
                "kinds.goal_reminder.enabled: true → false. Turns off goal reminders"
            ),
            (
                "microcommit", #"{"kinds":{"goal_reminder":{"channels":["push"]}}}"#,
                #"kinds.goal_reminder.channels: ["push","email"] → ["push"]. Sends goal reminders by push instead of push and email"#
            ),
            (
                "microcommit", #"{"kinds":{"goal_reminder":{"channels":[]}}}"#,
                #"kinds.goal_reminder.channels: ["push","email"] → []. Sends goal reminders by no channel"#
            ),
            (
                "microcommit", #"{"kinds":{"deadline_warning":{"subtypes":{"15_minutes":true}}}}"#,
                "kinds.deadline_warning.subtypes.15_minutes: false → true. Turns on “Final reminder (15 min before)” in deadline warnings"
            ),
            (
                "microcommit", #"{"goals":{"g1":{"repeat":"every_2_hours"}}}"#,
                #"goals.g1: null → {"reminder_time":null,"repeat":"every_2_hours","days_before":0,"kinds":{}}. Reminds every 2 hours until checked in for goal g1"#
            ),
            (
                "messageai", #"{"pause_threshold_seconds":60}"#,
                "pause_threshold_seconds: 120 → 60. A conversation is looked at after 60 seconds of pause instead of 120"
            ),
            (
                "messageai", #"{"active_conversation_threshold":10}"#,
                "active_conversation_threshold: 20 → 10. A busy conversation is looked at every 10 messages instead of 20"
            ),
            (
                "messageai", #"{"max_analyses_per_hour":5}"#,
                "max_analyses_per_hour: 10 → 5. Conversations are looked at 5 times an hour at most instead of 10"
            ),
            (
                "messageai", #"{"fallback_strategy":"notify_all"}"#,
                #"fallback_strategy: "simple_rules" → "notify_all". Without the analysis, every message is told of instead of mentions and keywords decide"#
            ),
        ]
        for (policy, patch, line) in cases { #expect(try lines(policy, patch) == [line]) }
        let keywords = try lines("messageai", #"{"priority_keywords":["fire"]}"#)
        #expect(
            keywords.first?.hasSuffix(
                #"Priority keywords are "fire" instead of "urgent", "ASAP", "production down", "blocker", "help""#)
                == true)
        let schedule = #"{"schedule":{"mon":[["09:00","17:00"]]}}"#
        #expect(
            try lines("standard", schedule).first?.hasSuffix(
                "Notices come only in these hours: Monday 09:00–17:00") == true)
        #expect(
            try lines("standard", #"{"schedule":null}"#, on: schedule).first?.hasSuffix(
                "Notices may come at any hour of the week") == true)
        #expect(
            try lines("standard", #"{"goals":null}"#, on: #"{"goals":{"g1":{"days_before":1}}}"#).first?.hasSuffix(
                "Reminds on the day for goal g1") == true)
    }

    @Test func `a goal's change is told by its title, and all of it in one sentence`() throws {
        let rules = try shipped("microcommit")
        func sentence(_ old: String, _ new: String) throws -> String? {
            rules.changes(
                from: try #require(JSONValue(parsing: old)), to: try #require(JSONValue(parsing: new)), saidYes: false
            ) { $0 == "goal:g1" ? "Run 5 km" : nil }.first?.sentence
        }
        let own =
            #"{"goals":{"g1":{"reminder_time":"07:30","days_before":2,"kinds":{"goal_reminder":{"enabled":false},"deadline_warning":{"channels":["push","sms"],"subtypes":{"6_hours":false}}}}}}"#
        #expect(
            try sentence("{}", own)
                == "Reminds at 07:30, reminds 2 days before, turns off goal reminders, turns off “6 hours before” in deadline warnings, sends deadline warnings by push and SMS for “Run 5 km”"
        )
        #expect(
            try sentence(own, #"{"goals":{"g1":{"days_before":1,"repeat":"hourly_before_deadline"}}}"#)
                == "Reminds at the usual time, reminds 1 day before, reminds every hour in the last 6 hours before the deadline, puts back goal reminders, puts back “6 hours before” in deadline warnings, sends deadline warnings as usual for “Run 5 km”"
        )
    }

    @Test func `a preset's changes are all told, in the order of the document`() throws {
        let rules = try shipped("microcommit")
        let minimal = try #require(rules.preset(named: "minimal"))
        #expect(
            rules.preview(minimal, on: json(#"{"enabled":false,"kinds":{"referee":{"enabled":false}}}"#), saidYes: true)
                .map(\.sentence) == [
                    "Turns on all notices", "Turns off goal reminders",
                    "Turns off “24 hours before” in deadline warnings",
                    "Turns off “6 hours before” in deadline warnings", "Turns off streak & achievements",
                    "Turns off goal lifecycle", "Turns off suggestions to adjust reminder timing",
                    "Turns off timezone changes",
                ])
        #expect(rules.preview(try #require(rules.preset(named: "balanced")), on: .emptyObject, saidYes: true) == [])
    }

    @Test func `a preview says what applying does`() throws {
        let rules = try shipped("microcommit")
        var source = RandomPreferences(seed: 9, garbage: 6)
        for preset in rules.policy.presets {
            for _ in 0..<50 {
                let stored = rules.differences(of: .emptyObject, patchedWith: source.patch(), saidYes: true)
                let after = rules.differences(of: stored, patchedWith: preset.patch, saidYes: true)
                let changes = rules.preview(preset, on: stored, saidYes: true)
                var document = rules.document(differing: stored, saidYes: true, timezone: "UTC")
                for change in changes {
                    #expect(change.from != change.to && !change.sentence.isEmpty)
                    document = document.merged(
                        with: change.path.split(separator: ".").reversed().reduce(change.to) {
                            .object([JSONValue.Member(String($1), $0)])
                        })
                }
                #expect(document == rules.document(differing: after, saidYes: true, timezone: "UTC"))
            }
        }
    }
}
