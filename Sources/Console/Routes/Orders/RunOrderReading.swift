internal import CivilTime
public import Notices

/// `POST /v1/run-now`: the order as a client writes it, read strictly.
extension RunNowRequest {
    public static let usersMax = 1000

    /// An empty body orders everything there is to run.
    init(_ body: [UInt8]) throws(RouteProblem) {
        var order = RunNowRequest(users: [], kind: nil, force: false)
        try OrderBody.read(body) { (key, node) throws(FieldError) in try order.take(key, node) }
        self = order
        // What is due is decided under all rules: whoever asks for force means something else.
        guard !force || kind != nil else {
            throw .badBody(
                .field(FieldError(path: "force", "needs a kind: what is due is decided under all rules")))
        }
    }

    /// `null` is the field left out, as in a fact.
    private mutating func take(_ key: String, _ node: JSONNode) throws(FieldError) {
        switch key {
        case "users":
            if node.isNull { return }
            guard node.isArray, node.count <= Self.usersMax else {
                throw FieldError(path: key, "must be a list of at most \(Self.usersMax) ids")
            }
            for (place, element) in node.elements.enumerated() {
                users.append(try OrderBody.identifier(element, at: "\(key)[\(place)]"))
            }
            // Naming nobody is not naming everybody.
            if users.isEmpty { throw FieldError(path: key, "is empty; leave it out to run for everyone") }
        case "kind":
            if !node.isNull { kind = try OrderBody.identifier(node, at: key) }
        case "force":
            if node.isNull { return }
            guard let value = node.bool else { throw FieldError(path: key, "\(node.shown) is not true or false") }
            force = value
        case "dry_run":
            if node.isNull { return }
            guard let value = node.bool else { throw FieldError(path: key, "\(node.shown) is not true or false") }
            isDry = value
        case "partitions":
            partitions = try node.elements.map { (element) throws(FieldError) in
                guard let number = element.integer else { throw FieldError(path: key, "must be a list of numbers") }
                return number
            }
        default:
            throw FieldError(path: quoted(key), "is not a field of run-now (known here: users, kind, force, dry_run)")
        }
    }
}

extension RunAnswer {
    var response: HTTPResponse {
        switch self {
        case .done(let report): report.response
        case .refused(let problem): .error(.badRequest, problem)
        case .unable(let inability): inability.response(toOrder: true)
        }
    }
}

extension RunReport {
    fileprivate var response: HTTPResponse {
        var body = ByteBuffer(capacity: (jobs + unsent + erased).reduce(512) { $0 + $1.count + 1 })
        body.append("{\"jobs\":")
        Self.list(jobs).withUnsafeBytes { body.append($0) }
        body.append(",\"job_count\":\(jobCount),\"unsent\":")
        Self.list(unsent).withUnsafeBytes { body.append($0) }
        body.append(",\"unsent_count\":\(unsentCount),\"withheld\":")
        body.append(JSONValue.array(withheld.map(\.document)).text)
        if erasedCount > 0 {
            body.append(",\"erased\":")
            Self.list(erased).withUnsafeBytes { body.append($0) }
            body.append(",\"erased_count\":\(erasedCount)")
        }
        if isDry {
            body.append(",\"dry_run\":true}")
        } else if partitions.isEmpty {
            body.append(",\"events\":\(lastSeq + 1 - firstSeq)")
            body.append(",\"first_seq\":\(firstSeq),\"last_seq\":\(lastSeq)}")
        } else {
            body.append(",\"events\":\(partitions.reduce(0) { $0 + $1.lastSeq + 1 - $1.firstSeq }),\"partitions\":[")
            for (place, stretch) in partitions.enumerated() {
                body.append(place > 0 ? "," : "")
                body.append("{\"partition\":\(stretch.partition),\"first_seq\":\(stretch.firstSeq)")
                body.append(",\"last_seq\":\(stretch.lastSeq)}")
            }
            body.append("]}")
        }
        return .json(200, Array(body.bytes))
    }

    /// - Parameter values: each of them a JSON value. A method of `ByteBuffer` that did the same lost its last bracket where the compiler
    ///   optimised.
    private static func list(_ values: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + values.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}

extension RunReport.Withheld {
    fileprivate var document: JSONValue {
        var members: [JSONValue.Member] = [
            .init("type", .string(type)), .init("reason", .string(reason.name)), .init("count", .number("\(count)")),
        ]
        if let until {
            members.append(.init("first_until", .string("\(until.lowerBound)")))
            members.append(.init("last_until", .string("\(until.upperBound)")))
        }
        return .object(members)
    }

    /// As an answer tells it; `nil` where it is none or the reason is not known here.
    public init?(_ document: JSONValue) {
        guard let type = document["type"]?.string, let count = document["count"]?.integer, count > 0,
            let reason = document["reason"]?.string.flatMap({ Reason(name: $0) })
        else { return nil }
        self.init(type: type, reason: reason, count: count)
        if let first = document["first_until"]?.string.flatMap({ try? Instant(rfc3339: $0) }),
            let last = document["last_until"]?.string.flatMap({ try? Instant(rfc3339: $0) }), first <= last
        {
            until = first...last
        }
    }
}
