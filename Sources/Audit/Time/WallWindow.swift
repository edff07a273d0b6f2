internal import CivilTime

/// A stretch of wall-clock time that begins on some days of the week (T2, T3): quiet hours, a slot of the schedule.
struct WallWindow: Sendable {
    var start: LocalTime
    var end: LocalTime
    var days: WeekdaySet

    /// Whether it holds an instant: each of its days near by is laid on the time line and looked at.
    func contains(_ instant: Instant, on clock: ZoneClock) -> Bool {
        stretch(holding: instant, on: clock) != nil
    }

    /// The stretch that holds an instant, of several the one that ends last.
    func stretch(holding instant: Instant, on clock: ZoneClock) -> Range<Instant>? {
        stretches(-3...1, around: instant, clock).filter { $0.contains(instant) }.max { $0.upperBound < $1.upperBound }
    }

    /// When it begins next, within the days that a week can take.
    func start(after instant: Instant, on clock: ZoneClock) -> Instant? {
        stretches(-3...10, around: instant, clock).lazy.map(\.lowerBound).filter { $0 > instant }.min()
    }

    private func stretches(_ days: ClosedRange<Int>, around instant: Instant, _ clock: ZoneClock) -> [Range<Instant>] {
        let today = clock.date(at: instant)
        return days.compactMap { offset in
            let day = today.advanced(byDays: offset)
            guard self.days.contains(day.weekday), clock.has(day) else { return nil }
            let from = clock.first(showing: LocalDateTime(date: day, time: start))
            let to = clock.last(showing: LocalDateTime(date: endDate(of: day, on: clock), time: end))
            return from < to ? from..<to : nil
        }
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
