/// What a policy says that cannot be kept together.
///
/// Reading sees to each value by itself; here one is held against another. Nothing of it is asked of a policy that a log
/// already holds.
extension Policy {
    public func contradictions(zoneProblem: (String) -> String? = { _ in nil }) -> [FieldError] {
        var found: [FieldError] = []
        if let problem = zoneProblem(defaultZone.text) { found.append(FieldError(path: "default_timezone", problem)) }
        if kinds.isEmpty { found.append(FieldError(path: "kinds", "has none, so nobody would ever be told anything")) }
        found += repeated(kinds.map(\.name), in: "kinds") + repeated(presets.map(\.name), in: "presets")
        found += repeated(choices.map(\.name), in: "choices")
        for (place, kind) in kinds.enumerated() {
            found += kind.contradictions(in: self).map { $0.under("kinds[\(place)]") }
        }
        found += schedulesTwice + overCapWithoutEnd + weeklyDigestsTwice + smartWithoutMessages + presetsNamedByHand
        found += preferenceProblems
        return found
    }

    private func repeated(_ names: [Identifier], in list: String) -> [FieldError] {
        names.enumerated().compactMap { place, name in
            names[..<place].contains(name) ? FieldError(path: "\(list)[\(place)].name", "\(name) is there twice") : nil
        }
    }

    /// Schedules that can be one kind's only: which of two would a check-in, a message or what was gathered belong to?
    private var schedulesTwice: [FieldError] {
        kinds.enumerated().compactMap { place, kind in
            let earlier = kinds[..<place]
            if kind.digest == .daily, earlier.contains(where: { $0.digest == .daily }) {
                return FieldError(
                    path: "kinds[\(place)].digest", "there is a daily digest already; what is gathered waits for one")
            }
            guard let schedule = kind.schedule, [.checkIn, .session, .travel, .message, .overload].contains(schedule),
                let other = earlier.first(where: { $0.schedule == schedule })
            else { return nil }
            return FieldError(
                path: "kinds[\(place)].schedule.on",
                "\(schedule.word) is the schedule of \(other.name) already; one kind has it")
        }
    }

    private var overCapWithoutEnd: [FieldError] {
        guard dailyCap == nil, !kinds.contains(where: { $0.schedule == .overload }) else { return [] }
        return [
            FieldError(
                path: "kinds",
                #"has no kind with the schedule {"on":"overload"}; where daily_cap is null one must tell of what piled up"#
            )
        ]
    }

    /// There `enabled` is the switch of smart notifications, and nothing else would be switched off by it (`A6`).
    private var smartWithoutMessages: [FieldError] {
        guard isSmart, !kinds.contains(where: { $0.schedule == .message }) else { return [] }
        return [
            FieldError(path: "smart_messages", #"has no kind with the schedule {"on":"message"} to be smart about"#)
        ]
    }

    private var presetsNamedByHand: [FieldError] {
        presets.indices.filter { presets[$0].name.text == "custom" }.map {
            FieldError(path: "presets[\($0)].name", "custom is what one is called that was changed by hand (§3)")
        }
    }

    /// What is gathered for a week is told once.
    private var weeklyDigestsTwice: [FieldError] {
        let weekly = kinds.indices.filter { kinds[$0].digest == .weekly }
        guard weekly.count > 1, kinds.contains(where: { $0.digests.contains(.weekly) }) else { return [] }
        return [
            FieldError(
                path: "kinds[\(weekly[1])].digest",
                "there is a weekly digest already; what is gathered for a week waits for one")
        ]
    }

    private var preferenceProblems: [FieldError] {
        var found: [FieldError] = []
        if defaults["choices"] != nil {
            found.append(
                FieldError(path: "preferences.choices", "what a choice begins with stands in the choice itself"))
        }
        if defaults["kinds"] != nil {
            found.append(FieldError(path: "preferences.kinds", "what a kind begins with stands in the kind itself"))
        }
        let rules = Rulebook(self)
        var layer = PreferenceLayer(over: PreferenceFields(self, kinds: rules.ownRules), rules.vocabulary, ranges)
        layer.lay(defaults)
        found += layer.notes.map { $0.error.under("preferences") }
        found += defaultsOutside(layer.fields)
        for (place, preset) in presets.enumerated() {
            let notes = rules.layer(preset.patch, saidYes: true).notes
            found += notes.map { $0.error.under("presets[\(place)].patch") }
        }
        return found
    }

    /// A default that nobody could choose: a range that leaves out `standard`'s needs another.
    private func defaultsOutside(_ fields: PreferenceFields) -> [FieldError] {
        let values = [
            ("pause_threshold_seconds", fields.pauseThresholdSeconds, ranges.pauseThresholdSeconds),
            ("active_conversation_threshold", fields.activeConversationThreshold, ranges.activeConversationThreshold),
            ("max_analyses_per_hour", fields.maxAnalysesPerHour, ranges.maxAnalysesPerHour),
        ]
        return values.compactMap { name, value, range in
            guard !range.contains(value), defaults[name] == nil else { return nil }
            return FieldError(
                path: "ranges.\(name)", "leaves out the default, \(value); widen it, or set preferences.\(name)")
        }
    }
}
