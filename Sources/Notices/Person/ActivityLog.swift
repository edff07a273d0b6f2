public import CivilTime

/// What was done in a local week (`D3`).
public struct WeekActivity: Sendable, Equatable {
    public var sessions = 0
    public var checkIns = 0
    public var points = 0
    public var goals = 0

    public var isEmpty: Bool { sessions == 0 && checkIns == 0 && points == 0 && goals == 0 }
}

/// What a person did lately, minute by minute: a week begins where the zone says, and the zone may change.
public struct ActivityLog: Sendable {
    struct Minute: Sendable {
        var minute: Int64
        var done: WeekActivity
    }

    var minutes: [Minute] = []

    public var isEmpty: Bool { minutes.isEmpty }

    /// Longer than any local week with the travel around the world in it.
    private static let minutesKept: Int64 = 10 * 1440

    public mutating func add(at instant: Instant, _ change: (inout WeekActivity) -> Void) {
        let minute = instant.wholeSeconds / 60
        if let first = minutes.first, first.minute < minute - Self.minutesKept {
            minutes.removeAll { $0.minute < minute - Self.minutesKept }
        }
        if minutes.last?.minute != minute { minutes.append(Minute(minute: minute, done: WeekActivity())) }
        change(&minutes[minutes.count - 1].done)
    }

    /// The sum from an instant to another, both included: local days begin on whole minutes.
    public func sum(from first: Instant, through last: Instant) -> WeekActivity {
        let range = first.wholeSeconds / 60...max(first.wholeSeconds / 60, last.wholeSeconds / 60)
        return minutes.reduce(into: WeekActivity()) { sum, minute in
            guard range.contains(minute.minute) else { return }
            sum.sessions += minute.done.sessions
            sum.checkIns += minute.done.checkIns
            sum.points += minute.done.points
            sum.goals += minute.done.goals
        }
    }
}
