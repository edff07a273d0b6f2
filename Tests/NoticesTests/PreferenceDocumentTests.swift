import CivilTime
import Notices
import Testing

/// SPEC §3: the document, and what each field of it does.
@Suite("The preferences document")
struct PreferenceDocumentTests {
    /// SPEC §3's own, with the kinds of a policy that has one goal reminder.
    private static let defaults =
        #"{"enabled":true,"timezone":"America/Los_Angeles","check_ins_enabled":true,"frequency":"few_times_a_week","#
        + #""check_in_time":"09:00","check_in_days":null,"#
        + #""quiet_hours":{"enabled":true,"start":"22:00","end":"08:00","#
        + #""days":["mon","tue","wed","thu","fri","sat","sun"],"exceptions":[]},"#
        + #""schedule":null,"digest_mode":false,"channels":{"push":true,"email":true,"sms":false},"#
        + #""kinds":{"goal_reminder":{"enabled":true,"channels":["push","email"],"subtypes":{"a":true,"b":false}},"#
        + #""prompt":{"enabled":true,"subtypes":{}}},"reminder_time":"08:00","goals":{},"#
        + #""subjects":{},"choices":{},"#
        + #""pause_threshold_seconds":120,"active_conversation_threshold":20,"#
        + #""priority_keywords":["urgent","ASAP","production down","blocker","help"],"#
        + #""max_analyses_per_hour":10,"fallback_strategy":"simple_rules"}"#

    private let rules: Rulebook

