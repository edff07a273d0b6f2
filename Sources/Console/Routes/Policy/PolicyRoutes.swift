internal import CivilTime
internal import Notices

/// The policy in force, and others held against it (`V1`).
enum PolicyRoutes {
    static let all: [Route] = [inForce, shipped, check, beginWhatIf, whatIf, stopWhatIf]

    private static let inForce = Route(
        .get, "/v1/policy", .operators(.read), "the policy in force, as a document and in sentences",
        refusing: Answer.refusals, of: \.policies
    ) { service, call, reply in service.inForce(call.asker) { reply($0.response(wantsText: false)) } }
    .at { _ in Home(.anywhere) }

    private static let shipped = Route(
        .get, "/v1/policy/{name}", .operators(.read), "the document of a policy that comes with Belfry",
        refusing: [.notFound], of: \.policies
    ) { service, call, reply in
        guard let document = service.shipped(call[.name]) else {
            return reply(.error(.notFound, "no policy \(quoted(call[.name])) comes with Belfry"))
        }
        reply(.json(200, document))
    }

    private static let check = Route(
        .post, "/v1/policy/check", .operators(.read), "whether a document may be adopted", body: .order, refusing: [],
        of: \.policies
    ) { (service, call, reply) throws(RouteProblem) in
        let document = try OrderBody.parse(call.request.body) { (root) throws(FieldError) in
            guard root.isObject else { throw FieldError("a policy is a JSON object") }
            return JSONDocument(root).text
        }
        reply(.json(200, service.check(document)))
    }

    // MARK: What if

    private static let beginWhatIf = Route(
        .post, "/v1/what-if", .operators(.read), "hold another policy against a stretch of the log", body: .order,
        refusing: WhatIfBeginning.refusals, of: \.policies
    ) { (service, call, reply) throws(RouteProblem) in
        let order = try WhatIfOrder(call.request.body, shipped: service.shipped)
        let check = service.check(order.policy)
        guard check["ok"]?.bool == true else {
            let first = check["problems"]?.elements?.first
            let problem = first?["problem"]?.string ?? "cannot be read"
            throw .badBody(.field(FieldError(problem).under("policy.\(first?["path"]?.string ?? "")")))
        }
        reply(service.beginWhatIf(order).response)
    }
    .at { _ in .everyone }

    private static let whatIf = Route(
        .get, "/v1/what-if/{id}", .operators(.read), "how far a what-if is, and what came of it", refusing: [.notFound],
        of: \.policies
    ) { service, call, reply in
        guard let standing = service.whatIf(call[.id]) else { return reply(.unknownWhatIf(call[.id])) }
        reply(.json(200, standing.document))
    }
    .at { _ in .everyone }

    private static let stopWhatIf = Route(
        .delete, "/v1/what-if/{id}", .operators(.read), "stop a what-if, or forget what came of it",
        refusing: [.notFound], of: \.policies
    ) { service, call, reply in
        reply(service.stopWhatIf(call[.id]) ? HTTPResponse(status: 204) : .unknownWhatIf(call[.id]))
    }
    .at { _ in .everyone }
}

extension HTTPResponse {
    fileprivate static func unknownWhatIf(_ id: String) -> HTTPResponse {
        .error(.notFound, "there is no what-if \(quoted(id)); it may have been forgotten, as the oldest are")
    }
}

extension WhatIfOrder {
    /// `{"policy":{…}|"name","from"?:…,"to"?:…}`
    init(_ body: [UInt8], shipped: (String) -> JSONValue?) throws(RouteProblem) {
        var policy: String?
        var moments: [String: Instant] = [:]
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            switch key {
            case "policy":
                if node.isObject {
                    policy = JSONDocument(node).text
                } else if let name = node.string, let document = shipped(name) {
                    policy = document.text
                } else {
                    throw FieldError(
                        path: key,
                        "\(node.shown) is neither a policy document nor the name of one that comes with Belfry")
                }
            case "from", "to":
                if node.isNull { return }
                guard let instant = node.string.flatMap({ try? Instant(rfc3339: $0) }) else {
                    throw FieldError(path: key, "\(node.shown) is not \(ValueShape.instant.allowed)")
                }
                moments[key] = instant
            default: throw FieldError(path: quoted(key), "is not a field of a what-if (known here: policy, from, to)")
            }
        }
        guard let policy else { throw .badBody(.field(FieldError(path: "policy", "is missing"))) }
        self.init(policy: policy, from: moments["from"], to: moments["to"])
        if let from, let to, to < from { throw .badBody(.field(FieldError(path: "to", "\(to) is before \(from)"))) }
    }
}

extension WhatIfBeginning {
    fileprivate var response: HTTPResponse {
        switch self {
        case .begun(let id): .json(202, .object([.init("id", .string(id))]))
        case .busy(let id):
            .json(
                RefusalStatus.conflict.rawValue,
                .object([
                    .init("error", .string("another what-if is running; wait for it, or stop it")),
                    .init("id", .string(id)),
                ]))
        case .refused(let problem): .error(.badRequest, "\(problem)")
        case .unable(let inability): inability.response(toOrder: false)
        }
    }
}

extension WhatIfStanding {
    fileprivate var document: JSONValue {
        func standing(_ state: String, _ progress: Double, _ further: [JSONValue.Member]) -> JSONValue {
            .object([.init("state", .string(state)), .init("progress", .number("\(progress)"))] + further)
        }
        return switch self {
        case .running(let progress): standing("running", progress, [])
        case .done(let outcome): standing("done", 1, [.init("report", outcome.document)])
        case .failed(let problem): standing("failed", 1, [.init("problem", .string(problem))])
        }
    }
}
