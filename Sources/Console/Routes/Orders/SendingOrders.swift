internal import CivilTime
public import Notices

/// `POST /v1/retry` (`N7`).
extension RetryOrder {
    init(_ body: [UInt8]) throws(RouteProblem) {
        var orders: [RetryOrder] = []
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            switch key {
            case "job":
                guard let text = node.string, NoticeName.isAccepted(text) else {
                    throw FieldError(path: key, "\(node.shown) is not \(NoticeName.allowed)")
                }
                orders.append(.job(text))
            case "user": orders.append(.user(try OrderBody.identifier(node, at: key)))
            case "failed_since":
                guard let instant = node.string.flatMap({ try? Instant(rfc3339: $0) }) else {
                    throw FieldError(path: key, "\(node.shown) is not an instant such as 2026-03-02T14:00:00Z")
                }
                orders.append(.failedSince(instant))
            default:
                throw FieldError(path: quoted(key), "is not a field of retry (known here: job, user, failed_since)")
            }
        }
        guard let order = orders.first, orders.count == 1 else {
            throw .badBody(.field(FieldError("name one of job, user and failed_since")))
        }
        self = order
    }
}

extension RetryAnswer {
    var response: HTTPResponse {
        switch self {
        case .done(let report):
            return .json(
                200,
                .object([
                    .init("retried", .number("\(report.retried)")), .init("refused", .number("\(report.refused)")),
                    .init("jobs", .array(report.jobs.map(\.document))),
                ]))
        case .unknown(let problem): return .error(.notFound, problem)
        case .unable(let inability): return inability.response(toOrder: true)
        }
    }
}

extension RetriedJob.Outcome {
    /// Why the fact was refused, in words of the order, whose field is `job`.
    public static func refusal(ofFact problem: String) -> Self {
        .refused(problem.hasPrefix("data.") ? String(problem.dropFirst("data.".count)) : problem)
    }
}

extension RetriedJob {
    public var document: JSONValue {
        let outcome: JSONValue.Member =
            switch self.outcome {
            case .asked(let seq): .init("seq", .number("\(seq)"))
            case .refused(let problem): .init("refused", .string(problem))
            }
        return .object([.init("job", .string(job)), outcome])
    }
}

/// `POST /v1/people/U/test` (`N8`).
extension TestOrder {
    init(of user: String, _ body: [UInt8]) throws(RouteProblem) {
        var (kind, channel) = (String?.none, Channel?.none)
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            switch key {
            case "kind": kind = try OrderBody.identifier(node, at: key)
            case "channel":
                if node.isNull { return }
                guard let known = node.string.flatMap({ Channel(name: $0) }) else {
                    throw FieldError(
                        path: key, "\(node.shown) is not one of \(Channel.names.joined(separator: ", "))")
                }
                channel = known
            default: throw FieldError(path: quoted(key), "is not a field of test (known here: kind, channel)")
            }
        }
        guard let kind else { throw .badBody(.field(FieldError(path: "kind", "is missing"))) }
        self.init(user: user, kind: kind, channel: channel)
    }
}

extension TestAnswer {
    var response: HTTPResponse {
        switch self {
        case .done(let seq, let decisions, let isNew):
            var body = ByteBuffer()
            body.append("{\"seq\":\(seq),\"decisions\":[")
            for (place, decision) in decisions.enumerated() {
                if place > 0 { body.append(",") }
                decision.withUnsafeBytes { body.append($0) }
            }
            body.append(isNew ? "]}" : "],\"duplicate\":true}")
            return .json(200, Array(body.bytes))
        case .refused(let problem): return .error(.badRequest, problem)
        case .tooMany(let seconds):
            return .tooMany(
                "Many tests were sent to you, by yourself or by the app.", retryAfterSeconds: seconds)
        case .unable(let inability): return inability.response(toOrder: true)
        }
    }
}

/// `POST /v1/people/U/erase` (`E1`).
extension EraseAnswer {
    var response: HTTPResponse {
        switch self {
        case .done(let report): .json(200, report.document)
        case .unknown(let problem): .error(.notFound, problem)
        case .refused(let problem): .error(.badRequest, problem)
        case .unable(let inability): inability.response(toOrder: true)
        }
    }

    /// Nothing brings them back, so whoever asks types the id once more.
    static func check(_ user: String, typedIn body: [UInt8]) throws(RouteProblem) {
        var typed: String?
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            guard key == "user" else {
                throw FieldError(path: quoted(key), "is not a field of erase (known here: user)")
            }
            typed = try OrderBody.identifier(node, at: key)
        }
        guard typed == user else {
            throw .badBody(
                .field(
                    FieldError(
                        path: "user",
                        typed == nil
                            ? "is missing: it is the id of the person, typed once more" : "is not the id in the path")))
        }
    }
}
