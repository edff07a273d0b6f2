public import CivilTime

/// `P13`: the day's jobs are spent, or the last is kept for a digest that has something to say.
enum P13DailyCap: Rule {
    static var number: Int { 13 }
    static var name: StaticString { "daily_cap" }

    static func objection(to matter: Matter) -> Objection? {
        guard let cap = matter.plan.policy.dailyCap else { return nil }
        let jobs = matter.person.jobsToday(matter.now)
        guard jobs >= cap || jobs == cap - 1 && matter.isPlaceKept else { return nil }
        switch matter.kind.overCap {
        case .drop: return .drop(.dailyCap)
        case .gather: return .gather(.dailyCap)
        case .hold:
            return .hold(until: matter.person.zone.day(containing: matter.now).upperBound, .dailyCap)
        }
    }

    static func sight(of matter: Matter) -> String {
        guard let cap = matter.plan.policy.dailyCap else { return "no daily cap" }
        let kept = matter.isPlaceKept ? ", one kept for today's digest" : ""
        return "\(matter.person.jobsToday(matter.now)) of \(cap) jobs today\(kept)"
    }
}

extension Matter {
    /// Whether a place is kept for another notice: today's digest, which is still to come and has something to say.
    fileprivate var isPlaceKept: Bool {
        guard notice.kind != plan.dailyDigest, person.hasSomethingForDigest(plan) else { return false }
        return isDigestAsked || digestStillToCome.map { $0 < person.zone.day(containing: now).upperBound } ?? false
    }

    /// When the digest that is held may come, or the next one.
    private var digestStillToCome: Instant? {
        guard let stream = plan.scheduled.first(where: { $0.kind == plan.dailyDigest }) else { return nil }
        let held = person.lookedAt.first { $0.notice.kind == stream.kind }?.heldUntil
        return held ?? person.nextSlot(stream, after: now, plan, almanac)?.instant
    }
}

extension Person {
    /// `P17`: jobs that count, in the local day of the zone the person is in now.
    public func jobsToday(_ now: Instant) -> Int { jobsToday(now, .counted) }

    /// All that was handed out on that day, whether or not it counts towards the cap. A test counts for nothing (`N8`).
    public func allJobsToday(_ now: Instant) -> Int { jobsToday(now, .job, without: .test) }

    private func jobsToday(_ now: Instant, _ flags: Mark.Flags, without others: Mark.Flags = []) -> Int {
        guard let last = marks.indices.last, marks[last].at >= now.advanced(byHours: -50) else { return 0 }
        let start = lookAtZone { $0.day(containing: now).lowerBound }
        var jobs = 0
        for place in marks.indices.reversed() {
            guard marks[place].at >= start else { break }
            let found = marks[place].flags
            if found.contains(flags), found.isDisjoint(with: others) { jobs += 1 }
        }
        return jobs
    }
}
