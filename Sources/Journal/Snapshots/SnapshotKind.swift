internal import CivilTime
internal import Hashing
internal import Notices

/// The kind of a snapshot. The file begins with its magic and version; a reader of another kind passes over it.
public struct SnapshotKind: Sendable, Equatable {
    /// What the file is called, beside the log.
    public let fileName: String
    public let magic: UInt64
    /// Of the file's layout and of what is in it; a program of another version does without.
    public let version: UInt32

    /// Of the log's people and fact ids.
    static let index = SnapshotKind(fileName: LogFile.index, magic: 0x0A50_4E53_4C45_42FF, version: 3)

    /// Of the folded state. Its version is the fold's own: a program that folds otherwise must not believe it.
    public static func state(version: UInt32) -> SnapshotKind {
        SnapshotKind(fileName: LogFile.state, magic: 0x0A45_5441_5453_42FF, version: version)
    }

    /// Of the figures. Its version is that of what they mean.
    public static func numbers(version: UInt32) -> SnapshotKind {
        SnapshotKind(fileName: LogFile.numbers, magic: 0x0A53_524D_554E_42FF, version: version)
    }

    /// The same in a file of another name: one that is still to be looked at.
    public func named(_ fileName: String) -> SnapshotKind {
        SnapshotKind(fileName: fileName, magic: magic, version: version)
    }

    /// Where the log stood, as the first bytes of a snapshot say; `nil` for another kind, version or log.
    public func head(of bytes: [UInt8], _ identity: LogIdentity) -> LogHead? {
        bytes.withUnsafeBytes { SnapshotHeader.head($0, self, identity) }
    }
}

/// The file's header, the same for every kind.
enum SnapshotHeader {
    static let size = 104

    static func write(
        _ kind: SnapshotKind, _ head: LogHead, _ identity: LogIdentity, seal: SnapshotSeal?,
        into buffer: inout ByteBuffer
    ) {
        buffer.appendLittleEndian(kind.magic)
        buffer.appendLittleEndian(kind.version)
        buffer.appendLittleEndian(UInt32(size))
        buffer.appendLittleEndian(identity.words.0)
        buffer.appendLittleEndian(identity.words.1)
        buffer.appendLittleEndian(head.position)
        buffer.appendLittleEndian(head.lastSeq)
        buffer.appendLittleEndian(head.at.milliseconds)
        head.hash.withBytes { buffer.append($0) }
        buffer.appendLittleEndian(seal?.number ?? 0)
        buffer.appendLittleEndian(Checksum.of(buffer.bytes))
        buffer.appendLittleEndian(UInt32(0))
    }

    /// Where the log stood when the snapshot was taken; `nil` for another kind, version or log, or what is not whole.
    static func head(_ bytes: UnsafeRawBufferPointer, _ kind: SnapshotKind, _ identity: LogIdentity) -> LogHead? {
        guard let place = place(bytes), place.identity == identity, bytes.word(0, as: UInt64.self) == kind.magic,
            bytes.word(8, as: UInt32.self) == kind.version
        else { return nil }
        return place.head
    }

    /// Tells under which stream all behind the header is concealed; 0 where it lies in the clear.
    static func seal(_ bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.word(88) }

    /// Of which log it was taken and where that stood, whatever the snapshot's kind and version: they change what is in
    /// it, and not what its taking says of the log.
    static func place(_ bytes: UnsafeRawBufferPointer) -> (identity: LogIdentity, head: LogHead)? {
        guard bytes.count >= size, let start = bytes.baseAddress, bytes.word(12, as: UInt32.self) == UInt32(size),
            bytes.word(96, as: UInt32.self) == Checksum.of(bytes.piece(0, 96))
        else { return nil }
        let head = LogHead(
            position: bytes.word(32), lastSeq: bytes.word(40), at: Instant(milliseconds: bytes.word(48)),
            hash: Digest(at: start + 56))
        return (LogIdentity(words: (bytes.word(16), bytes.word(24))), head)
    }
}
