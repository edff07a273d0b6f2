internal import CivilTime
internal import Notices

/// What is asked about people.
enum QuestionRoutes {
    static let all: [Route] = [people, state, explain, history, preview, export]

    // MARK: Whom the log knows

    private static let prefix = QueryParameter.identifier("prefix", "only ids that begin with it")
    private static let standing = QueryParameter<PersonState>.oneOf("with", "only people of whom this is true")
    private static let limit = QueryParameter.number("limit", 1...1000, "how many to list at most")
    private static let after = QueryParameter.identifier("after", "only ids behind this one: the next page")

    private static let people = Route(
        .get, "/v1/people", .operators(.read), "whom the log knows",
        parameters: [prefix.named, standing.named, limit.named, after.named], refusing: Answer.refusals, of: \.questions
    ) { service, call, reply in
        let question = PeopleQuestion(
            prefix: call[prefix], state: call[standing], limit: call[limit], after: call[after],
            wantsText: call.wantsText)
        service.people(question, call.asker) { reply($0.response(wantsText: question.wantsText, isLines: true)) }
    }

    // MARK: One of them

    private static let at = QueryParameter<Question.Moment>(
        "at", .moment, "as of an event's number or an instant; else the end of the log"
    ) { text in
        UInt64(text).map { .seq($0) } ?? (try? Instant(rfc3339: text)).map { .instant($0) }
    }

    private static let state = Route(
        .get, "/v1/people/{user}/state", .operators(.read), "one person's folded state", parameters: [at.named],
        refusing: Answer.refusals, of: \.questions
    ) { service, call, reply in service.ask(.state(at: call[at] ?? .end), call, reply) }

    private static let export = Route(
        .get, "/v1/people/{user}/export", .person(.operate), "everything that is known of one person",
        refusing: Answer.refusals, of: \.questions
    ) { service, call, reply in service.ask(.export, call, reply) }

    private static let kind = QueryParameter.identifier("kind", "a notice of this kind, as it might be raised")
    private static let notice = QueryParameter.notice("notice", "a notice or job that the log knows")
    private static let subject = QueryParameter.identifier("subject", "what the imagined notice is about")
    private static let priority = QueryParameter<Priority>(
        "priority", .oneOf(Priority.names), "the imagined notice's, in place of its kind's"
    ) { Priority(name: $0) }
    private static let wantsAll = QueryParameter.flag("all", "every rule, also those behind the first objection")

    private static let explain = Route(
        .get, "/v1/people/{user}/explain", .operators(.read), "why, and why not",
        parameters: [
            kind.named, notice.named, subject.named, priority.named, wantsAll.named, at.named,
        ], refusing: Answer.refusals, of: \.questions
    ) { (service, call, reply) throws(RouteProblem) in
        let subject = Question.Subject.explain(
            try explained(call), wantsAll: call[wantsAll] ?? false, at: call[at] ?? .end)
        service.ask(subject, call, reply)
    }

    private static func explained(_ call: Call) throws(RouteProblem) -> Question.Explained {
        guard call[kind] == nil || call[notice] == nil else {
            throw .badParameter(FieldError("kind and notice cannot be given together"))
        }
        if let kind = call[kind] {
            return .kind(.init(kind: kind, subject: call[subject], priority: call[priority]))
        }
        guard call[subject] == nil, call[priority] == nil else {
            throw .badParameter(FieldError("subject and priority are of a kind: name it"))
        }
        return call[notice].map { .notice($0) } ?? .everyKind
    }

    private static let status = QueryParameter<HistoryStatus>.oneOf("status", "only what ended up so")
    private static let days = QueryParameter.number("days", 1...3650, "how far back; 7 unless told")

    private static let history = Route(
        .get, "/v1/people/{user}/history", .person(.read), "notices and jobs with outcomes",
        parameters: [status.named, days.named], refusing: Answer.refusals, of: \.questions
    ) { service, call, reply in
        service.ask(.history(status: call[status], days: call[days]), call, isLines: true, reply)
    }

    private static let preview = Route(
        .post, "/v1/people/{user}/preview", .person(.read), "what a change of preferences would do", body: .order,
        refusing: Answer.refusals, of: \.questions
    ) { (service, call, reply) throws(RouteProblem) in
        service.ask(.preview(try PreviewedChange(call.request.body)), call, reply)
    }
}

extension QuestionService {
    /// - Parameter isLines: whether the answer is a document a line, of which there may be none.
    func ask(
        _ subject: Question.Subject, _ call: Call, isLines: Bool = false, _ reply: @escaping HTTPHandler.Reply
    ) {
        let question = Question(subject: subject, user: call.user, wantsText: call.wantsText)
        ask(question, call.asker) { reply($0.response(wantsText: question.wantsText, isLines: isLines)) }
    }
}

extension Answer {
    func response(wantsText: Bool, isLines: Bool = false) -> HTTPResponse {
        switch self {
        case .found(let body): wantsText ? .text(200, body) : isLines ? .lines(200, body) : .json(200, body)
        case .unknown(let problem): .error(.notFound, problem)
        case .refused(let problem): .error(.badRequest, problem)
        case .unable(let inability): inability.response(toOrder: false)
        }
    }
}
