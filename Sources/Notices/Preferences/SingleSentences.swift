internal import CivilTime

/// What changes for one goal or one subject alone, in one sentence each.
extension ChangeSentences {
    func goal(_ id: String) -> String {
        let (old, new) = (before.goals[id] ?? GoalPreference(), after.goals[id] ?? GoalPreference())
        var sentences: [String] = []
        if old.reminderTime != new.reminderTime {
            sentences.append(new.reminderTime.map { "reminds at \($0)" } ?? "reminds at the usual time")
        }
        if old.daysBefore != new.daysBefore { sentences.append("reminds \(Self.days(new.daysBefore))") }
        if old.repeats != new.repeats { sentences.append("reminds \(Self.words(new.repeats))") }
        let name = names["goal:" + id].map { "“\($0)”" } ?? "goal \(id)"
        return told(sentences + switches(from: old.kinds, to: new.kinds), of: name)
    }

    private static func days(_ before: Int) -> String {
        switch before {
        case 0: "on the day"
        case 1: "1 day before"
        default: "\(before) days before"
        }
    }

    private static func words(_ repeats: GoalPreference.Repeat) -> String {
        switch repeats {
        case .once: "once"
        case .everyTwoHours: "every 2 hours until checked in"
        case .hourlyBeforeDeadline: "every hour in the last 6 hours before the deadline"
        }
    }

    func subject(_ subject: String) -> String {
        let sentences = switches(from: before.subjects[subject] ?? [:], to: after.subjects[subject] ?? [:])
        return told(sentences, of: names[subject] ?? subject)
    }

    /// Settings may be written down that are those there were anyway.
    private func told(_ sentences: [String], of name: String) -> String {
        let told = sentences.isEmpty ? "changes nothing" : sentences.joined(separator: ", ")
        return told.capitalizingFirst + " for \(name)"
    }

    /// Everything that is switched otherwise than before.
    private func switches(
        from old: [Int: GoalPreference.Kind], to new: [Int: GoalPreference.Kind]
    ) -> [String] {
        var sentences: [String] = []
        for place in Set(old.keys).union(new.keys).sorted() {
            let rule = rules.kinds[place]
            let label = Self.inSentence(rule.label.text)
            let (was, isNow) = (old[place], new[place])
            if was?.isEnabled != isNow?.isEnabled { sentences.append(Self.switched(to: isNow?.isEnabled, label)) }
            for part in rule.subtypes where was?.subtypes[part.name.text] != isNow?.subtypes[part.name.text] {
                let name = "“\(part.label)” in \(label)"
                sentences.append(Self.switched(to: isNow?.subtypes[part.name.text], name))
            }
            guard was?.channels != isNow?.channels else { continue }
            let channels = isNow?.channels.map { channels in
                let names = JSONValue.array(channels.list.map { .string($0.name) })
                return channels.isEmpty ? "by no channel" : "by \(list(names, "and"))"
            }
            sentences.append("sends \(label) \(channels ?? "as usual")")
        }
        return sentences
    }

    private static func switched(to value: Bool?, _ what: String) -> String {
        switch value {
        case true?: "turns on \(what)"
        case false?: "turns off \(what)"
        case nil: "puts back \(what)"
        }
    }
}
