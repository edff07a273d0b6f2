/// Days of the week as one byte: bit 0 is Monday. The byte is stored in the log, so the bits never move.
package struct WeekdaySet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue & 0b111_1111
    }

    package static let mon = WeekdaySet(.mon)
    package static let tue = WeekdaySet(.tue)
    package static let wed = WeekdaySet(.wed)
    package static let thu = WeekdaySet(.thu)
    package static let fri = WeekdaySet(.fri)
    package static let sat = WeekdaySet(.sat)
    package static let sun = WeekdaySet(.sun)

    package static let all = WeekdaySet(rawValue: 0b111_1111)
    package static let weekend: WeekdaySet = [.sat, .sun]
    package static let workdays: WeekdaySet = [.mon, .tue, .wed, .thu, .fri]
}

extension WeekdaySet {
    @inlinable
    package init(_ weekday: Weekday) {
        self.init(rawValue: 1 << UInt8(truncatingIfNeeded: weekday.rawValue - 1))
    }

    package init(_ weekdays: some Sequence<Weekday>) {
        self = weekdays.reduce(into: []) { $0.insert(WeekdaySet($1)) }
    }

    /// Reads names such as `mon`; a name twice counts once.
    package init(names: some Sequence<String>) throws(WeekdayError) {
        self = []
        for name in names {
            guard let weekday = Weekday(name: name) else { throw .unknown(name) }
            insert(WeekdaySet(weekday))
        }
    }

    @inlinable
    package func contains(_ weekday: Weekday) -> Bool {
        rawValue & (1 << UInt8(truncatingIfNeeded: weekday.rawValue - 1)) != 0
    }

    /// The days it holds, Monday first.
    package var weekdays: [Weekday] { Weekday.allCases.filter { contains($0) } }

    package var names: [String] { weekdays.map(\.name) }
}

extension WeekdaySet: CustomStringConvertible {
    package var description: String { names.joined(separator: ",") }
}

/// A name that is no day of the week.
package enum WeekdayError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknown(String)

    package var description: String {
        switch self {
        case .unknown(let name):
            "\"\(name.prefix(32))\" is not a day of the week; write mon, tue, wed, thu, fri, sat or sun."
        }
    }
}
