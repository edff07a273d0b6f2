/// A request whose head is there and whose body is coming in.
struct Incoming {
    let head: RequestHead
    /// Decided by the head; the body is read and thrown away.
    let refusal: HTTPResponse?
    private(set) var collector: BodyCollector
    private var chunks: ChunkReader?
    /// How much of a body of known length is still to come.
    private var left: Int
    /// How much has come of it.
    private(set) var taken = 0

    init(_ head: RequestHead, refusal: HTTPResponse?, collector: BodyCollector) {
        self.head = head
        self.refusal = refusal
        self.collector = collector
        chunks = head.body == .chunked ? ChunkReader() : nil
        left = head.announced ?? 0
    }

    var isWhole: Bool { chunks?.isAtEnd ?? (left == 0) }

    /// Takes what belongs to the body. Returns how many bytes do.
    ///
    /// - Parameter hasRoom: asked before so many more bytes are held.
    mutating func take(_ bytes: UnsafeRawBufferPointer, hasRoom: (Int) -> Bool) throws(WireProblem) -> Int {
        guard chunks != nil else {
            let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(left))
            left -= piece.count
            keep(piece, hasRoom)
            return piece.count
        }
        var reader = chunks ?? ChunkReader()
        defer { chunks = reader }
        return try reader.read(bytes) { keep($0, hasRoom) }
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer, _ hasRoom: (Int) -> Bool) {
        taken += piece.count
        if refusal == nil { collector.take(piece, hasRoom: hasRoom) }
    }
}
