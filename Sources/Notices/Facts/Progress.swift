public import CivilTime

// What a person achieved.

/// A session the app reported, or one derived from messages (`S3`).
public struct SessionCompleted: Record {
    public static let type = RecordType.fact(36, "session_completed")

    public var session: Identifier?
    public var conversation: Identifier?
    public var isDerived: Bool?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "session", &session)
        try visitor.derived(2, "conversation", &conversation)
        try visitor.derived(3, "derived", &isDerived)
    }
}

public struct CheckedIn: Record {
    public static let type = RecordType.fact(37, "checked_in")

    public var goal: Identifier?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
    }
}

public struct PointsEarned: Record {
    public static let type = RecordType.fact(38, "points_earned")

    public var points = Int.start
    public var subject: Identifier?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "points", &points, .range(1, 1_000_000_000))
        try visitor.field(2, "subject", &subject)
    }
}

public struct GoalStarted: Record {
    public static let type = RecordType.fact(39, "goal_started")

    public var goal = Identifier.start
    public var title = Text.start
    public var deadline: Instant?
    public var reminderTime: LocalTime?
    public var checkInDays: WeekdaySet?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
        try visitor.sealed(2, "title", &title)
        try visitor.field(3, "deadline", &deadline)
        try visitor.field(4, "reminder_time", &reminderTime)
        try visitor.field(5, "check_in_days", &checkInDays)
    }
}

/// What is left out stays as it was.
public struct GoalChanged: Record {
    public static let type = RecordType.fact(40, "goal_changed")

    public var goal = Identifier.start
    public var title: Text?
    public var deadline: Instant?
    public var reminderTime: LocalTime?
    public var checkInDays: WeekdaySet?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
        try visitor.sealed(2, "title", &title)
        try visitor.field(3, "deadline", &deadline)
        try visitor.field(4, "reminder_time", &reminderTime)
        try visitor.field(5, "check_in_days", &checkInDays)
    }
}

public struct GoalEnded: Record {
    public static let type = RecordType.fact(41, "goal_ended")

    public var goal = Identifier.start
    public var outcome = GoalOutcome.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "goal", &goal)
        try visitor.field(2, "outcome", &outcome)
    }
}

/// What a subject is called: `child:lea` is "Lea".
public struct SubjectNamed: Record {
    public static let type = RecordType.fact(58, "subject_named")

    public var subject = Identifier.start
    public var title = Text.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "subject", &subject)
        try visitor.sealed(2, "title", &title)
    }
}
