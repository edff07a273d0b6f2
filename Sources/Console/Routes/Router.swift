/// The API: which request asks what of the service. `API.md` beside this describes it for those who call it.
public struct Router: Sendable {
    private let service: Service

    public init(_ service: Service) { self.service = service }

    public var handler: HTTPHandler {
        HTTPHandler(atOnce: atOnce, answer: answer)
    }

    /// Whether a request is for everybody: whoever watches a machine has no token.
    @Sendable public static func isOpen(_ head: HTTPRequest) -> Bool {
        switch try? Route(head) {
        case .health, .ready: true
        default: false
        }
    }

    /// Refusals that need no body, and how the worker is, which must be answered even when everything is busy.
    @Sendable func atOnce(_ head: HTTPRequest) -> HTTPResponse? {
        do throws(RouteProblem) {
            switch try Route(head) {
            case .health: return service.health().response
            case .ready: return service.health().readiness
            case .facts, .runNow, .person: return nil
            }
        } catch {
            return error.response
        }
    }

    @Sendable func answer(_ request: HTTPRequest, _ reply: @escaping HTTPHandler.Reply) {
        do throws(RouteProblem) {
            switch try Route(request) {
            case .health: reply(service.health().response)
            case .ready: reply(service.health().readiness)
            case .facts(let format, let isAllOrNothing):
                try service.takeFacts(request.body, format, isAllOrNothing: isAllOrNothing, reply)
            case .runNow: service.runNow(try RunNowRequest(request.body)) { reply($0.response) }
            case .person(let question): service.ask(question) { reply($0.response(to: question)) }
            }
        } catch {
            reply(error.response)
        }
    }
}
