internal import CivilTime
internal import Notices

extension PreferenceShape {
    /// As a merge patch may have it: every member can be left out, and `null` puts it back to its default.
    var schema: Schema {
        switch self {
        case .truth: .bool
        case .time: .localTime
        case .days: .weekdays
        case .number(let range): .integer(range)
        case .word(let words): .word(words)
        case .wordsFrom(let words): .list(.word(words))
        case .words: .list(.text)
        case .zone, .text: .text
        case .scalar: .scalar
        case .slots: .list(.list(.localTime))
        case .object(let fields):
            .object(fields.map { .optional($0.name, .nullable($0.shape.schema)) }, isClosed: true)
        case .each(let shape): .map(.nullable(shape.schema))
        }
    }
}
