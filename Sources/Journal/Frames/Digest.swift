internal import COpenSSL

/// A SHA-256, as the hash chain uses it (`G7`).
package struct Digest: Sendable, Hashable, CustomStringConvertible {
    package static let size = 32
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// What the chain of an empty log begins with.
    package static let zero = Digest(words: (0, 0, 0, 0))

    private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// - Precondition: there are 32 bytes at `start`.
    init(at start: UnsafeRawPointer) {
        words = (
            start.loadUnaligned(as: UInt64.self), start.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            start.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            start.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words, body)
    }

    /// 64 hexadecimal digits.
    package var description: String {
        withBytes { bytes in
            bytes.map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
    }

    package static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// Hashes commits, with the digest looked up once. Belongs to one queue.
final class ChainHasher {
    private let context: OpaquePointer
    private let digest: OpaquePointer

    init() {
        guard let context = EVP_MD_CTX_new(), let digest = EVP_MD_fetch(nil, "SHA256", nil) else {
            preconditionFailure("libcrypto has no SHA-256")
        }
        self.context = context
        self.digest = digest
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(digest)
    }

    func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
        withUnsafeTemporaryAllocation(byteCount: Digest.size, alignment: 8) { out in
            guard let start = out.baseAddress,
                belfry_sha256(context, digest, bytes.baseAddress, bytes.count, start) == 1
            else { preconditionFailure("libcrypto failed to hash") }
            return Digest(at: start)
        }
    }
}

/// 16 random bytes from the operating system, for the identity of a new log.
func randomIdentity() -> (UInt64, UInt64) {
    var words: (UInt64, UInt64) = (0, 0)
    let isFilled = withUnsafeMutableBytes(of: &words) { raw in
        RAND_bytes(raw.baseAddress, Int32(raw.count)) == 1
    }
    precondition(isFilled, "the operating system gave no random bytes")
    return words
}
