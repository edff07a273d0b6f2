internal import CivilTime

/// What is said to a person whose change does something they may not have meant (SPEC §3). The change still happens.
extension Rulebook {
    /// What the new document brings about and the old one did not.
    ///
    /// - Parameter standing: what of the person themselves the warnings hang on.
    public func warnings(
        from old: JSONValue, to new: JSONValue, saidYes: Bool, standing: PreferenceStanding
    ) -> [Warning] {
        warnings(
            from: layer(old, saidYes: saidYes).fields, to: layer(new, saidYes: saidYes).fields, standing: standing)
    }

    func warnings(
        from old: PreferenceFields, to new: PreferenceFields, standing: PreferenceStanding
    ) -> [Warning] {
        let change = PreferenceChange(
            rules: self, before: old, after: new, reachable: standing.reachable)
        let single: [(Warning.Kind, String?)] = [
            (.quietCheckIns, change.quietCheckIns), (.quietReminders, change.quietReminders(of: standing.goals)),
            (.quietSchedule, change.quietSchedule), (.everythingOff, change.everythingOff),
            (.smartOff, change.smartOff),
        ]
        return single.compactMap { kind, sentence in sentence.map { Warning(kind, $0) } }
            + (change.requiredSwitchedOff + change.requiredSwitchedOffForOne).map { Warning(.requiredSwitchedOff, $0) }
            + change.emptied.map { Warning(.withoutEffect, $0) }
            + SettingsWithoutEffect(rules: self, before: change.before, after: change.after, standing: standing)
            .sentences.map { Warning(.withoutEffect, $0) }
    }
}

/// A document before and after, as its owner sees it.
private struct PreferenceChange {
    let rules: Rulebook
    let before: PreferenceFields
    let after: PreferenceFields
    let reachable: ChannelSet

    // MARK: Quiet hours

    private var quietChanged: Bool { before.quietHours != after.quietHours }

    var quietCheckIns: String? {
        let now = quietDays(after)
        guard !now.isEmpty, quietChanged || before.checkInTime != after.checkInTime || quietDays(before) != now else {
            return nil
        }
        return "your quiet hours overlap with the check-in time \(after.checkInTime) on \(now.inWords): "
            + "check-ins \(fate(of: .checkIn))"
    }

    /// The check-in days on which the check-in falls into quiet hours that make no exception for it.
    private func quietDays(_ fields: PreferenceFields) -> WeekdaySet {
        guard fields.isEnabled || rules.policy.isSmart, fields.checkInsEnabled, let window = fields.quietHours.window,
            let (place, kind) = kind(on: .checkIn), fields.kinds[place].isEnabled, !isExempt(kind, fields)
        else { return [] }
        let days = fields.checkInDays ?? rules.policy.frequencies[fields.frequency]
        return WeekdaySet(days.weekdays.filter { window.covers(fields.checkInTime, on: $0) })
    }

    func quietReminders(of goals: [PreferenceStanding.Goal]) -> String? {
        guard let (place, kind) = rules.goalReminders, case .goal(let usual)? = kind.schedule else { return nil }
        let times = reminderTimes(of: goals, after, usual)
        let isNews = quietChanged || times != reminderTimes(of: goals, before, usual)
        guard !times.isEmpty, isNews, let window = after.quietHours.window,
            after.kinds[place].isEnabled, !isExempt(kind, after),
            times.allSatisfy({ time in Weekday.allCases.allSatisfy { window.covers(time, on: $0) } })
        else { return nil }
        return "your quiet hours overlap with every reminder time "
            + "(\(Set(times).sorted().map(\.description).joined(separator: ", "))): reminders \(fate(of: kind.schedule))"
    }

    /// What keeps to the hours of the week (`P9`) waits for them in quiet hours (`P8`), and for the end of those outside them.
    var quietSchedule: String? {
        guard quietChanged || before.schedule != after.schedule, isNeverOpen(after), !isNeverOpen(before) else {
            return nil
        }
        return "the hours of your schedule are all quiet hours: what keeps to both never reaches you"
    }

