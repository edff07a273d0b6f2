internal import CivilTime
internal import Notices

/// What is counted (`V6`, `V7`).
enum NumberRoutes {
    static let all: [Route] = [stats, metrics, description]

    private static let from = QueryParameter.date("from", "the first day, of UTC; else the log's first")
    private static let to = QueryParameter.date("to", "the last day, included; else the log's last")
    private static let grouping = QueryParameter<StatsQuestion.Grouping>.oneOf(
        "by", "what a row is of; day unless told")
    private static let kind = QueryParameter.identifier("kind", "of one kind alone")

    private static let stats = Route(
        .get, "/v1/stats", .operators(.read), "figures of the log by day, kind or channel, and who uses what",
        parameters: [from.named, to.named, grouping.named, kind.named], refusing: Answer.refusals, of: \.numbers
    ) { (service, call, reply) throws(RouteProblem) in
        if let first = call[from], let last = call[to], last < first {
            throw .badParameter(FieldError(path: "to", "\(last) is before \(first)"))
        }
        let form: StatsQuestion.Form =
            MediaType.prefers("text/csv", to: ["application/json"], call.request.headers)
            ? .csv : call.wantsText ? .text : .json
        let question = StatsQuestion(
            from: call[from], to: call[to], by: call[grouping] ?? .day, kind: call[kind], form: form)
        service.stats(question, call.asker) { answer in
            if form == .csv, case .found(let body) = answer {
                return reply(.whole("text/csv; charset=utf-8", body))
            }
            reply(answer.response(wantsText: form == .text))
        }
    }

    private static let metrics = Route(
        atOnce: "/metrics", .operators(.read), "the worker's metrics, for Prometheus"
    ) { service, call in
        guard let numbers = service.numbers else { return Inability.replaying.response(toOrder: false) }
        let isOpen = MediaType.prefersOpenMetrics(call.request.headers)
        let type =
            isOpen
            ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8"
        return .whole(type, numbers.metrics(isOpen))
    }

    private static let description = Route(
        atOnce: "/v1/openapi.json", .anyoneKnown, "this description of the API (OpenAPI 3.1)"
    ) { _, _ in .json(200, APIDescription.bytes) }
}
