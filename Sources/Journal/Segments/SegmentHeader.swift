internal import Hashing
internal import CivilTime
internal import Notices

/// The first 104 bytes of a segment file; the layout is in `FORMAT.md`.
struct SegmentHeader: Equatable {
    static let size = 104
    static let magic: UInt64 = 0x0A59_5246_4C45_42FF
    /// The newest. Fields stand in the clear in a log of version 1, and are sealed in one of version 2.
    static let formatVersion: UInt32 = 2
    private static let plainVersion: UInt32 = 1

    var identity: LogIdentity
    /// Whether what tells who people are is sealed in it (`E2`): so from a log's first segment on, or never.
    var isSealed: Bool
    /// Where in the log its first commit begins.
    var firstPosition: UInt64
    var firstSeq: UInt64
    /// How many people the log knew before this segment.
    var peopleBefore: UInt64
    /// The hash that the first commit carries.
    var previousHash: Digest
    /// The instant of the last commit before this segment.
    var previousAt: Instant

    /// Where the chain stands in front of the segment.
    var head: LogHead {
        LogHead(position: firstPosition, lastSeq: firstSeq - 1, at: previousAt, hash: previousHash)
    }

    enum Fault: Error, Equatable {
        case incomplete
        case notASegment
        case newerVersion(Int)
        case badChecksum

        /// What is wrong with a file that should begin with a header.
        var sentence: String {
            switch self {
            case .incomplete: "the file ends within its first \(SegmentHeader.size) bytes, the header of a segment"
            case .notASegment: "the first 8 bytes are not the mark that every segment begins with"
            case .newerVersion(let version): "the segment is of the newer format \(version)"
            case .badChecksum: "the header of the segment does not fit its checksum"
            }
        }
    }

    /// The header of a segment that goes on where the chain stands.
    init(identity: LogIdentity, after head: LogHead, peopleBefore: Int, isSealed: Bool = false) {
        self.identity = identity
        self.isSealed = isSealed
        firstPosition = head.position
        firstSeq = head.lastSeq + 1
        self.peopleBefore = UInt64(peopleBefore)
        previousHash = head.hash
        previousAt = head.at
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        guard bytes.count >= Self.size, let start = bytes.baseAddress else { throw .incomplete }
        guard bytes.word(0, as: UInt64.self) == Self.magic else { throw .notASegment }
        guard bytes.word(96, as: UInt32.self) == Checksum.of(bytes.piece(0, 96)) else { throw .badChecksum }
        let version: UInt32 = bytes.word(8)
        guard version <= Self.formatVersion else { throw .newerVersion(Int(version)) }
        guard version >= Self.plainVersion, bytes.word(12, as: UInt32.self) == UInt32(Self.size) else {
            throw .badChecksum
        }
        // The last four bytes are behind the checksum, and are nothing.
        guard bytes.word(100, as: UInt32.self) == 0 else { throw .badChecksum }
        isSealed = version > Self.plainVersion
        identity = LogIdentity(words: (bytes.word(16), bytes.word(24)))
        firstPosition = bytes.word(32)
        firstSeq = bytes.word(40)
        guard firstSeq > 0, firstPosition % 8 == 0 else { throw .badChecksum }
        peopleBefore = bytes.word(48)
        previousHash = Digest(at: start + 56)
        previousAt = Instant(milliseconds: bytes.word(88))
    }

    func write(into buffer: inout ByteBuffer) {
        let start = buffer.count
        buffer.appendLittleEndian(Self.magic)
        buffer.appendLittleEndian(isSealed ? Self.formatVersion : Self.plainVersion)
        buffer.appendLittleEndian(UInt32(Self.size))
        buffer.appendLittleEndian(identity.words.0)
        buffer.appendLittleEndian(identity.words.1)
        buffer.appendLittleEndian(firstPosition)
        buffer.appendLittleEndian(firstSeq)
        buffer.appendLittleEndian(peopleBefore)
        previousHash.withBytes { buffer.append($0) }
        buffer.appendLittleEndian(previousAt.milliseconds)
        buffer.appendLittleEndian(Checksum.of(buffer.bytes.piece(start, 96)))
        buffer.appendLittleEndian(UInt32(0))
    }
}
