internal import Notices

/// The feed and the log as they grow (`V4`, `V5`).
enum StreamRoutes {
    static let all: [Route] = [events, event, head, feed]

    // MARK: The log

    private static let from = QueryParameter.number("from", 1...ValueShape.wholeNumberMax, "the first event wanted")
    private static let to = QueryParameter.number("to", 1...ValueShape.wholeNumberMax, "the last event wanted")
    private static let type = QueryParameter.word(
        "type", Payload.all.map(\.type.text), "only events of this type; may stand several times", isRepeatable: true)
    private static let user = QueryParameter.person(
        "user", "only what is about this person, or about somebody who was erased, such as [erased 12]")
    private static let limit = QueryParameter.number("limit", 1...1_000_000, "how many at most")
    private static let follows = QueryParameter.flag(
        "follow", "go on with the log; so do server-sent events unless told otherwise")
    private static let partition = QueryParameter.number(
        "partition", -1...1023, "of this partition alone; -1 is what is about everyone")
    private static let cursor = QueryParameter.cursor(
        "after", "behind these events of all partitions, as the ids of server-sent events name them")
    private static let beforeEach = QueryParameter.cursor(
        "before", "only what stands in front of these events of all partitions")
    private static let backlog = QueryParameter.number("backlog", 0...1000, "begin so many events back from the end")

    private static let events = Route(
        .get, "/v1/events", .operators(.read), "the log, as it was and as it grows",
        parameters: [
            from.named, to.named, type.named, user.named, limit.named, follows.named, backlog.named,
            partition.named, cursor.named, beforeEach.named,
        ], refusing: StreamAnswer.refusals, of: \.streams
    ) { (service, call, reply) throws(RouteProblem) in
        let order = try order(call)
        guard !order.isServerSent || !order.isHad else { return reply(HTTPResponse(status: 204)) }
        service.events(order, call.asker) { reply($0.response(isServerSent: order.isServerSent)) }
    }.reading(.lastEventID).at { call in
        // As long as the log is, whoever wants to read it.
        (call[partition].map { .partition($0) } ?? call[user].map { .person($0) }).map { Home($0, isStream: true) }
    }

    private static func order(_ call: Call) throws(RouteProblem) -> EventsOrder {
        var order = EventsOrder()
        order.isServerSent = call.wantsServerSentEvents
        order.types = call.query.all(type)
        order.user = call[user]
        order.partition = call[partition]
        order.after = call[from].map { UInt64($0 - 1) }
        order.afterEach = call[cursor]
        order.beforeEach = call[beforeEach]
        order.through = call[to].map { UInt64($0) }
        // Whoever has had all of it may come back behind its end.
        if let first = call[from], let last = call[to], last + 1 < first {
            throw .badParameter(FieldError(path: "to", "\(last) is before \(first)"))
        }
        order.limit = call[limit]
        order.backlog = call[backlog]
        order.follows = call[follows] ?? order.isServerSent
        // Whoever comes back knows where they were. One number may be of the only log, or of the only partition of several.
        if let numbers = try call.lastEventIDs { (order.after, order.afterEach, order.backlog) = (nil, numbers, nil) }
        guard [order.backlog != nil, order.after != nil, order.afterEach != nil].count(where: { $0 }) < 2 else {
            throw .badParameter(FieldError("of from, after and backlog only one can be given"))
        }
        guard order.beforeEach == nil || !order.follows else {
            throw .badParameter(FieldError(path: "before", "does not go with a stream that goes on"))
        }
        return order
    }

    private static let event = Route(
        .get, "/v1/events/{seq}", .operators(.read), "one event, what it follows from and what follows from it",
        parameters: [partition.named], refusing: Answer.refusals, of: \.streams
    ) { service, call, reply in
        service.event(EventOrder(seq: UInt64(call[.seq]) ?? 0, partition: call[partition]), call.asker) {
            reply($0.response(wantsText: false))
        }
    }.at { call in call[partition].map { Home(.partition($0)) } }

