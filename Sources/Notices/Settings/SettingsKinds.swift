internal import CivilTime

/// What reaches the person: presets, kinds with their parts, and what is special about single goals and subjects.
extension Settings {
    var presets: JSONValue? {
        guard !policy.presets.isEmpty else { return nil }
        let presets = policy.presets.map { preset -> JSONValue in
            .of([
                ("name", .string(preset.name.text)), ("label", .string(KindRule.label(of: preset.name))),
                ("about", .string(preset.about.text)),
            ])
        }
        return .of([
            ("name", .string("presets")), ("label", .string("Presets")), ("presets", .array(presets)),
        ])
    }

    // MARK: Kinds

    var kinds: JSONValue? {
        .of([
            ("name", .string("kinds")), ("label", .string("What reaches you")),
            ("kinds", .array(rules.ownRules.map(kind))),
        ])
    }

    private func kind(_ rule: KindRule) -> JSONValue {
        let path = ["kinds", rule.name.text]
        let why = rule.isLocked ? "\(rule.label) are always sent: they cannot be switched off." : nil
        let on = path + ["enabled"]
        let parts = rule.subtypes.map { part in
            var one = field(
                path + ["subtypes", part.name.text], part.label.text, .bool,
                whyLocked: rule.isLocked && part.isLocked ? why : nil, dependsOn: on)
            one.alsoOn = rule.escalation(of: part.name.text).map { path + ["subtypes", $0] }
            return one
        }
        // Of check-ins there is one switch for whether they are planned at all (`C2`).
        let enabled = field(
            on, rule.label.text, .bool, help: comes(rule), whyLocked: why,
            dependsOn: rule.schedule == .checkIn ? ["check_ins_enabled"] : nil)
        var members: [(String, JSONValue)] = [
            ("name", .string(rule.name.text)), ("label", .string(rule.label.text)),
            ("locked", .bool(rule.isLocked)), ("why_locked", .orNull(why)),
        ]
        members += [
            ("enabled", enabled.document), ("channels", .orNull(channels(of: rule))),
            ("digest", .orNull(digest(of: rule))), ("subtypes", .of(parts)),
            ("can_test", .bool(!rule.isToldInDigest)),
        ]
        return .of(members)
    }

    /// When a kind comes by itself, where that is at a fixed time.
    private func comes(_ rule: KindRule) -> String? {
        switch rule.schedule {
        case .daily(let time)?: "Every day at \(time)."
        case .weekly(let day, let time)?: "Every \(day.word) at \(time)."
        case .checkIn?, .goal?, .deadline?, .overdue?, .session?, .travel?, .missedCheckIn?, .message?, .overload?, nil:
            nil
        }
    }

    private func channels(of rule: KindRule) -> SettingsField? {
        guard rule.hasChoiceOfChannels else { return nil }
        let required = rule.requiredChannels.list.map(\.label).joined(separator: " and ")
        let why = rule.isLocked && !required.isEmpty ? "Always sent by \(required)." : nil
        return field(
            ["kinds", rule.name.text, "channels"], "Sent by", .channels(channelsOffered.list), help: stopped(rule),
            whyLocked: why, dependsOn: ["kinds", rule.name.text, "enabled"])
    }

    /// What a link stopped that the channels chosen do not show: it comes in place of nothing either (`N4`, `N6`).
    private func stopped(_ rule: KindRule) -> String? {
        let hidden = person.stopped(rule.name.text).intersection(person.preferences.channels)
        guard !rule.isLocked, !hidden.isEmpty else { return nil }
        let channels = hidden.list.map(\.label).joined(separator: " and ")
        return
            "You stopped \(channels) for this. Choose it here, or switch \(channels) off and on for everything, to have it again."
    }

    private func digest(of rule: KindRule) -> SettingsField? {
        guard rule.digests.count > 1 else { return nil }
        let options = rule.digests.map { wish in
            switch wish {
            case .none: SettingsField.Option(wish.rawValue, "Immediately")
            case .daily: SettingsField.Option(wish.rawValue, "In the daily digest")
            case .weekly: SettingsField.Option(wish.rawValue, "In the weekly digest")
            }
        }
        return field(
            ["kinds", rule.name.text, "digest"], "When", .oneOf(options),
            dependsOn: ["kinds", rule.name.text, "enabled"])
    }

    // MARK: Goals

    var goals: JSONValue? {
        guard let reminders = rules.goalReminders?.rule else { return nil }
        let usualTime = field(
            ["reminder_time"], "Reminder time", .time, help: "Of goals that have no time of their own.",
            dependsOn: ["kinds", reminders.name.text, "enabled"])
        let open = person.details.goals.filter { !$0.hasEnded }
        return .of([
            ("name", .string("goals")), ("label", .string("Goals")), ("fields", .array([usualTime.document])),
            ("goals", .array(open.map(goal))),
        ])
    }

