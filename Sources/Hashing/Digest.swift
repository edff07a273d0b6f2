internal import COpenSSL

/// A SHA-256, as the hash chain uses it (`G7`).
public struct Digest: Sendable, Hashable, CustomStringConvertible {
    public static let size = 32
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// What the chain of an empty log begins with.
    public static let zero = Digest(words: (0, 0, 0, 0))

    private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// - Precondition: there are 32 bytes at `start`.
    public init(at start: UnsafeRawPointer) {
        words = (
            start.loadUnaligned(as: UInt64.self), start.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            start.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            start.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// The digest of some bytes. Whoever hashes many keeps a `ChainHasher`.
    public init(of bytes: [UInt8]) {
        self = withUnsafeTemporaryAllocation(byteCount: Self.size, alignment: 8) { out in
            guard let start = out.baseAddress,
                EVP_Digest(bytes, bytes.count, start, nil, EVP_sha256(), nil) == 1
            else { preconditionFailure("libcrypto failed to hash") }
            return Digest(at: start)
        }
    }

    /// Of 64 hexadecimal digits, as `description` writes them.
    public init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(text), bytes.count == Self.size else { return nil }
        self = bytes.withUnsafeBytes { raw in
            // There are 32 bytes, so there is an address.
            raw.baseAddress.map { Digest(at: $0) } ?? .zero
        }
    }

    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words, body)
    }

    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// 64 hexadecimal digits.
    public var description: String {
        withBytes { Hexadecimal.text($0) }
    }

    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
