/// Puts a body together as it comes in, up to a limit, with its content coding undone.
struct BodyCollector {
    enum Problem: Error, Equatable {
        case tooLarge(bytesMax: Int)
        /// The server holds all it may hold.
        case noRoom
        case notGzip(String)
    }

    private let bytesMax: Int
    private let inflater: Inflater?
    private var bytes: [UInt8] = []
    private var problem: Problem?

    init(bytesMax: Int, isGzip: Bool) {
        self.bytesMax = bytesMax
        inflater = isGzip ? Inflater() : nil
    }

    /// Whether nothing is kept any more, for a reason that `finish` tells.
    var hasFailed: Bool { problem != nil }

    /// Takes the next piece. Once there is a problem everything is let go and the rest passed over.
    ///
    /// - Parameter hasRoom: asked before so many more bytes are held.
    mutating func take(_ piece: UnsafeRawBufferPointer, hasRoom: (Int) -> Bool) {
        guard problem == nil else { return }
        guard let inflater else { return _ = keep(piece, hasRoom) }
        do throws(Inflater.Problem) {
            try inflater.inflate(piece) { keep($0, hasRoom) ? .more : .enough }
        } catch {
            give(up: .notGzip(error.text))
        }
    }

    consuming func finish() throws(Problem) -> [UInt8] {
        if let problem { throw problem }
        if let inflater, !inflater.isWhole { throw .notGzip("the end is missing") }
        return bytes
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer, _ hasRoom: (Int) -> Bool) -> Bool {
        guard bytes.count + piece.count <= bytesMax else { return give(up: .tooLarge(bytesMax: bytesMax)) }
        guard hasRoom(piece.count) else { return give(up: .noRoom) }
        bytes.append(contentsOf: piece)
        return true
    }

    @discardableResult
    private mutating func give(up problem: Problem) -> Bool {
        self.problem = problem
        bytes = []
        return false
    }
}

extension BodyCollector.Problem {
    var response: HTTPResponse {
        switch self {
        case .tooLarge(let bytesMax): .error(413, "the body is larger than \(bytesMax) bytes; send it in parts")
        case .noRoom: .notNow("too much is being answered; try again")
        case .notGzip(let problem): .error(400, "the body is not gzip: \(problem)")
        }
    }
}
