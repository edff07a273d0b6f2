public import CivilTime
internal import Notices

/// Something that happened on a person's day, as the strip of the day marks it.
public struct DayMark: Sendable, Equatable {
    public var seq: UInt64
    public var at: Instant
    /// A word of `DayMark.words`, or a fact's own type.
    public var type: String
    public var kind: String?
    /// What its notice is about, or the fact itself.
    public var subject: String?
    public var notice: String?
    public var until: Instant?
    /// Of what was gathered, the digest or summary that is to tell of it; of what went out with another, that one's job.
    public var into: String?
    public var reason: String?
}

extension DayMark {
    /// What an event is on the day: a job is a mark of each notice that went out in it (`P19`).
    static func all(of event: Event) -> [DayMark] {
        guard let mark = DayMark(event) else { return [] }
        guard case .jobEmitted(let job) = event.payload else { return [mark] }
        let companions = job.companions.map { name in
            DayMark(
                seq: event.seq, at: event.at, type: "joined", kind: name.kind, subject: name.subject, notice: name.text,
                until: nil,
                into: job.job.text, reason: nil)
        }
        return [mark] + companions
    }

    /// `nil` for what is no news of the day: a message, a sign of life.
    private init?(_ event: Event) {
        guard let news = News(event) else { return nil }
        seq = event.seq
        at = event.at
        type = news.type
        notice = news.notice
        // What a notice's or a job's name says of its kind.
        kind = news.kind ?? news.notice.flatMap { NoticeName($0).kind }
        subject = event.payload.goal.map { "goal:\($0)" } ?? news.notice.flatMap { NoticeName($0).subject }
        until = news.until
        into = news.into
        reason = news.reason
    }

    private struct News {
        var type: String
        var kind: String?
        var notice: String?
        var until: Instant?
        var into: String?
        var reason: String?

        init(_ type: String, of notice: NoticeName? = nil, kind: Identifier? = nil, _ reason: String? = nil) {
            self.type = type
            self.notice = notice?.text
            self.kind = kind?.text
            self.reason = reason
        }

        init?(_ event: Event) {
            switch event.payload {
            case .noticeRequested(let request):
                self.init("raised", kind: request.kind)
                let subject = request.subject.map { "/\($0.text)" } ?? ""
                notice = event.user.map { "\($0)/\(request.kind.text)\(subject)/#\(event.seq)" }
            case .noticeHeld(let held):
                self.init("held", of: held.notice, kind: held.kind, held.reason.name)
                until = held.until
            case .noticeGathered(let gathered):
                self.init("gathered", of: gathered.notice, kind: gathered.kind, gathered.reason.name)
                into = gathered.into.text
            case .noticeDropped(let dropped):
                self.init("dropped", of: dropped.notice, kind: dropped.kind, dropped.reason.name)
            case .slotsSkipped(let skipped): self.init("skipped", kind: skipped.kind, skipped.reason.name)
            case .jobEmitted(let job): self.init("emitted", of: job.job, kind: job.kind)
            default: self.init(outcome: event)
            }
        }

        /// What became of a job, and what the person did with it.
        private init?(outcome event: Event) {
            switch event.payload {
            case .jobDelivered(let outcome): self.init("sent", of: outcome.job, outcome.channel.name)
            case .jobFailed(let outcome) where outcome.isUntried == true: return nil
            // What only ends a run of everybody: whoever was run has a mark of that.
            case .runRequested(let request) where event.user == nil && request.kind == nil: return nil
            case .jobFailed(let outcome): self.init("failed", of: outcome.job, outcome.reason.text)
            case .deliveryReported(let report): self.init(report.status.name, of: report.job, report.code?.text)
            case .jobRetryRequested(let retry): self.init("retried", of: retry.job)
            case .noticeOpened(let answer): self.init("opened", of: answer.job)
            case .noticeDismissed(let answer): self.init("dismissed", of: answer.job)
            case .noticeSnoozed(let snooze):
                self.init("snoozed", of: snooze.job)
                until = event.at.advanced(byMinutes: Int64(snooze.minutes))
            case .feedbackGiven(let feedback):
                self.init("judged", of: feedback.job, feedback.isHelpful ? "helpful" : "not_helpful")
            default: self.init(change: event.payload)
            }
        }

        /// What changed how the person is reached.
        private init?(change payload: Payload) {
            switch payload {
            case .userEnrolled, .timezoneChanged, .preferencesChanged, .presetApplied, .preferencesReset, .unsubscribed,
                .consentGiven, .consentWithdrawn, .pushPermissionChanged, .deviceRegistered, .deviceRemoved,
                .contactChanged, .personErased, .phoneVerified, .phoneLocked, .sessionCompleted, .checkedIn,
                .goalStarted,
                .goalChanged,
                .goalEnded, .pointsEarned, .testRequested, .historyCleared, .policyAdopted, .runRequested:
                self.init(payload.type.text)
            default: return nil
            }
        }
    }
}

extension Payload {
    /// The goal that a fact is about.
    fileprivate var goal: String? {
        switch self {
        case .goalStarted(let fact): fact.goal.text
        case .goalChanged(let fact): fact.goal.text
        case .goalEnded(let fact): fact.goal.text
        case .checkedIn(let fact): fact.goal?.text
        default: nil
        }
    }
}
