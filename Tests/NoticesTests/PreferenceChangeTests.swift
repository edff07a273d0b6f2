import CivilTime
import Notices
import Testing

/// SPEC §3: what a patch leaves stored, and what it may not do.
@Suite("Changing preferences")
struct PreferenceChangeTests {
    let rules: Rulebook

    init() throws { rules = try shipped("microcommit") }

    private func stored(_ current: String, _ patch: String) -> String {
        rules.differences(of: json(current), patchedWith: json(patch), saidYes: true).text
    }

    private func problem(_ patch: String, on current: String = "{}") -> String? {
        rules.problem(withPatch: json(patch), on: json(current), saidYes: true).map { "\($0)" }
    }

    @Test func `only what differs from the defaults is stored`() {
        let cases: [(current: String, patch: String, stored: String)] = [
            ("{}", "{}", "{}"),
            ("{}", #"{"digest_mode":true}"#, #"{"digest_mode":true}"#),
            (#"{"digest_mode":true}"#, #"{"digest_mode":false}"#, "{}"),
            (#"{"digest_mode":true}"#, #"{"digest_mode":null}"#, "{}"),
            ("{}", #"{"quiet_hours":{"start":"22:00","end":"07:00"}}"#, #"{"quiet_hours":{"end":"07:00"}}"#),
            (
                #"{"quiet_hours":{"end":"07:00"}}"#, #"{"quiet_hours":{"end":null,"start":"21:00"}}"#,
                #"{"quiet_hours":{"start":"21:00"}}"#
            ),
            (#"{"quiet_hours":{"end":"07:00"}}"#, #"{"quiet_hours":null}"#, "{}"),
            ("{}", #"{"quiet_hours":{"exceptions":[]}}"#, #"{"quiet_hours":{"exceptions":[]}}"#),
            ("{}", #"{"timezone":"Asia/Tokyo","enabled":false}"#, #"{"enabled":false}"#),
            (#"{"timezone":"Asia/Tokyo"}"#, "{}", "{}"),
            (
                "{}",
                #"{"kinds":{"referee":{"enabled":true,"channels":["email","push"],"subtypes":{"comment":true}}}}"#, "{}"
            ),
            (
                "{}", #"{"kinds":{"social":{"enabled":true},"referee":{"subtypes":{"comment":false}}}}"#,
                #"{"kinds":{"referee":{"subtypes":{"comment":false}},"social":{"enabled":true}}}"#
            ),
            ("{}", #"{"goals":{"g1":{"repeat":"once","reminder_time":null,"kinds":{"referee":{}}}}}"#, "{}"),
            (
                "{}", #"{"goals":{"g2":{"days_before":1},"g1":{"kinds":{"referee":{"enabled":true}}}}}"#,
                #"{"goals":{"g1":{"kinds":{"referee":{"enabled":true}}},"g2":{"days_before":1}}}"#
            ),
            (#"{"goals":{"g1":{"days_before":1}}}"#, #"{"goals":{"g1":null}}"#, "{}"),
            ("{}", #"{"schedule":{"tue":[["09:00","17:00"]],"mon":[]}}"#, #"{"schedule":{"tue":[["09:00","17:00"]]}}"#),
            (
                #"{"schedule":{"tue":[["09:00","17:00"]]}}"#, #"{"schedule":{"mon":[["10:00","11:00"]],"tue":null}}"#,
                #"{"schedule":{"mon":[["10:00","11:00"]]}}"#
            ),
            (#"{"schedule":{"tue":[["09:00","17:00"]]}}"#, #"{"schedule":null}"#, "{}"),
            ("{}", #"{"priority_keywords":[]}"#, #"{"priority_keywords":[]}"#),
            (#"{"priority_keywords":["a"]}"#, #"{"priority_keywords":["b","c"]}"#, #"{"priority_keywords":["b","c"]}"#),
            ("{}", #"{"check_in_days":["fri","mon"]}"#, #"{"check_in_days":["mon","fri"]}"#),
            ("[]", #"{"enabled":false}"#, #"{"enabled":false}"#),
            ("{}", "[]", "{}"),
        ]
        for (current, patch, expected) in cases { #expect(stored(current, patch) == expected, "\(current) \(patch)") }
    }

    @Test func `equal documents are stored alike, in whatever order they came`() {
        #expect(
            stored("{}", #"{"digest_mode":true,"enabled":false,"quiet_hours":{"end":"07:00","days":["tue","mon"]}}"#)
                == stored(
                    "{}", #"{"quiet_hours":{"days":["mon","tue"],"end":"07:00"},"enabled":false,"digest_mode":true}"#))
        #expect(
            stored(
                "{}",
                #"{"kinds":{"referee":{"channels":["sms","push"]}},"quiet_hours":{"exceptions":["referee","critical","referee"]}}"#
            )
                == #"{"quiet_hours":{"exceptions":["critical","referee"]},"kinds":{"referee":{"channels":["push","sms"]}}}"#
        )
    }

    /// `G6`: nothing is lost by a change beside it.
    @Test func `what cannot be read stays as it is, behind what can`() {
        #expect(
            stored(
                #"{"zoo":[1],"enabled":"maybe","kinds":{"gone":{"enabled":false},"referee":{"x":1}},"apes":{}}"#,
                #"{"digest_mode":true}"#)
                == #"{"digest_mode":true,"apes":{},"zoo":[1],"enabled":"maybe","kinds":{"gone":{"enabled":false},"referee":{"x":1}}}"#
        )
        #expect(stored(#"{"enabled":"maybe"}"#, #"{"enabled":false}"#) == #"{"enabled":false}"#)
        #expect(stored(#"{"enabled":"maybe"}"#, #"{"enabled":null}"#) == "{}")
        #expect(
            stored(#"{"quiet_hours":7}"#, #"{"quiet_hours":{"start":"21:00"}}"#)
                == #"{"quiet_hours":{"start":"21:00"}}"#)
        #expect(stored(#"{"kinds":{"gone":{"enabled":false}}}"#, #"{"kinds":{"gone":null}}"#) == "{}")
    }

    @Test func `the policy refuses with the path and what is allowed`() {
        let kinds =
            "goal_reminder, deadline_warning, achievement, referee, payment, goal_lifecycle, social, product_update, "
            + "adjust_timing, timezone_adjusted, overload_summary, weekly_digest"
        let cases: [(patch: String, refusal: String)] = [
            (#"{"pause_threshold_seconds":59}"#, "pause_threshold_seconds: 59 is not a whole number from 60 to 300"),
            (#"{"pause_threshold_seconds":301}"#, "pause_threshold_seconds: 301 is not a whole number from 60 to 300"),
            (
                #"{"active_conversation_threshold":9}"#,
                "active_conversation_threshold: 9 is not a whole number from 10 to 50"
            ),
            (
                #"{"active_conversation_threshold":51}"#,
                "active_conversation_threshold: 51 is not a whole number from 10 to 50"
            ),
            (#"{"max_analyses_per_hour":4}"#, "max_analyses_per_hour: 4 is not a whole number from 5 to 20"),
            (#"{"max_analyses_per_hour":21}"#, "max_analyses_per_hour: 21 is not a whole number from 5 to 20"),
            (
                #"{"kinds":{"refree":{"enabled":false}}}"#,
                "kinds.refree: is not a kind of microcommit; did you mean referee? (known here: \(kinds))"
            ),
            (
                #"{"goals":{"g1":{"kinds":{"nonsense":{"enabled":false}}}}}"#,
                "goals.g1.kinds.nonsense: is not a kind of microcommit (known here: \(kinds))"
            ),
            (
                #"{"kinds":{"achievement":{"subtypes":{"mayor":false}}}}"#,
                "kinds.achievement.subtypes.mayor: is not a subtype of achievement; did you mean major? (known here: major, minor)"
            ),
            (
                #"{"kinds":{"goal_reminder":{"subtypes":{"any":false}}}}"#,
                "kinds.goal_reminder.subtypes.any: is not a subtype: goal_reminder has none"
            ),
            (
                #"{"goals":{"g1":{"kinds":{"achievement":{"subtypes":{"x":false}}}}}}"#,
                "goals.g1.kinds.achievement.subtypes.x: is not a subtype of achievement (known here: major, minor)"
            ),
            (
                #"{"quiet_hours":{"exceptions":["critical","social","paymen"]}}"#,
                #"quiet_hours.exceptions[2]: "paymen" is neither critical nor a kind of microcommit; did you mean payment? (known here: critical, \#(kinds))"#
            ),
            (
                #"{"schedule":{}}"#,
                #"schedule: a schedule needs at least one slot; write one such as {"mon":[["09:00","17:00"]]}, or null for every hour of the week"#
            ),
        ]
        for (patch, refusal) in cases { #expect(problem(patch) == refusal) }
        for patch in [
            #"{"pause_threshold_seconds":60}"#, #"{"pause_threshold_seconds":300}"#, #"{"max_analyses_per_hour":5}"#,
            #"{"max_analyses_per_hour":20}"#, #"{"active_conversation_threshold":10}"#,
            #"{"active_conversation_threshold":50}"#, #"{"kinds":{"gone":null}}"#, #"{"timezone":"Asia/Tokyo"}"#,
            #"{"kinds":{"payment":{"enabled":false}}}"#, #"{"quiet_hours":{"days":[]}}"#, "{}",
        ] { #expect(problem(patch) == nil, "\(patch)") }
    }

    @Test func `quiet hours and the schedule are judged as they come out`() {
        let refusal =
            "quiet hours that start and end at 08:00 are refused; switch quiet_hours.enabled off, or enabled for none at all"
        #expect(problem(#"{"quiet_hours":{"start":"08:00"}}"#) == "quiet_hours.start: " + refusal)
        #expect(problem(#"{"quiet_hours":{"start":"08:00"}}"#, on: #"{"quiet_hours":{"end":"09:00"}}"#) == nil)
        #expect(
            problem(#"{"quiet_hours":{"end":null}}"#, on: #"{"quiet_hours":{"start":"08:00","end":"09:00"}}"#)
                == "quiet_hours.start: " + refusal)
        #expect(problem(#"{"quiet_hours":{"start":"09:00"}}"#, on: #"{"quiet_hours":{"end":"09:00"}}"#) != nil)
        let tuesday = #"{"schedule":{"tue":[["09:00","17:00"]]}}"#
        #expect(problem(#"{"schedule":{"tue":[]}}"#, on: tuesday)?.hasPrefix("schedule: ") == true)
        #expect(problem(#"{"schedule":{"tue":null}}"#, on: tuesday)?.hasPrefix("schedule: ") == true)
        #expect(problem(#"{"schedule":{"tue":null,"wed":[["09:00","17:00"]]}}"#, on: tuesday) == nil)
        #expect(problem(#"{"schedule":null}"#, on: tuesday) == nil)
    }

    @Test func `what was stored before is not held against a patch`() {
        let spoilt =
            #"{"pause_threshold_seconds":1,"quiet_hours":{"start":"08:00"},"schedule":{},"kinds":{"gone":{"enabled":true}}}"#
        #expect(problem(#"{"digest_mode":true}"#, on: spoilt) == nil)
        #expect(problem(#"{"quiet_hours":{"end":"09:00"}}"#, on: spoilt) == nil)
        #expect(problem(#"{"schedule":null}"#, on: spoilt) == nil)
        #expect(problem(#"{"schedule":{"mon":[]}}"#, on: spoilt) != nil)
    }

    @Test func `a policy's own schedule and days are defaults like any other`() throws {
        let defaults = #"{"schedule":{"mon":[["09:00","17:00"]]},"check_in_days":["tue"]}"#
        let rules = Rulebook(try Policy(document: smallPolicy(#","preferences":"# + defaults)))
        func stored(_ current: String, _ patch: String) -> String {
            rules.differences(of: json(current), patchedWith: json(patch), saidYes: true).text
        }
        #expect(stored("{}", defaults) == "{}")
        #expect(stored("{}", #"{"schedule":null,"check_in_days":null}"#) == "{}")
        let moved = stored("{}", #"{"schedule":{"mon":[],"tue":[["10:00","11:00"]]}}"#)
        #expect(moved == #"{"schedule":{"mon":[],"tue":[["10:00","11:00"]]}}"#)
        #expect(stored(moved, #"{"schedule":{"mon":null}}"#) == #"{"schedule":{"tue":[["10:00","11:00"]]}}"#)
        #expect(stored(moved, #"{"schedule":null}"#) == "{}")
        let windows = rules.preferences(differing: json(moved), saidYes: true).schedule?.windows
        #expect(windows == [DailyWindow(start: time("10:00"), end: time("11:00"), days: .tue)])
        #expect(rules.problem(withPatch: json(#"{"schedule":{"mon":[]}}"#), on: .emptyObject, saidYes: true) != nil)
        #expect(rules.preferences(differing: .emptyObject, saidYes: true).checkInDays == .tue)
    }

    @Test func `a kind shown in the app alone has no channels to choose`() throws {
        let coach = try shipped("coachme")
        let patch = json(#"{"kinds":{"permission_prompt":{"channels":["push"]}}}"#)
        #expect(
            coach.problem(withPatch: patch, on: .emptyObject, saidYes: false)?.description
                == "kinds.permission_prompt.channels: permission_prompt is shown in the app; its channels are not to be chosen"
        )
        #expect(coach.preferences(differing: patch, saidYes: false).kinds[1].channels == .inApp)
    }
}
