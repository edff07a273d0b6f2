/// The API: which request asks what of the service. `API.md` beside this describes it for those who call it.
public struct Router: Sendable {
    private let service: Service

    public init(_ service: Service) { self.service = service }

    public var handler: HTTPHandler {
        HTTPHandler(toStrangers: toStrangers, atOnce: atOnce, answer: answer)
    }

    /// Whoever watches a machine has no token and is told whether the worker is well, and nothing else of it.
    @Sendable func toStrangers(_ head: HTTPRequest) -> HTTPResponse? {
        switch try? Route(head) {
        case .health: service.health().briefResponse
        case .ready: service.health().briefReadiness
        case .facts, .runNow, .person, .preview, nil: nil
        }
    }

    /// Refusals that need no body, and how the worker is, which must be answered even when everything is busy.
    @Sendable func atOnce(_ head: HTTPRequest) -> HTTPResponse? {
        do throws(RouteProblem) {
            switch try Route(head) {
            case .health: return service.health().response
            case .ready: return service.health().readiness
            case .facts, .runNow, .person, .preview: return nil
            }
        } catch {
            return error.response
        }
    }

    @Sendable func answer(_ request: HTTPRequest, _ asker: Asker, _ reply: @escaping HTTPHandler.Reply) {
        do throws(RouteProblem) {
            switch try Route(request) {
            case .health: reply(service.health().response)
            case .ready: reply(service.health().readiness)
            case .facts(let format, let isAllOrNothing):
                try service.takeFacts(request.body, format, isAllOrNothing: isAllOrNothing, reply)
            case .runNow: service.runNow(try RunNowRequest(request.body)) { reply($0.response) }
            case .preview(let user, let wantsText):
                let change = try PreviewedChange(request.body)
                let question = Question(subject: .preview(change), user: user, wantsText: wantsText)
                service.ask(question, asker) { reply($0.response(to: question)) }
            case .person(let question): service.ask(question, asker) { reply($0.response(to: question)) }
            }
        } catch {
            reply(error.response)
        }
    }
}
