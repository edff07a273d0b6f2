import CivilTime
import Notices
import Testing

/// `G6`: of a stored document the fields that can be read are kept, the rest fall to the defaults, and each is named.
@Suite("Unreadable preferences")
struct UnreadablePreferenceTests {
    let rules: Rulebook

    init() throws { rules = try shipped("microcommit") }

    @Test func `every field falls to its default and is named`() {
        let cases: [(stored: String, warning: String)] = [
            (#"{"enabled":"yes"}"#, #"enabled: "yes" is not true or false"#),
            (#"{"check_ins_enabled":1}"#, "check_ins_enabled: 1 is not true or false"),
            (#"{"frequency":"hourly"}"#, #"frequency: "hourly" is not one of daily, few_times_a_week, weekly"#),
            (#"{"check_in_time":"25:00"}"#, #"check_in_time: "25:00" is not a time HH:MM"#),
            (#"{"check_in_days":["mon","mon"]}"#, "check_in_days[1]: mon is in the list twice"),
            (#"{"quiet_hours":"none"}"#, #"quiet_hours: "none" is not an object"#),
            (#"{"quiet_hours":{"enabled":0}}"#, "quiet_hours.enabled: 0 is not true or false"),
            (#"{"quiet_hours":{"start":"9 pm"}}"#, #"quiet_hours.start: "9 pm" is not a time HH:MM"#),
            (#"{"quiet_hours":{"end":[]}}"#, "quiet_hours.end: a list is not a time HH:MM"),
            (
                #"{"quiet_hours":{"days":["someday"]}}"#,
                #"quiet_hours.days[0]: "someday" is not one of mon, tue, wed, thu, fri, sat, sun"#
            ),
            (
                #"{"quiet_hours":{"exceptions":"critical"}}"#,
                #"quiet_hours.exceptions: "critical" is not a list of at most 50 texts of 1 to 128 bytes"#
            ),
            (
                #"{"quiet_hours":{"until":1}}"#,
                "quiet_hours.until: is not a preference (known here: enabled, start, end, "
            ),
            (
                #"{"quiet_hours":{"start":"08:00"}}"#,
                "quiet_hours.start: quiet hours that start and end at 08:00 are refused; "
            ),
            (#"{"schedule":[]}"#, "schedule: a list is not an object"),
            (#"{"schedule":{}}"#, "schedule: a schedule needs at least one slot; "),
            (#"{"schedule":{"mon":[],"tue":[]}}"#, "schedule: a schedule needs at least one slot; "),
            (#"{"digest_mode":{}}"#, "digest_mode: an object is not true or false"),
            (#"{"channels":{"push":"on"}}"#, #"channels.push: "on" is not true or false"#),
            (#"{"channels":{"fax":true}}"#, "channels.fax: is not a preference (known here: push, email, sms)"),
            (#"{"kinds":[]}"#, "kinds: a list is not an object"),
            (#"{"kinds":{"referee":false}}"#, "kinds.referee: false is not an object"),
            (#"{"kinds":{"referee":{"enabled":"no"}}}"#, #"kinds.referee.enabled: "no" is not true or false"#),
            (
                #"{"kinds":{"referee":{"channels":["pager"]}}}"#,
                #"kinds.referee.channels[0]: "pager" does not belong in a list out of push, email, sms"#
            ),
            (
                #"{"kinds":{"referee":{"subtypes":{"comment":1}}}}"#,
                "kinds.referee.subtypes.comment: 1 is not true or false"
            ),
            (#"{"kinds":{"refree":{}}}"#, "kinds.refree: is not a kind of microcommit; did you mean referee? "),
            (#"{"goals":3}"#, "goals: 3 is not an object"),
            (#"{"goals":{"g1":"x"}}"#, #"goals.g1: "x" is not an object"#),
            (#"{"goals":{"g1":{"days_before":3}}}"#, "goals.g1.days_before: 3 is not a whole number from 0 to 2"),
            (#"{"goals":{"g1":{"reminder_time":8}}}"#, "goals.g1.reminder_time: 8 is not a time HH:MM"),
            (
                #"{"goals":{"g1":{"repeat":"often"}}}"#,
                #"goals.g1.repeat: "often" is not one of once, every_2_hours, hourly_before_deadline"#
            ),
            (#"{"goals":{"g1":{"kinds":{"x":{"enabled":true}}}}}"#, "goals.g1.kinds.x: is not a kind of microcommit "),
            (#"{"pause_threshold_seconds":59}"#, "pause_threshold_seconds: 59 is not a whole number from 60 to 300"),
            (
                #"{"pause_threshold_seconds":60.0}"#,
                "pause_threshold_seconds: 60.0 is not a whole number from 60 to 300"
            ),
            (
                #"{"active_conversation_threshold":51}"#,
                "active_conversation_threshold: 51 is not a whole number from 10 to 50"
            ),
            (#"{"max_analyses_per_hour":-1}"#, "max_analyses_per_hour: -1 is not a whole number from 5 to 20"),
            (
                #"{"priority_keywords":[""]}"#,
                #"priority_keywords[0]: "" does not belong in a list of at most 100 texts"#
            ),
            (
                #"{"fallback_strategy":"ai"}"#,
                #"fallback_strategy: "ai" is not one of simple_rules, notify_all, suppress_all"#
            ),
            (#"{"mood":"good"}"#, "mood: is not a preference (known here: enabled, timezone, "),
            ("7", "7 is not an object"),
        ]
        let defaults = rules.document(differing: .emptyObject, saidYes: true, timezone: "UTC")
        for (stored, warning) in cases {
            let found = rules.preferences(differing: json(stored), saidYes: true).warnings.map(\.description)
            #expect(found.count == 1, "\(stored): \(found)")
            #expect(found.first?.hasPrefix(warning) == true, "\(stored): \(found)")
            #expect(rules.document(differing: json(stored), saidYes: true, timezone: "UTC") == defaults, "\(stored)")
        }
    }

    @Test func `what is beside it is kept`() {
        let preferences = rules.preferences(
            differing: json(
                #"{"enabled":false,"frequency":3,"quiet_hours":{"start":"x","end":"06:00","exceptions":["critical","gone","social"]},"#
                    + #""schedule":{"mon":"x","tue":[["09:00","10:00"]]},"kinds":{"referee":{"enabled":false,"channels":7},"payment":0}}"#
            ), saidYes: true)
        #expect(!preferences.isEnabled)
        #expect(preferences.quietHours == DailyWindow(start: time("22:00"), end: time("06:00"), days: .all))
        #expect(preferences.quietExceptions[6])
        #expect(preferences.schedule?.windows == [DailyWindow(start: time("09:00"), end: time("10:00"), days: .tue)])
        #expect(!preferences.kinds[3].isEnabled && preferences.kinds[3].channels == [.push, .email])
        #expect(
            preferences.warnings.map(\.path) == [
                "frequency", "quiet_hours.start", "quiet_hours.exceptions[1]", "schedule.mon", "kinds.payment",
                "kinds.referee.channels",
            ])
    }

    @Test func `null is the default, and nothing to warn of`() {
        let stored = #"{"enabled":null,"quiet_hours":{"start":null},"kinds":{"gone":null,"referee":null},"goals":null}"#
        #expect(rules.preferences(differing: json(stored), saidYes: true).warnings == [])
    }

    @Test func `keys are told in a message as they can be mistaken for nothing else`() {
        let found = rules.preferences(
            differing: json(#"{"goals":{"a b\n":{"days_before":9}},"x.y z":1}"#), saidYes: true
        ).warnings
        #expect(found.first?.path == "\"x.y z\"")
        #expect(found.last?.path == "goals.\"a b\\n\".days_before")
    }
}
