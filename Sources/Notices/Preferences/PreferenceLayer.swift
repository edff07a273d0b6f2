internal import CivilTime

/// Lays a preferences document over the defaults, field by field.
///
/// It is total: a field that cannot be read stays as it was below and is noted, and so nothing that a log may hold makes
/// it fail or send (`G6`).
struct PreferenceLayer {
    /// Something in the document that has no effect, and why.
    struct Note {
        enum Cause {
            /// It cannot be read, or not by this policy.
            case unreadable
            /// Each by itself could be, but not together: quiet hours without a length, a schedule without a slot.
            case combination
            /// It is of a kind that the policy before this one had.
            case retired
        }

        var path: [String]
        /// What stands there, to be kept as it is; `nil` where the field above was read in spite of it.
        var value: JSONValue?
        var cause = Cause.unreadable
        var error: FieldError
    }

    let vocabulary: Vocabulary
    let ranges: PreferenceRanges
    var fields: PreferenceFields
    var notes: [Note] = []

    init(over defaults: PreferenceFields, _ vocabulary: Vocabulary, _ ranges: PreferenceRanges) {
        fields = defaults
        self.vocabulary = vocabulary
        self.ranges = ranges
    }

    mutating func lay(_ document: JSONValue) {
        guard let root = Part(document, [], .document, &notes) else { return }
        for field in DocumentFields(in: document) { field.declaration.lay(&self, root) }
    }

    /// Puts some fields back to what they are below, and lays over them what a document says.
    mutating func lay(_ some: DocumentFields, of document: JSONValue, insteadOfThose base: PreferenceFields) {
        for field in some { fields.take(field, from: base) }
        lay(.object(document.members.filter { DocumentField(named: $0.key).map(some.contains) ?? true }))
    }

    mutating func layChannels(_ channels: Part) {
        for channel in ChannelSet.ringing.list {
            guard let isOn = channels.bool(channel.name, &notes) else { continue }
            if isOn {
                fields.channels.insert(ChannelSet(channel))
            } else {
                fields.channels.remove(ChannelSet(channel))
            }
        }
    }

    mutating func layQuietHours(_ quiet: Part) {
        let before = fields.quietHours
        if let value = quiet.bool("enabled", &notes) { fields.quietHours.isEnabled = value }
        if let value = quiet.time("start", &notes) { fields.quietHours.start = value }
        if let value = quiet.time("end", &notes) { fields.quietHours.end = value }
        if let value = quiet.days("days", &notes) { fields.quietHours.days = value }
        if let names = quiet.words("exceptions", &notes) {
            for (position, name) in names.enumerated() {
                if let cause = vocabulary.objection(toException: name) {
                    note(quiet, "exceptions", nil, cause.cause, cause.error.under("[\(position)]"))
                }
            }
            fields.quietHours.exceptions = vocabulary.ordered(names)
        }
        guard fields.quietHours.start == fields.quietHours.end else { return }
        let problem =
            "quiet hours that start and end at \(fields.quietHours.start) are refused; "
            + "switch quiet_hours.enabled off, or enabled for none at all"
        (fields.quietHours.start, fields.quietHours.end) = (before.start, before.end)
        for name in ["start", "end"] {
            guard let value = quiet.value[name], value != .null else { continue }
            note(quiet, name, value, .combination, FieldError(problem))
        }
    }

    mutating func laySchedule(_ part: Part) {
        let before = fields.schedule
        var week = before ?? PreferenceFields.Week()
        for (index, day) in Weekday.allCases.enumerated() {
            guard let slots = part.slots(day.name, &notes) else { continue }
            week.days[index] = slots
        }
        guard week.isEmpty else {
            fields.schedule = week
            return
        }
        let problem = #"a schedule needs at least one slot; write one such as {"mon":[["09:00","17:00"]]}, or null"#
        notes.append(
            Note(
                path: part.path, value: part.value, cause: .combination,
                error: part.located(FieldError(problem + " for every hour of the week"))))
    }

    mutating func layKinds(_ part: Part) {
        for member in part.entries {
            guard let place = place(of: member, in: part), let kind = part.entry(member, .kind, &notes) else {
                continue
            }
            let rule = vocabulary.kinds[place]
            if let value = kind.bool("enabled", &notes) { fields.kinds[place].isEnabled = value }
            if let value = channels(kind, rule) { fields.kinds[place].channels = value }
            if let wish = kind.word("digest", &notes).flatMap(DigestWish.init) {
                if rule.digests.contains(wish) {
                    fields.kinds[place].digest = wish
                } else {
                    let error = Vocabulary.objection(toDigest: wish, of: rule)
                    note(kind, "digest", kind.value["digest"], .unreadable, error)
                }
            }
            for (name, isOn) in subtypes(kind, rule) {
                if isOn {
                    fields.kinds[place].subtypesOff.remove(name)
                } else {
                    fields.kinds[place].subtypesOff.insert(name)
                }
            }
        }
    }

