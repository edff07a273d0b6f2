internal import CivilTime

/// Who sends, as far as it decides what gives way (`N4`).
public struct SendersInForce: Sendable, Equatable {
    /// Channels that a sender is named for.
    public var channels: ChannelSet
    /// Those that give way whatever the policy says.
    public var fallback: ChannelSet
    /// Those that lead to one sink together, each such sink's.
    public var together: Set<ChannelSet>

    public init(channels: ChannelSet, fallback: ChannelSet, together: Set<ChannelSet> = []) {
        (self.channels, self.fallback, self.together) = (channels, fallback, together)
    }

    /// All that lead to where some of them lead.
    func alike(_ channels: ChannelSet) -> ChannelSet {
        together.filter { !$0.isDisjoint(with: channels) }.reduce(channels) { $0.union($1) }
    }
}

extension Person {
    /// The channels that a job is to be tried on because a provider reports, after it had taken it, that it does not come on
    /// another for good (`N4`); none where nothing gives way.
    ///
    /// Asked once, as the report is recorded, and written down with it: whoever reads the log later knows as much, whatever
    /// their senders are. Right before anything is sent it is asked again what is asked of every job.
    public func waysInstead(
        of report: DeliveryReported, _ senders: SendersInForce, on occasion: Occasion
    ) -> [Channel] {
        let (channel, name) = (ChannelSet(report.channel), report.job.text)
        guard report.isForGood, senders.channels.isSuperset(of: channel),
            occasion.plan.policy.givesWay || senders.fallback.isSuperset(of: channel),
            let place = jobPlace(named: name, on: occasion), let job = job(named: name, on: occasion)
        else { return [] }
        guard channel != .sms || !marks[place].flags.contains(.textArrived) else { return [] }
        // A test shows its own channels, and whoever has seen it needs it no other way.
        guard marks[place].flags.isDisjoint(with: [.test, .seen]), job.memo.priority != .low else { return [] }
        guard occasion.at <= lastMoment(of: job, occasion.plan) ?? job.at.advanced(byDays: Self.daysOfTries) else {
            return []
        }
        let failure = hasDetails ? details.failures.first { $0.name == name } : nil
        guard isOut(on: channel, marks[place].channels, failure, at: occasion.at) else { return [] }
        let used = marks[place].channels.union(failure?.used ?? [])
        let topic = topic(of: job, named: name, occasion.plan)
        let contact = contact(about: topic, on: occasion)
        let spare = ChannelSet.ringing.intersection(senders.channels).intersection(contact.channels)
            .subtracting(senders.alike(used))
        // What the person has stopped gives way to nothing.
        guard contact.stops.objection(to: report.channel, isTest: false) == nil else { return [] }
        return spare.list.filter { contact.stops.objection(to: $0, isTest: false) == nil }
    }

    /// A job without `not_after` is tried for a day, so nothing comes in its place later.
    public static let daysOfTries: Int64 = 1

    /// Whether the job was taken on a channel, as far as is known, and has not given way there yet.
    private func isOut(on channel: ChannelSet, _ own: ChannelSet, _ failure: FailedJob?, at now: Instant) -> Bool {
        guard let failure else { return own.isSuperset(of: channel) }
        guard own.union(failure.taken).isSuperset(of: channel), failure.again.isDisjoint(with: channel),
            !failure.isGivingWay(at: now)
        else { return false }
        // What failed as it was sent gave way then.
        return failure.failed.isDisjoint(with: channel) || failure.reported.isSuperset(of: channel)
    }
}
