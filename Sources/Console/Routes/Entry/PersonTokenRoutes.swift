internal import CivilTime
internal import Notices

/// Tokens for persons, made by the app's server and revoked by it (`V2`).
enum PersonTokenRoutes {
    static let all: [Route] = [make, revokeAll, revoke]

    private static let make = Route(
        .post, "/v1/people/{user}/tokens", .operators(.operate), "make a token for one person", body: .order,
        refusing: [], of: \.access
    ) { (service, call, reply) throws(RouteProblem) in
        let seconds = try seconds(in: call.request.body)
        guard let desk = service.keeper.persons else { return reply(Inability.replaying.response(toOrder: false)) }
        guard let made = desk.make(for: call.user, seconds: seconds) else {
            return reply(.notNow("this person is being erased; try again"))
        }
        reply(
            .json(
                201,
                .object([
                    .init("token", .string(made.token)), .init("id", .string(made.id)),
                    .init("user", .string(made.user)), .init("expires_at", .string("\(made.endsAt)")),
                ])))
    }

    private static let revokeAll = Route(
        .delete, "/v1/people/{user}/tokens", .operators(.operate), "revoke all tokens of one person made before now",
        refusing: Inability.refusals, of: \.access
    ) { service, call, reply in revoke(nil, of: call.user, service, reply) }

    private static let revoke = Route(
        .delete, "/v1/people/{user}/tokens/{id}", .operators(.operate), "revoke one token of one person",
        refusing: Inability.refusals, of: \.access
    ) { (service, call, reply) throws(RouteProblem) in
        guard PersonTokens.isID(call[.id]) else {
            throw .badParameter(
                FieldError(path: "id", "\(quoted(call[.id])) is not a token's id, such as 0123456789abcdef"))
        }
        revoke(call[.id], of: call.user, service, reply)
    }

    private static func revoke(
        _ id: String?, of user: String, _ service: AccessService, _ reply: @escaping HTTPHandler.Reply
    ) {
        guard let desk = service.keeper.persons else { return reply(Inability.replaying.response(toOrder: true)) }
        service.wait {
            if let problem = desk.revoke(id, of: user) {
                return reply(Inability.undone("nothing was revoked: \(problem)").response(toOrder: true))
            }
            guard let revokeElsewhere = service.revokeElsewhere else { return reply(.empty()) }
            revokeElsewhere(user, id) { (unreached, areAllSeen) in
                let words: String? =
                    if !unreached.isEmpty {
                        "revoked here, but the worker at \(unreached.joined(separator: ", ")) could not be told; ask again"
                    } else if !areAllSeen {
                        "revoked here; who else lives is not known just now, so ask again"
                    } else {
                        nil
                    }
                reply(words.map { Inability.inDoubt($0).response(toOrder: true) } ?? .empty())
            }
        }
    }

    private static func seconds(in body: [UInt8]) throws(RouteProblem) -> Int {
        let allowed = PersonTokens.secondsMin...PersonTokens.secondsMax
        var seconds = PersonTokens.secondsUsual
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            guard key == "expires_in_seconds" else {
                throw FieldError(path: quoted(key), "is not a field of a token (known here: expires_in_seconds)")
            }
            if node.isNull { return }
            guard let number = node.integer, allowed.contains(number) else {
                throw FieldError(
                    path: key,
                    "\(node.shown) is not a whole number from \(allowed.lowerBound) to \(allowed.upperBound)")
            }
            seconds = number
        }
        return seconds
    }
}
