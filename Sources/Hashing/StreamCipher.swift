internal import COpenSSL

/// AES-256-CTR: conceals bytes wherever they lie in a stream, and reveals them again. It proves nothing of them.
public struct StreamCipher: Sendable {
    public static let keyBytes = 32
    private static let blockBytes = 16
    /// What libcrypto takes at once.
    private static let pieceBytes = 1 << 30

    private let key: SecretBytes

    /// - Parameter key: of 32 bytes, and for one stream alone.
    public init(_ key: SecretBytes) {
        precondition(key.count == Self.keyBytes, "AES-256 takes keys of 32 bytes")
        self.key = key
    }

    /// Conceals bytes that lie at `offset` of the stream, or reveals them.
    public func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        var done = 0
        while done < bytes.count {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: bytes[done..<min(bytes.count, done + Self.pieceBytes)])
            let at = offset + done
            let isDone = key.withBytes { key in
                belfry_aes256ctr(
                    key.bindMemory(to: UInt8.self).baseAddress, UInt64(at / Self.blockBytes), at % Self.blockBytes,
                    piece.baseAddress, piece.count, piece.baseAddress)
            }
            precondition(isDone == 1, "libcrypto failed to conceal")
            done += piece.count
        }
    }
}
