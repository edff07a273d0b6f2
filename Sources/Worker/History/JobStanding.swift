internal import CivilTime
public import Notices

/// What became of a job, channel by channel: what was said when it was handed over, and what the provider reported later.
///
/// Taken is not delivered (`N3`). The latest word on each side stands; a report about an earlier try, or one that tells of an
/// earlier moment than the report that stands, changes nothing. Where a provider does not say when, a permanent bounce is
/// the end: what comes after it has only been slow.
public struct JobStanding: Sendable {
    fileprivate enum Handing: Sendable {
        case taken, failed
        /// It is being sent once more (`N7`): nothing is known of that yet.
        case again
    }

    fileprivate struct Report: Sendable {
        var isGood: Bool
        /// Whether the address was of no use any more.
        var isPermanent: Bool
        /// When it happened, where the provider says so; else when it was told.
        var at: Instant
        var isDated: Bool
        /// What the provider calls the try it is about.
        var providerID: String?
    }

    fileprivate struct Side: Sendable {
        var handing: Handing?
        /// What the provider called each try that it took; the last is the one that counts.
        var taken: [String] = []
        var report: Report?
    }

    /// Those that it was emitted on: what is asked for once more is sent on these, and gives way anew to others.
    private let own: ChannelSet
    /// Those of which something is to be heard yet, or was.
    private let awaited: ChannelSet
    private var sides: [Channel: Side] = [:]
    /// Those of which one is tried in place of one that was reported (`N4`): nothing is known of that yet.
    private var instead: ChannelSet = []

    /// - Parameter channels: of the job; `nil` where it is not known.
    public init(on channels: [Channel]? = nil) {
        own = ChannelSet(channels ?? Channel.allCases)
        awaited = ChannelSet(channels ?? []).intersection(.ringing)
    }

    /// Takes in a fact about the job; others are none.
    public mutating func take(_ event: Event) {
        switch event.payload {
        case .jobDelivered(let outcome):
            hear(outcome.channel)
            sides[outcome.channel, default: Side()].handing = .taken
            if let id = outcome.providerID?.text { sides[outcome.channel]?.taken.append(id) }
        case .jobFailed(let outcome) where outcome.isUntried == true: forgetWhatWasToCome()
        case .jobFailed(let outcome):
            hear(outcome.channel)
            sides[outcome.channel, default: Side()].handing = .failed
        case .deliveryReported(let report): take(report, at: event.occurredAt, toldAt: event.at)
        case .jobRetryRequested:
            instead = []
            for (channel, side) in sides where side.standing == .failed {
                sides[channel]?.handing = own.contains(ChannelSet(channel)) ? .again : nil
                sides[channel]?.report = nil
            }
        default: break
        }
    }

    private mutating func take(_ report: DeliveryReported, at occurredAt: Instant?, toldAt: Instant) {
        let instant = occurredAt ?? toldAt
        let isGood = report.status.isGood
        guard report.isOfAll else { return }
        let side = sides[report.channel] ?? Side()
        let id = report.providerID?.text
        if let standing = side.report, standing.providerID == id {
            let areDated = standing.isDated && occurredAt != nil
            if standing.isPermanent, !areDated, report.isPermanent != true { return }
            if instant < standing.at { return }
        }
        if let id, side.isOfAnotherTry(id) { return }
        sides[report.channel, default: Side()].report = Report(
            isGood: isGood, isPermanent: !isGood && report.isPermanent == true, at: instant,
            isDated: occurredAt != nil, providerID: id)
        if sides[report.channel]?.standing == .failed, !report.givesWayTo.isEmpty {
            instead = ChannelSet(report.givesWayTo)
        }
    }

    /// There was nothing to send: it stands as it did before.
    private mutating func forgetWhatWasToCome() {
        instead = []
        for (channel, side) in sides where side.handing == .again { sides[channel]?.handing = .failed }
    }

    /// What came of all of those is told together.
    private mutating func hear(_ channel: Channel) {
        if instead.contains(ChannelSet(channel)) { instead = [] }
    }

    /// What became of it on one channel; queued where nothing was said yet.
    public func status(on channel: Channel) -> HistoryQuery.Status { sides[channel]?.standing ?? .queued }

    /// The channels that an order to send it once more (`N7`) is carried out on: its own that failed, whatever is still to come of
    /// the others. None where another than those took it in their place (`N4`): that has reached the person all the same.
    public var toSendAgain: ChannelSet {
        let ringing = own.intersection(.ringing).list
        let hasFallenBack = sides.contains { channel, side in
            !own.contains(ChannelSet(channel)) && (side.standing == .sent || side.standing == .delivered)
        }
        guard !hasFallenBack else { return [] }
        return ChannelSet(ringing.filter { status(on: $0) == .failed })
    }

    /// One channel that got through is enough; a failure before it was only a try, and while one is still to come nothing has failed.
    public var status: HistoryQuery.Status {
        let isUnderWay = !instead.isEmpty || awaited.list.contains { sides[$0]?.standing == nil }
        let all = sides.values.compactMap(\.standing) + (isUnderWay ? [.queued] : [])
        for status in [HistoryQuery.Status.delivered, .sent, .queued] where all.contains(status) { return status }
        return all.isEmpty ? .queued : .failed
    }
}

extension JobStanding.Side {
    /// Whether what is told under this name is about another try than the last.
    ///
    /// Relays report under names of their own. Twilio calls a text the same when it takes it and later: a name that is not
    /// the last one's is of a try whose answer was lost.
    fileprivate func isOfAnotherTry(_ id: String) -> Bool {
        guard let last = taken.last, id != last else { return false }
        return taken.contains(id) || handing == .taken && Self.isOfTwilio(id) && Self.isOfTwilio(last)
    }

    private static func isOfTwilio(_ id: String) -> Bool { id.hasPrefix("SM") || id.hasPrefix("MM") }

    /// `nil` where nothing is known that still counts.
    fileprivate var standing: HistoryQuery.Status? {
        if let report, report.providerID.map({ !isOfAnotherTry($0) }) ?? true {
            return report.isGood ? .delivered : .failed
        }
        return switch handing {
        case .taken: .sent
        case .failed: .failed
        case .again: .queued
        case nil: nil
        }
    }
}
