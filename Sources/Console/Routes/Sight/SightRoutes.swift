internal import CivilTime
internal import Notices

/// What the console shows of now, a day and what is to come (`V1`).
enum SightRoutes {
    static let all: [Route] = [now, day, agenda]

    private static let now = Route(
        atOnce: "/v1/now", .operators(.read), "what is being done, how late, and how the carriers are"
    ) { service, _ in
        guard let sight = service.sight else { return Inability.replaying.response(toOrder: false) }
        return .json(200, sight.now())
    }

    private static let date = QueryParameter.date("date", "a local day; else the day that it is where they are")

    private static let day = Route(
        .get, "/v1/people/{user}/day", .operators(.read), "one local day of one person", parameters: [date.named],
        refusing: Answer.refusals, of: \.sight
    ) { service, call, reply in
        service.day(call.user, call[date], call.asker) { reply($0.response(wantsText: false)) }
    }

    /// The most columns of a chart.
    private static let stepsMax = 2_016
    private static let hours = QueryParameter.number("hours", 1...168, "how far ahead; 24 unless told")
    private static let step = QueryParameter.number(
        "step_minutes", 1...1440, "the length of a bucket; 60 unless told, and at most \(stepsMax) of them")

    private static let kind = QueryParameter.identifier(
        "kind", "names only what is of this kind; all kinds are counted")

    private static let agenda = Route(
        .get, "/v1/agenda", .operators(.read), "what the next hours hold for everybody, by kind",
        parameters: [hours.named, step.named, kind.named], refusing: Answer.refusals, of: \.sight
    ) { (service, call, reply) throws(RouteProblem) in
        let question = AgendaQuestion(hours: call[hours] ?? 24, stepMinutes: call[step] ?? 60, kind: call[kind])
        guard question.hours * 60 <= question.stepMinutes * stepsMax else {
            throw .badParameter(
                FieldError(path: "step_minutes", "would make more than \(stepsMax) buckets of \(question.hours) hours"))
        }
        service.agenda(question, call.asker) { reply($0.response(wantsText: false)) }
    }
}
