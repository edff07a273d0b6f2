/// JSON written straight into a `ByteBuffer`.
extension ByteBuffer {
    public mutating func appendJSONString(_ text: String) {
        var text = text
        append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            var plainFrom = 0
            for (index, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[plainFrom..<index]))
                appendEscape(byte)
                plainFrom = index + 1
            }
            append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[plainFrom...]))
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append("u00")
            append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            append(Self.hexDigit(byte & 0xF))
        }
    }

    public static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }

    public mutating func appendDecimal(_ value: some BinaryInteger) {
        append(String(value))
    }

    /// The bytes as a `String`, for what is shown rather than stored.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A whole JSON value kept as it came, in compact form: a policy, a merge patch.
public struct JSONDocument: Sendable, Hashable {
    public let text: String

    /// Trusts `text` to be compact JSON, as it is when it comes out of the log.
    public init(trusted text: String) { self.text = text }

    public init(_ node: JSONNode) {
        var buffer = ByteBuffer()
        node.writeCompact(into: &buffer)
        text = buffer.text
    }
}
