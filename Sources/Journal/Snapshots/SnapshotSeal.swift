internal import Hashing
internal import Notices

/// Conceals what lies behind a snapshot's header, where the log's keys lie in a database: its copies are on many machines, and an
/// erasure cannot write them anew. It takes their key away.
struct SnapshotSeal: Sendable {
    static let pieceBytes = 1 << 20

    /// Drawn for each snapshot, and written into its header; never 0.
    let number: UInt64
    private let cipher: StreamCipher

    init(_ key: SecretBytes, _ kind: SnapshotKind, _ head: LogHead) {
        self.init(key, kind, head, number: max(1, randomIdentity().0))
    }

    init(_ key: SecretBytes, _ kind: SnapshotKind, _ head: LogHead, number: UInt64) {
        self.number = number
        var message = ByteBuffer()
        for word in [number, kind.magic, head.position] { message.appendLittleEndian(word) }
        let code = key.withBytes { Authentication.hmacSHA256(message.bytes, key: $0) }
        cipher = StreamCipher(code.withUnsafeBytes { SecretBytes(copying: $0) })
    }

    /// - Parameter offset: where in the file the bytes lie.
    func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) { cipher.apply(to: bytes, at: offset) }

    func applied(to bytes: UnsafeRawBufferPointer, at offset: Int) -> [UInt8] {
        var sealed = Array(bytes)
        sealed.withUnsafeMutableBytes { apply(to: $0, at: offset) }
        return sealed
    }
}
