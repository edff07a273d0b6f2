/// Days of the week as one byte: bit 0 is Monday. The byte is stored in the log, so the bits never move.
public struct WeekdaySet: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue & 0b111_1111
    }

    public static let mon = WeekdaySet(.mon)
    public static let tue = WeekdaySet(.tue)
    public static let wed = WeekdaySet(.wed)
    public static let thu = WeekdaySet(.thu)
    public static let fri = WeekdaySet(.fri)
    public static let sat = WeekdaySet(.sat)
    public static let sun = WeekdaySet(.sun)

    public static let all = WeekdaySet(rawValue: 0b111_1111)
    public static let weekend: WeekdaySet = [.sat, .sun]
    public static let workdays: WeekdaySet = [.mon, .tue, .wed, .thu, .fri]
}

extension WeekdaySet {
    @inlinable
    public init(_ weekday: Weekday) {
        self.init(rawValue: 1 << UInt8(truncatingIfNeeded: weekday.rawValue - 1))
    }

    @inlinable
    public init(_ weekdays: some Sequence<Weekday>) {
        self = weekdays.reduce(into: []) { $0.insert(WeekdaySet($1)) }
    }

    /// Reads names such as `mon`; a name twice counts once.
    @inlinable
    public init(names: some Sequence<String>) throws(WeekdayError) {
        self = []
        for name in names {
            guard let weekday = Weekday(name: name) else { throw .unknown(name) }
            insert(WeekdaySet(weekday))
        }
    }

    @inlinable
    public func contains(_ weekday: Weekday) -> Bool {
        rawValue & (1 << UInt8(truncatingIfNeeded: weekday.rawValue - 1)) != 0
    }

    /// The days it holds, Monday first.
    public var weekdays: [Weekday] { Weekday.allCases.filter { contains($0) } }

    public var names: [String] { weekdays.map(\.name) }
}

extension WeekdaySet: CustomStringConvertible {
    public var description: String { names.joined(separator: ",") }
}

/// A name that is no day of the week.
public enum WeekdayError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknown(String)

    public var description: String {
        switch self {
        case .unknown(let name):
            "\"\(name.prefix(32))\" is not a day of the week; write mon, tue, wed, thu, fri, sat or sun."
        }
    }
}
