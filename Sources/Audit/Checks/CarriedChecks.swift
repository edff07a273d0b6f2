internal import CivilTime
internal import Notices

/// §11: what a job carries for those who hand it over: whom it is about, how much it matters, and until when it may be sent.
extension JobMatter {
    var carriedFinding: Finding { .unless(subjectProblem ?? priorityProblem ?? lastMomentProblem) }

    /// Several subjects in one job are named by none.
    private var subjectProblem: String? {
        // Older versions said of a repeat of several nothing at all, also where one of them was left.
        if isSnooze, job.subject == nil { return nil }
        // A repeat is about those that are still open; which of them P6 and P7 stop is not asked here.
        let about = isSnooze ? openNotices : own
        guard !about.isEmpty, !isGathering, !isSnooze || !mayBeStoppedApart else { return nil }
        // What else was in a job that is forgotten, nobody knows.
        guard !about.contains(where: \.isForgotten) else { return nil }
        let subjects = Set(about.map { $0.subject ?? $0.id.base })
        let expected = subjects.count > 1 ? nil : about[0].subject
        guard job.subject?.text != expected else { return nil }
        return "it is said to be about \(job.subject?.text ?? "nothing"), and is about \(expected ?? "nothing")"
    }

    /// Whether P6 or P7 may stop one notice of the job and not another, or a deadline may have been moved since it was warned of.
    private var mayBeStoppedApart: Bool {
        mayDifferInOpenness
            || notices.contains { $0.conversation != nil || $0.goal.flatMap { goalChannels($0) } != nil }
    }

    /// As the most important of its notices, of a summary of those that it tells of; a policy that was adopted meanwhile may have
    /// another for the kind.
    private var priorityProblem: String? {
        let weighed = kind.cause == .overload ? carried : own
        let known = weighed.compactMap(\.priority?.rawValue)
        guard !isSnooze, known.count == weighed.count, let most = known.max() else { return nil }
        let least = kind.digest == nil ? kind.priority.rawValue : Priority.medium.rawValue
        guard job.priority.rawValue != most, job.priority.rawValue != least else { return nil }
        let name = Priority(rawValue: most)?.name ?? ""
        return "it is said to be of \(job.priority.name) priority, and its notice is of \(name)"
    }

    /// A sender that hands it over no later breaks none of the rules that it was asked (P1, P8, P9, C5).
    private var lastMomentProblem: String? {
        guard !isInAppOnly else { return nil }
        if let last = job.notAfter, last <= at, !isSnooze { return "it may not be sent after \(last), which is past" }
        var ends: [(end: Instant, what: String)] = []
        if !isSnooze {
            for expiry in own.compactMap({ expiry(of: $0) }) { ends.append((expiry, "it expires")) }
        }
        if !passesLaterRules {
            if mindsQuietHours, let start = wishes.quietHours?.window.start(after: at, on: clock) {
                ends.append((start, "quiet hours begin"))
            }
            if let end = wishes.scheduleEnds(holding: at, on: clock) { ends.append((end, "the schedule ends")) }
        }
        // What has ended already is another check's.
        guard let first = ends.filter({ $0.end > at }).min(by: { $0.end < $1.end }),
            job.notAfter.map({ $0 > first.end }) ?? true
        else {
            return nil
        }
        return "it may be sent until \(job.notAfter.map { "\($0)" } ?? "any time"), and \(first.what) at \(first.end)"
    }
}
