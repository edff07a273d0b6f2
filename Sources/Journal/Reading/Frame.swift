public import Hashing
public import CivilTime
internal import Notices

/// A whole commit, read and checked. Its bytes are valid until the next one is read.
public struct Frame {
    public let position: UInt64
    public let firstSeq: UInt64
    public let at: Instant
    public let body: UnsafeRawBufferPointer
    /// The header and all, as the hash chain sees it.
    public let bytes: UnsafeRawBufferPointer
    /// Everything before this position was durable when the commit was written.
    public let durableBefore: UInt64
    /// Opens what is sealed in it; `nil` where nothing is, or without keys.
    let opener: LentSealer?
    /// The hash of everything before it, as the commit itself carries it.
    public let previousHash: Digest

    init(
        position: UInt64, firstSeq: UInt64, at: Instant, body: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer,
        durableBefore: UInt64, sealer: (any FieldSealer)?, previousHash: Digest
    ) {
        (self.position, self.firstSeq, self.at, self.body, self.bytes) = (position, firstSeq, at, body, bytes)
        (self.durableBefore, self.previousHash) = (durableBefore, previousHash)
        opener = sealer.map { LentSealer($0) }
    }

    public var end: UInt64 { position + UInt64(bytes.count) }
}

/// What stands at a place in a segment's file. Not a `Result`: what is generic is copied through the runtime.
enum FrameRead {
    case frame(Frame)
    case fault(FrameFault)
}

/// Why the bytes at some place are not the commit that should be there.
enum FrameFault: Error, Equatable, CustomStringConvertible {
    case incomplete
    case noFrame
    case badChecksum
    case wrongPosition(UInt64)
    case brokenChain
    case wrongSeq(UInt64)
    case clockWentBack

    var description: String {
        switch self {
        case .incomplete: "the commit is cut off by the end of the file"
        case .noFrame: "no commit begins here"
        case .badChecksum: "the commit's checksum does not match"
        case .wrongPosition(let position): "a commit of position \(position) stands here"
        case .brokenChain: "the commit does not carry the hash of what is before it"
        case .wrongSeq(let seq): "the commit begins with event \(seq), which is not the next"
        case .clockWentBack: "the commit is earlier than the one before it"
        }
    }
}
