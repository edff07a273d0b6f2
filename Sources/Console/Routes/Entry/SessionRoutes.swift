internal import CivilTime
internal import Notices

/// Signing in at the console, and out (`V1`).
enum SessionRoutes {
    static let all: [Route] = [signIn, session, signOut]

    private static let signIn = Route(
        .post, "/v1/session", .anyone, "sign in at the console with an operator's token", body: .order,
        refusing: [.unauthorized], of: \.access
    ) { (service, call, reply) throws(RouteProblem) in
        let token = try token(in: call.request.body)
        guard let (cookie, session) = service.keeper.signIn(token) else { throw .unauthorized }
        let header = SessionCookie.header(
            cookie, seconds: Sessions.hours * 3600, isSecure: call.request.wantsSecureCookie)
        reply(.json(200, session.operator.document(until: session.endsAt), [header]))
    }

    private static let session = Route(
        .get, "/v1/session", .operators(.read), "who is signed in, and until when", refusing: [], of: \.access
    ) { (service, call, reply) throws(RouteProblem) in
        guard let known = call.operator else { throw .unauthorized }
        reply(.json(200, known.document(until: service.keeper.end(of: call.request))))
    }

    private static let signOut = Route(
        .delete, "/v1/session", .operators(.read), "sign out", refusing: [], of: \.access
    ) { service, call, reply in
        if let cookie = SessionCookie.value(in: call.request) { service.keeper.signOut(cookie) }
        reply(.empty([SessionCookie.header("", seconds: 0, isSecure: call.request.wantsSecureCookie)]))
    }

    /// What somebody shows is never repeated.
    private static func token(in body: [UInt8]) throws(RouteProblem) -> String {
        var token: String?
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            guard key == "token" else {
                throw FieldError(path: quoted(key), "is not a field of a session (known here: token)")
            }
            guard let text = node.string else { throw FieldError(path: key, "is not a text") }
            token = text
        }
        guard let token else { throw .badBody(.field(FieldError(path: "token", "is missing"))) }
        return token
    }
}

extension Operator {
    fileprivate func document(until end: Instant?) -> JSONValue {
        .object([
            .init("name", .string(name)), .init("role", .string(role.rawValue)),
            .init("expires_at", end.map { .string("\($0)") } ?? .null),
        ])
    }
}
