/// An answer on its way.
struct Outgoing {
    private let head: [UInt8]
    private let body: [UInt8]
    private var sent = 0
    /// Whether the connection ends with it.
    let closes: Bool
    /// What follows in pieces, once this is sent.
    let stream: BodyStream?

    /// - Parameter isBodyWanted: `false` for `HEAD`.
    init(_ response: consuming HTTPResponse, head: consuming [UInt8], isBodyWanted: Bool, closes: Bool) {
        let body = isBodyWanted ? response.body : []
        stream = isBodyWanted ? response.stream : nil
        // One call and one packet for what is small.
        let isSmall = body.count <= 16 << 10
        self.head = isSmall ? head + body : head
        self.body = isSmall ? [] : body
        self.closes = closes
    }

    enum Progress { case done, more, waits, failed }

    /// Sends as much as goes.
    mutating func send(to descriptor: Int32) -> Progress {
        let part = sent < head.count ? head[sent...] : body[(sent - head.count)...]
        guard !part.isEmpty else { return .done }
        let count = part.withUnsafeBytes { SocketCall.send(descriptor, $0) }
        if count == -Int(SocketCall.tryAgain) { return .waits }
        if count == -Int(SocketCall.interrupted) { return .more }
        guard count > 0 else { return .failed }
        sent += count
        return sent == head.count + body.count ? .done : .more
    }
}
