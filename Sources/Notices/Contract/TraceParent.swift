/// The trace that a fact belongs to, as its sender told it (W3C Trace Context, `N11`).
///
/// Kept with the fact, and passed on with the jobs that were decided because of it. Whoever follows a request through many
/// programs finds it again in the one that receives the job. A class, so that an event without one is no larger for it.
public final class TraceParent: Sendable {
    /// Trace, parent and flags, as the log keeps them.
    static let byteCount = 25

    private let bytes: [UInt8]

    /// Reads a `traceparent` header; `nil` for what is none, which is to be ignored.
    ///
    /// A version that only a later specification knows is read as this one's, which is what it promises.
    public init?(header: String) {
        let text = Array(header.utf8)
        guard text.count >= 55, [2, 35, 52].allSatisfy({ text[$0] == UInt8(ascii: "-") }),
            let version = Self.hex(text[0..<2])?.first, version != 0xFF, version == 0 ? text.count == 55 : true,
            text.count == 55 || text[55] == UInt8(ascii: "-"),
            let trace = Self.hex(text[3..<35]), let parent = Self.hex(text[36..<52]),
            let flags = Self.hex(text[53..<55])?.first,
            trace.contains(where: { $0 != 0 }), parent.contains(where: { $0 != 0 })
        else { return nil }
        // Of the flags two are known: that it is sampled, and that its id is random. Others are not passed on.
        bytes = trace + parent + [flags & 3]
    }

    /// As the log keeps it; `nil` for what the log of another version may hold.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// As it is sent on and printed.
    public var text: String {
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return "00-\(digits[..<16].joined())-\(digits[16..<24].joined())-\(digits[24])"
    }

    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { bytes.withUnsafeBytes(body) }

    /// Pairs of digits, in lower case alone.
    private static func hex(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}

extension TraceParent: Equatable {
    public static func == (left: TraceParent, right: TraceParent) -> Bool { left.bytes == right.bytes }
}
