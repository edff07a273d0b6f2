package import Hashing
package import CivilTime

/// A whole commit, read and checked. The bytes are good until the next one is read.
package struct Frame {
    package let position: UInt64
    package let firstSeq: UInt64
    package let at: Instant
    package let body: UnsafeRawBufferPointer
    /// The header and all, as the hash chain sees it.
    package let bytes: UnsafeRawBufferPointer
    /// Everything before this position was durable when the commit was written.
    package let durableBefore: UInt64
    /// The hash of everything before it, as the commit itself carries it.
    package let previousHash: Digest

    package var end: UInt64 { position + UInt64(bytes.count) }
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
