/// The proleptic Gregorian calendar as arithmetic on days since 1970-01-01.
///
/// Years are counted from March, so that the leap day comes last and a month's first day is a line
/// (H. Hinnant, "chrono-compatible low-level date algorithms"). Exact for any year below 10^15.
enum GregorianCalendar {
    /// The calendar, weekdays included, repeats after this many days: 400 years.
    static let daysInCycle = 146_097

    static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysInCycle + dayOfEra - 719_468
    }

    static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - (daysInCycle - 1)) / daysInCycle
        let dayOfEra = UInt32(truncatingIfNeeded: shifted - era * daysInCycle)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (Int(yearOfEra) + era * 400 + (month <= 2 ? 1 : 0), Int(month), Int(day))
    }

    /// 1 for Monday to 7 for Sunday.
    static func weekday(days: Int) -> Int {
        let remainder = (days + 3) % 7
        return (remainder < 0 ? remainder + 7 : remainder) + 1
    }

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    static func daysInMonth(year: Int, month: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func hasDay(year: Int, month: Int, day: Int) -> Bool {
        month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year: year, month: month)
    }
}
