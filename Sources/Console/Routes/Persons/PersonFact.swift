internal import Hashing
internal import Notices

/// A fact that a person may tell of themselves: its data are the body.
///
/// Nothing else of a fact can be passed here. Whom it is about stands in the path, which the token was held against.
struct PersonFact: Sendable {
    /// The type, with nothing in it.
    let empty: Payload
    /// Where in the fact the body stands.
    var place = "data."

    func read(_ call: Call, _ service: PersonService) throws(RouteProblem) -> Fact {
        try service.counting(empty.type) { () throws(RouteProblem) -> Fact in try read(call) }
    }

    private func read(_ call: Call) throws(RouteProblem) -> Fact {
        let body = call.request.body
        let payload: Payload
        if body.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }) {
            do throws(FieldError) { payload = try Payload.told(nil, as: empty) } catch { throw .badBody(.field(error)) }
        } else {
            payload = try OrderBody.parse(body) { (root) throws(FieldError) in
                guard root.isObject else { throw FieldError("an order is a JSON object") }
                return try Payload.told(root, as: empty)
            }
        }
        return try Self.fact(payload, call)
    }

    static func fact(_ payload: Payload, _ call: Call) throws(RouteProblem) -> Fact {
        var fact = Fact(user: call.user, id: try id(of: call, for: payload.type), payload: payload)
        fact.isTheirOwn = call.isTheirOwn
        return fact
    }

    /// The key names a fact for its person alone: else somebody could take the ids that the app gives its own. And it names one of this
    /// type: else one fact would be taken for another that was told under the same key.
    static func id(of call: Call, for type: RecordType) throws(RouteProblem) -> String? {
        guard let key = call[.idempotencyKey] else { return nil }
        guard Identifier.isAccepted(key) else {
            throw .badParameter(FieldError(path: "Idempotency-Key", "\(quoted(key)) is not \(Identifier.allowed)"))
        }
        return "door:" + Hexadecimal.text(Digest(of: Array("\(call.user)\n\(type.text)\n\(key)".utf8)).bytes[..<16])
    }
}

extension PersonService {
    /// Reads what is to be a fact of a type; what is none counts as one that was refused.
    func counting<Read>(
        _ type: RecordType, _ read: () throws(RouteProblem) -> Read
    ) throws(RouteProblem) -> Read {
        do throws(RouteProblem) { return try read() } catch {
            refused([type.text: 1])
            throw error
        }
    }

    /// Records a fact and says what came of it.
    func take(_ fact: PersonFact, _ call: Call, _ reply: @escaping HTTPHandler.Reply) throws(RouteProblem) {
        record(try fact.read(call, self), at: fact.place, by: call) { result in
            reply(result.response)
        }
    }

    /// What became of a fact of a person.
    enum Outcome: Sendable {
        case recorded(seq: UInt64, warnings: [String], isNew: Bool)
        case refused(String)
        case tooFast(seconds: Int64)
        case unable(Inability)

        var response: HTTPResponse {
            switch self {
            case .recorded(let seq, let warnings, _):
                return .json(
                    200,
                    .object(
                        [
                            .init("seq", .number("\(seq)")),
                            .init("warnings", .array(warnings.map { .string($0) })),
                        ] + duplicate))
            case .refused(let problem): return .error(.badRequest, problem)
            case .tooFast(let seconds):
                return .error(.tooMany, "that is too much at once; try again", [("Retry-After", "\(seconds)")])
            case .unable(let inability): return inability.response(toOrder: true)
            }
        }

        /// Said of what was recorded before, under the same key.
        var duplicate: [JSONValue.Member] {
            if case .recorded(_, _, isNew: false) = self { [.init("duplicate", .bool(true))] } else { [] }
        }
    }

    /// - Parameter place: where in the fact the body stands, which whoever sent the body does not know of.
    func record(
        _ fact: Fact, at place: String = "data.", by call: Call, _ done: @escaping @Sendable (Outcome) -> Void
    ) {
        if call.isTheirOwn, let seconds = pace.take(call.user, at: clock()) {
            refused([fact.payload.type.text: 1])
            return done(.tooFast(seconds: seconds))
        }
        if case .preferencesChanged(let change) = fact.payload, let zone = change.patch.timezone,
            let problem = zoneProblem(zone)
        {
            refused([fact.payload.type.text: 1])
            return done(.refused("timezone: \(problem)"))
        }
        var order = AppendOrder(
            facts: [fact], bytes: call.request.body.count + 256, isAllOrNothing: false, who: call.access.name)
        order.isPassedOn = call.request.isPassedOn
        append(order) { answer in
            switch answer {
            case .success(let answers):
                switch answers.first {
                case .success(.recorded(let seq, let warnings))?:
                    done(.recorded(seq: seq, warnings: warnings.map(\.sentence), isNew: true))
                case .success(.duplicate(let seq))?: done(.recorded(seq: seq, warnings: [], isNew: false))
                case .success(.refused(let problem))?: done(.refused(Self.asSent("\(problem)", at: place)))
                case .failure(let inability)?: done(.unable(inability))
                case .success(.leftOut)?, nil: done(.unable(.failed("the worker gave no answer")))
                }
            case .failure(let inability): done(.unable(inability))
            }
        }
    }

    /// A refusal in words of the body: `patch.quiet_hours.end: …` is of a patch `quiet_hours.end: …`.
    private static func asSent(_ problem: String, at place: String) -> String {
        var text = problem[...]
        for step in place.split(separator: ".") {
            if text.hasPrefix(step + ".") {
                text = text.dropFirst(step.count + 1)
            } else if text.hasPrefix(step + ": ") {
                return String(text.dropFirst(step.count + 2))
            }
        }
        return String(text)
    }
}
