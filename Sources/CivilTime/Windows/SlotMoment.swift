/// A moment a schedule names (T8): the date and time as configured, and the instant they mean.
///
/// The date and time are nominal and make the slot's identity. A slot at 02:30 in a night without a 02:30
/// is still the 02:30 slot of that date; its instant is the first after the gap (T4).
public struct SlotMoment: Hashable, Sendable {
    public let date: LocalDate
    public let time: LocalTime
    public let instant: Instant

    public init(date: LocalDate, time: LocalTime, instant: Instant) {
        self.date = date
        self.time = time
        self.instant = instant
    }

    public var local: LocalDateTime { LocalDateTime(date: date, time: time) }
}

extension ZoneRules {
    /// The first slot at a local time on some weekdays whose instant is strictly after `instant` (T10).
    ///
    /// Skipped dates have none (T6). `nil` only for an empty set of days, or at the end of time. Should two
    /// dates' slots fall on one instant, because the clocks jumped a day at noon, it is the earlier's.
    public func nextSlot(time: LocalTime, days: WeekdaySet, strictlyAfter instant: Instant) -> SlotMoment? {
        guard !days.isEmpty else { return nil }
        let second = instant.wholeSeconds
        let span = table.span(containing: second)
        // No slot of an earlier date can come later than a clock showing this one.
        var date = LocalDate(wallSecond: second + span.offset)
        // One bit goes around with the days, so that those not chosen cost nothing.
        var bit = UInt8(1) << UInt8(truncatingIfNeeded: date.weekday.rawValue - 1)
        for _ in 0...Self.daysToSearch {
            if days.rawValue & bit != 0 {
                let wall = date.firstWallSecond + time.secondOfDay
                let moment = Instant(seconds: table.second(ofWall: wall, .first, near: span))
                if moment > instant, exists(date, near: span) {
                    return SlotMoment(date: date, time: time, instant: moment)
                }
            }
            date = date.advanced(byDays: 1)
            bit = bit == 0b100_0000 ? 1 : bit << 1
        }
        return nil
    }

    /// The slots from the lower bound, included, to the upper bound, excluded, in order and one at a time:
    /// what was missed while nobody was there to fire it (C5).
    public func slots(time: LocalTime, days: WeekdaySet, in range: Range<Instant>) -> some Sequence<SlotMoment> {
        sequence(state: range.lowerBound.advanced(byMilliseconds: -1)) { [self] previous in
            guard let slot = nextSlot(time: time, days: days, strictlyAfter: previous),
                slot.instant < range.upperBound
            else { return nil }
            previous = slot.instant
            return slot
        }
    }

    /// A weekday comes within a week; when its date was skipped, within the next.
    static let daysToSearch = 21
}
