internal import CivilTime
internal import Notices

/// A schema of JSON, as OpenAPI 3.1 writes it.
///
/// What may be `null` has two types in a list. Never one of several schemas of which one is null: generators of clients break
/// on that.
indirect enum Schema: Sendable {
    case string(format: String? = nil)
    case pattern(String)
    case word([String])
    case integer(ClosedRange<Int>? = nil)
    /// One of a few.
    case integers([Int])
    case number
    case bool
    /// True, false, a whole number or a text.
    case scalar
    case list(Schema)
    /// Of any names.
    case map(Schema)
    /// What it has, and whether that is all it can have.
    case object([Field], isClosed: Bool = false)
    /// Whatever an object holds.
    case anyObject
    /// One of several objects, told apart by a field, or else by which they have.
    case either([Schema], by: String? = nil)
    /// Any value at all.
    case anything
    case nullable(Schema)
    case named(String)

    struct Field: Sendable {
        var name: String
        var schema: Schema
        var isRequired: Bool
        var note: String?

        init(_ name: String, _ schema: Schema, isRequired: Bool = true, _ note: String? = nil) {
            (self.name, self.schema, self.isRequired, self.note) = (name, schema, isRequired, note)
        }

        static func optional(_ name: String, _ schema: Schema, _ note: String? = nil) -> Field {
            Field(name, schema, isRequired: false, note)
        }
    }

    static let instant = Schema.string(format: "date-time")
    static let date = Schema.string(format: "date")
    static let count = Schema.integer(0...ValueShape.wholeNumberMax)
    static let text = Schema.string()
    static let localTime = Schema.pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$")
    static let weekdays = Schema.list(.word(Weekday.allCases.map(\.name)))
    static let channel = Schema.word(Channel.names)
    static let channels = Schema.list(channel)
    static let reason = Schema.word(Reason.names)

    /// Where a named one stands in the description.
    static func place(of name: String) -> String { "#/components/schemas/\(name)" }

    var document: JSONValue { .object(members) }

    private var members: [JSONValue.Member] {
        switch self {
        case .string(let format):
            [.init("type", .string("string"))] + (format.map { [.init("format", .string($0))] } ?? [])
        case .pattern(let pattern): [.init("type", .string("string")), .init("pattern", .string(pattern))]
        case .word(let words):
            [.init("type", .string("string")), .init("enum", .array(words.map { .string($0) }))]
        case .integer(let range):
            [.init("type", .string("integer"))]
                + (range.map {
                    [.init("minimum", .number("\($0.lowerBound)")), .init("maximum", .number("\($0.upperBound)"))]
                } ?? [])
        case .integers(let values):
            [.init("type", .string("integer")), .init("enum", .array(values.map { .number("\($0)") }))]
        case .number: [.init("type", .string("number"))]
        case .bool: [.init("type", .string("boolean"))]
        case .scalar: [.init("type", .array(["boolean", "integer", "string"].map { .string($0) }))]
        case .list(let element): [.init("type", .string("array")), .init("items", element.document)]
        case .map(let value): [.init("type", .string("object")), .init("additionalProperties", value.document)]
        case .object(let fields, let isClosed): Self.object(fields, isClosed)
        case .anyObject: [.init("type", .string("object"))]
        case .either(let schemas, let field):
            [.init("oneOf", .array(schemas.map(\.document)))] + Self.discriminator(field)
        case .anything: []
        case .nullable(let schema): schema.members.map(Self.orNull)
        case .named(let name): [.init("$ref", .string(Self.place(of: name)))]
        }
    }

    private static func object(_ fields: [Field], _ isClosed: Bool) -> [JSONValue.Member] {
        let properties = fields.map { field -> JSONValue.Member in
            guard let note = field.note, case .object(let members) = field.schema.document else {
                return .init(field.name, field.schema.document)
            }
            return .init(field.name, .object(members + [.init("description", .string(note))]))
        }
        let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
        var members: [JSONValue.Member] = [
            .init("type", .string("object")), .init("properties", .object(properties)),
        ]
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        if isClosed { members.append(.init("additionalProperties", .bool(false))) }
        return members
    }

    private static func discriminator(_ field: String?) -> [JSONValue.Member] {
        guard let field else { return [] }
        return [.init("discriminator", .object([.init("propertyName", .string(field))]))]
    }

    private static func orNull(_ member: JSONValue.Member) -> JSONValue.Member {
        switch (member.key, member.value) {
        case ("type", .string(let type)): .init("type", .array([.string(type), .string("null")]))
        case ("type", .array(let types)): .init("type", .array(types + [.string("null")]))
        case ("enum", .array(let words)): .init("enum", .array(words + [.null]))
        default: member
        }
    }
}

extension ValueShape {
    /// As a parameter.
    var schema: Schema {
        switch self {
        case .flag: .bool
        case .identifier: .pattern("^[A-Za-z0-9._:@-]{1,128}$")
        case .person: .pattern("^([A-Za-z0-9._:@-]{1,128}|\\[erased [0-9]{1,10}\\])$")
        case .cursor: .pattern("^[0-9]+(\\.[0-9]+){0,1023}$")
        case .notice: .pattern("^[A-Za-z0-9._:@/#~-]{1,512}$")
        case .number(let range): .integer(range)
        case .oneOf(let words): .word(words)
        case .instant: .instant
        case .moment: .text
        case .date: .date
        case .text: .text
        }
    }
}
