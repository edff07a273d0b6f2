internal import CivilTime

/// Whoever wants no more on a channel (`N6`): a link in a mail, `STOP`, a complaint. It changes the preferences as a patch
/// of theirs would.
extension Person {
    func unsubscribe(_ fact: Unsubscribed, on occasion: Occasion) {
        let kind = fact.kind?.text
        let stopped = kind.map { self.stopped($0) } ?? []
        if let patch = preferences.without(fact.channel, kind, occasion.plan.rules) {
            change(patch, on: occasion)
        }
        // What their preferences cannot say must hold for what comes in place of another channel too (`N4`).
        guard let kind, fact.channel != .inApp, occasion.plan.rules.place(of: kind) != nil else { return }
        stop(stopped.union(ChannelSet(fact.channel)), of: kind)
    }

    /// Whether what they want no more is off already.
    func isOff(_ fact: Unsubscribed, _ rules: Rulebook) -> Bool {
        guard preferences.without(fact.channel, fact.kind?.text, rules) == nil else { return false }
        return fact.kind.map { stopped($0.text).contains(ChannelSet(fact.channel)) } ?? true
    }

    /// Somebody who calls a mail spam gets none any more. Mails from before they asked for mail again are forgiven.
    func complain(of job: NoticeName, on occasion: Occasion) {
        let emittedAt = emission(of: job, on: occasion)
        guard flags.contains(.hasEmail), details.emailSince <= emittedAt, details.emailWantedSince <= emittedAt,
            let patch = preferences.without(.email, nil, occasion.plan.rules)
        else { return }
        change(patch, on: occasion)
    }
}

extension Preferences {
    /// The patch that switches a channel off, for one kind and its goals or for all; `nil` where it is off already.
    fileprivate func without(_ channel: Channel, _ kindName: String?, _ rules: Rulebook) -> JSONValue? {
        guard channel != .inApp else { return nil }
        guard let kindName else {
            guard channels.contains(ChannelSet(channel)) else { return nil }
            return .object([.init("channels", .object([.init(channel.name, .bool(false))]))])
        }
        guard let kind = rules.place(of: kindName), !rules.isRetired(kind) else { return nil }
        func rest(_ chosen: ChannelSet?) -> JSONValue? {
            guard let chosen, chosen.contains(ChannelSet(channel)) else { return nil }
            let names = chosen.subtracting(ChannelSet(channel)).subtracting(.inApp).list.map {
                JSONValue.string($0.name)
            }
            return .object([.init("kinds", .object([.init(kindName, .object([.init("channels", .array(names))]))]))])
        }
        let ofGoals = goals.sorted { $0.key < $1.key }.compactMap { id, goal in
            rest(goal.kinds[kind]?.channels).map { JSONValue.Member(id, $0) }
        }
        var patch = rest(kinds[kind].channels)?.members ?? []
        if !ofGoals.isEmpty { patch.append(.init("goals", .object(ofGoals))) }
        return patch.isEmpty ? nil : .object(patch)
    }
}
