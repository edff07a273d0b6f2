internal import Journal

/// What all who follow the same events in the same form share: the latest stretch of it, rendered once.
struct EventChannel {
    struct Key: Hashable, Sendable {
        var filter: EventFilter
        var form: EventForm
    }

    /// What there is for somebody who has had everything up to some event.
    enum Found {
        case piece(EventPiece)
        case nothing
        /// It is kept here no more, or never was: the log has it.
        case behind
    }

    /// No other channel had it before or will have it.
    let number: UInt64
    /// Who is to be told when there is more.
    var waiting: [ObjectIdentifier: EventStream] = [:]
    var followers = 0
    /// Every event of the channel behind this one is in `pieces`; `nil` until the tail knows of the channel.
    private(set) var keptSince: UInt64?
    private var pieces: ArraySlice<EventPiece> = []
    private(set) var size = 0

    init(number: UInt64) { self.number = number }

    var isLive: Bool { keptSince != nil }
    var pieceCount: Int { pieces.count }

    mutating func goLive(after seq: UInt64) { keptSince = keptSince ?? seq }

    /// - Parameter head: up to which event the tail has read.
    mutating func find(after seq: UInt64, head: UInt64) -> Found {
        guard let keptSince else { return seq < head ? .behind : .nothing }
        guard seq >= keptSince else { return .behind }
        var (low, high) = (pieces.startIndex, pieces.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if pieces[middle].lastSeq <= seq { low = middle + 1 } else { high = middle }
        }
        guard low < pieces.endIndex else { return .nothing }
        // Who stands in the middle of a piece reads the rest of it from the log, so that nothing comes twice.
        guard pieces[low].firstSeq > seq else { return .behind }
        pieces[low].isSealed = true
        return .piece(pieces[low])
    }

    /// Takes in what has come. Returns how many pieces are new.
    mutating func add(_ fresh: [EventPiece]) -> Int {
        let before = pieces.count
        for piece in fresh {
            size += piece.size
            // What nobody has yet goes on together.
            if let last = pieces.last, !last.isSealed, !piece.beginsAnew, last.size + piece.size <= EventPiece.bytesMax
            {
                pieces[pieces.endIndex - 1].add(piece)
            } else {
                pieces.append(piece)
            }
        }
        return pieces.count - before
    }

    /// The tail begins anew elsewhere.
    mutating func forgetAll() { (keptSince, pieces, size) = (nil, [], 0) }

    /// Lets go of all that begins in front of this event. Returns how many pieces that were.
    mutating func forget(before seq: UInt64) -> Int {
        var count = 0
        while let oldest = pieces.first, oldest.firstSeq < seq {
            _ = forgetOldest()
            count += 1
        }
        return count
    }

    /// Lets the oldest piece go, and says how large it was.
    mutating func forgetOldest() -> Int {
        guard let oldest = pieces.popFirst() else { return 0 }
        size -= oldest.size
        keptSince = max(keptSince ?? 0, oldest.lastSeq)
        // What a slice has dropped in front it keeps in memory until it is copied.
        if pieces.startIndex > 64 { pieces = ArraySlice(Array(pieces)) }
        return oldest.size
    }
}
