internal import CivilTime

/// Says which jobs cannot be read from the log: the first of a minute at once, and the others in one line at its end. What keeps one from
/// being read, such as too few descriptors, keeps all that wait.
struct UnreadableReport {
    private var minute = MinuteCount()

    /// When there will be something to say.
    var nextDue: Instant? { minute.nextDue }

    /// - Parameter isOver: whether it is not tried again.
    mutating func hear(_ place: JobPlace, isOver: Bool, _ reason: String, at now: Instant) -> [LossReport.Line] {
        let ended = tell(at: now)
        guard minute.isFirst(at: now) else { return [ended].compactMap(\.self) }
        let line = LossReport.Line(
            level: .error, message: isOver ? "a job is left for the next start" : "a job cannot be read from the log",
            fields: [("seq", "\(place.seq)"), ("position", "\(place.position)"), ("reason", reason)])
        return [line]
    }

    /// What there is to say when the minute is over.
    mutating func tell(at now: Instant) -> LossReport.Line? {
        minute.over(at: now).map {
            LossReport.Line(
                level: .error, message: "more jobs could not be read from the log", fields: [("times", "\($0)")])
        }
    }
}
