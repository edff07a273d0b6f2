import Console

extension HTTPHandler {
    /// Says at `debug` of each request what it was, how it was answered and how long that took. Queries are left out.
    func logged(_ log: RunLog) -> HTTPHandler {
        guard log.tells(.debug) else { return self }
        @Sendable func tell(_ request: HTTPRequest, _ response: HTTPResponse, since start: SuspendingClock.Instant) {
            let parts = (SuspendingClock.now - start).components
            let path = request.target.prefix { $0 != "?" }
            log.debug(
                "request", ("method", request.method), ("path", String(path)), ("status", "\(response.status)"),
                ("milliseconds", "\(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)"))
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
