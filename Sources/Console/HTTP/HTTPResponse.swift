internal import Notices

/// An answer: whole, or the beginning of a stream.
public struct HTTPResponse: Sendable, Equatable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: [UInt8]
    /// What follows in pieces, in place of a body.
    public var stream: BodyStream?

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPResponse {
    /// JSON, with the line end that a terminal wants.
    static func json(_ status: Int, _ body: consuming [UInt8], _ further: [(name: String, value: String)] = []) -> Self
    {
        if let last = body.last, last != 0x0A { body.append(0x0A) }
        return HTTPResponse(status, "application/json", body, further)
    }

    static func json(_ status: Int, _ value: JSONValue, _ further: [(name: String, value: String)] = []) -> Self {
        var buffer = ByteBuffer()
        value.write(into: &buffer)
        return json(status, Array(buffer.bytes), further)
    }

    /// An answer that goes on for as long as there is something to say.
    static func stream(_ type: String, _ stream: BodyStream) -> Self {
        // A proxy on the way is to pass on what comes at once.
        var response = HTTPResponse(200, type, [], [("X-Accel-Buffering", "no")])
        response.stream = stream
        return response
    }

    /// A JSON document a line.
    static func lines(_ status: Int, _ body: [UInt8]) -> Self {
        HTTPResponse(status, "application/x-ndjson", body, [])
    }

    static func text(_ status: Int, _ body: [UInt8]) -> Self {
        HTTPResponse(status, "text/plain; charset=utf-8", body, [])
    }

    /// As it is, in a format of its own.
    static func whole(_ type: String, _ body: [UInt8]) -> Self { HTTPResponse(200, type, body, []) }

    /// What went wrong, for whoever reads it: `{"error":…}`.
    ///
    /// - Parameter isInDoubt: whether what was asked for may have been done all the same (`"in_doubt":true`).
    static func error(
        _ status: RefusalStatus, _ problem: String, isInDoubt: Bool = false,
        _ further: [(name: String, value: String)] = []
    ) -> Self {
        let doubt: [JSONValue.Member] = isInDoubt ? [.init("in_doubt", .bool(true))] : []
        return json(status.rawValue, .object([.init("error", .string(problem))] + doubt), further)
    }

    /// Done, and there is nothing to say of it.
    static func empty(_ further: [(name: String, value: String)] = []) -> Self {
        HTTPResponse(status: 204, headers: HTTPHeaders([("Cache-Control", "no-store")] + further))
    }

    /// Not now; the same request is welcome again after some seconds.
    /// For whoever answers in a service's place.
    public static func problem(
        _ status: RefusalStatus, _ problem: String, isInDoubt: Bool = false, retryAfterSeconds: Int? = nil
    ) -> Self {
        error(
            status, problem, isInDoubt: isInDoubt, retryAfterSeconds.map { [("Retry-After", "\($0)")] } ?? [])
    }

    /// What a person did too often.
    static func tooMany(_ problem: String, retryAfterSeconds: Int64) -> Self {
        let (count, unit) =
            retryAfterSeconds <= 90 * 60
            ? ((retryAfterSeconds + 59) / 60, "minute") : ((retryAfterSeconds + 3599) / 3600, "hour")
        return error(
            .tooMany, "\(problem) Try again in \(count) \(unit)\(count == 1 ? "" : "s").",
            [("Retry-After", "\(retryAfterSeconds)")])
    }

    static func notNow(_ problem: String, retryAfterSeconds: Int = 1) -> Self {
        error(.notNow, problem, [("Retry-After", "\(retryAfterSeconds)")])
    }

    /// What helps whoever does not know whether something was done; where several workers say it, it is said once.
    public static let adviceInDoubt =
        "; it may have been done all the same: what has an id or a key counts once if it is sent again, anything else may be done twice"

    /// In place of an answer that is not given: whether what was asked for was done is not known.
    static func inDoubt(_ problem: String, retryAfterSeconds: Int = 1) -> Self {
        error(
            .notNow, problem.hasSuffix(adviceInDoubt) ? problem : problem + adviceInDoubt, isInDoubt: true,
            [("Retry-After", "\(retryAfterSeconds)")])
    }

    /// Answers are about people and about this moment: nobody on the way is to keep one.
    private init(_ status: Int, _ type: String, _ body: [UInt8], _ further: [(name: String, value: String)]) {
        let own = [
            ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ]
        self.init(status: status, headers: HTTPHeaders(own + further), body: body)
    }
}
