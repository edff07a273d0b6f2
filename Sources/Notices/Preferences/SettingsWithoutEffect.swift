/// Settings that a change brings and that do nothing, under this policy or for this person (SPEC §3). They are kept: the
/// phone may be verified tomorrow, and another policy may come.
struct SettingsWithoutEffect {
    let rules: Rulebook
    let before: PreferenceFields
    let after: PreferenceFields
    let standing: PreferenceStanding

    var sentences: [String] {
        channels + checkIns + goals + ofTheGoal + whileOff + unreached + exceptions + messages + digests
    }

    // MARK: Channels

    /// A channel that was newly chosen and is switched off as a whole, or is no kind's, or reaches nobody.
    private var channels: [String] {
        ChannelSet.ringing.list.compactMap { channel in
            guard isNewlyChosen(channel) else { return nil }
            guard after.channels.contains(ChannelSet(channel)) else {
                return "\(channel.inSentence) has no effect while all notices by \(channel.inSentence) are switched off"
            }
            guard after.kinds.contains(where: { $0.channels.contains(ChannelSet(channel)) }) else {
                return
                    "\(channel.inSentence) has no effect by itself: no kind of notice is sent by \(channel.inSentence); only a channel that fails may fall back on it"
            }
            guard !standing.reachable.contains(ChannelSet(channel)) else { return nil }
            return "\(channel.inSentence) has no effect for now: \(Self.why(channel))"
        }
    }

    private func isNewlyChosen(_ channel: Channel) -> Bool {
        func has(_ channels: ChannelSet) -> Bool { channels.contains(ChannelSet(channel)) }
        if has(after.channels), !has(before.channels) { return true }
        // A locked kind comes by its own channels, which is another warning's to say (P14).
        return rules.ownRules.indices.contains { place in
            !rules.kinds[place].isLocked && has(after.kinds[place].channels) && !has(before.kinds[place].channels)
        }
    }

    static func why(_ channel: Channel) -> String {
        switch channel {
        case .push: "push permission was denied, or no device is registered"
        case .email: "no email address is known, or mails to it came back"
        case .sms: "no phone number is verified"
        case .inApp: "the app is not open"
        }
    }

    // MARK: What the policy has no use for

    private func has(_ isMeant: (KindRule) -> Bool) -> Bool { rules.ownRules.contains(where: isMeant) }

    private var checkIns: [String] {
        guard !has({ $0.schedule == .checkIn }) else { return [] }
        return changed([
            ("check_ins_enabled", before.checkInsEnabled != after.checkInsEnabled),
            ("frequency", before.frequency != after.frequency),
            ("check_in_time", before.checkInTime != after.checkInTime),
            ("check_in_days", before.checkInDays != after.checkInDays),
        ]).map { "\($0) has no effect: no kind of notice of \(rules.policy.name) checks in" }
    }

    private var goals: [String] {
        guard rules.goalReminders == nil else { return [] }
        let ofOne = after.goals.sorted { $0.key < $1.key }.flatMap { id, goal in
            let was = before.goals[id] ?? GoalPreference()
            return [
                (name: "goals.\(id).reminder_time", isChanged: was.reminderTime != goal.reminderTime),
                (name: "goals.\(id).repeat", isChanged: was.repeats != goal.repeats),
                (name: "goals.\(id).days_before", isChanged: was.daysBefore != goal.daysBefore),
            ]
        }
        return changed([("reminder_time", before.reminderTime != after.reminderTime)] + ofOne)
            .map { "\($0) has no effect: no kind of notice of \(rules.policy.name) reminds of goals" }
    }

    // MARK: Exceptions from quiet hours

    /// Kinds that quiet hours keep nothing of, or that never ring by themselves: an exception for them changes nothing.
    private var exceptions: [String] {
        let fresh = Set(after.quietHours.exceptions).subtracting(before.quietHours.exceptions)
        let gone = Set(before.quietHours.exceptions).subtracting(after.quietHours.exceptions)
        // Whoever sets another list without it has said nothing of it.
        let critical: Set = [Priority.critical.name]
        let isAboutCritical = fresh.isSuperset(of: critical) || fresh.isEmpty && gone == critical
        let ofCritical = "an exception for critical notices has no effect: quiet hours never keep them back"
        return (isAboutCritical ? [ofCritical] : [])
            + rules.ownRules.compactMap { rule in
                guard fresh.contains(rule.name.text) else { return nil }
                if rule.isLocked || rule.priority == .critical
                    || rule.priority.rawValue >= rules.policy.quietPass.rawValue
                {
                    return "an exception for “\(rule.label)” has no effect: quiet hours never keep it back"
                }
                if rule.schedule == .session || rule.isToldInDigest {
                    return "an exception for “\(rule.label)” has no effect: it never rings by itself"
                }
                return nil
            }
    }

    private var messages: [String] {
        let hasMessages = has { $0.schedule == .message }
        // Keywords make a message pressing for whoever hears of every one, too (A6).
        let keywords = hasMessages ? [] : [("priority_keywords", before.priorityKeywords != after.priorityKeywords)]
        let analysis =
            hasMessages && rules.policy.isSmart
            ? []
            : [
                ("pause_threshold_seconds", before.pauseThresholdSeconds != after.pauseThresholdSeconds),
                (
                    "active_conversation_threshold",
                    before.activeConversationThreshold != after.activeConversationThreshold
                ),
                ("max_analyses_per_hour", before.maxAnalysesPerHour != after.maxAnalysesPerHour),
                ("fallback_strategy", before.fallback != after.fallback),
            ]
        return changed(keywords + analysis)
            .map { "\($0) has no effect: no message is analysed under \(rules.policy.name)" }
    }

    private var digests: [String] {
        var sentences: [String] = []
        if after.digestMode, !before.digestMode, !has({ $0.isDigestible }) || !has({ $0.digest == .daily }) {
            sentences.append("digest_mode has no effect: no kind of notice of \(rules.policy.name) waits for a digest")
        }
        for (place, rule) in rules.ownRules.enumerated()
        where rule.schedule == .overload && before.kinds[place].isEnabled && !after.kinds[place].isEnabled {
            sentences.append(
                "switching off “\(rule.label)” has no effect: what would come too fast is told in one, so that nothing is lost"
            )
        }
        return sentences
    }

    private func changed(_ settings: [(name: String, isChanged: Bool)]) -> [String] {
        settings.filter(\.isChanged).map(\.name)
    }
}

extension Rulebook {
    /// The kind that reminds of goals, and its place.
    var goalReminders: (place: Int, rule: KindRule)? {
        ownRules.firstIndex { $0.schedule?.word == "goal" }.map { ($0, kinds[$0]) }
    }
}
