internal import CivilTime

/// The preferences document, in the order of SPEC §3.
extension PreferenceFields {
    /// The whole document.
    ///
    /// - Parameters:
    ///   - rules: the policy's own kinds.
    ///   - timezone: left out where it is not asked for: a zone is kept on the person (`T9`).
    func document(_ rules: ArraySlice<KindRule>, timezone: String? = nil) -> JSONValue {
        .object(members(rules, beside: nil, timezone: timezone))
    }

    /// Every field; or, beside others, what differs from theirs. What is the same is not even written to be compared.
    private func members(
        _ rules: ArraySlice<KindRule>, beside base: PreferenceFields?, timezone: String? = nil
    ) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        func add<Value: Equatable>(
            _ key: String, _ field: (PreferenceFields) -> Value, _ json: (Value) -> JSONValue
        ) {
            let value = field(self)
            guard let base else { return members.append(JSONValue.Member(key, json(value))) }
            let usual = field(base)
            guard value != usual, let difference = json(value).difference(from: json(usual)) else { return }
            members.append(JSONValue.Member(key, difference))
        }
        add("enabled", \.isEnabled) { .bool($0) }
        if let timezone { members.append(JSONValue.Member("timezone", .string(timezone))) }
        add("check_ins_enabled", \.checkInsEnabled) { .bool($0) }
        add("frequency", \.frequency) { .string($0.rawValue) }
        add("check_in_time", \.checkInTime) { $0.json }
        add("check_in_days", \.checkInDays) { $0?.json ?? .null }
        add("quiet_hours", \.quietHours) { $0.json }
        add("schedule", \.schedule) { $0?.json ?? .null }
        add("digest_mode", \.digestMode) { .bool($0) }
        add("channels", \.channels) { channels in
            .of(ChannelSet.ringing.list.map { ($0.name, .bool(channels.contains(ChannelSet($0)))) })
        }
        addKinds(rules, beside: base, to: &members)
        if base == nil || base?.reminderTime != reminderTime {
            add("reminder_time", { $0.reminderTime ?? Self.usualReminderTime(rules) }) { $0.json }
        }
        add("goals", \.goals) { .of($0.sorted { $0.key < $1.key }.map { id, goal in (id, goal.json(rules)) }) }
        add("subjects", \.subjects) { subjects in
            .of(
                subjects.sorted { $0.key < $1.key }.map { subject, kinds in
                    (subject, JSONValue.of([("kinds", kinds.json(rules))]))
                })
        }
        if base.map({ !$0.choices.elementsEqual(choices, by: ==) }) ?? true {
            add("choices", { $0.choices.map { JSONValue.Member($0.name, $0.value) } }) { .object($0) }
        }
        add("pause_threshold_seconds", \.pauseThresholdSeconds) { .of($0) }
        add("active_conversation_threshold", \.activeConversationThreshold) { .of($0) }
        add("priority_keywords", \.priorityKeywords) { .of($0) }
        add("max_analyses_per_hour", \.maxAnalysesPerHour) { .of($0) }
        add("fallback_strategy", \.fallback) { .string($0.name) }
        return members
    }

    /// Each kind by itself: people change one or two of many.
    private func addKinds(
        _ rules: ArraySlice<KindRule>, beside base: PreferenceFields?, to members: inout [JSONValue.Member]
    ) {
        if let base, base.kinds == kinds { return }
        var changed: [JSONValue.Member] = []
        for place in rules.indices where base.map({ $0.kinds[place] != kinds[place] }) ?? true {
            let rule = rules[place]
            let json = kinds[place].json(rule)
            guard let value = base.map({ json.difference(from: $0.kinds[place].json(rule)) }) ?? json else { continue }
            changed.append(JSONValue.Member(rule.name.text, value))
        }
        if base == nil || !changed.isEmpty { members.append(JSONValue.Member("kinds", .object(changed))) }
    }

    /// That of the policy's goal reminders.
    private static func usualReminderTime(_ rules: ArraySlice<KindRule>) -> LocalTime {
        for place in rules.indices { if case .goal(let time)? = rules[place].schedule { return time } }
        return time(8)
    }

    /// What of the document differs from the defaults, which is all that a person stores.
    func differences(from defaults: PreferenceFields, _ rules: ArraySlice<KindRule>) -> JSONValue {
        var base = defaults
        if !goals.isEmpty { base.goals = goals.mapValues { _ in GoalPreference() } }
        if !subjects.isEmpty { base.subjects = subjects.mapValues { _ in [:] } }
        // Where there is no schedule by default, the days without a slot need no mention.
        if base.schedule == nil, schedule != nil { base.schedule = Week() }
        return .object(members(rules, beside: base))
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
