import Console

extension HTTPHandler {
    /// Says of every order of an operator who gave it, what it was and how it was answered (`V1`), and at `debug` the same of
    /// each request with how long it took. Queries are left out, whom a path
    /// names, and all that a body holds.
    func logged(_ log: RunLog) -> HTTPHandler {
        @Sendable func tell(_ request: HTTPRequest, _ response: HTTPResponse, since start: SuspendingClock.Instant) {
            let order = request.order
            guard order != nil || log.tells(.debug) else { return }
            // Not the path itself: who it names stands in lines that nobody can be erased from (`E1`).
            let path = Router.route(of: request)
            var fields = [("method", request.method), ("path", path), ("status", "\(response.status)")]
            if let order { fields.insert(("by", order), at: 0) }
            if log.tells(.debug) {
                let parts = (SuspendingClock.now - start).components
                fields.append(
                    ("milliseconds", "\(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)"))
            }
            log.say(order == nil ? .debug : .info, order == nil ? "request" : "order", fields)
        }
        return HTTPHandler(
            atOnce: { head in
                let start = SuspendingClock.now
                let response = self.atOnce(&head)
                if let response { tell(head, response, since: start) }
                return response
            },
            answer: { request, asker, reply in
                let start = SuspendingClock.now
                self.answer(request, asker) { response in
                    tell(request, response, since: start)
                    reply(response)
                }
            })
    }
}

extension HTTPRequest {
    /// Who gave it, of an order that an operator gave.
    ///
    /// Facts that an app tells by a token of its own are in the log already, thousands a second: of those nothing is said
    /// here. At the console a person gives them. Nor of what workers of a cluster say to each other.
    fileprivate var order: String? {
        guard case .operator(let known) = access, isOrder else { return nil }
        let path = target.prefix { $0 != "?" }
        let isOfWorkers = path.hasPrefix("/v1/cluster/") && path != "/v1/cluster/drain"
        let isToldByApp = !known.isSignedIn && ["/v1/facts", "/v1/facts/cloudevents"].contains(path)
        return isOfWorkers || isToldByApp ? nil : known.name
    }
}
