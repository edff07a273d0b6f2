internal import Queueing
internal import Synchronization

/// A request that is being answered. Whoever replies first is heard: the handler, the deadline, or the server that stops.
final class Exchange: Sendable {
    let connection: UInt
    let asker: Asker
    /// Whether something is to be done. A question may be left unanswered when nobody waits; an order has been taken on.
    let isOrder: Bool
    private let reception: Reception
    private let isAnswered = Atomic(false)

    init(connection: UInt, for party: Asker.Party, isOrder: Bool, reception: Reception) {
        self.connection = connection
        asker = Asker(for: party)
        self.isOrder = isOrder
        self.reception = reception
    }

    func begin(_ request: HTTPRequest, _ body: consuming BodyCollector) {
        guard !body.isEmpty else { return answer(request) }
        let body = body
        let isTaken = reception.intake.take { [self] in
            do throws(BodyCollector.Problem) {
                var request = request
                request.body = try body.finish { more in
                    reception.withLedger { ledger, _ in ledger.hold(more, for: connection) }
                }
                answer(request)
            } catch {
                reply(error.response)
            }
        }
        if !isTaken { reply(.notNow("too many requests at once; try again")) }
    }

    private func answer(_ request: HTTPRequest) {
        reception.handler.answer(request, asker) { [self] in reply($0) }
    }

    func reply(_ response: HTTPResponse) {
        let isFirst = isAnswered.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
            .exchanged
        if isFirst { reception.mailbox.post(.answer(self, response)) }
    }

    /// Nobody answered in time. What was ordered may be done all the same.
    func giveUp() {
        let problem = "no answer within \(reception.limits.answerTime.components.seconds) s"
        asker.leave()
        reply(isOrder ? .inDoubt(problem) : .notNow("\(problem); try again"))
    }

    /// The client has gone. A question is over with that; an order goes on, and counts until it is done.
    func abandon() {
        asker.leave()
        if !isOrder { reply(HTTPResponse(status: 503)) }
    }

    /// The server stops, and nobody will wait for the answer.
    func stop() {
        asker.leave()
        reply(.inDoubt("the worker is stopping", retryAfterSeconds: 5))
    }
}
