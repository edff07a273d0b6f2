internal import CivilTime

/// A zone's wall clocks, worked out from nothing but the offset at an instant.
///
/// Questions that have a closed answer elsewhere are answered here by looking: at what the clock shows, at the offsets
/// in the days around. So that a mistake in the closed answer shows.
struct ZoneClock {
    let rules: ZoneRules

    private static let dayMilliseconds: Int64 = 86_400_000
    private static let hourMilliseconds: Int64 = 3_600_000

    /// Milliseconds that a clock shows which was at nought at 1970-01-01T00:00 on the wall.
    func wall(at instant: Instant) -> Int64 {
        instant.milliseconds + Int64(rules.offsetSeconds(at: instant)) * 1000
    }

    /// The date the clock shows.
    func date(at instant: Instant) -> LocalDate { Self.date(showing: wall(at: instant)) }

    private static func date(showing wall: Int64) -> LocalDate {
        LocalDate(daysSince1970: Int32(clamping: wall.flooredQuotient(by: dayMilliseconds)))
    }

    /// The local day that an instant belongs to (T6).
    ///
    /// The latest date shown so far: where clocks go back over midnight, the evening that comes again belongs to the
    /// day that had already begun.
    func localDay(at instant: Instant) -> LocalDate {
        latestDate(from: instant.advanced(byHours: -26), through: instant)
    }

    /// The latest date shown from one instant to another. A clock that is not set in between shows it at the end; else each
    /// half is looked at.
    private func latestDate(from first: Instant, through last: Instant) -> LocalDate {
        if let offset = rules.offsetSeconds(throughout: first...last) {
            return Self.date(showing: last.milliseconds + Int64(offset) * 1000)
        }
        let middle = first.milliseconds + (last.milliseconds - first.milliseconds) / 2
        guard middle > first.milliseconds else { return max(date(at: first), date(at: last)) }
        return max(
            latestDate(from: first, through: Instant(milliseconds: middle)),
            latestDate(from: Instant(milliseconds: middle), through: last))
    }

    /// The first instant of a local day.
    func start(of date: LocalDate) -> Instant { first(showing: LocalDateTime(date: date, time: .midnight)) }

    /// Whether the zone has this date at all; some were skipped (T6).
    func has(_ date: LocalDate) -> Bool { self.date(at: start(of: date)) == date }

    /// The first instant that shows this, or where none does the first after the gap (T4, T5).
    func first(showing local: LocalDateTime) -> Instant {
        let wall = local.wallMilliseconds
        return onlyInstant(showing: wall) ?? instants(showing: wall).min() ?? afterGap(wall)
    }

    /// The last instant that shows this, or where none does the first after the gap.
    func last(showing local: LocalDateTime) -> Instant {
        let wall = local.wallMilliseconds
        return onlyInstant(showing: wall) ?? instants(showing: wall).max() ?? afterGap(wall)
    }

    /// What the clock shows, for people to read.
    func shown(at instant: Instant) -> String { "\(local(at: instant)) in \(rules.name)" }

    /// What the clock shows, to the minute: so slots are named.
    func local(at instant: Instant) -> LocalDateTime {
        let minute = wall(at: instant).flooredQuotient(by: 60_000)
        let time = LocalTime(minuteOfDay: Int(minute - minute.flooredQuotient(by: 1440) * 1440)) ?? .midnight
        return LocalDateTime(date: date(at: instant), time: time)
    }

    /// Every offset in force within 30 hours of a reading. No zone ever changed its clocks twice within six hours.
    private func offsets(around wall: Int64) -> [Int64] {
        var offsets: [Int64] = []
        for hours in stride(from: Int64(-30), through: 30, by: 6) {
            let instant = Instant(milliseconds: wall + hours * Self.hourMilliseconds)
            let offset = Int64(rules.offsetSeconds(at: instant)) * 1000
            if !offsets.contains(offset) { offsets.append(offset) }
        }
        return offsets
    }

    /// Where the offset does not change around a reading, one instant shows it.
    private func onlyInstant(showing wall: Int64) -> Instant? {
        let around = 30 * Self.hourMilliseconds
        let offset = rules.offsetSeconds(
            throughout: Instant(milliseconds: wall - around)...Instant(milliseconds: wall + around))
        return offset.map { Instant(milliseconds: wall - Int64($0) * 1000) }
    }

    private func instants(showing wall: Int64) -> [Instant] {
        offsets(around: wall).map { Instant(milliseconds: wall - $0) }.filter { self.wall(at: $0) == wall }
    }

    /// The first instant whose reading is at or behind one that no clock showed.
    private func afterGap(_ wall: Int64) -> Instant {
        let offsets = offsets(around: wall)
        guard let most = offsets.max(), let least = offsets.min() else { return Instant(milliseconds: wall) }
        var (before, after) = (wall - most, wall - least)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if self.wall(at: Instant(milliseconds: middle)) < wall { before = middle } else { after = middle }
        }
        return Instant(milliseconds: after)
    }
}

extension LocalDateTime {
    var wallMilliseconds: Int64 {
        Int64(date.daysSince1970) * 86_400_000 + Int64(time.minuteOfDay) * 60_000
    }
}

extension Int64 {
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
