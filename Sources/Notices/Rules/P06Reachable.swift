extension Rule {
    /// `P6`: no channel is both chosen and reachable.
    static let reachable = Rule(
        number: 6, name: "no_channel",
        objection: { matter in matter.channels.isEmpty ? .drop(.noChannel) : nil },
        sight: { matter in
            func words(_ channels: ChannelSet) -> String {
                channels.isEmpty ? "none" : channels.list.map(\.name).joined(separator: ", ")
            }
            return "chosen: \(words(matter.chosen)); reachable: \(words(matter.person.reachable))"
        })
}

extension Matter {
    /// What the person chose for this kind, or for this goal; a locked kind's own.
    var chosen: ChannelSet {
        if isLocked { return kind.requiredChannels }
        var chosen = preferences.kinds[notice.kind].channels
        if let goal = notice.goal, !preferences.goals.isEmpty {
            chosen = preferences.goals[String(goal)]?.kinds[notice.kind]?.channels ?? chosen
        }
        return chosen.intersection(preferences.channels)
    }

    /// On which it would go out now.
    var channels: ChannelSet { isInApp ? .inApp : chosen.intersection(person.reachable) }
}
