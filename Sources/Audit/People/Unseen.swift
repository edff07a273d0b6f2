internal import CivilTime
internal import Notices

/// D8: the notices of the last 7 days that a person has neither opened, dismissed nor seen in the feed.
struct Unseen {
    private struct Shown {
        var base: String
        var at: Instant
        var notices: Int
    }

    /// Oldest first.
    private var shown: [Shown] = []
    /// A worker keeps only the latest of more jobs than anybody looks at, and counts no others.
    private static let judgedMax = 2_000
    private static let days: Int64 = 7

    /// A repeat is shown in place of what came before it, and for as many notices.
    mutating func show(_ job: String, notices: Int, at instant: Instant, isRepeat: Bool) {
        let oldest = instant.advanced(byHours: -24 * Self.days)
        if let first = shown.first, first.at <= oldest { shown.removeAll { $0.at <= oldest } }
        let base = NoticeID.base(of: job)
        let before = isRepeat ? shown.last { $0.base == base }?.notices : nil
        see(job)
        shown.append(Shown(base: base, at: instant, notices: before ?? notices))
    }

    mutating func see(_ job: String) {
        let base = NoticeID.base(of: job)
        shown.removeAll { $0.base == base }
    }

    mutating func seeAll() { shown = [] }

    /// How many there are beside a job; `nil` where they are too many to be held against a worker.
    func count(at instant: Instant, beside job: String) -> Int? {
        guard shown.count <= Self.judgedMax else { return nil }
        let (oldest, base) = (instant.advanced(byHours: -24 * Self.days), NoticeID.base(of: job))
        return shown.reversed().prefix { $0.at > oldest }.reduce(0) { $1.base == base ? $0 : $0 + $1.notices }
    }
}

extension Auditor {
    /// D8: what the badge says, where the policy has no messages to count instead. A digest that comes again names itself
    /// alone, and what it told stands in no event since.
    mutating func checkBadge(
        of job: JobEmitted, _ kind: KindDocument, isSnooze: Bool, _ event: Event, _ person: Int
    ) {
        let notices = max(1, kind.isGathering ? job.notices.count - 1 : job.notices.count)
        if let badge = job.badge, !policy.countsMessages, !(isSnooze && kind.isGathering),
            let others = people[person].unseen.count(at: event.at, beside: job.job.text)
        {
            expect(
                .badge, event, badge == others + notices,
                "the badge of \(job.job) is \(badge), and \(others + notices) notices were not looked at")
        }
        people[person].unseen.show(job.job.text, notices: notices, at: event.at, isRepeat: isSnooze)
    }
}
