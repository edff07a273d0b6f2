package import CivilTime

/// What deciding needs of the world: the rulebook, made ready, and the zones.
package final class Plan: Sendable {
    package let rules: Rulebook
    package let zone: @Sendable (String) -> ZoneRules?
    /// The kinds with a place in the pipeline of their own.
    let checkIn: Int?
    let dailyDigest: Int?
    let hasWeekly: Bool
    let prompt: Int?
    let travel: Int?
    let message: Int?
    let summary: Int?
    /// The kinds with slots, each goal's or each person's.
    let scheduled: [ScheduledKind]
    let cooldowns: [Int64]
    let isLocked: [Bool]
    private let digests: [Bool]
    let phrases: [KindPhrases]

    struct ScheduledKind: Sendable {
        let place: Int
        let schedule: Schedule
        let digest: DigestScope?
    }

    package init(_ rules: Rulebook, zone: @escaping @Sendable (String) -> ZoneRules?) {
        self.rules = rules
        self.zone = zone
        let own = Array(rules.kinds.prefix(rules.ownKinds))
        func place(_ isThere: (Schedule) -> Bool) -> Int? {
            own.firstIndex { $0.schedule.map(isThere) ?? false }
        }
        checkIn = place { $0 == .checkIn }
        prompt = place { $0 == .session }
        travel = place { $0 == .travel }
        message = place { $0 == .message }
        summary = place { $0 == .overload }
        dailyDigest = own.firstIndex { $0.digest == .daily }
        hasWeekly = own.contains { $0.digest == .weekly }
        scheduled = own.indices.compactMap { place in
            guard let schedule = own[place].schedule, schedule.hasSlots else { return nil }
            return ScheduledKind(place: place, schedule: schedule, digest: own[place].digest)
        }
        cooldowns = rules.kinds.map { Int64($0.cooldownMinutes ?? rules.policy.cooldownMinutes) * 60_000 }
        isLocked = rules.kinds.map(\.isLocked)
        digests = rules.kinds.map { $0.digest != nil }
        phrases = rules.kinds.map(KindPhrases.init)
    }

    var policy: Policy { rules.policy }
    var catchUp: Int64 { Int64(policy.catchUpMinutes) * 60_000 }

    func kind(_ place: Int) -> KindRule { rules.kinds[place] }

    func isDigest(_ place: Int) -> Bool { digests[place] || place == summary }
}

extension Schedule {
    /// Whether it names moments by itself; the others wait for something to happen.
    fileprivate var hasSlots: Bool {
        switch self {
        case .checkIn, .daily, .weekly, .goal, .deadline, .missedCheckIn: true
        case .session, .travel, .message, .overload: false
        }
    }
}
