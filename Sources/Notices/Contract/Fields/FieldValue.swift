public import CivilTime

/// A type that a record's field can have: how it is written, read, described and shown by example.
public protocol FieldValue: Sendable, Equatable {
    /// The type in the `.proto` file, with `optional` or `repeated` in front where it applies.
    static var protoType: String { get }
    /// What a reader of the `.proto` file must know besides the type.
    static var protoNote: String? { get }
    /// What senders may write, as it completes "… is not …".
    static var allowed: String { get }
    /// Whether senders may leave the field out.
    static var isOptional: Bool { get }
    /// Whether `null` says something, and is not a field left out.
    static var hasNull: Bool { get }
    /// Never repeated in a message.
    static var isPrivate: Bool { get }
    /// Written with a length in front, so never packed.
    static var isLengthDelimited: Bool { get }
    /// A plausible value, for the golden examples.
    static var sample: Self { get }

    /// Left out of both encodings.
    var isUnset: Bool { get }

    func encode(_ number: Int, into buffer: inout ByteBuffer)
    mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError)
    func writeJSON(into buffer: inout ByteBuffer)
    /// Reads what a sender wrote, or refuses it with what is allowed.
    mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError)
}

extension FieldValue {
    public static var protoNote: String? { nil }
    public static var isOptional: Bool { false }
    public static var hasNull: Bool { false }
    public static var isPrivate: Bool { false }
    public static var isLengthDelimited: Bool { false }
    public var isUnset: Bool { false }

    static func refusal(_ node: JSONNode, _ limit: Limit = .none) -> FieldError {
        FieldError("\(isPrivate ? "the value" : node.shown) is not \(limit.describe(allowed))")
    }
}

// MARK: Optional

extension Optional: FieldValue where Wrapped: FieldValue & Startable {
    public static var protoType: String { "optional " + Wrapped.protoType }
    public static var protoNote: String? { Wrapped.protoNote }
    public static var allowed: String { Wrapped.allowed }
    public static var isOptional: Bool { true }
    public static var sample: Wrapped? { Wrapped.sample }
    public var isUnset: Bool { self == nil }
    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        self?.encode(number, into: &buffer)
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        var value = Wrapped.start
        try value.decode(type, &reader)
        self = value
    }

    public func writeJSON(into buffer: inout ByteBuffer) {
        if let self { self.writeJSON(into: &buffer) } else { buffer.append("null") }
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        // Many senders write null for what they leave out.
        guard !node.isNull else { return self = nil }
        var value = Wrapped.start
        try value.readJSON(node, limit)
        self = value
    }
}

// MARK: Erasable

/// A text that can be taken back: a sender leaves the field out, gives it, or writes `null` for none any more. In the log's
/// bytes that is an empty text.
public enum Erasable<Value: TextValue>: FieldValue {
    case leftOut
    case erased
    case given(Value)

    public static var protoType: String { "optional string" }
    public static var protoNote: String? { "empty: none any more" }
    public static var allowed: String { Value.allowed + ", or null" }
    public static var isOptional: Bool { true }
    public static var hasNull: Bool { true }
    public static var isLengthDelimited: Bool { true }
    public static var sample: Self { .given(Value.sample) }
    public var isUnset: Bool { self == .leftOut }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        switch self {
        case .leftOut: break
        case .erased: Value("").encode(number, into: &buffer)
        case .given(let value): value.encode(number, into: &buffer)
        }
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        var value = Value("")
        try value.decode(type, &reader)
        self = value.text.isEmpty ? .erased : .given(value)
    }

    public func writeJSON(into buffer: inout ByteBuffer) {
        if case .given(let value) = self { value.writeJSON(into: &buffer) } else { buffer.append("null") }
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard !node.isNull else { return self = .erased }
        var value = Value("")
        try value.readJSON(node, limit)
        self = .given(value)
    }
}

/// A type with a value to begin from before a codec fills it.
public protocol Startable {
    static var start: Self { get }
}

// MARK: Numbers and truth

extension Bool: FieldValue, Startable {
    public static var protoType: String { "bool" }
    public static var allowed: String { "true or false" }
    public static var sample: Bool { true }
    public static var start: Bool { false }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        buffer.appendVarint(number, self ? 1 : 0)
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .varint else { throw .wrongWireType(field: 0) }
        self = try reader.varint() != 0
    }

    public func writeJSON(into buffer: inout ByteBuffer) {
        if self { buffer.append("true") } else { buffer.append("false") }
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard let value = node.bool else { throw Self.refusal(node) }
        self = value
    }
}

