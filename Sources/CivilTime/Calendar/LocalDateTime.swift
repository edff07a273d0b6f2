/// A calendar date and a wall-clock time to the minute, without a zone.
///
/// Nominal: it may exist once, twice or never in a given zone (T4, T5). Slots are named by it (T8).
public struct LocalDateTime: Hashable, Comparable, Sendable {
    public var date: LocalDate
    public var time: LocalTime

    public init(date: LocalDate, time: LocalTime) {
        self.date = date
        self.time = time
    }

    public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
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
    public init?(_ text: String) {
        var text = text
        guard let read = text.withUTF8({ Self($0) }) else { return nil }
        self = read
    }

    /// The same from bytes.
    public init?(_ utf8: UnsafeBufferPointer<UInt8>) {
        var scanner = TextScanner(utf8.makeIterator())
        guard let date = LocalDate(scanning: &scanner), scanner.take(UInt8(ascii: "T")),
            let time = LocalTime(scanning: &scanner), scanner.isAtEnd
        else { return nil }
        self.init(date: date, time: time)
    }

    public var description: String {
        let (year, month, day) = date.yearMonthDay
        guard (0...9999).contains(year) else { return "\(date)T\(time)" }
        let parts = (year, month, day, time.hour, time.minute)
        return String(unsafeUninitializedCapacity: 16) { text in
            func put(_ number: Int, _ digits: Int, at place: Int) {
                var left = number
                for digit in stride(from: place + digits - 1, through: place, by: -1) {
                    text[digit] = UInt8(ascii: "0") + UInt8(left % 10)
                    left /= 10
                }
            }
            put(parts.0, 4, at: 0)
            put(parts.1, 2, at: 5)
            put(parts.2, 2, at: 8)
            put(parts.3, 2, at: 11)
            put(parts.4, 2, at: 14)
            text[4] = UInt8(ascii: "-")
            text[7] = UInt8(ascii: "-")
            text[10] = UInt8(ascii: "T")
            text[13] = UInt8(ascii: ":")
            return 16
        }
    }
}
