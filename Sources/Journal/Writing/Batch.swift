internal import Notices

/// Commits that are written and synced together.
///
/// Safe to share: only the journal's queue fills it, and nothing changes it once it is sealed and handed to the
/// writer. Both sides then only read it.
public final class Batch: @unchecked Sendable {
    /// The header of the segment that this batch begins, if it begins one.
    let opens: SegmentHeader?
    let firstPosition: UInt64
    /// Opens what is sealed in it, on the journal's queue.
    private let sealer: (any FieldSealer)?
    var bytes: ByteBuffer
    var end: LogHead

    /// - Parameter buffer: an empty one to write into, taken over.
    init(at head: LogHead, opens: SegmentHeader?, _ sealer: (any FieldSealer)?, in buffer: consuming ByteBuffer) {
        self.sealer = sealer
        bytes = buffer
        self.opens = opens
        firstPosition = head.position
        end = head
    }

    var isEmpty: Bool { bytes.count == 0 }

    /// Whole frames, end to end: what a log elsewhere takes of it.
    public var frames: [UInt8] { Array(bytes.bytes) }
    /// Where the first of them begins.
    public var position: UInt64 { firstPosition }
    /// The log's head once it is durable.
    public var head: LogHead { end }

    func holds(_ position: UInt64) -> Bool { position >= firstPosition && position < end.position }

    /// The frame that begins at `position`, which this batch holds.
    func frame(at position: UInt64) -> Frame {
        let start = Int(position - firstPosition)
        let rest = bytes.bytes.piece(start, bytes.count - start)
        guard let header = FrameHeader(rest) else { preconditionFailure("no frame at \(position) of the batch") }
        return Frame(
            position: position, firstSeq: header.firstSeq, at: header.at,
            body: rest.piece(FrameHeader.size, header.bodyLength), bytes: rest.piece(0, header.frameLength),
            durableBefore: header.durableBefore, sealer: sealer, previousHash: header.previousHash)
    }
}
