internal import Notices

/// What a few bytes tell for sure of a job: whether it got through or is being sent once more, as far as everything about it was
/// taken in. Where they do not, its `JobStanding` may still say so.
struct KnownFate {
    /// Those that took it, and of which nothing bad was told since.
    private var through: ChannelSet = []
    /// Those of which a provider's bad word may count for more than that they took it.
    private var reported: ChannelSet = []
    /// Whether it was asked for once more (`N7`) and no failure was told since.
    private var isAgain = false

    init() {}

    /// Whether its status is surely not that it failed.
    var isNoFailure: Bool { isAgain || !through.isEmpty }

    mutating func take(_ word: Payload) {
        switch word {
        case .jobDelivered(let outcome):
            let channel = ChannelSet(outcome.channel)
            if reported.isDisjoint(with: channel) { through.formUnion(channel) }
        case .jobFailed(let outcome): lose(ChannelSet(outcome.channel))
        case .deliveryReported(let report) where !report.status.isGood:
            let channel = ChannelSet(report.channel)
            lose(channel)
            reported.formUnion(channel)
        case .jobRetryRequested: isAgain = true
        default: break
        }
    }

    private mutating func lose(_ channel: ChannelSet) {
        through.subtract(channel)
        isAgain = false
    }
}
