internal import CivilTime
internal import Notices

/// Where a job is to go (`N2`): the channels that have a sender to the person's addresses, the others to the sinks.
struct Sorting {
    let rules: PostRules
    /// Every sink, for what no sender takes.
    let sinks: [Target]
    /// The carrier for whom a sender sends; met for the first time, it becomes one.
    let carrier: (Post) -> Int
    /// The address behind a registration; `nil` where it is none.
    let address: (Contact.Device) throws -> Device.Address?
    /// Why there is none behind a registration.
    let whyNone: (Contact.Device) -> String

    /// By the job's place, which says what it is still to go out on.
    func routes(_ order: Order, at place: JobPlace, _ contact: Contact?) throws -> [RoutePlan] {
        if let reported = place.insteadOf { return [instead(of: reported, place.channels, order, contact)] }
        return try routes(order, place.channels, contact)
    }

    /// - Parameter channels: those it is still to go out on; none for all.
    func routes(_ order: Order, _ channels: ChannelSet, _ contact: Contact?) throws -> [RoutePlan] {
        let all = order.job.channels.filter { channels.isEmpty || channels.contains(ChannelSet($0)) }
        var plans: [RoutePlan] = []
        let others = all.filter { !isSent($0) }
        if !others.isEmpty { plans.append(RoutePlan(channels: others, targets: sinks)) }
        for channels in together(all.filter(isSent)) {
            var plan = try route(channels, contact)
            if let contact, mayGiveWay(order), contact.mayGiveWay || channels.contains(where: givesWay) {
                plan.spare = spare(of: order, channels, contact)
            }
            plans.append(plan)
        }
        return plans
    }

    /// Each channel by itself, but those that lead to one sink together: it knows a job by its id, and would take the second
    /// half for the first come twice.
    private func together(_ channels: [Channel]) -> [[Channel]] {
        var groups: [(sink: Post?, channels: [Channel])] = []
        for channel in channels {
            let sink = rules.sinks[channel]
            if let sink, let place = groups.firstIndex(where: { $0.sink == sink }) {
                groups[place].channels.append(channel)
            } else {
                groups.append((sink, [channel]))
            }
        }
        return groups.map(\.channels)
    }

    /// What is in the app alone was asked neither cap nor pause (`P15`) and rings nobody. A sink that the job leads to anyhow is no other
    /// way, nor is one twice.
    private func spare(of order: Order, _ channels: [Channel], _ contact: Contact) -> [Channel] {
        guard !channels.contains(.inApp) else { return [] }
        return elsewhere(
            ChannelSet.ringing.list.filter {
                isSent($0) && !order.job.channels.contains($0) && contact.channels.contains(ChannelSet($0))
            }, than: order)
    }

    /// Those that do not lead to a sink of the job's own channels, each sink once.
    private func elsewhere(_ channels: [Channel], than order: Order) -> [Channel] {
        var met = Set(order.job.channels.compactMap { rules.sinks[$0] })
        return channels.filter { channel in rules.sinks[channel].map { met.insert($0).inserted } ?? true }
    }

    private func givesWay(_ channel: Channel) -> Bool { rules.fallback.contains(ChannelSet(channel)) }

    /// The channels that were chosen when the report came, without those that the person has switched off since, and those that
    /// lead by now to where the job went already. With none left the first of them has the outcome: the choice ends with it.
    private func instead(
        of reported: Channel, _ chosen: ChannelSet, _ order: Order, _ contact: Contact?
    ) -> RoutePlan {
        let left = chosen.intersection(rules.channels).intersection(contact?.channels ?? [])
        let ways = elsewhere(left.list, than: order)
        guard ways.isEmpty, let first = left.list.first ?? chosen.list.first else {
            return RoutePlan(channels: [reported], targets: [], spare: ways)
        }
        let why = left.isEmpty ? whyNotAnyMore(first, contact) : Self.sameSink(first)
        return RoutePlan(channels: [first], targets: [], whyNone: why)
    }

