internal import CivilTime
internal import Notices

/// What a value in a path or a query may be: as data, so that the API can be described by what reads it.
enum ValueShape: Sendable, Equatable {
    case flag
    case identifier
    /// A person's id, or what the log calls somebody who was erased.
    case person
    /// A notice's or job's name.
    case notice
    case number(ClosedRange<Int>)
    case oneOf([String])
    /// An instant.
    case instant
    /// An event's number or an instant.
    case moment
    /// A calendar date.
    case date
    /// How far the logs of all partitions were read.
    case cursor
    case text

    /// The largest number that every reader of JSON has exactly.
    static let wholeNumberMax = (1 << 53) - 1

    /// As a message names it.
    var allowed: String {
        switch self {
        case .flag: "true or false"
        case .identifier: Identifier.allowed
        case .person: Identifier.allowed + ", or somebody who was erased, such as [erased 12]"
        case .notice: NoticeName.allowed
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .oneOf(let words): "one of " + words.joined(separator: ", ")
        case .instant: "an instant such as 2026-03-02T14:00:00Z"
        case .moment: "an event's number or an instant such as 2026-03-02T14:00:00Z"
        case .date: "a date such as 2026-03-02"
        case .cursor: "the number of the last event of each partition, with dots between them, such as 17.0.230"
        case .text: "text"
        }
    }

    func accepts(_ text: String) -> Bool {
        switch self {
        case .flag: text == "true" || text == "false"
        case .identifier: Identifier.isAccepted(text)
        case .person: Identifier.isAccepted(text) || Erased.isPerson(text)
        case .notice: NoticeName.isAccepted(text)
        case .number(let range): Int(text).map { range.contains($0) } ?? false
        case .oneOf(let words): words.contains(text)
        case .instant: (try? Instant(rfc3339: text)) != nil
        case .moment: UInt64(text) != nil || (try? Instant(rfc3339: text)) != nil
        case .date: LocalDate(text) != nil
        case .cursor: EventCursor.numbers(text) != nil
        case .text: true
        }
    }
}
