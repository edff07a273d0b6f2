internal import CivilTime
internal import Notices

/// D8: the notices of the last 7 days that a person has neither opened, dismissed nor seen in the feed.
struct Unseen {
    private struct Shown {
        var base: String
        var at: Instant
        var notices: Int
        var isSeen = false
    }

    /// Oldest first.
    private var shown: [Shown] = []
    /// A worker keeps only the latest of more jobs than anybody looks at, and counts no others.
    private static let judgedMax = 2_000
    private static let days: Int64 = 7
    /// A job of the last 7 days may be snoozed, and comes again a day later at the latest.
    private static let rememberedDays: Int64 = 8

    /// What is shown again takes the place of what came before it.
    mutating func show(_ job: String, notices: Int, at instant: Instant) {
        let oldest = instant.advanced(byDays: -Self.rememberedDays)
        if let first = shown.first, first.at <= oldest { shown.removeAll { $0.at <= oldest } }
        let base = NoticeID.base(of: job)
        shown.removeAll { $0.base == base }
        shown.append(Shown(base: base, at: instant, notices: notices))
    }

    /// For how many notices a job was shown, whether or not they were looked at; `nil` where that was too long ago.
    func weight(of job: String) -> Int? {
        let base = NoticeID.base(of: job)
        return shown.last { $0.base == base }?.notices
    }

    mutating func see(_ job: String) {
        let base = NoticeID.base(of: job)
        for place in shown.indices where shown[place].base == base { shown[place].isSeen = true }
    }

    mutating func seeAll() {
        for place in shown.indices { shown[place].isSeen = true }
    }

    /// How many there are beside a job; `nil` where they are too many to be held against a worker.
    func count(at instant: Instant, beside job: String) -> Int? {
        guard shown.count <= Self.judgedMax else { return nil }
        let (oldest, base) = (instant.advanced(byHours: -24 * Self.days), NoticeID.base(of: job))
        return shown.reversed().prefix { $0.at > oldest }
            .reduce(0) { $1.isSeen || $1.base == base ? $0 : $0 + $1.notices }
    }
}

extension Auditor {
    /// D8: what the badge says, where the policy has no messages to count instead. What comes again names itself alone and
    /// stands for as many notices as before.
    mutating func checkBadge(
        of job: JobEmitted, _ kind: KindDocument, isSnooze: Bool, _ event: Event, _ person: Int
    ) {
        let own = max(1, kind.isGathering ? job.notices.count - 1 : job.notices.count)
        let before = isSnooze ? people[person].unseen.weight(of: job.job.text) : own
        let notices = before ?? own
        if let badge = job.badge, !policy.countsMessages, before != nil,
            let others = people[person].unseen.count(at: event.at, beside: job.job.text)
        {
            expect(
                .badge, event, badge == others + notices,
                "the badge of \(job.job) is \(badge), and \(others + notices) notices were not looked at")
        }
        people[person].unseen.show(job.job.text, notices: notices, at: event.at)
    }
}
