/// One request to somebody else's server, with everything that bounds it.
public struct HTTPCall: Sendable {
    public enum Method: String, Sendable { case get = "GET", post = "POST", patch = "PATCH", delete = "DELETE" }

    /// How long to wait, in milliseconds: for the connection, and from the beginning to the last byte of the answer, 0 for as
    /// long as it takes.
    public struct Patience: Sendable, Equatable {
        public var connectMs: Int
        public var totalMs: Int

        public init(connectMs: Int, totalMs: Int) {
            self.connectMs = connectMs
            self.totalMs = totalMs
        }
    }

    /// What becomes of a connection.
    public enum Connections: Sendable, Equatable {
        /// It is kept for later calls, one at a time.
        case kept
        /// Calls share it (HTTP/2), where a pool for that is asked (`SharedPool`).
        case shared
        /// Each call has one of its own. libcurl sends a request once more by itself if the connection was used before and
        /// ends without a byte of answer, and what was sent twice may be taken twice.
        case single
    }

    /// How a server is reached, and what it must show.
    public struct Route: Sendable, Equatable {
        /// Certificates to trust instead of the machine's.
        public var caFile: String?
        public var connections: Connections
        /// Whether the address must be one of the public internet, whatever name led there; no proxy is asked then.
        public var mustBePublic = false

        public init(caFile: String? = nil, connections: Connections = .kept, mustBePublic: Bool = false) {
            self.caFile = caFile
            self.connections = connections
            self.mustBePublic = mustBePublic
        }
    }

    /// Neither may hold what would end the line.
    static func check(_ name: String, _ value: String) throws(HTTPFailure) {
        guard !name.utf8.contains(where: isLineEnd), !value.utf8.contains(where: isLineEnd) else {
            throw HTTPFailure(.badCall, "the header \(name) holds a line end")
        }
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }

    public var method: Method
    public var url: String
    /// In the order they are sent. No name or value may hold a line end.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    public var patience: Patience
    /// More bytes of answer than this end the call (`tooLarge`).
    public var answerBytesMax: Int
    /// The socket to speak through instead of the network; the URL's host then only names the server.
    public var socketPath: String?
    public var route = Route()
    /// Until when the request may be begun; `nil` for whenever.
    public var deadline: Deadline?
    /// Whether it is still wanted when its turn comes in a pool; `nil` where nobody changes their mind.
    public var isWanted: (@Sendable () -> Bool)?
    /// Who reads the body while it comes, in a pool; `nil` for a body that comes with the reply.
    public var stream: AnswerStream?

    public init(
        _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        patience: Patience, answerBytesMax: Int, socketPath: String? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.patience = patience
        self.answerBytesMax = answerBytesMax
        self.socketPath = socketPath
    }
}