    /// Whether no hour of the schedule lies outside quiet hours. If one did, one would begin there: with a slot, or as quiet hours end.
    private func isNeverOpen(_ fields: PreferenceFields) -> Bool {
        guard let quiet = fields.quietHours.window, let slots = fields.schedule?.windows.windows else { return false }
        return Weekday.allCases.allSatisfy { day in
            (slots.map(\.start) + [quiet.end]).allSatisfy { time in
                quiet.covers(time, on: day) || !slots.contains { $0.covers(time, on: day) }
            }
        }
    }

    /// When each goal is reminded of: at its own time, or at the usual one.
    private func reminderTimes(
        of goals: [PreferenceStanding.Goal], _ fields: PreferenceFields, _ usual: LocalTime
    ) -> [LocalTime] {
        goals.map { goal in
            fields.goals[goal.id]?.reminderTime ?? goal.reminderTime ?? fields.reminderTime ?? usual
        }
    }

    private func kind(on schedule: Schedule) -> (Int, KindRule)? {
        rules.ownRules.firstIndex { $0.schedule == schedule }.map { ($0, rules.kinds[$0]) }
    }

    private func isExempt(_ kind: KindRule, _ fields: PreferenceFields) -> Bool {
        kind.isLocked || kind.priority == .critical || kind.priority.rawValue >= rules.policy.quietPass.rawValue
            || fields.quietHours.exceptions.contains(kind.name.text)
    }

    private func fate(of schedule: Schedule?) -> String {
        let drops = rules.ownRules.first { $0.schedule == schedule }?.inQuietHours == .drop
        return drops ? "are not sent then" : "wait until they end at \(after.quietHours.end)"
    }

    // MARK: Switches

    /// What `P4` to `P6` will say of every notice from now on.
    var everythingOff: String? {
        let required = rules.ownRules.filter(\.isLocked).map(\.label.text)
        let exception =
            required.isEmpty ? "" : " (\(required.joined(separator: ", ")): \(Self.required))"
        if ways(after).isEmpty {
            guard !ways(before).isEmpty else { return nil }
            let isAllOff = switchedOn(after).isEmpty
            let cause = isAllOff ? "every kind of notice is off" : "no channel is left for your notices"
            return "\(cause): you may miss check-ins" + exception
        }
        guard ways(after).isDisjoint(with: reachable), !ways(before).isDisjoint(with: reachable) else { return nil }
        let names = ways(after).list.map(\.inSentence).joined(separator: " and ")
        return "every notice is now to come by \(names), which does not reach you: you may miss check-ins" + exception
    }

    /// The channels by which some notice that can be switched off may still come (`P4`–`P6`).
    private func ways(_ fields: PreferenceFields) -> ChannelSet {
        let on = fields.channels.union(.inApp)
        return switchedOn(fields).reduce(into: ChannelSet()) { ways, place in
            let kind = fields.kinds[place]
            let ofGoals = fields.goals.values.compactMap { $0.kinds[place]?.channels }
            ways.formUnion(ofGoals.reduce(kind.channels) { $0.union($1) }.intersection(on))
        }
    }

    /// The places of the kinds that can be switched off and are on (`P4`, `P5`), whatever channel they come by.
    ///
    /// The question for push permission (`S4`) is none of them, and what is told in a digest comes by the digest's.
    private func switchedOn(_ fields: PreferenceFields) -> [Int] {
        guard fields.isEnabled || rules.policy.isSmart else { return [] }
        return rules.ownRules.indices.filter { place in
            let rule = rules.kinds[place]
            guard !rule.isLocked, !rule.isToldInDigest, rule.schedule != .session else { return false }
            return fields.kinds[place].isEnabled && (rule.schedule != .checkIn || fields.checkInsEnabled)
        }
    }

