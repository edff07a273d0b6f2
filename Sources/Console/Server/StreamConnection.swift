/// One connection over which an answer comes in pieces. Belongs to the streams' thread, and never waits.
final class StreamConnection {
    enum Progress {
        /// There may be more to send at once.
        case more
        /// There is nothing to send.
        case idle
        /// The client has to take some of it first.
        case blocked
        /// Everything was sent, and the end of it.
        case ended
        /// The client has gone.
        case gone
    }

    let descriptor: Int32
    let stream: BodyStream
    private let isChunked: Bool
    private var head: [UInt8] = []
    private var piece: [UInt8] = []
    private var tail: [UInt8] = []
    private var sent = 0
    private var isAtEnd = false
    private var mustEnd = false
    /// When the piece that is being sent was begun.
    private var pieceSince: SuspendingClock.Instant
    /// When a byte was taken last.
    private(set) var lastByte: SuspendingClock.Instant
    /// What the client has sent although nobody asked for it.
    private var stray = 0
    /// Until when it may linger once its end was sent.
    var lingersUntil: SuspendingClock.Instant?
    /// Whether it stands in line to be sent to.
    var isInLine = false
    /// When it was asked last whether the client still may read.
    var checkedAt: SuspendingClock.Instant
    /// Whether it is told when there is room.
    var awaitsRoom = false

    init(_ arrival: StreamArrival, now: SuspendingClock.Instant) {
        descriptor = arrival.descriptor
        stream = arrival.stream
        isChunked = arrival.isChunked
        pieceSince = now
        lastByte = now
        checkedAt = now
    }

    private var size: Int { head.count + piece.count + tail.count }
    private var isBetweenPieces: Bool { sent == size }

    /// Sends as much as goes, up to a few pieces, so that the others get their turn.
    func goOn(pieces: Int, now: SuspendingClock.Instant) -> Progress {
        var left = pieces
        while true {
            if !isBetweenPieces {
                switch flush(now) {
                case .more: continue
                case let other: return other
                }
            }
            if isAtEnd { return .ended }
            if mustEnd {
                end()
                continue
            }
            guard left > 0 else { return .more }
            left -= 1
            switch stream.next() {
            case .piece(let bytes): take(bytes, now)
            case .nothing: return .idle
            case .end: end()
            case .broken: return .gone
            }
        }
    }

    private func take(_ bytes: [UInt8], _ now: SuspendingClock.Instant) {
        guard !bytes.isEmpty else { return }
        sent = 0
        piece = bytes
        pieceSince = now
        guard isChunked else { return }
        head = Array("\(String(bytes.count, radix: 16))\r\n".utf8)
        tail = Self.lineEnd
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    /// The end of the body, which a client can tell from a connection that broke.
    private func end() {
        isAtEnd = true
        (head, piece, tail, sent) = (isChunked ? Array("0\r\n\r\n".utf8) : [], [], [], 0)
    }

    private func flush(_ now: SuspendingClock.Instant) -> Progress {
        let count = SocketCall.send(descriptor, [head, piece, tail], from: sent)
        if count == -Int(SocketCall.tryAgain) { return .blocked }
        if count == -Int(SocketCall.interrupted) { return .more }
        guard count > 0 else { return .gone }
        sent += count
        lastByte = now
        if isBetweenPieces { (head, piece, tail, sent) = ([], [], [], 0) }
        return .more
    }

    /// A sign of life, where nothing else is on its way.
    func beat(now: SuspendingClock.Instant) {
        if isBetweenPieces, !isAtEnd { take(stream.heartbeat, now) }
    }

    /// What is on its way is the last of it.
    func finish() { mustEnd = true }

    /// Whether the client takes too long with what waits for it.
    func isStalled(_ limits: StreamLimits, now: SuspendingClock.Instant) -> Bool {
        if let lingersUntil { return lingersUntil <= now }
        guard !isBetweenPieces else { return false }
        // While nothing was to be sent the client owed nothing.
        return max(lastByte, pieceSince) + limits.stallTime <= now || pieceSince + limits.pieceTime <= now
    }

    /// Throws away what nobody asked for. `false` when the client has gone or does not stop.
    func drain(_ scratch: UnsafeMutableRawBufferPointer, _ limits: StreamLimits) -> Bool {
        let count = SocketCall.receive(descriptor, scratch)
        if count == -Int(SocketCall.tryAgain) || count == -Int(SocketCall.interrupted) { return true }
        guard count > 0 else { return false }
        stray += count
        return stray <= limits.strayBytesMax
    }

    func close() {
        SocketCall.close(descriptor)
        stream.close()
    }
}
