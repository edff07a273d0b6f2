internal import CivilTime

/// A stretch of wall-clock time that begins on some days of the week (T2, T3): quiet hours, a slot of the schedule.
struct WallWindow: Sendable {
    var start: LocalTime
    var end: LocalTime
    var days: WeekdaySet

    /// Whether it holds an instant: each of its days near by is laid on the time line and looked at.
    func contains(_ instant: Instant, on clock: ZoneClock) -> Bool {
        let today = clock.date(at: instant)
        return (-3...1).contains { stretch(today.advanced(byDays: $0), clock)?.contains(instant) ?? false }
    }

    /// The stretch that holds an instant, of several the one that ends last.
    func stretch(holding instant: Instant, on clock: ZoneClock) -> Range<Instant>? {
        let today = clock.date(at: instant)
        return (-3...1).compactMap { stretch(today.advanced(byDays: $0), clock) }.filter { $0.contains(instant) }
            .max { $0.upperBound < $1.upperBound }
    }

    /// When it ends that holds an instant: where one night ends after the next has begun, with that one (`T5`).
    func end(holding instant: Instant, on clock: ZoneClock) -> Instant? {
        var end: Instant?
        while let next = stretch(holding: end ?? instant, on: clock)?.upperBound,
            next < instant.advanced(byDays: 8)
        { end = next }
        return end
    }

    /// When it begins next, within the days that a week can take. Later days begin later, so the first is the one: every job
    /// is asked for it.
    func start(after instant: Instant, on clock: ZoneClock) -> Instant? {
        let today = clock.date(at: instant)
        for offset in -1...10 {
            if let next = stretch(today.advanced(byDays: offset), clock)?.lowerBound, next > instant { return next }
        }
        return nil
    }

    /// What begins on a day; `nil` where nothing does.
    private func stretch(_ day: LocalDate, _ clock: ZoneClock) -> Range<Instant>? {
        guard days.contains(day.weekday), clock.has(day) else { return nil }
        let from = clock.first(showing: LocalDateTime(date: day, time: start))
        let to = clock.last(showing: LocalDateTime(date: endDate(of: day, on: clock), time: end))
        return from < to ? from..<to : nil
    }

    /// A window that ends at or before its start runs into the next day there is.
    private func endDate(of day: LocalDate, on clock: ZoneClock) -> LocalDate {
        guard end <= start else { return day }
        var next = day.advanced(byDays: 1)
        while !clock.has(next), next.days(since: day) < 3 { next = next.advanced(byDays: 1) }
        return next
    }

    var shown: String { "\(start)–\(end)" }
}
