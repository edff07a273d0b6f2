/// The statuses of answers that say why something was not done. Whatever refuses names one of these, so that the description
/// of the API and the answers cannot part ways.
public enum RefusalStatus: Int, Sendable, CaseIterable, Comparable {
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case wrongMethod = 405
    case tooSlow = 408
    case conflict = 409
    case tooLarge = 413
    case targetTooLong = 414
    case unsupportedType = 415
    case expectation = 417
    case misdirected = 421
    case tooMany = 429
    case headTooLarge = 431
    case failed = 500
    case notImplemented = 501
    case notNow = 503
    case version = 505

    public static func < (left: RefusalStatus, right: RefusalStatus) -> Bool { left.rawValue < right.rawValue }

    /// As the registry of HTTP calls it.
    var name: String {
        switch self {
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .wrongMethod: "Method Not Allowed"
        case .tooSlow: "Request Timeout"
        case .conflict: "Conflict"
        case .tooLarge: "Content Too Large"
        case .targetTooLong: "URI Too Long"
        case .unsupportedType: "Unsupported Media Type"
        case .expectation: "Expectation Failed"
        case .misdirected: "Misdirected Request"
        case .tooMany: "Too Many Requests"
        case .headTooLarge: "Request Header Fields Too Large"
        case .failed: "Internal Server Error"
        case .notImplemented: "Not Implemented"
        case .notNow: "Service Unavailable"
        case .version: "HTTP Version Not Supported"
        }
    }

    /// What it means here, for whoever writes a client.
    var meaning: String {
        switch self {
        case .badRequest: "Something in the request is not as it must be; says where, and what is allowed"
        case .unauthorized: "No token, or one that is not valid here"
        case .forbidden: "The token is known and may not do this, or a page of another origin asks"
        case .notFound: "Nothing of this name is known"
        case .wrongMethod: "Not with this method; `Allow` names the right ones"
        case .tooSlow: "The request did not come in time"
        case .conflict: "Something else has to end first"
        case .tooLarge: "More than is taken at once; send it in parts"
        case .targetTooLong: "The path with its query is too long"
        case .unsupportedType: "The body is of a type that is not read here; says which are"
        case .expectation: "`Expect` may only be 100-continue"
        case .misdirected: "Asked by a host name that is none of this worker's"
        case .tooMany: "Too much of it for now; `Retry-After` says when it is welcome again"
        case .headTooLarge: "The head of the request is too large"
        case .failed: "It was not done; says why, and whether it may have been done all the same"
        case .notImplemented: "The transfer coding, or the method, is unknown"
        case .notNow: "Not now: busy, starting or stopping; `Retry-After` says when it is welcome again"
        case .version: "A version of HTTP that is not spoken here"
        }
    }

    /// Who can be answered so.
    enum Reach: Sendable, Equatable {
        /// Some requests, as their route says.
        case operation
        /// Whoever asks for something in a way that is described nowhere.
        case noOperation
        /// Whoever sends what is no request of HTTP, or half of one: it is answered before anybody looks at what is asked for.
        case anyBytes
    }

    var reach: Reach {
        switch self {
        case .badRequest, .unauthorized, .forbidden, .notFound, .tooSlow, .conflict, .tooLarge, .unsupportedType,
            .misdirected, .tooMany, .failed, .notNow:
            .operation
        case .wrongMethod: .noOperation
        case .targetTooLong, .expectation, .headTooLarge, .notImplemented, .version: .anyBytes
        }
    }

    /// Whether the same request may be welcome later, which `Retry-After` says.
    var comesAgain: Bool { self == .tooMany || self == .notNow }
}