    init() throws {
        rules = Rulebook(
            try Policy(
                document: #"""
                    {"name":"p","kinds":[
                     {"name":"goal_reminder","schedule":{"on":"goal","at":"08:00"},"channels":["push","email"],
                      "subtypes":[{"name":"a"},{"name":"b","enabled":false}]},
                     {"name":"prompt","schedule":{"on":"session"},"channels":["in_app"]}]}
                    """#))
    }

    private func after(_ differences: String) -> Preferences {
        rules.preferences(differing: json(differences), saidYes: true)
    }

    @Test func `of someone who changed nothing is the one of the specification`() {
        let document = rules.document(differing: .emptyObject, saidYes: true, timezone: "America/Los_Angeles")
        #expect(document.text == Self.defaults)
        #expect(rules.differences(of: .emptyObject, patchedWith: document, saidYes: true) == .emptyObject)
    }

    @Test func `every field that is set is in force`() throws {
        let standing = after("{}")
        #expect(standing.isEnabled && standing.checkInsEnabled && !standing.digestMode)
        #expect(standing.channels == [.push, .email, .inApp])
        #expect(standing.schedule == nil && standing.goals.isEmpty)
        #expect(!after(#"{"enabled":false}"#).isEnabled)
        #expect(!after(#"{"check_ins_enabled":false}"#).checkInsEnabled)
        #expect(after(#"{"frequency":"daily"}"#).checkInDays == .all)
        #expect(after(#"{"frequency":"weekly"}"#).checkInDays == .mon)
        #expect(after(#"{"frequency":"weekly","check_in_days":["sun","sat"]}"#).checkInDays == .weekend)
        #expect(after(#"{"check_in_days":[]}"#).checkInDays.isEmpty)
        #expect(after(#"{"check_in_time":"07:45"}"#).checkInTime == time("07:45"))
        #expect(
            after(#"{"quiet_hours":{"start":"21:00"}}"#).quietHours
                == DailyWindow(start: time("21:00"), end: time("08:00"), days: .all))
        #expect(
            after(#"{"quiet_hours":{"end":"07:00","days":["fri"]}}"#).quietHours
                == DailyWindow(start: time("22:00"), end: time("07:00"), days: .fri))
        #expect(after(#"{"quiet_hours":{"enabled":false}}"#).quietHours == nil)
        #expect(after(#"{"quiet_hours":{"days":[]}}"#).quietHours == nil)
        #expect(after(#"{"quiet_hours":{"exceptions":["critical","prompt"]}}"#).quietExceptions == [false, true])
        let week = try #require(after(#"{"schedule":{"tue":[["09:00","12:00"],["22:00","02:00"]],"sun":[]}}"#).schedule)
        #expect(
            week.windows == [
                DailyWindow(start: time("09:00"), end: time("12:00"), days: .tue),
                DailyWindow(start: time("22:00"), end: time("02:00"), days: .tue),
            ])
        #expect(after(#"{"digest_mode":true}"#).digestMode)
        #expect(after(#"{"channels":{"push":false,"sms":true}}"#).channels == [.email, .sms, .inApp])
        #expect(after(#"{"pause_threshold_seconds":60}"#).pauseThresholdSeconds == 60)
        #expect(after(#"{"active_conversation_threshold":50}"#).activeConversationThreshold == 50)
        #expect(after(#"{"priority_keywords":["fire"]}"#).priorityKeywords == ["fire"])
        #expect(after(#"{"max_analyses_per_hour":5}"#).maxAnalysesPerHour == 5)
        #expect(after(#"{"fallback_strategy":"notify_all"}"#).fallback == .notifyAll)
        #expect(after(#"{"fallback_strategy":"suppress_all"}"#).fallback == .suppressAll)
    }

    @Test func `kinds and goals are by their place`() throws {
        let kinds = after(
            #"{"kinds":{"goal_reminder":{"enabled":false,"channels":["sms","push"],"subtypes":{"a":false,"b":true}},"prompt":{"enabled":false}}}"#
        ).kinds
        #expect(kinds.map(\.isEnabled) == [false, false])
        #expect(kinds.map(\.channels) == [[.push, .sms], .inApp])
        #expect(kinds.map(\.subtypesOff) == [["a"], []])
        #expect(after("{}").kinds.map(\.subtypesOff) == [["b"], []])
        #expect(after(#"{"kinds":{"goal_reminder":{"channels":[]}}}"#).kinds[0].channels == [])
        let goals = after(
            #"{"goals":{"g1":{"reminder_time":"07:30","repeat":"every_2_hours","days_before":2,"#
                + #""kinds":{"goal_reminder":{"enabled":false,"channels":["push"],"subtypes":{"b":true}}}},"#
                + #""g2":{"repeat":"hourly_before_deadline"},"g3":{"repeat":"once"},"g4":{"kinds":{"prompt":{}}}}}"#
        ).goals
        #expect(goals.keys.sorted() == ["g1", "g2"])
        let goal = try #require(goals["g1"])
        #expect(goal.reminderTime == time("07:30") && goal.repeats == .everyTwoHours && goal.daysBefore == 2)
        #expect(goal.kinds.keys.sorted() == [0])
        #expect(goal.kinds[0]?.isEnabled == false && goal.kinds[0]?.channels == .push)
        #expect(goal.kinds[0]?.subtypes == ["b": true])
        #expect(goals["g2"]?.repeats == .hourlyBeforeDeadline && goals["g2"]?.reminderTime == nil)
    }

    /// `C2` knows one switch for the slots; the kind's own is asked by `P5` when a slot has come.
    @Test func `check_ins_enabled takes the slots away, the kind's switch drops what they raise`() throws {
        let rules = try shipped("standard")
        for (differences, hasSlots, isKindOn) in [
            ("{}", true, true), (#"{"check_ins_enabled":false}"#, false, true),
            (#"{"kinds":{"check_in":{"enabled":false}}}"#, true, false),
            (#"{"check_ins_enabled":true,"kinds":{"check_in":{"enabled":true}}}"#, true, true),
        ] {
            let preferences = rules.preferences(differing: json(differences), saidYes: false)
            #expect(preferences.checkInsEnabled == hasSlots)
            #expect(preferences.kinds[3].isEnabled == isKindOn)
        }
    }

    /// `S4`.
    @Test func `check-ins that wait for a yes are off until it`() throws {
        let rules = try shipped("coachme")
        func isOn(_ differences: String, _ saidYes: Bool) -> Bool {
            rules.preferences(differing: json(differences), saidYes: saidYes).checkInsEnabled
        }
        #expect(!isOn("{}", false) && isOn("{}", true))
        #expect(isOn(#"{"check_ins_enabled":true}"#, false))
        #expect(!isOn(#"{"check_ins_enabled":false}"#, true))
        let no = rules.differences(of: .emptyObject, patchedWith: json(#"{"check_ins_enabled":false}"#), saidYes: true)
        #expect(no.text == #"{"check_ins_enabled":false}"#)
        #expect(
            rules.differences(of: no, patchedWith: json(#"{"check_ins_enabled":null}"#), saidYes: true) == .emptyObject)
    }

    @Test func `kinds that a policy no longer has keep their place, and are off`() throws {
        let before = try shipped("standard")
        let after = Rulebook(try Policy(document: smallPolicy()), retiring: before)
        #expect(after.place(of: "note") == 0 && after.place(of: "check_in") == 4 && after.place(of: "nothing") == nil)
        #expect(!after.isRetired(0) && after.isRetired(4))
        #expect(after.kinds.map(\.name.text) == ["note"] + before.kinds.map(\.name.text))
        #expect(after.ownKinds == 1)
        let preferences = after.preferences(
            differing: json(#"{"kinds":{"reminder":{"enabled":true},"note":{"enabled":true},"odd":{}}}"#), saidYes: true
        )
        #expect(preferences.kinds.map(\.isEnabled) == [true] + Array(repeating: false, count: 6))
        #expect(preferences.quietExceptions.count == 7)
        #expect(preferences.warnings.map(\.path) == ["kinds.odd"])
        let third = Rulebook(before.policy, retiring: after)
        #expect(third.kinds.map(\.name.text) == before.kinds.map(\.name.text) + ["note"])
        #expect(third.document(differing: .emptyObject, saidYes: true, timezone: "UTC")["kinds"]?.members.count == 6)
    }

    @Test func `more kinds than there are places are forgotten, the oldest first`() throws {
        var book: Rulebook?
        for round in 0..<5 {
            let kinds = (0..<100).map { #"{"name":"k\#(round)-\#($0)","on_request":true}"# }.joined(separator: ",")
            book = Rulebook(try Policy(document: #"{"name":"p","kinds":[\#(kinds)]}"#), retiring: book)
        }
        let last = try #require(book)
        #expect(last.kinds.count == Rulebook.kindsMax)
        #expect(last.place(of: "k4-0") == 0 && last.place(of: "k3-0") == 100 && last.place(of: "k2-49") == 249)
        #expect(last.place(of: "k2-50") == nil)
    }
}
