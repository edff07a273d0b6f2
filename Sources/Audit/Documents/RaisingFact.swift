internal import Notices

/// A fact that raises notices of a kind (C7), as the policy's document says.
struct RaisingFact: Sendable {
    enum Name: String { case started = "goal_started", ended = "goal_ended", overdue = "goal_overdue", streak, points }

    var on: Name
    /// Of an end, `nil` for any.
    var outcome: GoalOutcome?
    /// The days of a streak, or the totals of points.
    var steps: [Int]
    var subtype: String?

    init?(_ document: JSONTree) {
        guard let on = document["on"]?.text.flatMap(Name.init) else { return nil }
        self.on = on
        outcome = document["outcome"]?.text.flatMap(GoalOutcome.init(name:))
        steps = (document["days"] ?? document["totals"])?.list?.compactMap(\.whole) ?? []
        subtype = document["subtype"]?.text
    }
}
