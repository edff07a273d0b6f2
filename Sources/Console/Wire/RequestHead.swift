/// The head of a request, and how whatever follows it is framed (RFC 9112).
struct RequestHead: Sendable, Equatable {
    enum Body: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    var request: HTTPRequest
    var body: Body
    /// Whether another request may follow on the same connection.
    var keepsAlive: Bool
    /// Whether the client waits to be told before it sends the body.
    var awaitsContinue: Bool
    /// Whether an answer may be sent in chunks; HTTP/1.0 has none.
    var knowsChunks = true

    /// How long the body is; `nil` where that shows only as it comes.
    var announced: Int? {
        switch body {
        case .none: 0
        case .length(let count): count
        case .chunked: nil
        }
    }
}

/// Why bytes are no request. What follows them cannot be told from it any more, so the connection ends with the answer.
enum WireProblem: Error, Equatable {
    case requestLine
    case lineEnd
    case control(UInt8)
    case targetTooLong
    case target
    case version
    case headTooLarge(bytesMax: Int)
    case tooManyFields(most: Int)
    case field
    case foldedField
    case spaceBeforeColon
    case noHost
    case badHost
    case severalLengths
    case badLength(String)
    case lengthAndCoding
    case badCoding
    case unknownCoding(String)
    case codingInOldVersion
    case expectation
    case chunkSize
    case chunkEnd
    case chunkOverhead

    var status: RefusalStatus {
        switch self {
        case .targetTooLong: .targetTooLong
        case .expectation: .expectation
        case .headTooLarge, .tooManyFields, .chunkOverhead: .headTooLarge
        case .unknownCoding: .notImplemented
        case .version: .version
        case .requestLine, .lineEnd, .control, .target, .field, .foldedField, .spaceBeforeColon, .noHost, .badHost,
            .severalLengths, .badLength, .lengthAndCoding, .badCoding, .codingInOldVersion, .chunkSize, .chunkEnd:
            .badRequest
        }
    }
}
