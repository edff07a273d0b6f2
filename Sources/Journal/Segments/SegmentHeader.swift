internal import CivilTime
internal import Notices

/// Which log a file belongs to: random, made with the log, and the seed of its hash tables.
package struct LogIdentity: Sendable, Equatable {
    package let words: (UInt64, UInt64)

    package init(words: (UInt64, UInt64)) { self.words = words }

    /// Of a log that has nothing in it yet.
    static let none = LogIdentity(words: (0, 0))

    package static func == (left: LogIdentity, right: LogIdentity) -> Bool { left.words == right.words }
}

/// The first 104 bytes of a segment file; the layout is in `FORMAT.md`.
struct SegmentHeader: Equatable {
    static let size = 104
    static let magic: UInt64 = 0x0A59_5246_4C45_42FF
    static let formatVersion: UInt32 = 1

    var identity: LogIdentity
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
    }

    /// The header of a segment that goes on where the chain stands.
    init(identity: LogIdentity, after head: LogHead, peopleBefore: Int) {
        self.identity = identity
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
        guard version == Self.formatVersion, bytes.word(12, as: UInt32.self) == UInt32(Self.size) else {
            throw .badChecksum
        }
        // The last four bytes are behind the checksum, and are nothing.
        guard bytes.word(100, as: UInt32.self) == 0 else { throw .badChecksum }
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
        buffer.appendLittleEndian(Self.formatVersion)
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

/// What the files of a log are called.
enum LogFile {
    static let lock = "lock"
    static let witness = "durable"
    static let index = "index.snapshot"
    /// Where a running worker is asked.
    static let socket = "belfry.sock"
    /// What a freshly made file system has at its root.
    static let newFileSystem = "lost+found"
    static let segmentSuffix = ".segment"
    static let tornSuffix = ".torn"
    static let temporarySuffix = ".tmp"

    /// Twenty digits, so that names sort as positions do.
    static func segment(_ firstPosition: UInt64) -> String {
        let digits = String(firstPosition)
        return String(repeating: "0", count: 20 - digits.count) + digits + segmentSuffix
    }

    static func firstPosition(_ name: String) -> UInt64? {
        guard name.hasSuffix(segmentSuffix) else { return nil }
        let digits = name.dropLast(segmentSuffix.count)
        guard digits.utf8.count == 20, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return UInt64(digits)
    }

    /// Whether a file may lie in a log's directory without being asked about.
    static func mayLieInALog(_ name: String) -> Bool {
        [lock, witness, index, socket, newFileSystem].contains(name) || firstPosition(name) != nil
            || name.hasSuffix(tornSuffix) || name.hasSuffix(temporarySuffix)
    }
}
