internal import Notices

/// The person's door: what somebody may ask and say of themselves, with a token that the app's server made for them (`V2`).
/// What stands elsewhere with the need `person` belongs to it as well: preview, history, test, the feed.
enum PersonRoutes {
    static let all: [Route] =
        [me, settings, preferences, phone, phoneAgain, code, consent, analysisTrial]
        + [
            fact("preset", .presetApplied(PresetApplied()), "apply a preset"),
            fact("reset", .preferencesReset(PreferencesReset()), "put every preference back to its default"),
            fact("history/clear", .historyCleared(HistoryCleared()), "hide earlier notices from the history"),
            fact("feed/seen", .feedSeen(FeedSeen()), "everything in the feed up to now was seen"),
            fact("notices/opened", .noticeOpened(NoticeOpened()), "a notice was opened"),
            fact("notices/dismissed", .noticeDismissed(NoticeDismissed()), "a notice was dismissed"),
            fact("notices/snoozed", .noticeSnoozed(NoticeSnoozed()), "a notice is to come again later"),
            fact("notices/feedback", .feedbackGiven(FeedbackGiven()), "whether a notice was helpful"),
            fact("devices", .deviceRegistered(DeviceRegistered()), "register a device for push"),
            fact("devices/remove", .deviceRemoved(DeviceRemoved()), "forget a device"),
            fact("retry", .jobRetryRequested(JobRetryRequested()), "send a job that failed once more"),
        ]

    /// A fact with the body for its data.
    private static func fact(_ words: String, _ empty: Payload, _ summary: String) -> Route {
        Route(
            .post, PathTemplate(stringLiteral: "/v1/people/{user}/\(words)"), .person(.operate), summary, body: .order,
            refusing: PersonService.Outcome.refusals, of: \.persons
        ) { (service, call, reply) throws(RouteProblem) in
            try service.take(PersonFact(empty: empty), call, reply)
        }.reading(.idempotencyKey).recording(empty)
    }

    private static let me = Route(
        .get, "/v1/me", .themselves, "whose token this is, and until when", refusing: Inability.refusals, of: \.persons
    ) { (service, call, reply) throws(RouteProblem) in
        guard case .person(let pass) = call.access else { throw .unauthorized }
        @Sendable func tell(_ name: String?) {
            reply(
                .json(
                    200,
                    .object([
                        .init("user", .string(pass.user)), .init("name", name.map { .string($0) } ?? .null),
                        .init("expires_at", .string("\(pass.endsAt)")),
                    ])))
        }
        service.card(pass.user) { result in
            switch result {
            case .success(let card): tell(card?.displayName)
            // Whose token it is every worker knows; what they are called, the one that has them (`M3`). Their settings tell it.
            case .failure(.noOwner): tell(nil)
            case .failure(let inability): reply(inability.response(toOrder: false))
            }
        }
    }

    private static let settings = Route(
        .get, "/v1/people/{user}/settings", .person(.read), "the settings page of one person as a document",
        refusing: Answer.refusals, of: \.questions
    ) { service, call, reply in service.ask(.settings, call, reply) }

    private static let preferences = Route(
        .patch, "/v1/people/{user}/preferences", .person(.operate), "change preferences", body: .patch,
        refusing: PersonService.Outcome.refusals, of: \.persons
    ) { (service, call, reply) throws(RouteProblem) in
        let fact = try service.counting(PreferencesChanged.type) { () throws(RouteProblem) -> Fact in
            var change = PreferencesChanged()
            change.patch = try OrderBody.parse(call.request.body) { (root) throws(FieldError) in
                try PreferencesPatch(root)
            }
            return try PersonFact.fact(.preferencesChanged(change), call)
        }
        service.record(fact, at: "data.patch.", by: call) { reply($0.response) }
    }.reading(.idempotencyKey)

    private static let consent = Route(
        .post, "/v1/people/{user}/consent", .person(.operate), "give or withdraw one's own consent", body: .order,
        refusing: PersonService.Outcome.refusals, of: \.persons
    ) { (service, call, reply) throws(RouteProblem) in
        // Whether it would have been given or withdrawn nobody knows of what cannot be read.
        let fact = try service.counting(ConsentGiven.type) { () throws(RouteProblem) -> Fact in
            // A guardian's is told by the app, which knows who that is.
            var (yes, no) = (ConsentGiven(), ConsentWithdrawn())
            (yes.giver, no.giver) = (.user, .user)
            let given = try isGiven(call.request.body)
            return try PersonFact.fact(given ? .consentGiven(yes) : .consentWithdrawn(no), call)
        }
        service.record(fact, by: call) { reply($0.response) }
    }.reading(.idempotencyKey)

    private static func isGiven(_ body: [UInt8]) throws(RouteProblem) -> Bool {
        var given: Bool?
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            guard key == "given" else {
                throw FieldError(path: quoted(key), "is not a field of a consent (known here: given)")
            }
            guard let value = node.bool else { throw FieldError(path: key, "\(node.shown) is not true or false") }
            given = value
        }
        guard let given else { throw .badBody(.field(FieldError(path: "given", "is missing"))) }
        return given
    }
}