    private func whyNotAnyMore(_ channel: Channel, _ contact: Contact?) -> String {
        guard let contact else { return Self.nobody }
        guard isSent(channel) else { return Self.noSender(channel) }
        return contact.stops.objection(to: channel, isTest: false)
            ?? "the person is not reached on \(channel.name) any more"
    }

    private static func noSender(_ channel: Channel) -> String { "no sender is named for \(channel.name) any more" }

    private static func sameSink(_ channel: Channel) -> String {
        "\(channel.name) leads to a sink that the job went to already"
    }

    private static let nobody = "nobody of this name is known any more"

    /// A test tries the channels that it names, and what only moves a badge is worth no mail and no text (`D1`, `N8`).
    private func mayGiveWay(_ order: Order) -> Bool { order.job.isTest != true && order.job.priority != .low }

    private func isSent(_ channel: Channel) -> Bool { rules.channels.contains(ChannelSet(channel)) }

    /// What another channel gives way to. Nobody is rung in quiet hours by a channel that the pipeline never saw (`P8`).
    func instead(_ channel: Channel, _ contact: Contact?) throws -> RoutePlan {
        if let contact, contact.isQuiet {
            return RoutePlan(channels: [channel], targets: [], whyNone: "not in quiet hours")
        }
        return try route([channel], contact)
    }

    /// Where a job goes that was sorted by an older document, to a sender where the channel has a sink now or nobody, or to a sink
    /// where it has a sender. `nil` where it goes as it was sorted; so does what a sink has for several channels, since those
    /// may part ways and have one outcome.
    func moved(_ target: Target, _ channels: [Channel], _ contact: Contact) throws -> RoutePlan? {
        guard channels.count == 1, let channel = channels.first else { return nil }
        let hasSender = isSent(channel) && rules.sinks[channel] == nil
        guard hasSender == (target.address == .sink) else { return nil }
        guard isSent(channel) else {
            return RoutePlan(channels: channels, targets: sinks, whyNone: Self.noSender(channel))
        }
        return try route(channels, contact)
    }

    private func route(_ channels: [Channel], _ contact: Contact?) throws -> RoutePlan {
        guard let contact else { return RoutePlan(channels: channels, targets: [], whyNone: Self.nobody) }
        guard let sink = rules.sinks[channels[0]] else { return try route(channels[0], contact) }
        return RoutePlan(channels: channels, targets: [Target(carrier: carrier(sink), address: .sink)])
    }

    private func route(_ channel: Channel, _ contact: Contact) throws -> RoutePlan {
        switch channel {
        case .email:
            guard contact.email != nil else {
                return RoutePlan(channels: [channel], targets: [], whyNone: NoAddress.email.rawValue)
            }
            return RoutePlan(channels: [channel], targets: [Target(carrier: carrier(.email), address: .email)])
        case .sms:
            guard contact.phone != nil else {
                return RoutePlan(channels: [channel], targets: [], whyNone: NoAddress.phone.rawValue)
            }
            return RoutePlan(channels: [channel], targets: [Target(carrier: carrier(.sms), address: .phone)])
        case .push, .inApp: return try push(contact)
        }
    }

    /// To each device that is alive, once: an app that names a device anew may leave the old name with the same token.
    func push(_ contact: Contact) throws -> RoutePlan {
        var targets: [Target] = []
        var problems: [String] = []
        var met: [Device.Address] = []
        for device in contact.devices {
            guard let address = try address(device) else {
                problems.append(whyNone(device))
                continue
            }
            guard let post = rules.post(for: address) else {
                problems.append("no sender reaches \(device.name)")
                continue
            }
            if met.contains(where: { $0.ringsWhere(address) }) { continue }
            met.append(address)
            targets.append(
                Target(
                    carrier: carrier(post), address: .device(name: device.name, registration: device.registration)))
        }
        let why = contact.devices.isEmpty ? NoAddress.device.rawValue : problems.joined(separator: "; ")
        return RoutePlan(channels: [.push], targets: targets, whyNone: why)
    }
}

extension Contact {
    /// Where a target is now; `nil` for one that is not there any more.
    func device(of registration: UInt64) -> Device? { devices.first { $0.registration == registration } }
}
