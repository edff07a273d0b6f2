/// A stretch of wall-clock time on some days of the week: quiet hours, an hour of a schedule.
///
/// Half-open (T2). A window that ends at or before its start runs overnight and belongs to the day it starts
/// on (T3). Its start is the first occurrence of that local time, its end the second (T5), and either is the
/// first instant after the gap where the clocks skip it (T4); a window skipped whole is empty.
///
/// A date that does not exist has no window (T6), and the window of the night before it runs into the next
/// day there is: nobody is rung at 03:00 because the calendar jumped.
public struct DailyWindow: Hashable, Sendable {
    public var start: LocalTime
    public var end: LocalTime
    public var days: WeekdaySet

    public init(start: LocalTime, end: LocalTime, days: WeekdaySet) {
        self.start = start
        self.end = end
        self.days = days
    }

    public var isOvernight: Bool { end <= start }
}

extension DailyWindow {
    public func contains(_ instant: Instant, in zone: ZoneRules) -> Bool {
        interval(containing: instant, in: zone) != nil
    }

    /// The window that holds an instant; `nil` outside all of them.
    ///
    /// Windows that touch or overlap are one: a 24-hour window on two days running, or a window that meets
    /// the next because the clocks went back. The answer is their union, so its end is the first instant
    /// that is quiet no more. Of a window without an end (24 hours, every day) a week or so is given.
    public func interval(containing instant: Instant, in zone: ZoneRules) -> Range<Instant>? {
        let second = instant.wholeSeconds
        var unions = WindowUnions(of: self, in: zone, around: second, days: 7)
        while let union = unions.next(), union.lowerBound <= second {
            if union.contains(second) { return Range(seconds: union) }
        }
        return nil
    }

    /// The first window that begins strictly after an instant, joined with those it touches.
    ///
    /// `nil` where no day is chosen and where the window never closes. An instant inside a window is answered
    /// with the one after it.
    public func next(after instant: Instant, in zone: ZoneRules) -> Range<Instant>? {
        let second = instant.wholeSeconds
        var unions = WindowUnions(of: self, in: zone, around: second, days: ZoneRules.daysToSearch)
        while let union = unions.next() {
            if union.lowerBound > second { return Range(seconds: union) }
        }
        return nil
    }

    /// The window that belongs to a date, joined with none; `nil` if its weekday is not chosen, the date does
    /// not exist or the clocks skip the whole of it.
    public func interval(startingOn date: LocalDate, in zone: ZoneRules) -> Range<Instant>? {
        let span = zone.table.span(containing: date.firstWallSecond)
        return seconds(startingOn: date, in: zone, near: span).map(Range.init(seconds:))
    }

    @inline(__always)
    func seconds(startingOn date: LocalDate, in zone: ZoneRules, near span: OffsetSpan) -> Range<Int64>? {
        guard days.contains(date.weekday), zone.exists(date, near: span) else { return nil }
        let lastDate = isOvernight ? zone.existingDate(after: date, near: span) : date
        let first = zone.table.second(ofWall: date.firstWallSecond + start.secondOfDay, .first, near: span)
        let last = zone.table.second(ofWall: lastDate.firstWallSecond + end.secondOfDay, .second, near: span)
        return first < last ? first..<last : nil
    }
}

extension Range<Instant> {
    fileprivate init(seconds: Range<Int64>) {
        self = Instant(seconds: seconds.lowerBound)..<Instant(seconds: seconds.upperBound)
    }
}
