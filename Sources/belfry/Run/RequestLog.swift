import Console

extension HTTPHandler {
    /// Says of every order of an operator who gave it, what it was and how it was answered (`V1`), whether or not they waited for
    /// that, and at `debug` of all that is answered what it was and how long it took. Queries are left out, whom a path names, and
    /// all that a body holds.
    func logged(_ log: RunLog) -> HTTPHandler {
        @Sendable func tell(order request: HTTPRequest, _ response: HTTPResponse) {
            guard let order = request.order else { return }
            log.say(.info, "order", [("by", order)] + Self.fields(request, response))
        }
        var handler = HTTPHandler(
            atOnce: { head in
                let response = atOnce(&head)
                if let response { tell(order: head, response) }
                return response
            },
            answer: { request, asker, reply in
                answer(request, asker) { response in
                    tell(order: request, response)
                    reply(response)
                }
            })
        handler.answered = { request, response, took in
            answered(request, response, took)
            guard log.tells(.debug) else { return }
            log.say(
                .debug, "request",
                Self.fields(request, response) + [("milliseconds", "\(Int(took / .milliseconds(1)))")])
        }
        return handler
    }

    /// Not the path itself: who it names stands in lines that nobody can be erased from (`E1`).
    private static func fields(_ request: HTTPRequest?, _ response: HTTPResponse) -> [(String, String)] {
        let status = ("status", "\(response.status)")
        guard let request else { return [status] }
        return [("method", request.method), ("path", Router.route(of: request)), status]
    }
}

extension HTTPRequest {
    /// Who gave it, of an order that an operator gave.
    ///
    /// Facts that an app tells by a token of its own are in the log already, thousands a second: of those nothing is said
    /// here. At the console a person gives them. Nor of what workers of a cluster say to each other: who gave an order that was passed
    /// on, the worker that it came to has said.
    fileprivate var order: String? {
        guard case .operator(let known) = access, isOrder, !isPassedOn else { return nil }
        let path = target.prefix { $0 != "?" }
        let isOfWorkers = path.hasPrefix("/v1/cluster/") && path != "/v1/cluster/drain"
        let isToldByApp = !known.isSignedIn && ["/v1/facts", "/v1/facts/cloudevents"].contains(path)
        return isOfWorkers || isToldByApp ? nil : known.name
    }
}
