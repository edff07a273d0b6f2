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

    /// The sum from an instant up to another, minute by minute: local days, and slots, begin on whole minutes.
    public func sum(from first: Instant, before end: Instant) -> WeekActivity {
        let (first, end) = (first.wholeSeconds / 60, end.wholeSeconds / 60)
        return minutes.reduce(into: WeekActivity()) { sum, minute in
            guard minute.minute >= first, minute.minute < end else { return }
            sum.sessions += minute.done.sessions
            sum.checkIns += minute.done.checkIns
            sum.points = sum.points.addingSaturated(minute.done.points)
            sum.goals += minute.done.goals
        }
    }
}
