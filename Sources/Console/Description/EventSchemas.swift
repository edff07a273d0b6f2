internal import CivilTime
internal import Notices

/// The contract's events as schemas: made of the same lists of fields that read and write them.
enum EventSchemas {
    /// A fact as senders write it, one schema a type.
    static let facts: [(name: String, schema: Schema)] = Payload.all.filter { payload in
        payload.type.side == .fact && !payload.isErasure
    }.map { payload in
        (name(of: payload.type, "Fact"), fact(payload))
    }

    static func name(of type: RecordType, _ end: String) -> String {
        type.text.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + end
    }

    /// What a sender writes of a fact's `data`; of the routes of the person's door, the whole body.
    static func data(of payload: Payload) -> Schema {
        .object(
            payload.schema.filter { $0.origin != .derived }.map {
                Schema.Field($0.name, schema(of: $0), isRequired: !$0.valueType.isOptional, $0.allowed)
            }, isClosed: true)
    }

    private static func fact(_ payload: Payload) -> Schema {
        let fields = payload.schema.filter { $0.origin != .derived }
        let data = data(of: payload)
        let needsUser = payload.type.isAboutPerson
        var members: [Schema.Field] = [.init("type", .word([payload.type.text]))]
        if needsUser { members.append(.init("user", identifier)) }
        if payload.type == RunRequested.type { members.append(.optional("user", identifier)) }
        members += [
            .optional("at", .instant, "when it happened; the log's own clock decides"),
            .optional("id", identifier, "the sender's idempotency key"),
        ]
        let needsData = fields.contains { !$0.valueType.isOptional }
        members.append(Schema.Field("data", data, isRequired: needsData))
        return .object(members, isClosed: true)
    }

    private static let identifier = ValueShape.identifier.schema

    private static func schema(of field: FieldSchema) -> Schema {
        let element = schema(of: field.elementType, field.limit)
        return field.isRepeated ? .list(element) : field.valueType.hasNull ? .nullable(element) : element
    }

    private static func schema(of type: any FieldValue.Type, _ limit: Limit) -> Schema {
        if let known = type as? any Enumeration.Type { return .word(known.names) }
        switch type {
        case is Bool.Type: return .bool
        case is Int.Type:
            switch limit {
            case .none: return .count
            case .range(let low, let high): return .integer(low...high)
            case .oneOf(let first, let second, let third): return .integers([first, second, third])
            }
        case is Instant.Type: return .instant
        case is LocalTime.Type: return .localTime
        case is WeekdaySet.Type: return .weekdays
        case is Identifier.Type: return identifier
        case is NoticeName.Type: return ValueShape.notice.schema
        case is EmailAddress.Type, is Erasable<EmailAddress>.Type: return .pattern("^[!-?A-~]+@[!-?A-~]+$")
        case is PhoneNumber.Type, is Erasable<PhoneNumber>.Type: return .pattern("^[+][1-9][0-9]{6,14}$")
        case is PhoneCode.Type: return .pattern("^[0-9]{1,12}$")
        case is Token.Type: return .pattern("^[!-~]{1,4096}$")
        case is FlatMap<Text>.Type: return .map(.text)
        case is PreferencesPatch.Type: return .named("PreferencesPatch")
        case is JSONDocument.Type: return .anyObject
        default: return .text
        }
    }
}
