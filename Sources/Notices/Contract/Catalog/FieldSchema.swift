/// What a record declares of one field, as data: for the `.proto` file and for whoever checks the contract.
public struct FieldSchema: Sendable {
    public enum Origin: Sendable {
        /// Senders give it and the log keeps it.
        case given
        /// Belfry works it out; senders may not give it.
        case derived
        /// Senders give it and nothing ever writes it down, so it has no number (`A1`).
        case transient
    }

    public let number: Int
    public let name: String
    public let valueType: any FieldValue.Type
    public let origin: Origin
    public let limit: Limit
    public let keeping: Keeping

    /// How a log that has seals keeps it (`E2`).
    public enum Keeping: Sendable {
        case clear
        /// With the person's key.
        case sealed
        /// Names of notices, without the person.
        case names
    }
}

extension FieldSchema {
    /// The type within an `Optional` or an `Array`, or the type itself.
    public var elementType: any FieldValue.Type { (valueType as? any Wrapping.Type)?.wrapped ?? valueType }

    public var isRepeated: Bool { valueType.protoType.hasPrefix("repeated ") }

    /// What senders may write there.
    public var allowed: String { limit.describe(valueType.allowed) }
}

extension Payload {
    /// The fields of this type in the order of their declaration.
    public var schema: [FieldSchema] {
        var collector = SchemaCollector()
        var copy = self
        do { try copy.fields(&collector) } catch { preconditionFailure("listing fields cannot fail: \(error)") }
        return collector.fields
    }
}

private struct SchemaCollector: FieldVisitor {
    var fields: [FieldSchema] = []

    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        add(number, name, V.self, .given, limit)
    }

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        add(number, name, V.self, .derived)
    }

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {
        add(0, name, V.self, .transient)
    }

    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        add(number, name, V.self, origin == .derived ? .derived : .given, keeping: .sealed)
    }

    mutating func names<V: NoticeNames>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        add(number, name, V.self, .given, keeping: .names)
    }

    private mutating func add(
        _ number: Int, _ name: StaticString, _ type: any FieldValue.Type, _ origin: FieldSchema.Origin,
        _ limit: Limit = .none, keeping: FieldSchema.Keeping = .clear
    ) {
        fields.append(
            FieldSchema(
                number: number, name: "\(name)", valueType: type, origin: origin, limit: limit, keeping: keeping))
    }
}

/// A type around another: looked through to find the enumerations of the contract and how a list is packed.
private protocol Wrapping {
    static var wrapped: any FieldValue.Type { get }
}

extension Optional: Wrapping where Wrapped: FieldValue & Startable {
    fileprivate static var wrapped: any FieldValue.Type { Wrapped.self }
}

extension Array: Wrapping where Element: FieldValue & Startable {
    fileprivate static var wrapped: any FieldValue.Type { Element.self }
}
