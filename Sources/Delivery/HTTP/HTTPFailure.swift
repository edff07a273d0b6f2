internal import CCurl

/// Why there is no whole answer.
public struct HTTPFailure: Error, Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// The URL is none, or not of http or https, or a header holds a line end.
        case badCall
        case cannotFind
        case cannotConnect
        case untrusted
        /// The address that a name led to is none of the public internet, and only such were allowed.
        case forbidden
        case timedOut
        case tooLarge
        /// The connection broke, or what came is no HTTP.
        case broken
        /// Given up because whoever asked is stopping.
        case cancelled
        /// More calls wait than the pool takes.
        case busy
        /// Its deadline passed before it could be said; surely nothing was taken.
        case tooLate
    }

    public var reason: Reason
    /// libcurl's own words.
    public var words: String
    /// What the server had answered before the rest failed to come.
    public var status: Int?
    /// The header lines that had come with that status.
    public var headers = AnswerHeaders()

    /// Whether the connection was lost under the call before a status came: worth one more try at once, on another.
    public var isConnectionLost = false
    /// Whether the server offers no encryption where we speak nothing in the clear.
    public var isWithoutEncryption = false
    /// Whether the server offers no way to sign in that we could go, although we are to sign in.
    public var isWithoutSignIn = false
    /// Whether some of the request was sent, so that the server may have acted on it.
    public var mayHaveArrived = false

    init(_ reason: Reason, _ words: String) {
        self.reason = reason
        self.words = words
    }

    init(_ code: CURLcode, _ words: String) {
        self.init(Reason(code), words)
        isWithoutEncryption = code == CURLE_USE_SSL_FAILED
    }

    public static func == (left: Self, right: Self) -> Bool {
        (left.reason, left.words, left.status) == (right.reason, right.words, right.status)
    }
}

extension HTTPFailure {
    /// Whether somebody was there, and the two did not come to speak.
    var isOfSpeaking: Bool {
        switch reason {
        case .untrusted, .timedOut, .broken: true
        case .badCall, .cannotFind, .cannotConnect, .forbidden, .tooLarge, .cancelled, .busy, .tooLate: false
        }
    }
}

extension HTTPFailure: CustomStringConvertible {
    /// A phrase to follow the name of who was asked.
    public var description: String { "\(reason.phrase): \(words)" }
}

extension HTTPFailure.Reason {
    var phrase: String {
        switch self {
        case .badCall: "cannot be asked"
        case .cannotFind: "was not found"
        case .cannotConnect: "could not be reached"
        case .forbidden: "is not on the public internet"
        case .untrusted: "could not be trusted"
        case .timedOut: "timed out"
        case .tooLarge: "answered too much"
        case .broken: "broke off"
        case .cancelled: "was given up"
        case .busy: "has too many callers waiting"
        case .tooLate: "could not be asked in time"
        }
    }

    /// Those of the way to whoever was asked, and not of anybody's settings.
    static let onTheWay: [Self] = [.cannotFind, .cannotConnect, .timedOut, .broken]
}

extension HTTPFailure.Reason {
    init(_ code: CURLcode) {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT: self = .badCall
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .cannotFind
        case CURLE_COULDNT_CONNECT: self = .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
            self = .untrusted
        default: self = .broken
        }
    }
}

extension HTTPFailure {
    /// What a server that goes away leaves behind: a stream or connection that broke before the answer.
    static func isConnectionLost(_ code: CURLcode) -> Bool {
        [CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM]
            .contains(code)
    }
}
