/// A date and a time to the minute as a wall calendar and clock show them, no zone attached.
///
/// Nominal: it may exist once, twice or never in a given zone (T4, T5). Slots are named by it (T8).
package struct LocalDateTime: Hashable, Comparable, Sendable {
    package var date: LocalDate
    package var time: LocalTime

    package init(date: LocalDate, time: LocalTime) {
        self.date = date
        self.time = time
    }

    package static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        (left.date, left.time) < (right.date, right.time)
    }

    /// What a clock shows that counts `second` seconds since 1970-01-01T00:00, to the minute begun.
    init(wallSecond second: Int64) {
        date = LocalDate(wallSecond: second)
        let remainder = second % 86_400
        time = LocalTime(unchecked: UInt16((remainder < 0 ? remainder + 86_400 : remainder) / 60))
    }

    var wallSecond: Int64 { date.firstWallSecond + time.secondOfDay }
}

extension LocalDateTime: LosslessStringConvertible {
    /// Reads `2026-03-02T09:00` and nothing else.
    package init?(_ text: String) {
        var scanner = TextScanner(text.utf8.makeIterator())
        guard let date = LocalDate(scanning: &scanner), scanner.take(UInt8(ascii: "T")),
            let time = LocalTime(scanning: &scanner), scanner.isAtEnd
        else { return nil }
        self.init(date: date, time: time)
    }

    package var description: String { "\(date)T\(time)" }
}
