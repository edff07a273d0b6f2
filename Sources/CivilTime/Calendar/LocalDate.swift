/// A calendar date without a zone, kept as days since 1970-01-01.
public struct LocalDate: Hashable, Comparable, Sendable {
    public var daysSince1970: Int32

    @inlinable
    public init(daysSince1970: Int32) {
        self.daysSince1970 = daysSince1970
    }

    /// `nil` where the calendar has no such day (February 30) or the year is beyond ±5 million.
    public init?(year: Int, month: Int, day: Int) {
        guard year > -5_000_000, year < 5_000_000, GregorianCalendar.hasDay(year: year, month: month, day: day)
        else { return nil }
        daysSince1970 = Int32(GregorianCalendar.days(year: year, month: month, day: day))
    }

    public var year: Int { GregorianCalendar.date(days: Int(daysSince1970)).year }
    public var month: Int { GregorianCalendar.date(days: Int(daysSince1970)).month }
    public var day: Int { GregorianCalendar.date(days: Int(daysSince1970)).day }

    /// All three at once, for those who need more than one.
    public var yearMonthDay: (year: Int, month: Int, day: Int) {
        GregorianCalendar.date(days: Int(daysSince1970))
    }

    public var weekday: Weekday {
        // `weekday(days:)` answers 1 to 7, which are the raw values.
        Weekday(rawValue: GregorianCalendar.weekday(days: Int(daysSince1970)))!
    }

    @inlinable
    public static func < (left: LocalDate, right: LocalDate) -> Bool {
        left.daysSince1970 < right.daysSince1970
    }
}

extension LocalDate {
    /// The date some days later, or earlier; saturates.
    @inlinable
    public func advanced(byDays days: Int) -> LocalDate {
        let (sum, overflow) = Int(daysSince1970).addingReportingOverflow(days)
        return LocalDate(daysSince1970: overflow ? (days < 0 ? .min : .max) : Int32(clamping: sum))
    }

    /// The days from `earlier` to this date.
    @inlinable
    public func days(since earlier: LocalDate) -> Int {
        Int(daysSince1970) - Int(earlier.daysSince1970)
    }

    /// The date and second of day that a clock shows which counts `second` seconds since 1970-01-01T00:00.
    init(wallSecond second: Int64) {
        let quotient = second / 86_400
        daysSince1970 = Int32(clamping: second % 86_400 < 0 ? quotient - 1 : quotient)
    }

    /// The date's midnight as such a clock counts it.
    var firstWallSecond: Int64 { Int64(daysSince1970) * 86_400 }
}

extension LocalDate: LosslessStringConvertible {
    /// Reads `YYYY-MM-DD`, years 0001–9999, and nothing else.
    public init?(_ text: String) {
        var scanner = TextScanner(text.utf8.makeIterator())
        self.init(scanning: &scanner)
        guard scanner.isAtEnd else { return nil }
    }

    init?(scanning scanner: inout TextScanner<some IteratorProtocol<UInt8>>) {
        guard let year = scanner.number(digits: 4), year > 0, scanner.take(UInt8(ascii: "-")),
            let month = scanner.number(digits: 2), scanner.take(UInt8(ascii: "-")),
            let day = scanner.number(digits: 2)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// `2026-03-02`. Years outside 0000–9999 carry their sign and as many digits as they need.
    public var description: String {
        let (year, month, day) = yearMonthDay
        let digits = String(year.magnitude)
        let padded = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
        return "\(sign)\(padded)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}
