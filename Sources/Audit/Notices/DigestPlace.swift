internal import CivilTime
internal import Notices

/// P13: today's daily digest keeps a place of the cap while it is still to come and has something to say.
extension Auditor {
    /// - Parameter isBeforeIt: whether the turn of what is asked comes before a digest's of the same instant (P18).
    mutating func digestToCome(_ event: Event, _ person: Int, isBeforeIt: Bool) -> String? {
        guard policy.dailyCap != nil, hasSomething(person) else { return nil }
        for kind in policy.kinds.values where kind.digest == .daily && kind.cause == .daily {
            guard
                people[person].hasPoints
                    || people[person].notices.gathered.contains(where: { $0.intoKind == kind.name })
            else { continue }
            let clock = clock(of: person).clock
            let today = clock.localDay(at: event.at)
            if let until = people[person].notices.held(of: kind.name) {
                if clock.localDay(at: until) == today { return kind.name }
                continue
            }
            guard let time = kind.time else { continue }
            let slot = LocalDateTime(date: today, time: time)
            guard slots[identity(of: slot, kind: kind.name, subject: nil, person)] == nil else { continue }
            let due = clock.first(showing: slot)
            if due > event.at || due == event.at && isBeforeIt { return kind.name }
        }
        return nil
    }

    private func hasSomething(_ person: Int) -> Bool {
        people[person].hasPoints || people[person].notices.gatheredCount > 0
    }

    // MARK: Points

    /// D5: points are a digest's own, and count while it is switched on.
    mutating func earnPoints(_ person: Int) {
        if hasDigestOn(person) { people[person].hasPoints = true }
    }

    mutating func forgetPointsIfOff(_ person: Int) {
        if people[person].hasPoints, !hasDigestOn(person) { people[person].hasPoints = false }
    }

    private mutating func hasDigestOn(_ person: Int) -> Bool {
        let wishes = wishes(of: person)
        return policy.kinds.values.contains { $0.digest == .daily && (wishes.kinds[$0.name]?.isOn ?? $0.isOn) }
    }

    /// What a digest told, or what P1–P7 stopped for good, is not told again (D1, D2).
    mutating func forgetPoints(toldBy kind: String, _ person: Int) {
        if policy.kinds[kind]?.digest == .daily { people[person].hasPoints = false }
    }
}
