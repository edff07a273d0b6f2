internal import CivilTime
internal import Notices

/// A test run of the analyser (`A7`). It records nothing, but it calls somebody who may want money for it.
extension PersonRoutes {
    static let analysisTrial = Route(
        .post, "/v1/people/{user}/test-analysis", .person(.operate),
        "what the analyser would say of the latest conversation", body: .order, refusing: AnalysisTrialAnswer.refusals,
        of: \.persons
    ) { (service, call, reply) throws(RouteProblem) in
        try OrderBody.read(call.request.body) { (key, _) throws(FieldError) in
            throw FieldError(path: quoted(key), "is not a field here; none are")
        }
        let (user, asked, isTheirOwn) = (call.user, service.clock(), call.isTheirOwn)
        if isTheirOwn, let opens = service.trials.take(user, at: asked) {
            return reply(
                .tooMany("You have asked for many test runs.", retryAfterSeconds: opens.wholeSeconds(after: asked)))
        }
        service.tryAnalysis(user) { answer in
            if isTheirOwn, !answer.mayHaveCost { service.trials.giveBack(user, at: asked) }
            reply(answer.response(about: user))
        }
    }
}

extension AnalysisTrialAnswer {
    /// Whether the analyser was asked, as far as is known.
    fileprivate var mayHaveCost: Bool {
        switch self {
        case .done, .failed(.unavailable): true
        case .failed(.noConversation), .unknown, .unable: false
        }
    }

    fileprivate func response(about user: String) -> HTTPResponse {
        switch self {
        case .done(let outcome): .json(200, outcome.json)
        case .failed(.noConversation): .error(.notFound, "\(AnalysisTrial.Failure.noConversation)")
        case .failed(.unavailable): .notNow("\(AnalysisTrial.Failure.unavailable)")
        case .unknown: .error(.notFound, "the log knows nothing of \(quoted(user))")
        case .unable(let inability): inability.response(toOrder: false)
        }
    }
}

extension AnalysisTrial.Outcome {
    fileprivate var json: JSONValue {
        .object([
            .init("conversation", .string(conversation)), .init("should_notify", .bool(notifies)),
            .init("priority", .string(priority.name)), .init("reason", .string(reason)), .init("text", .string(text)),
            .init("note", .string(note)),
        ])
    }
}
