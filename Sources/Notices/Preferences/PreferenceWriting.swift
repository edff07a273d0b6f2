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
        for field in DocumentField.inOrder {
            if let json = json(field, rules, beside: nil) { members.append(JSONValue.Member(field.name, json)) }
            if field == .enabled, let timezone { members.append(JSONValue.Member("timezone", .string(timezone))) }
        }
        return .object(members)
    }

    /// One field as it is written; beside others, what of it differs from theirs.
    func json(_ field: DocumentField, _ rules: ArraySlice<KindRule>, beside base: PreferenceFields?) -> JSONValue? {
        field.declaration.json(self, rules, base)
    }

    /// Where there is no schedule by default, the days without a slot need no mention.
    func scheduleJSON(beside base: PreferenceFields?) -> JSONValue? {
        let usual = base.map { $0.schedule ?? schedule.map { _ in Week() } }
        return PreferenceDeclaration.difference(schedule, usual) { $0?.json ?? .null }
    }

    /// Where none was chosen it is written as it is in force.
    func reminderTimeJSON(_ rules: ArraySlice<KindRule>, beside base: PreferenceFields?) -> JSONValue? {
        guard base.map({ $0.reminderTime != reminderTime }) ?? true else { return nil }
        func inForce(_ time: LocalTime?) -> LocalTime { time ?? Self.usualReminderTime(rules) }
        return PreferenceDeclaration.difference(inForce(reminderTime), base.map { inForce($0.reminderTime) }, \.json)
    }

    /// Of each what was chosen for it alone.
    func goalsJSON(_ rules: ArraySlice<KindRule>, beside base: PreferenceFields?) -> JSONValue? {
        let usual = base.map { goals.isEmpty ? $0.goals : goals.mapValues { _ in GoalPreference() } }
        return PreferenceDeclaration.difference(goals, usual) { goals in
            .of(goals.sorted { $0.key < $1.key }.map { id, goal in (id, goal.json(rules)) })
        }
    }

    func subjectsJSON(_ rules: ArraySlice<KindRule>, beside base: PreferenceFields?) -> JSONValue? {
        let usual = base.map { subjects.isEmpty ? $0.subjects : subjects.mapValues { _ in [:] } }
        return PreferenceDeclaration.difference(subjects, usual) { subjects in
            .of(
                subjects.sorted { $0.key < $1.key }.map { subject, kinds in
                    (subject, JSONValue.of([("kinds", kinds.json(rules))]))
                })
        }
    }

    func choicesJSON(beside base: PreferenceFields?) -> JSONValue? {
        func json(_ fields: PreferenceFields) -> JSONValue {
            .object(fields.choices.map { JSONValue.Member($0.name, $0.value) })
        }
        guard let base else { return json(self) }
        return base.choices.elementsEqual(choices, by: ==) ? nil : json(self).difference(from: json(base))
    }

    /// Each kind by itself: people change one or two of many.
    func kindsJSON(_ rules: ArraySlice<KindRule>, beside base: PreferenceFields?) -> JSONValue? {
        if let base, base.kinds == kinds { return nil }
        var changed: [JSONValue.Member] = []
        for place in rules.indices where base.map({ $0.kinds[place] != kinds[place] }) ?? true {
            let rule = rules[place]
            let json = kinds[place].json(rule)
            guard let value = base.map({ json.difference(from: $0.kinds[place].json(rule)) }) ?? json else { continue }
            changed.append(JSONValue.Member(rule.name.text, value))
        }
        return base == nil || !changed.isEmpty ? .object(changed) : nil
    }

    /// That of the policy's goal reminders.
    private static func usualReminderTime(_ rules: ArraySlice<KindRule>) -> LocalTime {
        for place in rules.indices { if case .goal(let time)? = rules[place].schedule { return time } }
        return time(8)
    }

    /// What of the document differs from the defaults, which is all that a person stores.
    func differences(from defaults: PreferenceFields, _ rules: ArraySlice<KindRule>) -> JSONValue {
        .object(
            DocumentField.inOrder.compactMap { field in
                json(field, rules, beside: defaults).map { JSONValue.Member(field.name, $0) }
            })
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
    var json: JSONValue { .string(description) }
}

extension WeekdaySet {
    var json: JSONValue { .of(names) }
}

extension ChannelSet {
    fileprivate var json: JSONValue { .of(intersection(.ringing).list.map(\.name)) }

    /// Each that rings, on or off.
    var switches: JSONValue { .of(Self.ringing.list.map { ($0.name, .bool(contains(ChannelSet($0)))) }) }
}

extension JSONValue {
    static func of(_ members: some Sequence<(String, JSONValue)>) -> JSONValue {
        .object(members.map { Member($0, $1) })
    }

    static func of(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    static func of(_ number: Int) -> JSONValue { .number(String(number)) }
}
