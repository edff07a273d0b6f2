import Notices

/// The jobs that told of one notice beside others: a bundle, a digest, a summary, and their repeats. What became of them
/// became of it.
struct Carriers {
    private let name: String
    private var jobs: Set<String> = []

    init(of name: String) { self.name = name }

    /// To be asked before an event is told of.
    mutating func note(_ event: Payload) {
        guard case .jobEmitted(let job) = event, job.job.text != name else { return }
        let listsIt = job.notices.contains { $0.text == name }
        if listsIt || job.job.text.asRepeat.map({ jobs.contains($0.base) }) == true { jobs.insert(job.job.text) }
    }

    /// What an event says of one of them; `nil` where it says nothing.
    func told(_ event: Payload) -> String? {
        switch event {
        case .jobEmitted(let job) where has(job.job): handedOut(job)
        case .jobDelivered(let outcome) where has(outcome.job): "sent in \(outcome.job) on \(outcome.channel.name)"
        case .deliveryReported(let report) where has(report.job):
            "\(report.status.name) in \(report.job) on \(report.channel.name)\(report.code.map { ": \($0.text)" } ?? "")\(report.givesWayTo.toldInstead)"
        case .jobRetryRequested(let retry) where has(retry.job): "asked for once more in \(retry.job)"
        case .jobFailed(let outcome) where has(outcome.job) && outcome.isUntried == true:
            "not sent in \(outcome.job) on \(outcome.channel.name): \(outcome.reason.text)"
        case .jobFailed(let outcome) where has(outcome.job):
            "failed in \(outcome.job) on \(outcome.channel.name): \(outcome.reason.text)"
        case .noticeOpened(let answer) where has(answer.job): "opened in \(answer.job)"
        case .noticeDismissed(let answer) where has(answer.job): "dismissed in \(answer.job)"
        case .noticeSnoozed(let snooze) where has(snooze.job): "snoozed for \(snooze.minutes) minutes in \(snooze.job)"
        case .feedbackGiven(let feedback) where has(feedback.job):
            "found \(feedback.isHelpful ? "helpful" : "not helpful") in \(feedback.job)"
        case .noticeHeld(let held) where held.notice.text.asRepeat.map({ jobs.contains($0.base) }) == true:
            "held in \(held.notice): \(held.reason.name)"
        case .noticeDropped(let dropped) where dropped.notice.text.asRepeat.map({ jobs.contains($0.base) }) == true:
            "dropped in \(dropped.notice): \(dropped.reason.name)"
        default: nil
        }
    }

    private func has(_ job: NoticeName) -> Bool { jobs.contains(job.text) }

    private func handedOut(_ job: JobEmitted) -> String {
        guard job.isBundle, NoticeName(name).kind == job.kind.text else { return "handed out in \(job.job)" }
        let more = job.notices.count - 2
        let others = more > 0 ? " and \(more) more" : ""
        return "went out with \(job.job.subject ?? "another of its kind")\(others) in job \(job.job)"
    }
}
