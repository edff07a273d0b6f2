/// Reads fixed-width text from its bytes, one byte ahead, without copying it.
struct TextScanner<Bytes: IteratorProtocol<UInt8>> {
    private var rest: Bytes
    private(set) var next: UInt8?

    @inline(__always)
    init(_ bytes: Bytes) {
        rest = bytes
        next = rest.next()
    }

    var isAtEnd: Bool { next == nil }

    /// Steps over `byte` if it comes next.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        next = rest.next()
        return true
    }

    /// The digit that comes next, if one does.
    @inline(__always)
    mutating func digit() -> Int? {
        guard let byte = next else { return nil }
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        next = rest.next()
        return Int(digit)
    }

    /// Exactly `count` digits as a number.
    @inline(__always)
    mutating func number(digits count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value &* 10 &+ digit
        }
        return value
    }

    /// One to `limit` digits as a number; more digits than that are left unread.
    mutating func number(digitsUpTo limit: Int) -> Int? {
        guard var value = digit() else { return nil }
        for _ in 1..<limit {
            guard let digit = digit() else { break }
            value = value * 10 + digit
        }
        return value
    }
}
