internal import Notices

/// What the log is told of a route.
enum Outcomes {
    /// The failures of a route that no target took, channel by channel; none where nothing can be said.
    static func failures(_ order: Order, _ route: Route) -> [Route.Failure] {
        guard case .known(isTaken: false, _, let reasons, let areDead) = route.outcome else { return [] }
        return channels(order, route).map {
            Route.Failure(channel: $0, reason: cut(reasons.joined(separator: "; ")), isPermanent: areDead)
        }
    }

    /// Where senders take part, one of a channel's addresses that took it is enough (`N2`); of sinks, all have to.
    static func facts(_ order: Order, _ route: Route) -> [Fact] {
        guard case .known(let isTaken, let providerID, let reasons, let areDead) = route.outcome else { return [] }
        let isDelivered = route.isOfSinks ? reasons.isEmpty : isTaken
        let before = route.before.map { failed(order, $0) }
        let now = channels(order, route).map { channel in
            isDelivered
                ? delivered(order, channel, providerID)
                : failed(
                    order,
                    Route.Failure(
                        channel: channel, reason: cut(reasons.joined(separator: "; ")), isPermanent: areDead))
        }
        return (before + now).map { order.fact($0) }
    }

    private static func channels(_ order: Order, _ route: Route) -> [Channel] {
        route.channels.isEmpty ? order.job.channels : route.channels
    }

    private static func delivered(_ order: Order, _ channel: Channel, _ providerID: String?) -> Payload {
        var delivered = JobDelivered()
        delivered.job = order.job.job
        delivered.channel = channel
        delivered.providerID = providerID.map(Token.init)
        return .jobDelivered(delivered)
    }

    /// Permanent is what a sender knows of an address. What a sink says is no word about one: a webhook that fails must not
    /// mark an email as bounced.
    static func failed(_ order: Order, _ failure: Route.Failure) -> Payload {
        var failed = JobFailed()
        failed.job = order.job.job
        failed.channel = failure.channel
        failed.reason = Text(failure.reason)
        failed.isPermanent = failure.isPermanent
        return .jobFailed(failed)
    }

    /// Servers and libraries may say much, and no reason may hold more than 4096 bytes or a NUL.
    static func cut(_ reason: String) -> String {
        let clean = reason.filter { $0 != "\0" }
        return clean.utf8.count <= 1024 ? clean : String(clean.prefix(250)) + "…"
    }
}

extension Fact {
    /// The channel of which it says what became of a job there.
    var channelOfOutcome: Channel? {
        switch payload {
        case .jobDelivered(let outcome): outcome.channel
        case .jobFailed(let outcome): outcome.channel
        default: nil
        }
    }
}

extension Target {
    /// The fact that its address is dead, where there is one besides the job's own outcome.
    func isDead(_ reason: String) -> Payload? {
        guard case .device(let name, let registration) = address else { return nil }
        var removed = DeviceRemoved()
        removed.device = Identifier(name)
        removed.reason = Text(Outcomes.cut(reason))
        removed.registration = Int(clamping: registration)
        return .deviceRemoved(removed)
    }

    /// The fact that the person told the provider to stop (`N6`).
    var isStopped: Payload? {
        var stopped = Unsubscribed()
        switch address {
        case .phone: stopped.channel = .sms
        case .email: stopped.channel = .email
        case .device, .sink: return nil
        }
        stopped.how = .stop
        return .unsubscribed(stopped)
    }
}

extension SinkOutcome {
    /// The same as a sender would say it. A sink of the command line that asks for a pause asks for this job alone.
    var verdict: SenderVerdict { verdict(of: .address) }

    /// - Parameter whom: who pauses where a pause is asked for.
    func verdict(of whom: SenderVerdict.Whom) -> SenderVerdict {
        switch self {
        case .taken(let providerID): .taken(providerID: providerID)
        case .retry(nil, let reason): .transient(reason: reason)
        case .retry(let seconds?, let reason): .wait(seconds: seconds, reason: reason, whom: whom)
        case .refused(let reason): .final(reason: reason)
        }
    }
}
