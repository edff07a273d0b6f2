/// A closed set of words. The numbers are what the log holds, so they are for ever; new words get new numbers.
public protocol Enumeration: FieldValue, Startable, RawRepresentable, CaseIterable where RawValue == Int {
    /// The word of each case in the order of the numbers, from 1.
    static var names: [String] { get }
    /// The word used in the `.proto` file for the type.
    static var protoName: String { get }
}

extension Enumeration {
    public static var protoType: String { protoName }
    public static var protoName: String { "\(Self.self)" }
    public static var allowed: String { "one of " + names.joined(separator: ", ") }
    public var name: String { Self.names[rawValue - 1] }

    /// The first word; a number that this version does not know also reads as it.
    public static var start: Self {
        guard let first = Self(rawValue: 1) else { preconditionFailure("\(Self.self) has no case numbered 1") }
        return first
    }

    public static var sample: Self { start }

    public init?(name: String) {
        guard let index = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: index + 1)
    }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) {
        buffer.appendVarint(number, UInt64(rawValue))
    }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        guard type == .varint else { throw .wrongWireType(field: 0) }
        self = Self(rawValue: Int(truncatingIfNeeded: try reader.varint())) ?? .start
    }

    public func writeJSON(into buffer: inout ByteBuffer) { buffer.appendJSONString(name) }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard let text = node.string, let value = Self(name: text) else { throw Self.refusal(node) }
        self = value
    }
}
