/// A wall-clock time to the minute, without a zone.
public struct LocalTime: Hashable, Comparable, Sendable {
    /// 0 to 1439.
    public let minuteOfDay: UInt16

    public init?(minuteOfDay: Int) {
        guard minuteOfDay >= 0, minuteOfDay < 1440 else { return nil }
        self.minuteOfDay = UInt16(minuteOfDay)
    }

    public init?(hour: Int, minute: Int) {
        guard hour >= 0, hour < 24, minute >= 0, minute < 60 else { return nil }
        minuteOfDay = UInt16(hour * 60 + minute)
    }

    public static let midnight = LocalTime(unchecked: 0)

    public var hour: Int { Int(minuteOfDay) / 60 }
    public var minute: Int { Int(minuteOfDay) % 60 }

    @inlinable
    public static func < (left: LocalTime, right: LocalTime) -> Bool {
        left.minuteOfDay < right.minuteOfDay
    }

    init(unchecked minuteOfDay: UInt16) {
        self.minuteOfDay = minuteOfDay
    }

    /// Seconds from a midnight after which nothing was skipped.
    var secondOfDay: Int64 { Int64(minuteOfDay) * 60 }
}

extension LocalTime: LosslessStringConvertible {
    /// Reads `HH:MM` from 00:00 to 23:59 and nothing else: `9:00` and `24:00` are refused.
    public init?(_ text: String) {
        var scanner = TextScanner(text.utf8.makeIterator())
        self.init(scanning: &scanner)
        guard scanner.isAtEnd else { return nil }
    }

    init?(scanning scanner: inout TextScanner<some IteratorProtocol<UInt8>>) {
        guard let hour = scanner.number(digits: 2), scanner.take(UInt8(ascii: ":")),
            let minute = scanner.number(digits: 2)
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    public var description: String {
        "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
