internal import Hashing
internal import CivilTime
internal import Notices

/// The 72 bytes in front of every commit; the layout is in `FORMAT.md`.
struct FrameHeader: Equatable {
    static let size = 72
    static let bodyMax = 1 << 30
    /// The first byte can stand in no UTF-8 text, so that nothing a client sends looks like a frame.
    static let magic: UInt32 = 0x4D4C_42FF

    var bodyLength: Int
    var checksum: UInt32
    /// Bytes in front of this frame that were not yet known durable when it was written. What lies before them was,
    /// which is what tells an unfinished write from damage.
    var unsyncedBefore: Int
    var position: UInt64
    var firstSeq: UInt64
    var at: Instant
    var previousHash: Digest

    /// Header, body and the zeros that fill the last eight bytes.
    var frameLength: Int { Self.frameLength(bodyLength) }

    static func frameLength(_ bodyLength: Int) -> Int { (size + bodyLength + 7) & ~7 }

    /// Everything before this position was durable when the frame was written.
    var durableBefore: UInt64 { position - UInt64(unsyncedBefore) }

    /// Reads the header without judging it; `nil` where the bytes do not begin a frame.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size, bytes.word(0, as: UInt32.self) == Self.magic else { return nil }
        bodyLength = Int(bytes.word(4, as: UInt32.self))
        checksum = bytes.word(8)
        unsyncedBefore = Int(bytes.word(12, as: UInt32.self)) * 8
        position = bytes.word(16)
        firstSeq = bytes.word(24)
        at = Instant(milliseconds: bytes.word(32))
        guard bodyLength <= Self.bodyMax, UInt64(unsyncedBefore) <= position, let start = bytes.baseAddress else {
            return nil
        }
        previousHash = Digest(at: start + 40)
    }

    init(position: UInt64, firstSeq: UInt64, at: Instant, previousHash: Digest, unsyncedBefore: Int) {
        self.position = position
        self.firstSeq = firstSeq
        self.at = at
        self.previousHash = previousHash
        self.unsyncedBefore = unsyncedBefore
        bodyLength = 0
        checksum = 0
    }

    /// The checksum of a whole frame: all of it but the four bytes that hold the checksum.
    static func checksum(of frame: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = Checksum()
        checksum.add(frame.piece(0, 8))
        checksum.add(frame.piece(12, frame.count - 12))
        return checksum.value
    }

    /// Fills in the header of the frame that begins at `start` in `buffer` and ends at its end.
    mutating func seal(in buffer: inout ByteBuffer, from start: Int, bodyLength: Int) {
        self.bodyLength = bodyLength
        buffer.overwrite(Self.magic, at: start)
        buffer.overwrite(UInt32(bodyLength), at: start + 4)
        buffer.overwrite(UInt32(unsyncedBefore / 8), at: start + 12)
        buffer.overwrite(position, at: start + 16)
        buffer.overwrite(firstSeq, at: start + 24)
        buffer.overwrite(at.milliseconds, at: start + 32)
        previousHash.withBytes { buffer.overwrite($0, at: start + 40) }
        checksum = Self.checksum(of: buffer.bytes.piece(start, buffer.count - start))
        buffer.overwrite(checksum, at: start + 8)
    }
}
