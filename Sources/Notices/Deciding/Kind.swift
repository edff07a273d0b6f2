/// A kind of notice as deciding needs it: its rule, taken apart once, so that looking at a part copies no other.
public final class Kind: Sendable {
    public let name: Identifier
    /// What people call it.
    public let label: String
    let priority: Priority
    let schedule: Schedule?
    let digest: DigestScope?
    let isDeadlineWarning: Bool
    /// Whether its notices are about what is to be done before a goal's deadline (`C6`).
    let endsWithGoal: Bool
    let isLocked: Bool
    let isDigestible: Bool
    /// Whether an app that asks for one tells of a goal achieved (`D3`).
    let countsAsGoal: Bool
    let isBundling: Bool
    let isSettledByGoal: Bool
    /// The parts of it that tell of a goal's start and of nothing else; `nil` for what is of no part.
    private let startParts: Set<String?>
    let overCap: OverCap
    let inQuietHours: InQuietHours
    let cooldownMilliseconds: Int64
    let requiredChannels: ChannelSet
    let subtypes: [SubtypeRule]
    let category: Identifier?
    let actions: [Identifier]
    let phrases: KindPhrases
    let sample: Sample

    /// - Parameter isRetired: of a kind the policy has no more nothing is required any longer.
    init(_ rule: KindRule, _ policy: Policy, isRetired: Bool) {
        name = rule.name
        label = rule.label.text.isEmpty ? rule.name.text : rule.label.text
        // Digests are medium (`P18`).
        priority = rule.digest == nil ? rule.priority : .medium
        schedule = rule.schedule
        digest = rule.digest
        if case .deadline? = rule.schedule { isDeadlineWarning = true } else { isDeadlineWarning = false }
        endsWithGoal =
            switch rule.schedule {
            case .goal?, .missedCheckIn?, .deadline?: true
            case .checkIn, .daily, .weekly, .overdue, .session, .travel, .message, .overload, nil: false
            }
        isLocked = rule.isLocked && !isRetired
        isDigestible = rule.isDigestible
        countsAsGoal = rule.countsAsGoal
        isBundling = rule.isBundling
        isSettledByGoal = rule.isSettledByGoal
        startParts = Set(
            Dictionary(grouping: rule.raisedBy, by: \.subtype)
                .filter { $0.value.allSatisfy { $0.cause == .goalStarted } }.keys)
        overCap = rule.overCap
        inQuietHours = rule.inQuietHours
        cooldownMilliseconds = Int64(rule.cooldownMinutes ?? policy.cooldownMinutes) * 60_000
        requiredChannels = rule.requiredChannels
        subtypes = rule.subtypes
        category = rule.category
        actions = rule.actions
        phrases = KindPhrases(rule)
        sample = rule.sample
    }

    /// Whether a notice of this part says that a goal has started, which is said of none that has ended (`P2`).
    func tellsOfStart(_ subtype: String?) -> Bool { startParts.contains(subtype) }

    /// Whether a part of a locked kind is locked with it.
    func isLockedPart(_ subtype: String?) -> Bool {
        guard let subtype else { return true }
        return subtypes.first { $0.name.text == subtype }?.isLocked ?? true
    }
}
