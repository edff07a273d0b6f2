internal import Notices

/// What the workers of a cluster ask each other.
enum ClusterRoutes {
    static let all: [Route] = [everyone, part, move, drain, erase, revoke, revoked]

    private static let everyone = Route(
        .post, "/v1/cluster/everyone", .operators(.admin),
        "copy what is about everyone, for the worker that records it",
        body: .order, refusing: [], of: \.cluster
    ) { (service, call, reply) throws(RouteProblem) in
        var through: UInt64?
        try OrderBody.read(call.request.body) { (key, node) throws(FieldError) in
            guard key == "through", let number = node.integer, number >= 0 else {
                throw FieldError(path: quoted(key), "is not the number of an event, through")
            }
            through = UInt64(number)
        }
        guard let through else { throw .badBody(.field(FieldError(path: "through", "is missing"))) }
        service.catchUp(through) { isDone in
            reply(
                isDone
                    ? .json(200, .object([.init("through", .number("\(through)"))]))
                    : .notNow("a partition does not hold it yet; try again"))
        }
    }

    /// A question, though it is sent like an order: it has a document.
    private static let part = Route(
        .post, "/v1/cluster/part", .operators(.read),
        "the part of an answer about everybody that some partitions of this worker hold", body: .order,
        refusing: Answer.refusals, of: \.cluster
    ) { (service, call, reply) throws(RouteProblem) in
        let question = try OrderBody.parse(call.request.body) { (root) throws(FieldError) in JSONValue(root) }
        service.part(question, call.asker) { reply($0.response(wantsText: false)) }
    }

    private static let move = Route(
        .post, "/v1/cluster/move", .operators(.admin), "fetch a partition that is to come, or take one that was given",
        body: .order, refusing: [], of: \.cluster
    ) { (service, call, reply) throws(RouteProblem) in
        var (partition, stage): (Int?, MoveStage?)
        try OrderBody.read(call.request.body) { (key, node) throws(FieldError) in
            switch key {
            case "partition": partition = node.integer
            case "stage": stage = node.string.flatMap { MoveStage(rawValue: $0) }
            default: throw FieldError(path: quoted(key), "is not a field of a move (known here: partition, stage)")
            }
        }
        guard let partition, let stage else {
            throw .badBody(.field(FieldError("a move names a partition and a stage, coming or given")))
        }
        let isReady = service.move(stage, partition)
        reply(.json(200, .object([.init("ready", .bool(isReady))])))
    }

    private static let erase = Route(
        .post, "/v1/cluster/erase", .operators(.admin), "let go of people whom another worker erases", body: .order,
        refusing: [], of: \.cluster
    ) { (service, call, reply) throws(RouteProblem) in
        let order = try EraseOrder(call.request.body, partitions: service.partitions)
        service.erase(order) { done in
            if let problem = done.problem { return reply(.notNow(problem)) }
            let removed = JSONValue.Member("removed", .array(done.removed.map { .string($0) }))
            reply(.json(200, .object([.init("stage", .string(order.stage.rawValue)), removed])))
        }
    }

    private static let revoke = Route(
        .post, "/v1/cluster/revoke", .operators(.admin), "revoke tokens of a person that another worker revokes",
        body: .order, refusing: [], of: \.cluster
    ) { (service, call, reply) throws(RouteProblem) in
        var (user, id): (String?, String?)
        try OrderBody.read(call.request.body) { (key, node) throws(FieldError) in
            switch key {
            case "user": user = try OrderBody.identifier(node, at: key)
            case "id":
                guard let text = node.string, PersonTokens.isID(text) else {
                    throw FieldError(path: key, "\(node.shown) is not a token's id")
                }
                id = text
            default: throw FieldError(path: quoted(key), "is not a field of a revocation (known here: user, id)")
            }
        }
        guard let user else { throw .badBody(.field(FieldError(path: "user", "is missing"))) }
        service.revoke(user, id) { problem in
            reply(problem.map { .notNow($0) } ?? .json(200, .object([.init("user", .string(user))])))
        }
    }

    /// With the token of the workers alone: it is of no use to anybody else.
    private static let revoked = Route(
        .post, "/v1/cluster/revoked", .operators(.admin),
        "what is revoked of persons' tokens, for a worker that was away, which says what it has revoked",
        body: .order, refusing: [], of: \.cluster
    ) { (service, call, reply) throws(RouteProblem) in
        guard call.access.mayPassOn else { throw .forbidden("the other workers of the cluster alone are told this") }
        var (url, revoked): (String?, String?)
        try OrderBody.read(call.request.body, bytesMax: ClusterService.revokedBytesMax) {
            (key, node) throws(FieldError) in
            switch (key, node.string) {
            case ("url", let text?): url = text
            case ("revoked", let text?): revoked = text
            default:
                throw FieldError(
                    path: quoted(key), "is not the address of a worker, url, or what it has revoked, revoked")
            }
        }
        guard let url else { throw .badBody(.field(FieldError(path: "url", "is missing"))) }
        service.revoked(url, revoked) { answer in
            switch answer {
            case .told(let told, let isWhole):
                reply(.json(200, .object([.init("revoked", .string(told)), .init("whole", .bool(isWhole))])))
            case .notSeen: reply(.notNow("this worker does not see that one yet; try again"))
            case .failed(let problem): reply(.notNow(problem))
            }
        }
    }.takingOfWorkers(ClusterService.revokedBytesMax)

    private static let drain = Route(
        .post, "/v1/cluster/drain", .operators(.admin), "give all partitions away, and take no more", body: .order,
        refusing: [], of: \.cluster
    ) { (service, call, reply) throws(RouteProblem) in
        try OrderBody.read(call.request.body) { (key, _) throws(FieldError) in
            throw FieldError(path: quoted(key), "is not known here: a drain is an empty order")
        }
        guard let standing = service.drain() else {
            return reply(
                .error(.badRequest, "this worker is none of a cluster; stop it, and nobody else decides meanwhile"))
        }
        reply(
            .json(
                200,
                .object([
                    .init("left", .number("\(standing.left)")), .init("others", .number("\(standing.others)")),
                    .init("announced", .bool(standing.isAnnounced)),
                ])))
    }
}
