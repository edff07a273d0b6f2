internal import CivilTime
internal import Notices

/// Proving a phone number (`N9`), in the words that the specification gives.
extension PersonRoutes {
    static let phone = Route(
        .post, "/v1/people/{user}/phone", .person(.operate), "send a code to a phone number", body: .order,
        refusing: PhoneAnswer.refusals, of: \.persons
    ) { (service, call, reply) throws(RouteProblem) in
        let fact: Fact
        do throws(RouteProblem) {
            fact = try PersonFact(empty: .phoneVerificationRequested(PhoneVerificationRequested())).read(call, service)
        } catch .badBody(.field(let error)) where error.path == "phone" && !error.problem.hasPrefix("is missing") {
            return reply(.error(.badRequest, "This phone number format is invalid"))
        }
        guard case .phoneVerificationRequested(let request) = fact.payload else { return }
        service.sendCode(fact, to: request.phone.text, call, reply)
    }.reading(.idempotencyKey).recording(.phoneVerificationRequested(PhoneVerificationRequested()))

    /// For a page that is shown the number masked, and so cannot name it.
    static let phoneAgain = Route(
        .post, "/v1/people/{user}/phone/again", .person(.operate),
        "send another code to the number that waits for one", refusing: PhoneAnswer.refusals, of: \.persons
    ) { (service, call, reply) throws(RouteProblem) in
        let empty = try service.counting(PhoneVerificationRequested.type) { () throws(RouteProblem) -> Fact in
            try PersonFact.fact(.phoneVerificationRequested(PhoneVerificationRequested()), call)
        }
        service.card(call.user) { result in
            switch result {
            case .failure(let inability): reply(inability.response(toOrder: true))
            case .success(let card):
                guard let number = card?.phone.asked else {
                    return reply(PhoneAnswer.toAskingAgain(card, at: service.clock()))
                }
                var request = PhoneVerificationRequested()
                request.phone = PhoneNumber(number)
                var fact = empty
                fact.payload = .phoneVerificationRequested(request)
                service.sendCode(fact, to: number, call, reply)
            }
        }
    }.reading(.idempotencyKey)

    static let code = Route(
        .post, "/v1/people/{user}/phone/code", .person(.operate), "tell the code that came", body: .order,
        refusing: PhoneAnswer.refusals, of: \.persons
    ) { (service, call, reply) throws(RouteProblem) in
        let fact = try PersonFact(empty: .phoneCodeEntered(PhoneCodeEntered())).read(call, service)
        let user = call.user
        service.record(fact, by: call) { outcome in
            switch outcome {
            case .unable, .tooFast: reply(outcome.response)
            case .refused, .recorded:
                service.card(user) { result in reply(PhoneAnswer.toCode(outcome, result, at: service.clock())) }
            }
        }
    }.reading(.idempotencyKey).recording(.phoneCodeEntered(PhoneCodeEntered()))
}

extension PersonService {
    fileprivate func sendCode(
        _ fact: Fact, to phone: String, _ call: Call, _ reply: @escaping HTTPHandler.Reply
    ) {
        let (user, asked) = (call.user, clock())
        let isTheirOwn = call.isTheirOwn
        // Whoever sends it again under its key wants its answer, however many codes there were since.
        let isToBeCounted = isTheirOwn && !codes.hasCounted(fact.id, for: phone)
        if isToBeCounted, let opens = codes.take(phone, for: fact.id, at: asked) {
            return reply(
                .tooMany("This number was sent many codes.", retryAfterSeconds: opens.wholeSeconds(after: asked)))
        }
        record(fact, by: call) { outcome in
            if case .recorded(_, _, isNew: true) = outcome {
            } else if isToBeCounted {
                codes.giveBack(phone, at: asked)
            }
            switch outcome {
            case .unable, .tooFast: reply(outcome.response)
            case .refused, .recorded:
                card(user) { result in
                    reply(
                        PhoneAnswer.toAsking(outcome, result, isTheirOwn: isTheirOwn, isSent: sendsTexts(), at: clock())
                    )
                }
            }
        }
    }
}

