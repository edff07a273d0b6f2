public import CivilTime

/// What the effect of preferences depends on besides themselves: the person's goals, and where they can be reached.
public struct PreferenceStanding: Sendable {
    public struct Goal: Sendable {
        public var id: String
        public var reminderTime: LocalTime?
        public var hasDeadline: Bool
        /// Whether it is checked in on some days of the week only.
        public var hasDays: Bool

        public init(id: String, reminderTime: LocalTime?, hasDeadline: Bool = true, hasDays: Bool = true) {
            self.id = id
            self.reminderTime = reminderTime
            self.hasDeadline = hasDeadline
            self.hasDays = hasDays
        }
    }

    /// Those that have not ended.
    public var goals: [Goal]
    /// Where they can be reached (`P16`).
    public var reachable: ChannelSet

    public init(goals: [Goal] = [], reachable: ChannelSet = [.push, .email, .sms, .inApp]) {
        self.goals = goals
        self.reachable = reachable
    }

    public init(_ person: Person, _ plan: Plan) {
        reachable = person.reachable(plan)
        goals = person.details.goals.lazy.filter { !$0.hasEnded }.map {
            Goal(
                id: $0.id, reminderTime: $0.reminderTime, hasDeadline: $0.deadline != nil,
                hasDays: $0.checkInDays.map { $0 != .all } ?? false)
        }
    }
}
