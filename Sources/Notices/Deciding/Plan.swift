public import CivilTime

/// What deciding needs of the world: the rulebook, made ready, and the zones.
public final class Plan: Sendable {
    public let rules: Rulebook
    public let zone: @Sendable (String) -> ZoneRules?
    /// The kinds with a place in the pipeline of their own.
    let checkIn: Int?
    let dailyDigest: Int?
    /// The kind whose switches say whether the daily digest tells points: its own unless it names another (`D5`).
    let pointsKind: Int?
    /// The weekly digest that gathers (`D7`).
    let weeklyDigest: Int?
    /// Whether anything can be gathered for a week.
    let gathersForWeek: Bool
    let hasWeekly: Bool
    let prompt: Int?
    let travel: Int?
    let message: Int?
    let summary: Int?
    /// The kinds with slots, each goal's or each person's.
    let scheduled: [Stream]
    /// When goals are reminded of that name no time, where all their kinds say the same.
    let sharedReminderTime: LocalTime?
    /// The facts that raise notices by themselves (`C7`), in the order of the kinds.
    let raisers: [Raiser]
    /// By the kind's place.
    private let kinds: [Kind]
    public let policy: Policy
    /// When the policy was adopted; the distant past for one that no fact brought.
    public let adoptedAt: Instant
    /// Since when the slots of each kind are what they are (`T10`), by its place: since the policy that brought its schedule.
    public let slotsSince: [Instant]
    let catchUp: Int64
    /// How many kinds tell of others: of each at most one waits.
    let digestCount: Int

    public init(
        _ rules: Rulebook, adoptedAt: Instant = .distantPast, slotsSince: [Instant] = [],
        zone: @escaping @Sendable (String) -> ZoneRules?
    ) {
        self.rules = rules
        (self.adoptedAt, self.slotsSince) = (adoptedAt, slotsSince)
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
        let daily = own.firstIndex { $0.digest == .daily }
        dailyDigest = daily
        pointsKind = daily.flatMap { place in own[place].pointsKind.flatMap { rules.place(of: $0.text) } ?? place }
        weeklyDigest = own.firstIndex { $0.digest == .weekly }
        gathersForWeek = own.contains { $0.digests.contains(.weekly) }
        hasWeekly = own.contains { $0.digest == .weekly }
        scheduled = own.indices.compactMap { place in
            guard let schedule = own[place].schedule, schedule.hasSlots else { return nil }
            return Stream(place, schedule, own[place].digest)
        }
        let reminders = Set(own.compactMap { if case .goal(let time)? = $0.schedule { time } else { nil } })
        sharedReminderTime = reminders.count == 1 ? reminders.first : nil
        raisers = own.enumerated().flatMap { place, rule in rule.raisedBy.map { Raiser(place, $0) } }
        kinds = rules.kinds.enumerated().map { Kind($1, rules.policy, isRetired: rules.isRetired($0)) }
        policy = rules.policy
        catchUp = Int64(rules.policy.catchUpMinutes) * 60_000
        digestCount = own.count { $0.digest != nil || $0.schedule == .overload }
    }

    /// Under the policy that comes after this one.
    func next(_ rules: Rulebook, adoptedAt: Instant) -> Plan {
        let slotsSince = rules.ownRules.map { rule in
            guard let place = self.rules.place(of: rule.name.text), !self.rules.isRetired(place),
                self.rules.kinds[place].schedule == rule.schedule
            else { return adoptedAt }
            return self.slotsSince(of: place)
        }
        return Plan(rules, adoptedAt: adoptedAt, slotsSince: slotsSince, zone: zone)
    }

    /// Which part of its kind a notice is of. A word that the policy does not know is the sender's own, and stays sealed with
    /// the rest of the data: nothing is decided by it (`E2`).
    func part(of request: NoticeRequested, _ kind: Int) -> String? {
        request.saidSubtype.flatMap { said in rules.kinds[kind].subtypes.contains { $0.name.text == said } ? said : nil
        }
    }

    func slotsSince(of place: Int) -> Instant { place < slotsSince.count ? slotsSince[place] : .distantPast }

    /// What people call a kind; a kind that no policy has any more is called by its name.
    public func label(of kind: String) -> String { rules.place(of: kind).map { kinds[$0].label } ?? kind }

    public func kind(_ place: Int) -> Kind { kinds[place] }

    /// The digest that gathers for a day or a week.
    func digest(_ scope: DigestScope) -> Int? { scope == .daily ? dailyDigest : weeklyDigest }

    /// Whether a digest may find something to say at its own instant, gathered in the turns before its own.
    func mayGather(_ scope: DigestScope?) -> Bool {
        switch scope {
        case nil: false
        case .daily: true
        case .weekly: gathersForWeek
        }
    }

    /// Whether a digest that a notice was gathered into is a week's.
    func isOfWeek(digestNamed name: String) -> Bool {
        guard gathersForWeek, let kind = NoticeName(name).kind else { return false }
        return rules.place(of: kind).map { kinds[$0].digest == .weekly } ?? false
    }

    func isDigest(_ place: Int) -> Bool { kinds[place].digest != nil || place == summary }
}

extension Schedule {
    /// Whether it names moments by itself; the others wait for something to happen.
    public var hasSlots: Bool {
        switch self {
        case .checkIn, .daily, .weekly, .goal, .deadline, .missedCheckIn, .overdue: true
        case .session, .travel, .message, .overload: false
        }
    }
}
