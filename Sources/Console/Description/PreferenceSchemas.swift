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

    /// As it is in force: whatever can be chosen has a value, and nothing else is there.
    var inForce: Schema { inForce(under: "") }

    private func inForce(under path: String) -> Schema {
        switch self {
        case .object(let fields):
            .object(
                fields.map { field in
                    let place = path + field.name
                    let schema = field.shape.inForce(under: place + ".")
                    return Schema.Field(
                        field.name, Self.nullable.contains(place) ? .nullable(schema) : schema,
                        isRequired: !Self.mayBeMissing(place))
                })
        case .each(let shape): .map(shape.inForce(under: path + "*."))
        case .truth, .time, .zone, .days, .number, .word, .words, .wordsFrom, .text, .scalar, .slots: schema
        }
    }

    /// Where nothing was chosen `null` stands there.
    private static let nullable: Set<String> = ["check_in_days", "schedule", "goals.*.reminder_time"]

    /// What a kind leaves no choice of, and what was not switched for one goal or subject alone.
    private static func mayBeMissing(_ place: String) -> Bool {
        ["kinds.*.channels", "kinds.*.digest"].contains(place) || place.contains("*.kinds.*.")
    }
}

extension Schema.Field {
    /// What a person stored of their preferences. No schema holds for it: what cannot be read, by this policy or this version,
    /// stays as it is.
    static let changed = Schema.Field(
        "changed", .anyObject, "what they chose, as a patch on the defaults; what cannot be read is kept as it is")
}
