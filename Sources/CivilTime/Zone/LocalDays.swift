/// T6: local days divide the time line in order, whatever the clocks do.
///
/// A day's first instant is the first at which the wall calendar shows that date or a later one. So where
/// the clocks go back over midnight, the evening that is repeated belongs to the new day, which has begun
/// and does not end again; and a date the calendar never shows has no instant.
extension ZoneRules {
    /// The local day an instant is in: the date that caps count by.
    ///
    /// The date on the wall (`local(at:)`), except in an evening repeated because the clocks went back over
    /// midnight: that belongs to the day which had already begun.
    public func localDate(at instant: Instant) -> LocalDate {
        let second = instant.wholeSeconds
        return date(at: second, in: table.span(containing: second))
    }

    /// From the first instant of the local day that holds `instant` to the next day's first instant.
    public func day(containing instant: Instant) -> Range<Instant> {
        let second = instant.wholeSeconds
        let span = table.span(containing: second)
        let date = date(at: second, in: span)
        let next = firstSecond(onOrAfter: date.advanced(byDays: 1), near: span)
        return bounds(firstSecond(onOrAfter: date, near: span), next)
    }

    /// The first instant of a local day; `nil` for a date that was skipped altogether.
    public func startOfDay(_ date: LocalDate) -> Instant? {
        let span = table.span(containing: date.firstWallSecond)
        guard exists(date, near: span) else { return nil }
        return Instant(seconds: firstSecond(onOrAfter: date, near: span))
    }

    /// A local day from its first instant to the next day's; `nil` for a date that was skipped altogether.
    public func dayBounds(_ date: LocalDate) -> Range<Instant>? {
        let span = table.span(containing: date.firstWallSecond)
        guard exists(date, near: span) else { return nil }
        let next = firstSecond(onOrAfter: date.advanced(byDays: 1), near: span)
        return bounds(firstSecond(onOrAfter: date, near: span), next)
    }

    /// Whether the wall calendar ever shows a date. Samoa had no 2011-12-30.
    public func exists(_ date: LocalDate) -> Bool {
        exists(date, near: table.span(containing: date.firstWallSecond))
    }
}

extension ZoneRules {
    @inline(__always)
    func exists(_ date: LocalDate, near span: OffsetSpan) -> Bool {
        guard table.mayJumpDates, !span.coversWall(date.firstWallSecond, of: table) else { return true }
        let first = firstSecond(onOrAfter: date, near: span)
        return LocalDate(wallSecond: first + Int64(table.offset(at: first))) == date
    }

    /// The first date after `date` that the calendar shows.
    @inline(__always)
    func existingDate(after date: LocalDate, near span: OffsetSpan) -> LocalDate {
        var next = date.advanced(byDays: 1)
        while !exists(next, near: span), next.daysSince1970 < .max {
            next = next.advanced(byDays: 1)
        }
        return next
    }

    /// The local day of a second in `span`.
    @inline(__always)
    func date(at second: Int64, in span: OffsetSpan) -> LocalDate {
        var date = LocalDate(wallSecond: second + span.offset)
        while date.daysSince1970 < .max {
            let next = date.advanced(byDays: 1)
            guard firstSecond(onOrAfter: next, near: span) <= second else { break }
            date = next
        }
        return date
    }

    @inline(__always)
    private func firstSecond(onOrAfter date: LocalDate, near span: OffsetSpan) -> Int64 {
        table.second(ofWall: date.firstWallSecond, .first, near: span)
    }

    private func bounds(_ first: Int64, _ next: Int64) -> Range<Instant> {
        Instant(seconds: first)..<Instant(seconds: max(first, next))
    }
}