/// What is told of a number and its code: the fact says only that it was taken, so it is looked up what it led to.
enum PhoneAnswer {
    private static let noneWaits = "No number waits for a code."
    private static let unsent =
        "no code was sent: this worker sends no texts (sms.twilio in the document of --senders)"

    static let refusals = PersonService.Outcome.refusals.union([.tooMany])

    static func toAsking(
        _ outcome: PersonService.Outcome, _ card: Result<PersonCard?, Inability>, isTheirOwn: Bool, isSent: Bool,
        at now: Instant
    ) -> HTTPResponse {
        guard case .success(let card?) = card else { return without(card, outcome) }
        switch outcome {
        case .recorded(let seq, _, _):
            let warnings: [JSONValue.Member] =
                isSent ? [] : [.init("warnings", .array([.string(Self.unsent)]))]
            let number = JSONValue.Member("seq", .number("\(seq)"))
            return .json(200, .object([number] + code(of: card) + warnings + outcome.duplicate))
        case .refused(let problem):
            if now < card.phone.lockedUntil { return locked(card, at: now) }
            let wait = card.phone.asked == nil ? 0 : card.phone.resendAt.wholeSeconds(after: now)
            if isTheirOwn, let opens = card.phone.codesOpen(at: now), opens.wholeSeconds(after: now) > wait {
                return .tooMany("You have asked for many codes.", retryAfterSeconds: opens.wholeSeconds(after: now))
            }
            guard wait > 0 else { return .error(.badRequest, problem) }
            return .error(
                .tooMany,
                "A code was asked for a moment ago. Ask for another in \(wait) \(wait == 1 ? "second" : "seconds").",
                [("Retry-After", "\(wait)")])
        case .unable, .tooFast: return outcome.response
        }
    }

    /// How long the code is good; of one that was asked for before, and has been told or locked since, there is nothing to say.
    private static func code(of card: PersonCard) -> [JSONValue.Member] {
        guard card.phone.asked != nil else { return [] }
        return [
            .init("resend_after_seconds", .number("\(Person.resendSeconds)")),
            .init("code_expires_at", .string("\(card.phone.codeEndsAt)")),
        ]
    }

    /// Of nobody whose number waits: it was locked after wrong codes, it is verified by now, or there is none.
    static func toAskingAgain(_ card: PersonCard?, at now: Instant) -> HTTPResponse {
        if let card, now < card.phone.lockedUntil { return locked(card, at: now) }
        return .error(.badRequest, noneWaits)
    }

    static func toCode(
        _ outcome: PersonService.Outcome, _ card: Result<PersonCard?, Inability>, at now: Instant
    ) -> HTTPResponse {
        guard case .success(let card?) = card else { return without(card, outcome) }
        if now < card.phone.lockedUntil { return locked(card, at: now) }
        if case .refused(let problem) = outcome {
            return .error(.badRequest, card.phone.asked == nil ? noneWaits : problem)
        }
        guard card.phone.asked != nil else {
            guard card.isPhoneVerified else { return .error(.badRequest, noneWaits) }
            return .json(
                200,
                .object(
                    [
                        .init("verified", .bool(true)),
                        .init("phone", card.phone.number.map { .string(Masked.phone($0)) } ?? .null),
                    ] + outcome.duplicate))
        }
        let left = max(0, Person.codeAttempts - card.phone.attempts)
        let problem = "Code is incorrect. Try again. (\(left) \(left == 1 ? "attempt" : "attempts") left)"
        return .json(
            400,
            .object(
                [.init("error", .string(problem)), .init("attempts_left", .number("\(left)"))] + outcome.duplicate))
    }

    private static func locked(_ card: PersonCard, at now: Instant) -> HTTPResponse {
        .tooMany("Too many attempts.", retryAfterSeconds: card.phone.lockedUntil.wholeSeconds(after: now))
    }

    private static func without(
        _ card: Result<PersonCard?, Inability>, _ outcome: PersonService.Outcome
    ) -> HTTPResponse {
        if case .failure(let inability) = card { return inability.response(toOrder: true) }
        return outcome.response
    }
}
