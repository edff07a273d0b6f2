internal import Hashing
/// Checks that each commit continues the one before it.
struct Chain {
    private(set) var head: LogHead
    private let hasher: ChainHasher?

    /// - Parameter hasher: without one the hashes are not looked at, only places, numbers and instants.
    init(from head: LogHead, hasher: ChainHasher?) {
        self.head = head
        self.hasher = hasher
    }

    /// Takes a commit of `events` events in.
    mutating func take(_ frame: Frame, events: Int) throws(FrameFault) {
        guard frame.position == head.position else { throw .wrongPosition(frame.position) }
        guard frame.firstSeq == head.lastSeq &+ 1 else { throw .wrongSeq(frame.firstSeq) }
        guard frame.at >= head.at else { throw .clockWentBack }
        var hash = Digest.zero
        if let hasher {
            guard frame.previousHash == head.hash else { throw .brokenChain }
            hash = hasher.hash(frame.bytes)
        }
        let (lastSeq, isTooMany) = head.lastSeq.addingReportingOverflow(UInt64(events))
        guard !isTooMany else { throw .wrongSeq(frame.firstSeq) }
        head = LogHead(position: frame.end, lastSeq: lastSeq, at: frame.at, hash: hash)
    }
}
