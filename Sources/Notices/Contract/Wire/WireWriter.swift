/// The protobuf wire format, written into a `ByteBuffer`.
public enum WireType: UInt8, Sendable {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5

    /// What the lowest three bits of a tag say, told without a call.
    @inlinable @inline(__always)
    init?(ofTag tag: UInt64) {
        switch tag & 7 {
        case 0: self = .varint
        case 1: self = .fixed64
        case 2: self = .bytes
        case 5: self = .fixed32
        default: return nil
        }
    }
}

extension ByteBuffer {
    public mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    public mutating func appendTag(_ number: Int, _ type: WireType) {
        appendVarint(UInt64(number) << 3 | UInt64(type.rawValue))
    }

    public mutating func appendVarint(_ number: Int, _ value: UInt64) {
        appendTag(number, .varint)
        appendVarint(value)
    }

    public mutating func appendBytes(_ number: Int, _ source: UnsafeRawBufferPointer) {
        appendTag(number, .bytes)
        appendVarint(UInt64(source.count))
        append(source)
    }

    /// As it lies: a copy would be counted.
    @inline(__always)
    public mutating func appendText(_ number: Int, _ text: String) {
        text.utf8Span.span.withUnsafeBytes { appendBytes(number, $0) }
    }

    /// Writes a nested message: one byte is kept for its length, and what was written moves up in the rare
    /// case that the length needs more. Canonical, and one pass over the fields.
    public mutating func appendMessage<Failure: Error>(
        _ number: Int, _ body: (inout ByteBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        let place = beginMessage(number)
        try body(&self)
        endMessage(place)
    }

    /// Begins a nested message; `endMessage` is told the place that this gives.
    public mutating func beginMessage(_ number: Int) -> Int {
        appendTag(number, .bytes)
        append(0)
        return count - 1
    }

    public mutating func endMessage(_ lengthAt: Int) {
        var length = UInt64(count - lengthAt - 1)
        let width = Self.varintWidth(length)
        if width > 1 { openGap(of: width - 1, at: lengthAt + 1) }
        for index in 0..<width {
            let more: UInt8 = index == width - 1 ? 0 : 0x80
            overwrite(UInt8(truncatingIfNeeded: length) & 0x7F | more, at: lengthAt + index)
            length >>= 7
        }
    }

    static func varintWidth(_ value: UInt64) -> Int {
        max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    }
}
