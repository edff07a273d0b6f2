/// Several values in order; left out when there are none.
extension Array: FieldValue where Element: FieldValue & Startable {
    public static var protoType: String { "repeated " + Element.protoType }
    public static var protoNote: String? { Element.protoNote }
    public static var allowed: String { "a list, each \(Element.allowed)" }
    public static var isOptional: Bool { true }
    public static var sample: [Element] { [Element.sample] }
    public var isUnset: Bool { isEmpty }
    static var countMax: Int { 1000 }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        for element in self { element.encode(number, into: &buffer) }
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        var element = Element.start
        // Numbers in a row may be packed into one field by other writers.
        if type == .bytes, !Element.isLengthDelimited {
            var packed = WireReader(try reader.bytes())
            while !packed.isAtEnd {
                try element.decode(.varint, &packed)
                append(element)
            }
            return
        }
        try element.decode(type, &reader)
        append(element)
    }

    public func writeJSON(into buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "["))
        for (position, element) in enumerated() {
            if position > 0 { buffer.append(UInt8(ascii: ",")) }
            element.writeJSON(into: &buffer)
        }
        buffer.append(UInt8(ascii: "]"))
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard node.isArray else { throw Self.refusal(node) }
        guard node.count <= Self.countMax else { throw .tooMany(node.count, "elements", most: Self.countMax) }
        removeAll()
        for (position, item) in node.elements.enumerated() {
            var element = Element.start
            do { try element.readJSON(item, limit) } catch { throw error.under("[\(position)]") }
            append(element)
        }
    }
}

/// A flat object of one type of value, sorted by key so that equal maps have equal bytes.
///
/// Keys are told apart by their bytes: `String` takes an é that is one character and one that is two for the same.
public struct FlatMap<Value: FieldValue & Startable>: FieldValue, Startable {
    public struct Entry: Sendable, Equatable {
        public var key: String
        public var value: Value
    }

    public private(set) var entries: [Entry] = []

    public init() {}

    /// Of one member.
    init(_ key: String, _ value: Value) { entries = [Entry(key: key, value: value)] }

    public init(_ pairs: KeyValuePairs<String, Value>) {
        for (key, value) in pairs { self[key] = value }
    }

    public subscript(key: String) -> Value? {
        get {
            for place in entries.indices where entries[place].key.hasSameBytes(as: key) { return entries[place].value }
            return nil
        }
        set {
            let place = entries.firstIndex { !$0.key.utf8.lexicographicallyPrecedes(key.utf8) } ?? entries.count
            let isThere = place < entries.count && entries[place].key.hasSameBytes(as: key)
            switch (newValue, isThere) {
            case (let value?, true): entries[place].value = value
            case (let value?, false): entries.insert(Entry(key: key, value: value), at: place)
            case (nil, true): entries.remove(at: place)
            case (nil, false): break
            }
        }
    }

    static var countMax: Int { 100 }

    public static var protoType: String { "map<string, \(Value.protoType)>" }
    public static var allowed: String { "a flat object of at most \(countMax) members, each value \(Value.allowed)" }
    public static var isOptional: Bool { true }
    public static var start: Self { Self() }
    public static var sample: Self {
        var map = Self()
        map["link"] = Value.sample
        return map
    }
    public var isUnset: Bool { entries.isEmpty }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        for entry in entries {
            buffer.appendMessage(number) { buffer in
                buffer.appendText(1, entry.key)
                entry.value.encode(2, into: &buffer)
            }
        }
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .bytes else { throw .wrongWireType(field: 0) }
        var inner = WireReader(try reader.bytes())
        var key = ""
        var value = Value.start
        while let (number, type) = try inner.tag() {
            switch (number, type) {
            case (1, .bytes): key = try inner.text()
            case (2, _): try value.decode(type, &inner)
            default: try inner.skip(type)
            }
        }
        self[key] = value
    }

    public func writeJSON(into buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "{"))
        for (position, entry) in entries.enumerated() {
            if position > 0 { buffer.append(UInt8(ascii: ",")) }
            buffer.appendJSONString(entry.key)
            buffer.append(UInt8(ascii: ":"))
            entry.value.writeJSON(into: &buffer)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard node.isObject else { throw Self.refusal(node) }
        guard node.count <= Self.countMax else { throw .tooMany(node.count, "members", most: Self.countMax) }
        entries.removeAll()
        for member in node.members {
            let key = member.key
            guard key.utf8.count <= 128 else { throw FieldError("the key \(quoted(key)) is longer than 128 bytes") }
            var value = Value.start
            do { try value.readJSON(member.value, limit) } catch { throw error.under(shownKey(key)) }
            self[key] = value
        }
    }
}

/// A JSON document inside a fact; what it may hold is checked by whoever knows that document.
extension JSONDocument: FieldValue, Startable {
    public static var protoType: String { "string" }
    public static var protoNote: String? { "a JSON object as text" }
    public static var allowed: String { "a JSON object" }
    public static var sample: JSONDocument { JSONDocument(trusted: #"{"digest_mode":true}"#) }
    public static var start: JSONDocument { JSONDocument(trusted: "{}") }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) { buffer.appendText(number, text) }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .bytes else { throw .wrongWireType(field: 0) }
        self = JSONDocument(trusted: try reader.text())
    }

    /// A text that is no JSON, as a foreign log may hold, is shown as a text: whatever is printed can be read.
    public func writeJSON(into buffer: inout ByteBuffer) {
        guard let node = try? JSONTape(limits: JSONLimits(bytesMax: text.utf8.count)).parse(text) else {
            return buffer.appendJSONString(text)
        }
        node.writeCompact(into: &buffer)
    }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard node.isObject else { throw Self.refusal(node) }
        self = JSONDocument(node)
    }
}

extension String {
    /// Two texts may be equal and not be written alike; most differ in length.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