    /// What was chosen out of a list until nothing is left of it: the sentence of the change does not say what that comes to.
    var emptied: [String] {
        var sentences: [String] = []
        if after.quietHours.isEnabled, after.quietHours.days.isEmpty, before.quietHours != after.quietHours {
            sentences.append("quiet hours have no effect: they are on no day of the week")
        }
        let hasCheckIns = kind(on: .checkIn) != nil
        if hasCheckIns, after.checkInDays?.isEmpty == true, before.checkInDays?.isEmpty != true {
            sentences.append("no check-in comes: no day is chosen for them")
        }
        guard everythingOff == nil else { return sentences }
        return sentences
            + rules.ownRules.indices.compactMap { place in
                let (rule, old, new) = (rules.kinds[place], before.kinds[place], after.kinds[place])
                guard new.channels.isEmpty, !old.channels.isEmpty, new.isEnabled, !rule.isLocked else { return nil }
                return "“\(rule.label)” can reach you in no way: no channel is chosen for it"
            }
    }

    var smartOff: String? {
        guard rules.policy.isSmart, before.isEnabled, !after.isEnabled else { return nil }
        return "smart notifications are off: you will receive a notice for every message"
    }

    var requiredSwitchedOff: [String] {
        rules.ownRules.indices.compactMap { place in
            guard rules.kinds[place].isLocked else { return nil }
            let rule = rules.kinds[place]
            let (old, new) = (before.kinds[place], after.kinds[place])
            let parts = rule.subtypes.filter { part in
                part.isLocked && new.subtypesOff.contains(part.name.text) && !old.subtypesOff.contains(part.name.text)
            }
            if old.isEnabled, !new.isEnabled { return "\(rule.label): \(Self.required(but: rule))" }
            if !parts.isEmpty { return "\(Self.names(parts)) of \(rule.label): \(Self.required)" }
            if old.channels != new.channels, !new.channels.isSuperset(of: rule.requiredChannels) {
                return Self.always(rule)
            }
            return nil
        }
    }

    private static let required = "required, and sent all the same"

    /// Of a locked kind that is switched off as a whole: the parts that are not locked with it stop.
    private static func required(but rule: KindRule) -> String {
        let free = rule.subtypes.filter { !$0.isLocked }
        return required + (free.isEmpty ? "" : ", but for \(names(free))")
    }

    private static func names(_ parts: [SubtypeRule]) -> String {
        parts.map { "“\($0.label)”" }.joined(separator: ", ")
    }

    private static func always(_ rule: KindRule) -> String {
        "\(rule.label) always come by \(rule.requiredChannels.list.map(\.name).joined(separator: " and "))"
    }

    /// The same, switched for one goal or one subject alone.
    var requiredSwitchedOffForOne: [String] {
        let goals = after.goals.sorted { $0.key < $1.key }.flatMap { id, goal in
            required(from: before.goals[id]?.kinds ?? [:], to: goal.kinds, "goal \(id)")
        }
        let subjects = after.subjects.sorted { $0.key < $1.key }.flatMap { subject, kinds in
            required(from: before.subjects[subject] ?? [:], to: kinds, subject)
        }
        return goals + subjects
    }

    private func required(
        from old: [Int: GoalPreference.Kind], to new: [Int: GoalPreference.Kind], _ whose: String
    ) -> [String] {
        new.sorted { $0.key < $1.key }.flatMap { (place, kind) -> [String] in
            let rule = rules.kinds[place]
            guard rule.isLocked else { return [] }
            let was = old[place] ?? GoalPreference.Kind()
            if kind.isEnabled == false, was.isEnabled != false {
                return ["\(rule.label), also for \(whose): \(Self.required(but: rule))"]
            }
            let parts = rule.subtypes.filter { part in
                part.isLocked && kind.subtypes[part.name.text] == false && was.subtypes[part.name.text] != false
            }
            if !parts.isEmpty {
                return ["\(Self.names(parts)) of \(rule.label), also for \(whose): \(Self.required)"]
            }
            if let channels = kind.channels, channels != was.channels, !channels.isSuperset(of: rule.requiredChannels) {
                return [Self.always(rule)]
            }
            return []
        }
    }
}

extension DailyWindow {
    /// Whether a wall-clock time of a weekday lies inside, on a day like any other (`T3`).
    func covers(_ time: LocalTime, on day: Weekday) -> Bool {
        guard isOvernight else { return days.contains(day) && time >= start && time < end }
        let dayBefore = Weekday(rawValue: day == .mon ? 7 : day.rawValue - 1) ?? .sun
        return days.contains(day) && time >= start || days.contains(dayBefore) && time < end
    }
}
