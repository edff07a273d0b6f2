/// Settings whose goal has no use for them, and of kinds that are switched off or reach nobody.
extension SettingsWithoutEffect {
    /// What is counted from a deadline, or from check-in days, of a goal that has none.
    var ofTheGoal: [String] {
        guard rules.goalReminders != nil, !after.goals.isEmpty else { return [] }
        return standing.goals.sorted { $0.id < $1.id }.flatMap { goal -> [String] in
            let (was, now) = (self.goal(goal.id, before), self.goal(goal.id, after))
            var sentences: [String] = []
            if now.repeats == .hourlyBeforeDeadline, was.repeats != now.repeats, !goal.hasDeadline {
                sentences.append("goals.\(goal.id).repeat has no effect for now: the goal has no deadline")
            }
            if now.daysBefore != 0, was.daysBefore != now.daysBefore, !goal.hasDays {
                sentences.append(
                    "goals.\(goal.id).days_before has no effect for now: the goal has no check-in days, and is reminded of daily"
                )
            }
            return sentences
        }
    }

    private func goal(_ id: String, _ fields: PreferenceFields) -> GoalPreference {
        fields.goals[id] ?? GoalPreference()
    }

    /// What is set of a kind that was off and stays off, for all or for what it is set for.
    var whileOff: [String] {
        let ofAll = rules.ownRules.indices.compactMap { place -> String? in
            guard isOff(place, before, [:]), isOff(place, after, [:]) else { return nil }
            let (was, now) = (before.kinds[place], after.kinds[place])
            let isSet = was.subtypesOff != now.subtypesOff || was.digest != now.digest || was.channels != now.channels
            let isOfReminders = rules.goalReminders?.place == place && before.reminderTime != after.reminderTime
            return isSet || isOfReminders ? off(place) : nil
        }
        let ofGoals = after.goals.sorted { $0.key < $1.key }.flatMap { id, now -> [String] in
            let was = before.goals[id] ?? GoalPreference()
            var places = set(from: was.kinds, to: now.kinds)
            if let reminders = rules.goalReminders?.place,
                (was.reminderTime, was.daysBefore) != (now.reminderTime, now.daysBefore) || was.repeats != now.repeats
            {
                places.insert(reminders)
            }
            return places.sorted().filter { isOff($0, before, was.kinds) && isOff($0, after, now.kinds) }.map {
                off($0, for: "goal \(id)")
            }
        }
        let ofSubjects = after.subjects.sorted { $0.key < $1.key }.flatMap { subject, now -> [String] in
            let was = before.subjects[subject] ?? [:]
            return set(from: was, to: now).sorted().filter { isOff($0, before, was) && isOff($0, after, now) }
                .map { off($0, for: subject) }
        }
        return ofAll + ofGoals + ofSubjects
    }

    private func isOff(_ place: Int, _ fields: PreferenceFields, _ own: [Int: GoalPreference.Kind]) -> Bool {
        // An overload's summary goes out all the same, by the channels that are set for it.
        guard !rules.kinds[place].isLocked, rules.kinds[place].schedule != .overload else { return false }
        return !fields.kinds[place].isEnabled || own[place]?.isEnabled == false
    }

    /// The kinds of which more than the switch itself was set.
    private func set(
        from old: [Int: GoalPreference.Kind], to new: [Int: GoalPreference.Kind]
    ) -> Set<Int> {
        Set(
            new.filter { place, kind in
                let was = old[place] ?? GoalPreference.Kind()
                return was.subtypes != kind.subtypes || was.channels != kind.channels
            }.keys)
    }

    private func off(_ place: Int, for whose: String? = nil) -> String {
        "what is set of “\(rules.kinds[place].label)”\(whose.map { " for \($0)" } ?? "") has no effect while that is off"
    }

    /// A kind that was switched on and comes only where the person is not reached.
    var unreached: [String] {
        rules.ownRules.indices.compactMap { place in
            let (rule, now) = (rules.kinds[place], after.kinds[place])
            guard now.isEnabled, !before.kinds[place].isEnabled, !rule.isLocked, !rule.isToldInDigest,
                !now.channels.contains(.inApp)
            else { return nil }
            let channels = now.channels.intersection(after.channels)
            guard let first = channels.list.first, channels.isDisjoint(with: standing.reachable) else { return nil }
            return "“\(rule.label)” does not reach you for now: \(Self.why(first))"
        }
    }
}
