/// A keyed 64-bit hash of an id: two multiplications for every 16 bytes.
///
/// The key is random, so that nobody can choose ids that collide: the log's identity where what was
/// hashed is kept beside the log, else a key of this process.
public struct KeyHash: Sendable, Equatable {
    private let seed: UInt64
    private let secret: UInt64

    public init(words: (UInt64, UInt64)) {
        seed = words.0 | 1
        secret = words.1 | 1
    }

    /// For tables that live no longer than this process.
    public static let ofThisProcess = KeyHash(words: (.random(in: 0 ... .max), .random(in: 0 ... .max)))

    public func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = seed ^ UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var at = 0
        while at + 16 <= bytes.count {
            state = Self.mix(Self.word(bytes, at) ^ secret, Self.word(bytes, at + 8) ^ state)
            at += 16
        }
        var low: UInt64 = 0
        var high: UInt64 = 0
        let rest = bytes.count - at
        if rest >= 8 {
            low = Self.word(bytes, at)
            high = Self.word(bytes, bytes.count - 8)
        } else if rest > 0 {
            for index in 0..<rest { low |= UInt64(bytes[at + index]) << UInt64(index * 8) }
        }
        return Self.mix(Self.mix(low ^ secret, high ^ state), 0xD6E8_FEB8_6659_FD93)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
