package import CivilTime

/// A moment that one of a person's schedules names (`T8`).
package struct Slot: Sendable, Equatable {
    package var kind: Int
    package var subject: String?
    package var local: LocalDateTime
    package var instant: Instant
}

/// One schedule of one person: a kind's, or a kind's for one goal.
struct Stream {
    let source: Plan.ScheduledKind
    /// The goal's place in the person's details.
    let goal: Int?

    var kind: Int { source.place }
    var schedule: Schedule { source.schedule }

    /// Whether its slots are at wall-clock times, so that travel moves them (`T9`).
    var isOnWallClock: Bool {
        if case .deadline = schedule { false } else { true }
    }
}