    private static let head = Route(
        .get, "/v1/log/head", .operators(.read), "where the log ends, and the hash of all of it",
        refusing: Inability.refusals, of: \.streams
    ) { service, call, reply in
        service.head(call.asker) { result in
            switch result {
            case .failure(let inability): reply(inability.response(toOrder: false))
            case .success(let heads):
                if let head = heads.first, head.partition == nil { return reply(.json(200, .object(head.members))) }
                reply(.json(200, .object([.init("partitions", .array(heads.map { .object($0.members) }))])))
            }
        }
    }

    // MARK: A person's feed

    private static let before = QueryParameter.number(
        "before", 1...ValueShape.wholeNumberMax, "only items in front of this number: the next page")
    private static let items = QueryParameter.number("limit", 1...FeedOrder.limitMax, "how many to list at most")

    private static let feed = Route(
        .get, "/v1/people/{user}/feed", .person(.read), "what was shown or sent to a person, newest first",
        parameters: [before.named, items.named], refusing: Answer.refusals.union(StreamAnswer.refusals), of: \.streams
    ) { (service, call, reply) throws(RouteProblem) in
        guard !call.wantsServerSentEvents else {
            guard call[before] == nil, call[items] == nil else {
                throw .badParameter(FieldError("before and limit are of a page and do not go with a feed that goes on"))
            }
            let order = FollowedFeed(user: call.user, after: try call.lastEventID)
            return service.follow(order, call.asker) { reply($0.response(isServerSent: true)) }
        }
        let order = FeedOrder(
            user: call.user, before: call[before].map { UInt64($0) }, limit: call[items] ?? FeedOrder.limitUsual)
        service.feed(order, call.asker) { reply($0.response(wantsText: false)) }
    }.reading(.lastEventID)
}

extension EventsOrder {
    /// Whoever comes back has had all up to the end that they named. An `EventSource` comes back until it hears 204.
    fileprivate var isHad: Bool {
        guard let through, let had = afterEach, had.count == 1 else { return false }
        return had[0] >= through
    }
}

extension Call {
    /// A browser's `EventSource` asks so.
    var wantsServerSentEvents: Bool {
        MediaType.prefers("text/event-stream", to: ["application/x-ndjson", "application/json"], request.headers)
    }

    /// Up to which event of each partition somebody who comes back has had all; one number where there is one log.
    fileprivate var lastEventIDs: [UInt64]? {
        get throws(RouteProblem) {
            guard let text = self[.lastEventID], !text.isEmpty else { return nil }
            guard let numbers = EventCursor.numbers(text) else {
                throw .badParameter(FieldError(path: "Last-Event-ID", "\(quoted(text)) is no event's number"))
            }
            return numbers
        }
    }

    /// Up to which event somebody who comes back to a feed has had all.
    fileprivate var lastEventID: UInt64? {
        get throws(RouteProblem) {
            guard let text = self[.lastEventID], !text.isEmpty else { return nil }
            guard let number = UInt64(text), number <= UInt64(ValueShape.wholeNumberMax) else {
                throw .badParameter(FieldError(path: "Last-Event-ID", "\(quoted(text)) is no event's number"))
            }
            return number
        }
    }
}

extension ChainHead {
    fileprivate var members: [JSONValue.Member] {
        (partition.map { [.init("partition", .number("\($0)"))] } ?? []) + [
            .init("seq", .number("\(seq)")), .init("commit", .number("\(commit)")), .init("hash", .string(hash)),
            .init("recorded_at", recordedAt.map { .string("\($0)") } ?? .null),
        ]
    }
}

extension StreamAnswer {
    fileprivate func response(isServerSent: Bool) -> HTTPResponse {
        switch self {
        case .stream(let stream):
            .stream(isServerSent ? "text/event-stream; charset=utf-8" : "application/x-ndjson", stream)
        case .unknown(let problem): .error(.notFound, problem)
        case .refused(let problem): .error(.badRequest, problem)
        case .tooMany(let problem): .error(.tooMany, problem, [("Retry-After", "5")])
        case .unable(let inability): inability.response(toOrder: false)
        }
    }
}
