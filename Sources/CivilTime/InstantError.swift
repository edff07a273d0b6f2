/// Why a text is not an instant. It carries the start of the text, so that the sender can find it.
public enum InstantError: Error, Equatable, Sendable {
    case malformed(String)
    case noSuchDate(String)
    case noSuchTime(String)
    case leapSecond(String)
    case noOffset(String)
    case noSuchOffset(String)
    case outOfRange(String)
}

extension InstantError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let text):
            "\"\(text)\" is not an instant; write it as RFC 3339, for example 2026-03-02T14:00:00Z."
        case .noSuchDate(let text):
            "\"\(text)\" names a date the calendar does not have; check its month and day."
        case .noSuchTime(let text):
            "\"\(text)\" names a time no clock shows; hours are 00 to 23, minutes and seconds 00 to 59."
        case .leapSecond(let text):
            "\"\(text)\" is in a leap second, which Belfry does not count; write second 59 or the next minute."
        case .noOffset(let text):
            "\"\(text)\" does not say how far it is from UTC; end it with Z or an offset such as +01:00."
        case .noSuchOffset(let text):
            "\"\(text)\" has an impossible offset; offsets are -23:59 to +23:59."
        case .outOfRange(let text):
            "\"\(text)\" is outside the years 0001 to 9999 in UTC; write an instant between them."
        }
    }
}
