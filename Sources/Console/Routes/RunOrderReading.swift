internal import Notices

/// `POST /v1/run-now`: the order as a client writes it, read strictly.
extension RunNowRequest {
    private static let usersMax = 1000

    static func check(_ headers: HTTPHeaders) throws(RouteProblem) {
        let given = headers["Content-Type"] ?? "application/json"
        guard MediaType(given).name == "application/json" else {
            throw .unsupportedType(given: given.shownInMessage, accepted: "application/json")
        }
    }

    /// An empty body orders everything there is to run.
    init(_ body: [UInt8]) throws(RouteProblem) {
        self.init(users: [], kind: nil, force: false)
        if body.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }) { return }
        let tape = JSONTape()
        let root: JSONNode
        do throws(JSONError) {
            root = try body.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                try tape.parse(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw .badBody(.notJSON(error))
        }
        do throws(FieldError) {
            guard root.isObject else { throw FieldError("an order is a JSON object") }
            for member in root.members { try take(member.key, member.value) }
            // What is due is decided under all rules: whoever asks for force means something else.
            if force, kind == nil {
                throw FieldError(path: "force", "needs a kind: what is due is decided under all rules")
            }
        } catch {
            throw .badBody(.field(error))
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
                users.append(try Self.identifier(element, at: "\(key)[\(place)]"))
            }
            // Naming nobody is not naming everybody.
            if users.isEmpty { throw FieldError(path: key, "is empty; leave it out to run for everyone") }
        case "kind":
            if !node.isNull { kind = try Self.identifier(node, at: key) }
        case "force":
            if node.isNull { return }
            guard let value = node.bool else { throw FieldError(path: key, "\(node.shown) is not true or false") }
            force = value
        default:
            throw FieldError(path: quoted(key), "is not a field of run-now (known here: users, kind, force)")
        }
    }

    private static func identifier(_ node: JSONNode, at path: String) throws(FieldError) -> String {
        guard let text = node.string, Identifier.isAccepted(text) else {
            throw FieldError(path: path, "\(node.shown) is not \(Identifier.allowed)")
        }
        return text
    }
}

extension RunAnswer {
    var response: HTTPResponse {
        switch self {
        case .done(let report): report.response
        case .refused(let problem): .error(400, problem)
        case .unable(let inability): inability.response(toOrder: true)
        }
    }
}

extension RunReport {
    fileprivate var response: HTTPResponse {
        var body = ByteBuffer(capacity: jobs.reduce(128) { $0 + $1.count + 1 })
        body.append("{\"jobs\":[")
        for (place, job) in jobs.enumerated() {
            if place > 0 { body.append(",") }
            job.withUnsafeBytes { body.append($0) }
        }
        body.append("],\"job_count\":\(jobCount),\"events\":\(lastSeq + 1 - firstSeq)")
        body.append(",\"first_seq\":\(firstSeq),\"last_seq\":\(lastSeq)}")
        return .json(200, Array(body.bytes))
    }
}
