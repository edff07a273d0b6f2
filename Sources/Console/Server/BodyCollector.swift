/// Puts a body together as it comes in, up to a limit, and undoes its content coding when it is whole.
struct BodyCollector: Sendable {
    enum Problem: Error, Equatable {
        case tooLarge(bytesMax: Int)
        /// The server holds all it may hold.
        case noRoom
        case notGzip(String)
    }

    private let bytesMax: Int
    private let isGzip: Bool
    private var bytes: [UInt8] = []
    private var problem: Problem?

    init(bytesMax: Int, isGzip: Bool) {
        self.bytesMax = bytesMax
        self.isGzip = isGzip
    }

    /// Whether nothing is kept any more, for a reason that `finish` tells.
    var hasFailed: Bool { problem != nil }
    var failure: HTTPResponse? { problem?.response }
    /// Whether there is nothing to do in finishing it.
    var isEmpty: Bool { bytes.isEmpty && !isGzip && problem == nil }

    /// Takes the next piece. Once there is a problem everything is let go and the rest passed over.
    ///
    /// - Parameter hasRoom: asked before so many more bytes are held.
    mutating func take(_ piece: UnsafeRawBufferPointer, hasRoom: (Int) -> Bool) {
        guard problem == nil else { return }
        guard bytes.count + piece.count <= bytesMax else { return give(up: .tooLarge(bytesMax: bytesMax)) }
        guard hasRoom(piece.count) else { return give(up: .noRoom) }
        bytes.append(contentsOf: piece)
    }

    /// The body as it was meant. Unpacking may take long, so this is done on a lane.
    consuming func finish(hasRoom: (Int) -> Bool) throws(Problem) -> [UInt8] {
        if let problem { throw problem }
        return isGzip ? try unpacked(hasRoom) : bytes
    }

    private func unpacked(_ hasRoom: (Int) -> Bool) throws(Problem) -> [UInt8] {
        let inflater = Inflater()
        var whole: [UInt8] = []
        var problem: Problem?
        do throws(Inflater.Problem) {
            try bytes.withUnsafeBufferPointer { (packed) throws(Inflater.Problem) in
                try inflater.inflate(UnsafeRawBufferPointer(packed)) { piece in
                    if whole.count + piece.count > bytesMax {
                        problem = .tooLarge(bytesMax: bytesMax)
                    } else if !hasRoom(piece.count) {
                        problem = .noRoom
                    } else {
                        whole.append(contentsOf: piece)
                    }
                    return problem == nil ? .more : .enough
                }
            }
        } catch {
            throw .notGzip(error.text)
        }
        if let problem { throw problem }
        guard inflater.isWhole else { throw .notGzip("the end is missing") }
        return whole
    }

    private mutating func give(up problem: Problem) {
        self.problem = problem
        bytes = []
    }
}

extension BodyCollector.Problem {
    var response: HTTPResponse {
        switch self {
        case .tooLarge(let bytesMax): .error(.tooLarge, "the body is larger than \(bytesMax) bytes; send it in parts")
        case .noRoom: .notNow("too much is being answered; try again")
        case .notGzip(let problem): .error(.badRequest, "the body is not gzip: \(problem)")
        }
    }
}