extension Int: FieldValue, Startable {
    public static var protoType: String { "int64" }
    public static var allowed: String { "a whole number" }
    public static var sample: Int { 15 }
    public static var start: Int { 0 }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        buffer.appendVarint(number, UInt64(bitPattern: Int64(self)))
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .varint else { throw .wrongWireType(field: 0) }
        self = Int(Int64(bitPattern: try reader.varint()))
    }

    public func writeJSON(into buffer: inout ByteBuffer) { buffer.appendDecimal(self) }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard let value = node.integer, limit.allows(value) else { throw Self.refusal(node, limit) }
        self = value
    }
}

// MARK: Time

extension Instant: FieldValue, Startable {
    public static var protoType: String { "int64" }
    public static var protoNote: String? { "milliseconds since 1970-01-01T00:00:00Z" }
    public static var allowed: String { "an instant such as 2026-03-02T14:00:00.000Z" }
    public static var sample: Instant { Instant(milliseconds: 1_772_460_000_000) }
    public static var start: Instant { Instant(milliseconds: 0) }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        buffer.appendVarint(number, UInt64(bitPattern: milliseconds))
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .varint else { throw .wrongWireType(field: 0) }
        self = Instant(milliseconds: Int64(bitPattern: try reader.varint()))
    }

    public func writeJSON(into buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(byteCount: Instant.rfc3339Length, alignment: 1) { text in
            writeRFC3339(to: text)
            buffer.append(UnsafeRawBufferPointer(text))
        }
        buffer.append(UInt8(ascii: "\""))
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard let text = node.string else { throw Self.refusal(node) }
        do { self = try Instant(rfc3339: text) } catch { throw Self.refusal(node) }
    }
}

extension LocalTime: FieldValue, Startable {
    public static var protoType: String { "uint32" }
    public static var protoNote: String? { "minutes after local midnight" }
    public static var allowed: String { "a time HH:MM" }
    public static var sample: LocalTime { LocalTime(hour: 7, minute: 30) ?? .midnight }
    public static var start: LocalTime { .midnight }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        buffer.appendVarint(number, UInt64(minuteOfDay))
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .varint else { throw .wrongWireType(field: 0) }
        // Total on whatever the log holds: a minute that no day has becomes the day's last.
        self = LocalTime(minuteOfDay: Int(min(try reader.varint(), 1439))) ?? .midnight
    }

    public func writeJSON(into buffer: inout ByteBuffer) { buffer.appendJSONString(description) }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard let text = node.string, let time = LocalTime(text) else { throw Self.refusal(node) }
        self = time
    }
}

extension WeekdaySet: FieldValue, Startable {
    public static var protoType: String { "uint32" }
    public static var protoNote: String? { "one bit a day, monday the lowest" }
    public static var allowed: String { "a list of days out of mon, tue, wed, thu, fri, sat, sun" }
    public static var sample: WeekdaySet { [.mon, .wed, .fri] }
    public static var start: WeekdaySet { WeekdaySet(rawValue: 0) }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        buffer.appendVarint(number, UInt64(rawValue))
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .varint else { throw .wrongWireType(field: 0) }
        self = WeekdaySet(rawValue: UInt8(truncatingIfNeeded: try reader.varint() & 0x7F))
    }

    public func writeJSON(into buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "["))
        var isFirst = true
        for day in Weekday.allCases where contains(day) {
            if !isFirst { buffer.append(UInt8(ascii: ",")) }
            isFirst = false
            buffer.appendJSONString(day.name)
        }
        buffer.append(UInt8(ascii: "]"))
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard node.isArray else { throw Self.refusal(node) }
        self = .start
        for (position, element) in node.elements.enumerated() {
            guard let name = element.string, let day = Weekday.allCases.first(where: { $0.name == name }) else {
                throw FieldError(
                    path: "[\(position)]", "\(element.shown) is not one of mon, tue, wed, thu, fri, sat, sun")
            }
            guard !contains(day) else { throw FieldError(path: "[\(position)]", "\(name) is in the list twice") }
            insert(WeekdaySet(day))
        }
    }
}
