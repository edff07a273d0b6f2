/// `P6`: no channel is both chosen and reachable.
enum P6Reachable: Rule {
    static var number: Int { 6 }
    static var name: StaticString { "no_channel" }

    static func objection(to matter: Matter) -> Objection? {
        matter.channels.isEmpty ? .drop(.noChannel) : nil
    }

    static func sight(of matter: Matter) -> String {
        func words(_ channels: ChannelSet) -> String {
            channels.isEmpty ? "none" : channels.list.map(\.name).joined(separator: ", ")
        }
        let seen = "chosen: \(words(matter.chosen)); reachable: \(words(matter.person.reachable(matter.plan)))"
        guard let tried = matter.tried, tried != ChannelSet(Channel.allCases) else { return seen }
        return seen + "; tried: \(words(tried))"
    }
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
    var channels: ChannelSet {
        if isInApp { return .inApp }
        let reachable = seenPerson.look { person in seenPlan.look { person.reachable($0) } }
        let channels = chosen.intersection(reachable)
        return tried.map { channels.intersection($0) } ?? channels
    }
}
