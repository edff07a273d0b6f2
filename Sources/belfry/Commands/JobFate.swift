import Notices
import Worker

/// What has become of a job, channel by channel, in a phrase: handed out until its end is known, for *sent* is what was taken
/// (SPEC §11).
struct JobFate {
    let job: NoticeName
    private var channels: [Channel]
    private var standing: JobStanding
    private var reasons: [Channel: String] = [:]

    init(_ job: JobEmitted) {
        self.job = job.job
        channels = job.channels
        standing = JobStanding(on: job.channels)
    }

    /// Takes in what was said of the job. Whether it was about this one.
    mutating func take(_ event: Event) -> Bool {
        switch event.payload {
        case .jobDelivered(let outcome) where outcome.job == job: hear(outcome.channel)
        case .jobFailed(let outcome) where outcome.job == job && outcome.isUntried == true: break
        case .jobFailed(let outcome) where outcome.job == job: hear(outcome.channel, outcome.reason.text)
        case .deliveryReported(let report) where report.job == job:
            hear(report.channel, report.status.isGood ? nil : report.code?.text ?? report.status.name)
        case .jobRetryRequested(let retry) where retry.job == job: break
        default: return false
        }
        standing.take(event)
        return true
    }

    /// One that it gave way to is none of those it was emitted for.
    private mutating func hear(_ channel: Channel, _ reason: String? = nil) {
        if !channels.contains(channel) { channels.append(channel) }
        if let reason { reasons[channel] = reason }
    }

    /// "was sent on push, failed on email: too_late".
    var told: String {
        var phrases: [(beginning: String, channels: [Channel], end: String)] = []
        for channel in channels {
            let (beginning, end) = phrase(channel)
            if let place = phrases.firstIndex(where: { ($0.beginning, $0.end) == (beginning, end) }) {
                phrases[place].channels.append(channel)
            } else {
                phrases.append((beginning, [channel], end))
            }
        }
        let all = phrases.map { "\($0.beginning) on \($0.channels.map(\.name).joined(separator: ", "))\($0.end)" }
        return all.isEmpty ? "was handed out" : all.joined(separator: ", ")
    }

    private func phrase(_ channel: Channel) -> (beginning: String, end: String) {
        switch standing.status(on: channel) {
        case .queued, .blocked: ("was handed out", "")
        case .sent: ("was sent", "")
        case .delivered: ("was delivered", "")
        case .failed: ("failed", reasons[channel].map { ": \($0)" } ?? "")
        }
    }
}
