import Notices
import Testing

/// SPEC §3, as far as it holds whatever the policy says.
@Suite("Preference patches")
struct PreferencesPatchTests {
    let reader = newReader()

    private func line(_ patch: String) -> String {
        "{\"type\":\"preferences_changed\",\"user\":\"anna\",\"data\":{\"patch\":\(patch)}}"
    }

    private func read(_ patch: String) throws -> PreferencesChanged? {
        guard case .preferencesChanged(let changed) = try reader.read(line(patch)).payload else { return nil }
        return changed
    }

    @Test func `a bad value is refused with its path and what is allowed`() {
        let kinds = "[\"push\",\"pager\"]"
        let cases: [(patch: String, refusal: String)] = [
            (#"{"quiet_hours":{"start":"25:00"}}"#, #"quiet_hours.start: "25:00" is not a time HH:MM"#),
            (#"{"quiet_hours":{"start":"9:00"}}"#, #"quiet_hours.start: "9:00" is not a time HH:MM"#),
            (#"{"quiet_hours":{"end":8}}"#, "quiet_hours.end: 8 is not a time HH:MM"),
            (#"{"quiet_hours":[]}"#, "quiet_hours: a list is not an object"),
            (#"{"quiet_hours":{"enabled":"no"}}"#, #"quiet_hours.enabled: "no" is not true or false"#),
            (
                #"{"quiet_hours":{"days":["mon","someday"]}}"#,
                #"quiet_hours.days[1]: "someday" is not one of mon, tue, wed, thu, fri, sat, sun"#
            ),
            (#"{"quiet_hours":{"days":["mon","mon"]}}"#, "quiet_hours.days[1]: mon is in the list twice"),
            (
                #"{"quiet_hours":{"exceptions":["critical",""]}}"#,
                #"quiet_hours.exceptions[1]: "" does not belong in a list of at most 50 texts of 1 to 128 bytes"#
            ),
            (
                #"{"quiet_hours":{"until":"08:00"}}"#,
                "quiet_hours.until: is not a preference (known here: enabled, start, end, days, exceptions)"
            ),
            (#"{"frequency":"hourly"}"#, #"frequency: "hourly" is not one of daily, few_times_a_week, weekly"#),
            (
                #"{"timezone":"../../etc/passwd"}"#,
                #"timezone: "../../etc/passwd" is not an IANA time zone such as Europe/Paris"#
            ),
            (#"{"channels":{"in_app":true}}"#, "channels.in_app: is not a preference (known here: push, email, sms)"),
            (
                #"{"kinds":{"r":{"channels":\#(kinds)}}}"#,
                #"kinds.r.channels[1]: "pager" does not belong in a list out of push, email, sms"#
            ),
            (#"{"kinds":{"r":{"subtypes":{"x":1}}}}"#, "kinds.r.subtypes.x: 1 is not true or false"),
            (#"{"kinds":{"a b":{}}}"#, #"kinds: the key "a b" is not \#(Identifier.allowed)"#),
            (#"{"goals":{"g1":{"days_before":3}}}"#, "goals.g1.days_before: 3 is not a whole number from 0 to 2"),
            (#"{"goals":{"g1":{"days_before":1.0}}}"#, "goals.g1.days_before: 1.0 is not a whole number from 0 to 2"),
            (
                #"{"schedule":{"mon":[["09:00"]]}}"#,
                #"schedule.mon[0]: a list is not a slot of two times such as ["09:00","17:00"]"#
            ),
            (
                #"{"schedule":{"mon":["09:00"]}}"#,
                #"schedule.mon[0]: "09:00" is not a slot of two times such as ["09:00","17:00"]"#
            ),
            (
                #"{"schedule":{"someday":[]}}"#,
                "schedule.someday: is not a preference (known here: mon, tue, wed, thu, fri, sat, sun)"
            ),
            (#"{"pause_threshold_seconds":0}"#, "pause_threshold_seconds: 0 is not a whole number from 1 to 86400"),
            (#"{"max_analyses_per_hour":1001}"#, "max_analyses_per_hour: 1001 is not a whole number from 0 to 1000"),
            (
                #"{"priority_keywords":"urgent"}"#,
                #"priority_keywords: "urgent" is not a list of at most 100 texts of 1 to 200 bytes"#
            ),
            (
                #"{"fallback_strategy":"panic"}"#,
                #"fallback_strategy: "panic" is not one of simple_rules, notify_all, suppress_all"#
            ),
            (#"{"digest_mode":"yes"}"#, #"digest_mode: "yes" is not true or false"#),
            (
                "{\"a\\nb\":1}",
                "\"a\\nb\": is not a preference (known here: enabled, timezone, check_ins_enabled, "
                    + "frequency, check_in_time, check_in_days, quiet_hours, schedule, digest_mode, channels, kinds, "
                    + "reminder_time, goals, subjects, choices, pause_threshold_seconds, active_conversation_threshold, priority_keywords, max_analyses_per_hour, "
                    + "fallback_strategy)"
            ),
        ]
        for (patch, expected) in cases { #expect(refusal(of: line(patch), reader) == "data.patch." + expected) }
        #expect(refusal(of: line("[]"), reader) == "data.patch: a list is not an object with the preferences to change")
    }

    @Test func `what is too much is refused with how much there is and how much may be`() {
        func goals(_ count: Int) -> String {
            "{\"goals\":{\((0..<count).map { "\"g\($0)\":{}" }.joined(separator: ","))}}"
        }
        #expect(
            refusal(of: line(goals(1001)), reader)
                == "data.patch.goals: 1001 members are more than 1000, the most that are taken")
        #expect(refusal(of: line(goals(1000)), reader) == nil)
        #expect(
            refusal(
                of: line(
                    #"{"channels":{"push":true},"priority_keywords":["\#((0...100).map(String.init).joined(separator: "\",\""))"]}"#
                ), reader)
                == "data.patch.priority_keywords: 101 elements are more than 100, the most that are taken")
        #expect(
            refusal(of: line(#"{"kinds":{"note":{"channels":["push","email","sms","push"]}}}"#), reader)
                == "data.patch.kinds.note.channels: 4 elements are more than 3, the most that are taken")
    }

    @Test func `quiet hours that start when they end are refused`() {
        for time in ["00:00", "08:00", "23:59"] {
            let patch = "{\"quiet_hours\":{\"start\":\"\(time)\",\"end\":\"\(time)\"}}"
            #expect(
                refusal(of: line(patch), reader)
                    == "data.patch.quiet_hours.end: quiet hours that start and end at \(time) are refused; "
                    + "switch quiet_hours.enabled off, or enabled for none at all")
        }
        #expect(refusal(of: line(#"{"quiet_hours":{"start":"\u0030\u0038:00","end":"08:00"}}"#), reader) != nil)
        #expect(refusal(of: line(#"{"quiet_hours":{"start":"08:00","end":"08:01"}}"#), reader) == nil)
        #expect(refusal(of: line(#"{"quiet_hours":{"start":"08:00","end":null}}"#), reader) == nil)
    }

    @Test func `null puts any field back`() throws {
        let refused = try #require(refusal(of: line(#"{"?":null}"#), reader))
        let known = try #require(refused.firstMatch(of: #/known here: (.*)\)/#)?.1)
        for name in known.split(separator: ", ") {
            #expect(refusal(of: line("{\"\(name)\":null}"), reader) == nil, "\(name)")
        }
        let deep =
            #"{"quiet_hours":{"days":null},"kinds":{"r":null,"s":{"channels":null}},"goals":{"g":{"kinds":{"r":null}}}}"#
        let changed = try #require(try read(deep))
        #expect(changed.patch.document.text == deep)
        #expect(changed.patch.timezone == nil)
    }

    @Test func `the patch is kept in compact form, and says which zone it asks for`() throws {
        let patch = #" { "timezone" : "Asia\/Tokyo" , "priority_keywords" : [ "caf\u00e9" ] } "#
        let changed = try #require(try read(patch))
        #expect(changed.patch.document.text == #"{"timezone":"Asia/Tokyo","priority_keywords":["café"]}"#)
        #expect(changed.patch.timezone == "Asia/Tokyo")
    }

    @Test(arguments: [
        (
            #"{"choices":{"motto":"I am Anna","loud":true},"digest_mode":true,"priority_keywords":["mine"]}"#,
            #"{"choices":{"motto":"","loud":true},"digest_mode":true,"priority_keywords":[]}"#,
            #"{"choices":{"motto":"I am Anna"},"priority_keywords":["mine"]}"#,
            #"{"choices":{"motto":"[erased]","loud":true},"digest_mode":true,"priority_keywords":["[erased]"]}"#
        ),
        (
            #"{"choices":{"motto":"I am Anna"}}"#, #"{"choices":{"motto":""}}"#, #"{"choices":{"motto":"I am Anna"}}"#,
            #"{"choices":{"motto":"[erased]"}}"#
        ),
    ])
    func `a person's own words are sealed, and where they stood is known without them (E2)`(
        told: String, open: String, secret: String, veiled: String
    ) throws {
        let patch = try PreferencesPatch(reading: told)
        #expect(patch.isSecret)
        #expect(patch.open?.document.text == open)
        #expect(patch.secret.document.text == secret)
        var read = PreferencesPatch.start
        var buffer = ByteBuffer()
        patch.open?.encode(1, into: &buffer)
        patch.secret.encode(1, into: &buffer)
        var reader = WireReader(buffer.bytes)
        while let (_, type) = try reader.tag() { try read.decode(type, &reader) }
        #expect(read.document.text == told)
        var hidden = try #require(patch.open)
        hidden.veil()
        #expect(hidden.document.text == veiled)
        var whole = patch
        whole.veil()
        #expect(whole == hidden)
    }

    @Test func `what holds no words of theirs is not sealed`() throws {
        for text in [#"{"choices":{"loud":true,"level":3}}"#, #"{"priority_keywords":[]}"#, #"{"digest_mode":true}"#] {
            #expect(try !PreferencesPatch(reading: text).isSecret, "\(text)")
        }
    }
}
