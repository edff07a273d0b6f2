internal import CivilTime

/// The preferences document, in the order of SPEC §3.
extension PreferenceFields {
    /// The whole document.
    ///
    /// - Parameters:
    ///   - rules: the policy's own kinds.
    ///   - timezone: left out where it is not asked for: a zone is kept on the person (`T9`).
    func document(_ rules: ArraySlice<KindRule>, timezone: String? = nil) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ key: String, _ value: JSONValue) { members.append(JSONValue.Member(key, value)) }
        add("enabled", .bool(isEnabled))
        if let timezone { add("timezone", .string(timezone)) }
        add("check_ins_enabled", .bool(checkInsEnabled))
        add("frequency", .string(frequency.rawValue))
        add("check_in_time", checkInTime.json)
        add("check_in_days", checkInDays?.json ?? .null)
        add("quiet_hours", quietHours.json)
        add("schedule", schedule?.json ?? .null)
        add("digest_mode", .bool(digestMode))
        add(
            "channels",
            .of([
                ("push", .bool(channels.contains(.push))), ("email", .bool(channels.contains(.email))),
                ("sms", .bool(channels.contains(.sms))),
            ]))
        add("kinds", .of(zip(rules, kinds).map { rule, kind in (rule.name.text, kind.json(rule)) }))
        add("reminder_time", (reminderTime ?? Self.usualReminderTime(rules)).json)
        add(
            "goals",
            .of(goals.sorted { $0.key < $1.key }.map { id, goal in (id, goal.json(rules)) }))
        add(
            "subjects",
            .of(
                subjects.sorted { $0.key < $1.key }.map { subject, kinds in
                    (subject, JSONValue.of([("kinds", kinds.json(rules))]))
                }))
        add("choices", .of(choices.map { ($0.name, $0.value) }))
        add("pause_threshold_seconds", .of(pauseThresholdSeconds))
        add("active_conversation_threshold", .of(activeConversationThreshold))
        add("priority_keywords", .of(priorityKeywords))
        add("max_analyses_per_hour", .of(maxAnalysesPerHour))
        add("fallback_strategy", .string(fallback.name))
        return .object(members)
    }

    /// That of the policy's goal reminders.
    private static func usualReminderTime(_ rules: ArraySlice<KindRule>) -> LocalTime {
        rules.lazy.compactMap { rule in if case .goal(let time)? = rule.schedule { time } else { nil } }.first
            ?? time(8)
    }

    /// What of the document differs from the defaults, which is all that a person stores.
    func differences(from defaults: PreferenceFields, _ rules: ArraySlice<KindRule>) -> JSONValue {
        var base = defaults
        base.goals = goals.mapValues { _ in GoalPreference() }
        base.subjects = subjects.mapValues { _ in [:] }
        // Where there is no schedule by default, the days without a slot need no mention.
        if base.schedule == nil, schedule != nil { base.schedule = Week() }
        return document(rules).difference(from: base.document(rules)) ?? .emptyObject
    }
}

extension PreferenceFields.QuietHours {
    var json: JSONValue {
        .of([
            ("enabled", .bool(isEnabled)), ("start", start.json), ("end", end.json), ("days", days.json),
            ("exceptions", .of(exceptions)),
        ])
    }
}

extension PreferenceFields.Week {
    var json: JSONValue {
        .of(
            zip(Weekday.allCases, days).map { day, slots in
                (day.name, .array(slots.map { .array([$0.start.json, $0.end.json]) }))
            })
    }
}

extension KindPreference {
    /// Only what a person may choose: a kind that is shown in the app alone has no channels to choose from.
    fileprivate func json(_ rule: KindRule) -> JSONValue {
        var members: [(String, JSONValue)] = [("enabled", .bool(isEnabled))]
        if rule.hasChoiceOfChannels { members.append(("channels", channels.json)) }
        if rule.digests.count > 1 { members.append(("digest", .string(digest.rawValue))) }
        members.append(
            (
                "subtypes",
                .of(rule.subtypes.map { ($0.name.text, .bool(!subtypesOff.contains($0.name.text))) })
            ))
        return .of(members)
    }
}

extension GoalPreference {
    fileprivate func json(_ rules: ArraySlice<KindRule>) -> JSONValue {
        .of([
            ("reminder_time", reminderTime?.json ?? .null), ("repeat", .string(repeats.rawValue)),
            ("days_before", .of(daysBefore)),
            ("kinds", kinds.json(rules)),
        ])
    }
}

extension [Int: GoalPreference.Kind] {
    fileprivate func json(_ rules: ArraySlice<KindRule>) -> JSONValue {
        .of(sorted { $0.key < $1.key }.map { place, kind in (rules[place].name.text, kind.json(rules[place])) })
    }
}

extension GoalPreference.Kind {
    /// Only what was chosen: the rest is as for every other goal.
    fileprivate func json(_ rule: KindRule) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if let isEnabled { members.append(("enabled", .bool(isEnabled))) }
        if let channels { members.append(("channels", channels.json)) }
        if !subtypes.isEmpty {
            let chosen = rule.subtypes.compactMap { subtype in
                subtypes[subtype.name.text].map { (subtype.name.text, JSONValue.bool($0)) }
            }
            members.append(("subtypes", .of(chosen)))
        }
        return .of(members)
    }
}

extension KindRule {
    /// Whether there is more to choose from than the app itself.
    var hasChoiceOfChannels: Bool { !channels.isDisjoint(with: .ringing) && !isToldInDigest }
}

extension LocalTime {
    fileprivate var json: JSONValue { .string(description) }
}

extension WeekdaySet {
    fileprivate var json: JSONValue { .of(names) }
}

extension ChannelSet {
    fileprivate var json: JSONValue { .of(intersection(.ringing).list.map(\.name)) }
}

extension JSONValue {
    static func of(_ members: some Sequence<(String, JSONValue)>) -> JSONValue {
        .object(members.map { Member($0, $1) })
    }

    static func of(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    static func of(_ number: Int) -> JSONValue { .number(String(number)) }
}
