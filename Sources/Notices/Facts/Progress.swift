package import CivilTime

// What a person achieved.

/// A session the app reported, or one derived from messages (`S3`).
package struct SessionCompleted: Record {
    package static let type = RecordType.fact(36, "session_completed")

    package var session: Identifier?
    package var conversation: Identifier?
    package var isDerived: Bool?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "session", &session)
        try visitor.derived(2, "conversation", &conversation)
        try visitor.derived(3, "derived", &isDerived)
    }
}

package struct CheckedIn: Record {
    package static let type = RecordType.fact(37, "checked_in")

    package var goal: Identifier?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
    }
}

package struct PointsEarned: Record {
    package static let type = RecordType.fact(38, "points_earned")

    package var points = Int.start
    package var subject: Identifier?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "points", &points, .range(1, 1_000_000_000))
        try visitor.field(2, "subject", &subject)
    }
}

package struct GoalStarted: Record {
    package static let type = RecordType.fact(39, "goal_started")

    package var goal = Identifier.start
    package var title = Text.start
    package var deadline: Instant?
    package var reminderTime: LocalTime?
    package var checkInDays: WeekdaySet?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
        try visitor.field(2, "title", &title)
        try visitor.field(3, "deadline", &deadline)
        try visitor.field(4, "reminder_time", &reminderTime)
        try visitor.field(5, "check_in_days", &checkInDays)
    }
}

/// What is left out stays as it was.
package struct GoalChanged: Record {
    package static let type = RecordType.fact(40, "goal_changed")

    package var goal = Identifier.start
    package var title: Text?
    package var deadline: Instant?
    package var reminderTime: LocalTime?
    package var checkInDays: WeekdaySet?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
        try visitor.field(2, "title", &title)
        try visitor.field(3, "deadline", &deadline)
        try visitor.field(4, "reminder_time", &reminderTime)
        try visitor.field(5, "check_in_days", &checkInDays)
    }
}

package struct GoalEnded: Record {
    package static let type = RecordType.fact(41, "goal_ended")

    package var goal = Identifier.start
    package var outcome = GoalOutcome.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
        try visitor.field(2, "outcome", &outcome)
    }
}
