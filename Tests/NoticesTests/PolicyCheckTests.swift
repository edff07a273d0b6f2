import Notices
import Testing

/// What a policy document cannot say together.
@Suite("Contradictions in a policy")
struct PolicyCheckTests {
    private static let daily = #"{"name":"digest","schedule":{"on":"daily","at":"18:00"},"digest":"daily"}"#

    private func kind(_ fields: String) -> String { #"{"name":"p","kinds":[{"name":"k",\#(fields)}]}"# }

    @Test func `kinds`() {
        let cases: [(document: String, refusal: String)] = [
            (
                #"{"name":"p","kinds":[{"name":"a","on_request":true},{"name":"a","on_request":true}]}"#,
                "kinds[1].name: a is there twice"
            ),
            (
                #"{"name":"p","kinds":[{"name":"critical","on_request":true}]}"#,
                "kinds[0].name: critical is what quiet hours call every critical notice; name it otherwise"
            ),
            (
                #"{"name":"p","kinds":[{"name":"a"}]}"#,
                "kinds[0].schedule: is missing, and on_request is false: a kind comes by a schedule, by a fact (raised_by) or on request"
            ),
            (
                #"{"name":"p","kinds":[{"name":"a","schedule":{"on":"check_in"}},{"name":"b","schedule":{"on":"check_in"}}]}"#,
                "kinds[1].schedule.on: check_in is the schedule of a already; one kind has it"
            ),
            (
                #"{"name":"p","kinds":[{"name":"a","schedule":{"on":"message"}},{"name":"b","schedule":{"on":"message"}}]}"#,
                "kinds[1].schedule.on: message is the schedule of a already; one kind has it"
            ),
            (
                #"{"name":"p","daily_cap":null,"kinds":[{"name":"a","on_request":true}]}"#,
                #"kinds: has no kind with the schedule {"on":"overload"}; where daily_cap is null one must tell of what piled up"#
            ),
            (
                #"{"name":"p","smart_messages":true,"kinds":[{"name":"a","on_request":true}]}"#,
                #"smart_messages: has no kind with the schedule {"on":"message"} to be smart about"#
            ),
            (
                #"{"name":"p","kinds":[{"name":"a","on_request":true}],"presets":[{"name":"custom","patch":{}}]}"#,
                "presets[0].name: custom is what one is called that was changed by hand (§3)"
            ),
            (
                kind(#""on_request":true,"subtypes":[{"name":"a"},{"name":"b"},{"name":"a"}]"#),
                "kinds[0].subtypes[2].name: a is there twice"
            ),
            (
                kind(#""on_request":true,"locked":true"#),
                "kinds[0].required_channels: is missing; a locked kind always uses them, so it needs some"
            ),
            (
                kind(#""on_request":true,"required_channels":["push"]"#),
                "kinds[0].required_channels: only a locked kind has them"
            ),
        ]
        for (document, refusal) in cases { #expect(policyRefusal(document) == refusal) }
        for schedule in [#""on":"daily","at":"10:00""#, #""on":"goal","at":"10:00""#] {
            let twice = #"{"name":"a","schedule":{\#(schedule)}},{"name":"b","schedule":{\#(schedule)}}"#
            #expect(policyRefusal(#"{"name":"p","kinds":[\#(twice)]}"#) == nil)
        }
    }

    @Test func `digests that may be wished for, and whose switches points go by`() {
        let week = #"{"name":"week","schedule":{"on":"weekly","day":"sun","at":"19:00"},"digest":"weekly"}"#
        func with(_ fields: String, _ more: String = "") -> String {
            #"{"name":"p","kinds":[{"name":"k",\#(fields)},\#(Self.daily)\#(more)]}"#
        }
        func dropped(_ digest: String) -> String { String(digest.dropLast()) + #","in_quiet_hours":"drop"}"# }
        let cases: [(document: String, refusal: String?)] = [
            (with(#""on_request":true,"digests":["none","daily"]"#), nil),
            (with(#""on_request":true,"digests":["none","weekly"]"#, "," + week), nil),
            (
                with(#""on_request":true,"digests":["none","weekly"]"#, "," + dropped(week)),
                "kinds[2].in_quiet_hours: a weekly digest that others wait for is held: dropped every week, it would never tell of them"
            ),
            (with(#""on_request":true,"digests":["none","daily"]"#, "," + dropped(week)), nil),
            (
                kind(#""schedule":{"on":"daily","at":"23:00"},"digest":"daily","in_quiet_hours":"drop""#),
                "kinds[0].in_quiet_hours: a daily digest is held: dropped every night, it would never tell anything"
            ),
            (
                with(#""on_request":true,"digests":["none","weekly"]"#),
                "kinds[0].digests: there is no kind with a weekly digest to wait for"
            ),
            (
                with(#""on_request":true,"digests":["daily"],"locked":true,"required_channels":["push"]"#),
                "kinds[0].digests: a locked kind waits for nothing (P14)"
            ),
            (
                with(#""digest":"weekly","schedule":{"on":"weekly","day":"sun","at":"10:00"},"digests":["daily"]"#),
                "kinds[0].digests: a digest cannot wait for a digest"
            ),
            (
                with(#""on_request":true,"digests":["none","none"]"#),
                #"kinds[0].digests: "none" does not belong in a list out of none, daily, weekly, each once"#
            ),
            (
                with(#""on_request":true,"digests":[]"#),
                "kinds[0].digests: is not a list out of none, daily, weekly, each once"
            ),
            (
                with(#""on_request":true,"digests":["weekly"]"#, ",\(week),\(week.replacing("week\"", with: "two\""))"),
                "kinds[3].digest: there is a weekly digest already; what is gathered for a week waits for one"
            ),
            (
                with(#""on_request":true,"points":"digest""#), "kinds[0].points: only a daily digest tells points"
            ),
            (
                #"{"name":"p","kinds":[{"name":"earned"},{"name":"digest","schedule":{"on":"daily","at":"18:00"},"digest":"daily","points":"earned"}]}"#,
                nil
            ),
            (
                #"{"name":"p","kinds":[{"name":"digest","schedule":{"on":"daily","at":"18:00"},"digest":"daily","points":"digest"},{"name":"other","on_request":true}]}"#,
                "kinds[0].points: digest is not another kind that can be switched off (known here: other)"
            ),
        ]
        for (document, refusal) in cases { #expect(policyRefusal(document) == refusal, "\(document)") }
    }

    @Test func `choices`() {
        func policy(_ choices: String, copy: String = "") -> String {
            #"{"name":"p","kinds":[{"name":"k","on_request":true,"copy":{"body":"\#(copy)"}}],"choices":[\#(choices)]}"#
        }
        let level =
            #"{"name":"level","type":"one_of","values":["low",{"name":"high","label":"All of it"}],"default":"low"}"#
        let cases: [(document: String, refusal: String?)] = [
            (policy(level, copy: "{choices.level}"), nil),
            (
                policy(level, copy: "{choices.lvl}"),
                "kinds[0].copy.body: {choices.lvl} is not known; did you mean choices.level?"
            ),
            (policy(level + "," + level), "choices[1].name: level is there twice"),
            (
                policy(#"{"name":"a","type":"one_of","values":["x"],"default":"x"}"#),
                #"choices[0].values: needs 2 to 50 words, each "simple" or {"name","label"}"#
            ),
            (
                policy(#"{"name":"a","type":"one_of","values":["x","x"],"default":"x"}"#),
                "choices[0].values[1]: x is there twice"
            ),
            (
                policy(#"{"name":"a","type":"one_of","values":["x","y"],"default":"z"}"#),
                #"choices[0].default: "z" is not one of x, y"#
            ),
            (
                policy(#"{"name":"a","type":"number","range":[5,1],"default":3}"#),
                "choices[0].range: is not the lowest and the highest value, such as [0,10]"
            ),
            (
                policy(#"{"name":"a","type":"number","range":[1,5],"default":6}"#),
                "choices[0].default: 6 is not a whole number from 1 to 5"
            ),
            (policy(#"{"name":"a","type":"number","range":[1,5],"default":5}"#), nil),
            (
                policy(#"{"name":"a","type":"bool"}"#),
                "choices[0].default: is missing; it must be what everybody begins with"
            ),
            (
                policy(#"{"name":"a","type":"colour","default":1}"#),
                #"choices[0].type: "colour" is not one of bool, one_of, number, time, text"#
            ),
            (
                policy(#"{"name":"a","type":"time","default":"25:00"}"#),
                #"choices[0].default: "25:00" is not a time HH:MM"#
            ),
            (
                #"{"name":"p","kinds":[{"name":"k","on_request":true}],"preferences":{"choices":{"a":true}}}"#,
                "preferences.choices: what a choice begins with stands in the choice itself"
            ),
        ]
        for (document, refusal) in cases {
            let said = policyRefusal(document)
            #expect(refusal == nil ? said == nil : said?.hasPrefix(refusal ?? "") == true, "\(said ?? "accepted")")
        }
    }

    @Test func `digests`() {
        let cases: [(document: String, refusal: String)] = [
            (
                kind(#""on_request":true,"digest":"daily""#),
                #"digest: a daily digest needs a schedule {"on":"daily",…}"#
            ),
            (
                kind(#""schedule":{"on":"daily","at":"18:00"},"digest":"weekly""#),
                #"digest: a weekly digest needs a schedule {"on":"weekly",…}"#
            ),
            (
                kind(#""schedule":{"on":"daily","at":"18:00"},"digest":"daily","digestible":true"#),
                "digestible: a digest cannot wait for a digest"
            ),
            (
                kind(
                    #""schedule":{"on":"daily","at":"18:00"},"digest":"daily","locked":true,"required_channels":["push"]"#
                ),
                "locked: a digest cannot be locked: it may have nothing to say"
            ),
            (
                kind(#""schedule":{"on":"daily","at":"18:00"},"digest":"daily","bundling":true"#),
                "bundling: a digest is not bundled; it is one notice already"
            ),
            (
                kind(#""schedule":{"on":"daily","at":"18:00"},"digest":"daily","over_cap":"hold""#),
                "over_cap: a daily digest over the cap is dropped, and what was gathered stays (D2)"
            ),
            (
                kind(#""schedule":{"on":"daily","at":"18:00"},"digest":"daily","over_cap":"gather""#),
                "over_cap: a daily digest over the cap is dropped, and what was gathered stays (D2)"
            ),
            (
                kind(#""schedule":{"on":"weekly","day":"sun","at":"18:00"},"digest":"weekly","over_cap":"gather""#),
                "over_cap: a digest cannot be gathered for a digest; write drop or hold"
            ),
            (
                kind(#""on_request":true,"digestible":true"#),
                "digestible: there is no kind with a daily digest to wait for"
            ),
            (
                kind(#""on_request":true,"over_cap":"gather""#),
                "over_cap: there is no kind with a daily digest to gather for"
            ),
        ]
        for (document, refusal) in cases { #expect(policyRefusal(document) == "kinds[0]." + refusal) }
        let second = Self.daily.replacing("\"digest\",", with: "\"second\",")
        #expect(
            policyRefusal(#"{"name":"p","kinds":[\#(Self.daily),\#(second)]}"#)
                == "kinds[1].digest: there is a daily digest already; what is gathered waits for one")
        #expect(
            policyRefusal(smallPolicy(kind: #","digestible":true,"over_cap":"gather""#, others: "," + Self.daily))
                == nil)
    }

    @Test func `warnings before a deadline`() {
        func deadline(_ offsets: String, subtypes: String = #"[{"name":"a"},{"name":"b"}]"#) -> String {
            kind(#""schedule":{"on":"deadline","offsets":[\#(offsets)]},"subtypes":\#(subtypes)"#)
        }
        let cases: [(document: String, refusal: String)] = [
            (
                deadline(#"{"minutes":10,"subtype":"a"},{"minutes":20,"subtype":"b"}"#),
                "[1].minutes: 20 does not come after 10: write the earliest warning first, each once"
            ),
            (
                deadline(#"{"minutes":10,"subtype":"a"},{"minutes":10,"subtype":"b"}"#),
                "[1].minutes: 10 does not come after 10: write the earliest warning first, each once"
            ),
            (
                deadline(#"{"minutes":10,"subtype":"c"}"#),
                "[0].subtype: c is not among the kind's subtypes; did you mean a? (known here: a, b)"
            ),
            (
                deadline(#"{"minutes":10,"subtype":"a","escalation":"escalation"}"#),
                "[0].escalation: escalation is not among the kind's subtypes (known here: a, b)"
            ),
            (
                deadline(#"{"minutes":10,"subtype":"a"}"#, subtypes: "[]"),
                "[0].subtype: a is not declared: the kind has no subtypes"
            ),
        ]
        for (document, refusal) in cases { #expect(policyRefusal(document) == "kinds[0].schedule.offsets" + refusal) }
    }

    @Test func `defaults, ranges and presets`() {
        let cases: [(fields: String, refusal: String)] = [
            (
                #","ranges":{"pause_threshold_seconds":[130,300]}"#,
                "ranges.pause_threshold_seconds: leaves out the default, 120; widen it, or set preferences.pause_threshold_seconds"
            ),
            (
                #","ranges":{"max_analyses_per_hour":[0,9]}"#,
                "ranges.max_analyses_per_hour: leaves out the default, 10; widen it, or set preferences.max_analyses_per_hour"
            ),
            (
                #","preferences":{"active_conversation_threshold":60}"#,
                "preferences.active_conversation_threshold: 60 is not a whole number from 10 to 50"
            ),
            (
                #","preferences":{"quiet_hours":{"start":"08:00"}}"#,
                "preferences.quiet_hours.start: quiet hours that start and end at 08:00 are refused; "
                    + "switch quiet_hours.enabled off, or enabled for none at all"
            ),
            (
                #","preferences":{"quiet_hours":{"exceptions":["critical","notes"]}}"#,
                #"preferences.quiet_hours.exceptions[1]: "notes" is neither critical nor a kind of small; did you mean note? (known here: critical, note)"#
            ),
            (
                #","preferences":{"schedule":{}}"#,
                "preferences.schedule: a schedule needs at least one slot; write one such as "
            ),
            (#","preferences":{"kinds":{}}"#, "preferences.kinds: what a kind begins with stands in the kind itself"),
            (
                #","presets":[{"name":"a","patch":{}},{"name":"a","patch":{}}]"#,
                "presets[1].name: a is there twice"
            ),
            (
                #","presets":[{"name":"a","patch":{"kinds":{"notes":{"enabled":false}}}}]"#,
                "presets[0].patch.kinds.notes: is not a kind of small; did you mean note? (known here: note)"
            ),
            (
                #","presets":[{"name":"a","patch":{"kinds":{"note":{"subtypes":{"x":false}}}}}]"#,
                "presets[0].patch.kinds.note.subtypes.x: is not a subtype: note has none"
            ),
            (
                #","presets":[{"name":"a","patch":{"max_analyses_per_hour":21}}]"#,
                "presets[0].patch.max_analyses_per_hour: 21 is not a whole number from 5 to 20"
            ),
        ]
        for (fields, refusal) in cases {
            let found = policyRefusal(smallPolicy(fields))
            #expect(found?.hasPrefix(refusal) == true, "\(fields): \(found ?? "taken")")
        }
        let moved = #","preferences":{"pause_threshold_seconds":130},"ranges":{"pause_threshold_seconds":[130,300]}"#
        #expect(policyRefusal(smallPolicy(moved)) == nil)
    }

    @Test func `everything that is wrong is told at once`() throws {
        let policy = try Policy(
            recorded: smallPolicy(
                #","default_timezone":"Mars/Phobos""#, kind: #","digestible":true,"copy":{"body":"{who}"}"#))
        let found = policy.contradictions { $0.hasPrefix("Mars/") ? "no such zone" : nil }
        #expect(found.map(\.path) == ["default_timezone", "kinds[0].digestible", "kinds[0].copy.body"])
        #expect(
            policyRefusal(smallPolicy(kind: #","copy":{"bodies":["a","{"]}"#))?.hasPrefix("kinds[0].copy.bodies[1]: ")
                == true)
    }
}

@Suite("Placeholders in copy")
struct CopyPlaceholderTests {
    private func problem(_ text: String) -> String? {
        do {
            _ = try Copy.placeholders(in: text)
            return nil
        } catch { return "\(error)" }
    }

    @Test func `are found in their order, with their forms`() throws {
        #expect(try Copy.placeholders(in: "") == [])
        #expect(try Copy.placeholders(in: "no place | at all") == [])
        let found = try Copy.placeholders(in: "{count} {count|goal|goals}, {title}{points||s}{name|there}")
        #expect(found.map(\.name) == ["count", "count", "title", "points", "name"])
        #expect(found.map(\.forms) == [[], ["goal", "goals"], [], ["", "s"], ["there"]])
        for name in Copy.counting + Copy.wording { #expect(problem("{\(name)}") == nil) }
    }

    @Test func `are refused where they cannot be filled in`() {
        let known =
            "(known here: count, points, sessions, check_ins, goals, earlier, title, name, items, left, text, subject, "
            + "day, days, since, by_subject)"
        #expect(problem("{titl}") == "{titl} is not known; did you mean title? \(known)")
        #expect(problem("{}") == "{} is not known \(known)")
        #expect(problem("{count }") == "{count } is not known; did you mean count? \(known)")
        let word = "does not count and takes one form, for where there is none"
        #expect(problem("{title|a|b}") == "{title|…} \(word): {title|otherwise}")
        #expect(problem("{items|a|b}") == "{items|…} \(word): {items|otherwise}")
        #expect(problem("{count|a}") == "{count|…} takes two forms, such as {count|one|many}")
        #expect(problem("{count|a|b|c}") == "{count|…} takes two forms, such as {count|one|many}")
        #expect(problem("an open { brace") == #"has a brace without its other, near "{ brace""#)
        #expect(problem("a closed } brace") == #"has a brace without its other, near "} brace""#)
        #expect(problem("{count|{points}|b}") == #"has a brace without its other, near "{count|{points}|b}""#)
    }
}
