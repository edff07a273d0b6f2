/// What is wrong with bytes that should be a protobuf message.
public enum WireError: Error, Equatable, Sendable, CustomStringConvertible {
    case endedEarly
    case varintTooLong
    case unknownWireType(UInt8)
    case wrongWireType(field: Int)
    case zeroFieldNumber
    case notUTF8
    case unknownRecord(Int)
    case badPayload(Int, String)
    /// A sealed field that its person's key does not open, and why.
    case notOpened(String)

    public var description: String {
        switch self {
        case .endedEarly: "the message ends in the middle of a field"
        case .varintTooLong: "a variable-length number is longer than ten bytes"
        case .unknownWireType(let type): "wire type \(type) does not exist"
        case .wrongWireType(let field): "field \(field) has another wire type than declared"
        case .zeroFieldNumber: "field number 0 does not exist"
        case .notUTF8: "a text is not UTF-8"
        case .unknownRecord(let number): "record type \(number) is not known to this version"
        case .badPayload(let number, let problem): "record type \(number): \(problem)"
        case .notOpened(let problem): problem
        }
    }
}

/// Reads the protobuf wire format. Every read is checked against the end: hostile bytes give an error, never a trap.
///
/// Holds a pointer without owning it: a reader must not outlive the call that was handed the bytes.
///
/// What reads tags is inlined into other modules too: a log has several for every event.
public struct WireReader {
    @usableFromInline var cursor: UnsafeRawPointer
    @usableFromInline let end: UnsafeRawPointer

    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address; any non-null pointer with cursor == end reads as "at the end".
        let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        cursor = start
        end = start + bytes.count
    }

    @inlinable public var isAtEnd: Bool { cursor == end }
    public var remaining: Int { end - cursor }

    @inlinable @inline(__always)
    public mutating func varint() throws(WireError) -> UInt64 {
        guard cursor < end else { throw .endedEarly }
        let first = cursor.load(as: UInt8.self)
        if first < 0x80 {
            cursor += 1
            return UInt64(first)
        }
        let (value, length) = try Self.longVarint(cursor, end)
        cursor += length
        return value
    }

    /// A number of several bytes, and how many. Not a method: what reads tags keeps its place in registers.
    /// - Precondition: a byte is left, and it is not the last of its number.
    @usableFromInline
    static func longVarint(
        _ cursor: UnsafeRawPointer, _ end: UnsafeRawPointer
    ) throws(WireError) -> (value: UInt64, length: Int) {
        // Eight bytes at once, where there are so many: the seven bits of each are moved together.
        if end - cursor >= 8 {
            let word = UInt64(littleEndian: cursor.loadUnaligned(as: UInt64.self))
            let stops = ~word & 0x8080_8080_8080_8080
            if stops != 0 {
                var bits = word & (stops ^ (stops &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
                bits = (bits & 0x007F_007F_007F_007F) | (bits & 0x7F00_7F00_7F00_7F00) &>> 1
                bits = (bits & 0x0000_3FFF_0000_3FFF) | (bits & 0x3FFF_0000_3FFF_0000) &>> 2
                bits = (bits & 0x0FFF_FFFF) | (bits & 0x0FFF_FFFF_0000_0000) &>> 4
                return (bits, (stops.trailingZeroBitCount &+ 1) &>> 3)
            }
        }
        var value: UInt64 = 0
        var (shift, length): (UInt64, Int) = (0, 0)
        while shift < 70 {
            guard cursor + length < end else { throw .endedEarly }
            let byte = cursor.load(fromByteOffset: length, as: UInt8.self)
            length += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return (value, length) }
            shift += 7
        }
        throw .varintTooLong
    }

    /// The next field's number and type, or `nil` at the end.
    @inlinable @inline(__always)
    public mutating func tag() throws(WireError) -> (number: Int, type: WireType)? {
        if cursor == end { return nil }
        let raw = try varint()
        guard let type = WireType(ofTag: raw) else { throw .unknownWireType(UInt8(raw & 7)) }
        let number = Int(truncatingIfNeeded: raw >> 3)
        guard number > 0 else { throw .zeroFieldNumber }
        return (number, type)
    }

    @inlinable @inline(__always)
    public mutating func bytes() throws(WireError) -> UnsafeRawBufferPointer {
        let length = try varint()
        guard length <= UInt64(end - cursor) else { throw .endedEarly }
        defer { cursor += Int(length) }
        return UnsafeRawBufferPointer(start: cursor, count: Int(length))
    }

    public mutating func text() throws(WireError) -> String {
        let source = try bytes()
        // Most texts are ids: what is ASCII is UTF-8, and the standard library's own check costs more than making the text.
        if source.isASCII { return String(copying: source) }
        guard let text = String(validating: source.assumingMemoryBound(to: UInt8.self), as: UTF8.self) else {
            throw .notUTF8
        }
        return text
    }

    public mutating func fixed64() throws(WireError) -> UInt64 {
        guard end - cursor >= 8 else { throw .endedEarly }
        defer { cursor += 8 }
        return UInt64(littleEndian: cursor.loadUnaligned(as: UInt64.self))
    }

    public mutating func skip(_ type: WireType) throws(WireError) {
        switch type {
        case .varint: _ = try varint()
        case .fixed64: _ = try fixed64()
        case .bytes: _ = try bytes()
        case .fixed32:
            guard end - cursor >= 4 else { throw .endedEarly }
            cursor += 4
        }
    }
}

extension String {
    /// The same as `String(decoding:as:)`, and for a text that needs no memory of its own without a call into the library.
    @inlinable @inline(__always)
    public init(copying bytes: UnsafeRawBufferPointer) {
        self.init(unsafeUninitializedCapacity: bytes.count) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
            return bytes.count
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether no byte has its highest bit set, eight bytes at a time.
    @inline(__always)
    fileprivate var isASCII: Bool {
        var seen: UInt64 = 0
        if count < 8 {
            for byte in self { seen |= UInt64(byte) }
            return seen < 0x80
        }
        var at = 0
        while at + 8 <= count {
            seen |= loadUnaligned(fromByteOffset: at, as: UInt64.self)
            at += 8
        }
        seen |= loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return seen & 0x8080_8080_8080_8080 == 0
    }
}
