/// The rule a TZif file ends with: a POSIX TZ string such as `CET-1CEST,M3.5.0,M10.5.0/3`, extended by
/// RFC 9636 to hours of −167 to 167. It holds after the file's last transition, for ever.
struct FooterRule: Equatable, Sendable {
    struct Daylight: Equatable, Sendable {
        /// Seconds ahead of UTC while it lasts; behind standard time in Ireland.
        var offset: Int32
        var start: YearMoment
        var end: YearMoment
    }

    /// Seconds ahead of UTC (POSIX writes them the other way round).
    var standardOffset: Int32
    var daylight: Daylight?

    /// What RFC 9636 (§3.2) says an offset should be; farther from UTC nothing is believed.
    static let offsets = -89_999...93_599
}

extension FooterRule.Daylight {
    /// The stretch of daylight time that begins in a year, in seconds since 1970.
    ///
    /// South of the equator it ends in the following year. Where it ends as it begins it lasts all year:
    /// the next stretch then starts where this one stops.
    func stretch(beginningIn year: Int, standardOffset: Int32) -> Range<Int64> {
        let begin = start.wallSecond(in: year) - Int64(standardOffset)
        let stop = end.wallSecond(in: year) - Int64(offset)
        if stop > begin { return begin..<stop }
        let stopNextYear = end.wallSecond(in: year + 1) - Int64(offset)
        return begin..<max(begin, stopNextYear)
    }
}

/// The moment of each year at which a footer's rule switches.
struct YearMoment: Equatable, Sendable {
    enum Day: Equatable, Sendable {
        /// `Jn`: 1 to 365; February 29 is never counted, so the 60th is always March 1.
        case julian(Int)
        /// `n`: 0 to 365; February 29 is counted in leap years.
        case zeroBased(Int)
        /// `Mm.w.d`: the w-th weekday d (0 is Sunday) of month m, the last one if w is 5.
        case weekday(month: Int, week: Int, weekday: Int)
    }

    var day: Day
    /// Seconds from that day's midnight by the clock before the switch; may lie days away.
    var time: Int64

    /// What a clock that was never switched shows then, in seconds since 1970-01-01T00:00.
    func wallSecond(in year: Int) -> Int64 {
        Int64(dayNumber(in: year)) * 86_400 + time
    }

    private func dayNumber(in year: Int) -> Int {
        switch day {
        case .julian(let number):
            let leapDay = number >= 60 && GregorianCalendar.isLeap(year) ? 1 : 0
            return GregorianCalendar.days(year: year, month: 1, day: 1) + number - 1 + leapDay
        case .zeroBased(let number):
            return GregorianCalendar.days(year: year, month: 1, day: 1) + number
        case .weekday(let month, let week, let weekday):
            let first = GregorianCalendar.days(year: year, month: month, day: 1)
            let toFirstMatch = (weekday - GregorianCalendar.weekday(days: first) % 7 + 7) % 7
            let day = toFirstMatch + (week - 1) * 7
            let length = GregorianCalendar.daysInMonth(year: year, month: month)
            return first + (day < length ? day : day - 7)
        }
    }
}