    private func goal(_ goal: Goal) -> JSONValue {
        let path = ["goals", goal.id]
        let on = rules.goalReminders.map { path + ["kinds", $0.rule.name.text, "enabled"] }
        var time = field(path + ["reminder_time"], "Reminder time", .time, dependsOn: on)
        // What the app gave the goal, else what holds for all goals.
        time.usual = goal.reminderTime.map { .string("\($0)") } ?? document["reminder_time"] ?? .null
        var days = field(
            path + ["days_before"], "Days before",
            .oneOf([.init(0, "On the day"), .init(1, "1 day before"), .init(2, "2 days before")]), dependsOn: on)
        var repeats = field(
            path + ["repeat"], "How often",
            .oneOf([
                .init("once", "Once at the set time"), .init("every_2_hours", "Every 2 hours until checked in"),
                .init("hourly_before_deadline", "Every hour in the last 6 hours before the deadline"),
            ]), dependsOn: on)
        (days.usual, repeats.usual) = (.of(0), .string("once"))
        let fields = [time, days, repeats].map(\.withUsualForNothing)
        let kinds = rules.ownRules.filter(\.isAboutGoals).flatMap { ownFields(of: $0, under: path) }
        return .of([
            ("goal", .string(goal.id)), ("title", .string(goal.title)),
            ("deadline", goal.deadline.map { .string("\($0)") } ?? .null),
            ("fields", .of(fields)), ("kinds", .of(kinds)),
        ])
    }

    // MARK: Subjects

    var subjects: JSONValue? {
        let named = Dictionary(
            person.details.subjectNames.map { ($0.subject, $0.title) }, uniquingKeysWith: { first, _ in first })
        let all = Set(named.keys).union(person.preferences.subjects.keys).filter { !$0.hasPrefix("goal:") }.sorted()
        let told = rules.ownRules.filter(\.isAboutSubjects)
        guard !all.isEmpty, !told.isEmpty else { return nil }
        let sorts = Set(all.map { $0.contains(":") ? String($0.prefix { $0 != ":" }) : "" })
        let sort = sorts.count == 1 ? sorts.first.flatMap { $0.isEmpty ? nil : $0 } : nil
        let documents = all.map { subject -> JSONValue in
            let fields = told.flatMap { ownFields(of: $0, under: ["subjects", subject]) }
            return .of([
                ("subject", .string(subject)), ("title", .string(named[subject] ?? subject)), ("kinds", .of(fields)),
            ])
        }
        return .of([
            ("name", .string("subjects")), ("label", .string("For each \(sort ?? "subject")")),
            ("subjects", .array(documents)),
        ])
    }

    /// The switches of a kind for one goal or subject alone; what was not switched is as for all.
    private func ownFields(of rule: KindRule, under path: [String]) -> [SettingsField] {
        let (own, all) = (path + ["kinds", rule.name.text], ["kinds", rule.name.text])
        func switched(_ rest: [String], _ label: String, by switching: [String]) -> SettingsField {
            var one = field(own + rest, label, .bool, dependsOn: switching)
            one.usual = field(all + rest, "", .bool).value
            return one.withUsualForNothing
        }
        let parts = rule.subtypes.map { part in
            var one = switched(
                ["subtypes", part.name.text], "\(rule.label): \(part.label)", by: own + ["enabled"])
            one.alsoOn = rule.escalation(of: part.name.text).map { own + ["subtypes", $0] }
            return one
        }
        return [switched(["enabled"], rule.label.text, by: all + ["enabled"])] + parts
    }
}

extension SettingsField {
    /// Where nothing is set the value is the one that holds for all.
    fileprivate var withUsualForNothing: SettingsField {
        guard value == .null else { return self }
        var field = self
        field.value = usual
        return field
    }
}

extension KindRule {
    /// The part that brings the warnings of this one too.
    fileprivate func escalation(of part: String) -> String? {
        guard case .deadline(let offsets)? = schedule else { return nil }
        return offsets.offsets.first { $0.subtype == part }?.escalation
    }

    /// Whether its notices are about goals: a switch of a single goal changes something.
    fileprivate var isAboutGoals: Bool {
        guard !isLocked, digest == nil else { return false }
        switch schedule {
        case .goal?, .deadline?, .missedCheckIn?, .overdue?: return true
        case .checkIn?, .daily?, .weekly?, .session?, .travel?, .message?, .overload?: return false
        case nil: return isOnRequest || !raisedBy.isEmpty
        }
    }

    /// Whether its notices, or its points, are about a subject that an app names.
    fileprivate var isAboutSubjects: Bool {
        guard !isLocked, digest == nil else { return false }
        return isToldInDigest || isOnRequest || !raisedBy.isEmpty
    }
}
