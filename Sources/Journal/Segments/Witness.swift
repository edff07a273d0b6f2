internal import Hashing
internal import Notices

/// A note beside the log of how much of it has been acknowledged.
///
/// Written after every sync and never synced itself: it may be behind, never ahead. A log that ends before its
/// witness has lost acknowledged commits, so even a cut or a flipped bit at the very end is damage and not a torn tail.
struct Witness: Equatable {
    static let size = 72
    private static let magic: UInt64 = 0x0A54_5352_4C45_42FF

    var identity: LogIdentity
    var position: UInt64
    var lastSeq: UInt64
    var hash: Digest

    init(identity: LogIdentity, position: UInt64, lastSeq: UInt64, hash: Digest) {
        self.identity = identity
        self.position = position
        self.lastSeq = lastSeq
        self.hash = hash
    }

    /// `nil` for what is no whole witness; a power cut may have left that.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size + 4, let start = bytes.baseAddress, bytes.word(0, as: UInt64.self) == Self.magic,
            bytes.word(Self.size, as: UInt32.self) == Checksum.of(bytes.piece(0, Self.size))
        else { return nil }
        identity = LogIdentity(words: (bytes.word(8), bytes.word(16)))
        position = bytes.word(24)
        lastSeq = bytes.word(32)
        hash = Digest(at: start + 40)
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.removeAll()
        buffer.appendLittleEndian(Self.magic)
        buffer.appendLittleEndian(identity.words.0)
        buffer.appendLittleEndian(identity.words.1)
        buffer.appendLittleEndian(position)
        buffer.appendLittleEndian(lastSeq)
        hash.withBytes { buffer.append($0) }
        buffer.appendLittleEndian(Checksum.of(buffer.bytes))
    }

    static func read(_ disk: any Disk, _ directory: String) throws(DiskError) -> Witness? {
        let path = DiskPath.join(directory, LogFile.witness)
        guard try disk.status(of: path) != nil else { return nil }
        let bytes = try disk.contents(of: path, limit: 4096)
        return bytes.withUnsafeBytes { Witness($0) }
    }

    /// A witness of another log beside this one is a mistake of whoever copied files here.
    func belongs(to log: LogDirectory) throws(JournalError) {
        guard let own = log.identity, own != identity else { return }
        throw .damaged(
            Damage(
                DiskPath.join(log.path, LogFile.witness),
                "this file belongs to another log; remove it if the segments were copied here on purpose"))
    }
}