    mutating func layGoals(_ part: Part) {
        for member in part.entries {
            guard let goal = part.entry(member, .goal, &notes) else { continue }
            var choice = fields.goals[member.key] ?? GoalPreference()
            if let value = goal.time("reminder_time", &notes) { choice.reminderTime = value }
            if let value = goal.word("repeat", &notes).flatMap(GoalPreference.Repeat.init) { choice.repeats = value }
            if let value = goal.number("days_before", &notes) { choice.daysBefore = value }
            if let kinds = goal.part("kinds", &notes) { layOwnKinds(kinds, .kindOfGoal, &choice.kinds) }
            if choice != GoalPreference() { fields.goals[member.key] = choice }
        }
    }

    mutating func laySubjects(_ part: Part) {
        for member in part.entries {
            guard let subject = part.entry(member, .subject, &notes), let kinds = subject.part("kinds", &notes) else {
                continue
            }
            var own = fields.subjects[member.key] ?? [:]
            layOwnKinds(kinds, .kindOfSubject, &own)
            if !own.isEmpty { fields.subjects[member.key] = own }
        }
    }

    /// What is switched for one goal or subject alone.
    private mutating func layOwnKinds(
        _ part: Part, _ shape: PreferenceShape, _ own: inout [Int: GoalPreference.Kind]
    ) {
        for member in part.entries {
            guard let place = place(of: member, in: part), let kind = part.entry(member, shape, &notes) else {
                continue
            }
            let rule = vocabulary.kinds[place]
            var choice = own[place] ?? GoalPreference.Kind()
            if let value = kind.bool("enabled", &notes) { choice.isEnabled = value }
            if shape["channels"] != nil, let value = channels(kind, rule) { choice.channels = value }
            for (name, isOn) in subtypes(kind, rule) { choice.subtypes[name] = isOn }
            if choice != GoalPreference.Kind() { own[place] = choice }
        }
    }

    mutating func layChoices(_ part: Part) {
        for member in part.entries where member.value != .null {
            guard let rule = vocabulary.choice(named: member.key),
                let place = fields.choices.firstIndex(where: { $0.name == member.key })
            else {
                note(part, member.key, member.value, .unreadable, vocabulary.objection(toChoice: member.key))
                continue
            }
            if let value = part.read(member.key, as: rule.shape, &notes) { fields.choices[place].value = value }
        }
    }

    /// The place of the kind that a member is about; one that the policy does not have is noted.
    private mutating func place(of member: JSONValue.Member, in part: Part) -> Int? {
        if let place = vocabulary.place(ofKind: member.key) { return place }
        if member.value != .null {
            let (cause, error) = vocabulary.objection(toKind: member.key)
            note(part, member.key, member.value, cause, error)
        }
        return nil
    }

    private mutating func channels(_ kind: Part, _ rule: KindRule) -> ChannelSet? {
        guard let names = kind.words("channels", &notes) else { return nil }
        guard rule.hasChoiceOfChannels else {
            let problem = "\(rule.name) is shown in the app; its channels are not to be chosen"
            note(kind, "channels", kind.value["channels"], .unreadable, FieldError(problem))
            return nil
        }
        return names.compactMap(Channel.init(name:)).reduce(into: rule.channels.intersection(.inApp)) {
            $0.insert(ChannelSet($1))
        }
    }

    private mutating func subtypes(_ kind: Part, _ rule: KindRule) -> [(name: String, isOn: Bool)] {
        guard let part = kind.part("subtypes", &notes) else { return [] }
        return part.entries.compactMap { member in
            guard rule.subtypes.contains(where: { $0.name.text == member.key }) else {
                if member.value != .null {
                    note(
                        part, member.key, member.value, .unreadable,
                        Vocabulary.objection(toSubtype: member.key, of: rule))
                }
                return nil
            }
            return part.bool(member.key, as: .truth, &notes).map { (member.key, $0) }
        }
    }

    private mutating func note(
        _ part: Part, _ name: String, _ value: JSONValue?, _ cause: Note.Cause, _ error: FieldError
    ) {
        notes.append(
            Note(
                path: part.path + [name], value: value, cause: cause,
                error: part.located(error.under(shownKey(name)))))
    }
}
