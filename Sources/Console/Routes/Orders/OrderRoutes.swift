internal import Notices

/// What makes the worker do something.
enum OrderRoutes {
    static let all: [Route] = [facts, cloudEvents, runNow, retry, test, erase]

    private static let isAllOrNothing = QueryParameter.flag(
        "all_or_nothing", "record every fact, or none when one is refused")

    private static let facts = Route(
        .post, "/v1/facts", .operators(.operate), "append facts", parameters: [isAllOrNothing.named], body: .facts,
        refusing: Inability.refusals, of: \.orders
    ) { (service, call, reply) throws(RouteProblem) in
        try service.takeFacts(call, isAllOrNothing: call[isAllOrNothing] ?? false, reply)
    }.reading([.trace] + RequestHeader.ofCloudEvents)

    /// `POST /v1/facts` takes them as well. They have an address of their own because generated clients tell bodies apart by
    /// their class, which a list has not.
    private static let cloudEvents = Route(
        .post, "/v1/facts/cloudevents", .operators(.operate), "append a batch of CloudEvents",
        parameters: [isAllOrNothing.named], body: .cloudEvents, refusing: Inability.refusals, of: \.orders
    ) { (service, call, reply) throws(RouteProblem) in
        try service.takeFacts(call, isAllOrNothing: call[isAllOrNothing] ?? false, reply)
    }.reading(.trace)

    private static let runNow = Route(
        .post, "/v1/run-now", .operators(.operate), "decide everything due now", body: .order,
        refusing: RunAnswer.refusals, of: \.orders
    ) { (service, call, reply) throws(RouteProblem) in
        var request = try RunNowRequest(call.request.body)
        request.isPassedOn = call.request.isPassedOn
        if !request.isPassedOn, request.partitions != nil {
            throw .badBody(.field(FieldError(path: "partitions", "is for workers among themselves; name users")))
        }
        service.runNow(request, call.asker) { reply($0.response) }
    }

    private static let retry = Route(
        .post, "/v1/retry", .operators(.operate), "send what failed once more", body: .order,
        refusing: RetryAnswer.refusals, of: \.orders
    ) { (service, call, reply) throws(RouteProblem) in
        let request = RetryRequest(
            try RetryOrder(call.request.body), isPassedOn: call.request.isPassedOn)
        service.retry(request, call.asker) { reply($0.response) }
    }

    private static let test = Route(
        .post, "/v1/people/{user}/test", .person(.operate), "send one person a sample", body: .order,
        refusing: TestAnswer.refusals, of: \.orders
    ) { (service, call, reply) throws(RouteProblem) in
        var order = try TestOrder(of: call.user, call.request.body)
        order.id = try PersonFact.id(of: call, for: TestRequested.type)
        order.isTheirOwn = call.isTheirOwn
        service.test(order) { reply($0.response) }
    }.reading(.idempotencyKey)

    private static let erase = Route(
        .post, "/v1/people/{user}/erase", .operators(.admin), "erase one person for ever", body: .order,
        refusing: EraseAnswer.refusals, of: \.orders
    ) { (service, call, reply) throws(RouteProblem) in
        try EraseAnswer.check(call.user, typedIn: call.request.body)
        service.erase(call.user, call.access.name) { reply($0.response) }
    }
}
