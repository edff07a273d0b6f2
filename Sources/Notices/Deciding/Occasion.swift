public import CivilTime

/// What all that happens to one person at one instant has in common: one value instead of four.
public struct Occasion {
    public let plan: Plan
    public let user: String
    public let at: Instant
    /// The number of the event that happens.
    public let sequence: UInt64

    public init(_ sequence: UInt64, _ at: Instant, user: String, _ plan: Plan) {
        self.plan = plan
        self.user = user
        self.at = at
        self.sequence = sequence
    }
}
