public import CivilTime

/// `P13`: the day's jobs are spent, or the last is kept for a digest that has something to say.
enum P13DailyCap: Rule {
    static var number: Int { 13 }
    static var name: StaticString { "daily_cap" }

    static func objection(to matter: Matter) -> Objection? {
        guard let cap = matter.plan.policy.dailyCap, matter.person.jobsToday(matter.now) >= matter.room(cap)
        else { return nil }
        switch matter.kind.overCap {
        case .drop: return .drop(.dailyCap)
        case .gather: return .gather(.dailyCap)
        case .hold:
            return .hold(until: matter.person.zone.day(containing: matter.now).upperBound, .dailyCap)
        }
    }

    static func sight(of matter: Matter) -> String {
        guard let cap = matter.plan.policy.dailyCap else { return "no daily cap" }
        let kept = matter.room(cap) < cap ? ", one kept for the digest" : ""
        return "\(matter.person.jobsToday(matter.now)) of \(cap) jobs today\(kept)"
    }
}

extension Matter {
    /// How many jobs the day has for this notice: one fewer while a digest has something gathered.
    fileprivate func room(_ cap: Int) -> Int {
        guard notice.kind != plan.dailyDigest, person.hasDetails else { return cap }
        return person.lookedAt.contains { $0.gatheredInto != nil } ? cap - 1 : cap
    }
}

extension Person {
    /// `P17`: jobs that count, in the local day of the zone the person is in now.
    public func jobsToday(_ now: Instant) -> Int {
        guard let last = marks.indices.last, marks[last].at >= now.advanced(byHours: -50) else { return 0 }
        let start = zone.day(containing: now).lowerBound
        var jobs = 0
        for place in marks.indices.reversed() {
            guard marks[place].at >= start else { break }
            if marks[place].flags.contains(.counted) { jobs += 1 }
        }
        return jobs
    }
}
