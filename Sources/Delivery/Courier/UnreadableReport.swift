internal import CivilTime

/// Says which jobs cannot be read from the log: the first of a minute at once, and the others in one line at its end. What keeps one from
/// being read, such as too few descriptors, keeps all that wait.
struct UnreadableReport {
    private var minuteEnd: Instant?
    private var untold = 0

    private static let minuteMs: Int64 = 60_000

    /// When there will be something to say.
    var nextDue: Instant? { untold > 0 ? minuteEnd : nil }

    /// - Parameter isOver: whether it is not tried again.
    mutating func hear(_ place: JobPlace, isOver: Bool, _ reason: String, at now: Instant) -> [LossReport.Line] {
        let ended = tell(at: now)
        let line = LossReport.Line(
            level: .error, message: isOver ? "a job is left for the next start" : "a job cannot be read from the log",
            fields: [("seq", "\(place.seq)"), ("position", "\(place.position)"), ("reason", reason)])
        if minuteEnd == nil {
            minuteEnd = now.advanced(byMilliseconds: Self.minuteMs)
            return [line]
        }
        untold += 1
        return [ended].compactMap(\.self)
    }

    /// What there is to say when the minute is over. One that is longer than a minute is of a clock that has gone back since.
    mutating func tell(at now: Instant) -> LossReport.Line? {
        guard let left = minuteEnd?.milliseconds(since: now), left <= 0 || left > Self.minuteMs else { return nil }
        minuteEnd = untold > 0 ? now.advanced(byMilliseconds: Self.minuteMs) : nil
        guard untold > 0 else { return nil }
        defer { untold = 0 }
        return LossReport.Line(
            level: .error, message: "more jobs could not be read from the log", fields: [("times", "\(untold)")])
    }
}
