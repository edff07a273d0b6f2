internal import Notices

/// The API: which request asks what of the service. `API.md` beside this describes it for those who call it.
public struct Router: Sendable {
    private let service: Service
    private let table = RouteTable.all

    public init(_ service: Service) { self.service = service }

    /// For whoever comes by this door.
    public func handler(through door: Door) -> HTTPHandler {
        HTTPHandler(
            atOnce: { head in meet(&head, door) },
            answer: { request, asker, reply in answer(request, asker, through: door, reply) })
    }

    /// Who asks, refusals that need no body, and what must be answered even when everything is busy.
    @Sendable public func meet(_ head: inout HTTPRequest, _ door: Door) -> HTTPResponse? {
        do throws(RouteProblem) {
            head.access = door.access(of: head)
            head.earnsStanding = head.access != .stranger
            let (route, call) = try find(head, Asker())
            switch route.action {
            case .atOnce(let answer): return try answer(service, call)
            case .later: return nil
            }
        } catch {
            // Strangers are not told what there is.
            return (head.access == .stranger ? RouteProblem.unauthorized : error).response
        }
    }

    @Sendable public func answer(
        _ request: HTTPRequest, _ asker: Asker, _ reply: @escaping HTTPHandler.Reply
    ) {
        do throws(RouteProblem) {
            let (route, call) = try find(request, asker)
            switch route.action {
            case .atOnce(let answer): reply(try answer(service, call))
            case .later(let answer): try answer(service, call, reply)
            }
        } catch {
            reply(error.response)
        }
    }

    /// A stream goes on only for as long as whoever asked for it would still be let in: tokens end, and are revoked.
    @Sendable public func answer(
        _ request: HTTPRequest, _ asker: Asker, through door: Door, _ reply: @escaping HTTPHandler.Reply
    ) {
        answer(request, asker) { response in
            guard let stream = response.stream else { return reply(response) }
            var (response, head) = (response, request)
            head.body = []
            response.stream = stream.guarded { [head] in door.access(of: head) == head.access }
            reply(response)
        }
    }

    /// The route of a request that may be asked by whoever asks it, in the way that the route wants.
    func find(_ request: HTTPRequest, _ asker: Asker) throws(RouteProblem) -> (Route, Call) {
        let target: Target
        do { target = try Target(request.target) } catch { throw .badTarget(error.text) }
        let (route, places) = try table.find(request.method, target.segments, path: request.target)
        try route.check(request.access, user: places[.user])
        if route.body == .order { try OrderBody.check(request.headers) }
        if route.body == .facts { _ = try FactFormat(request.headers) }
        for variable in route.path.variables {
            guard let text = places[variable], variable.shape.accepts(text) else {
                throw .badParameter(
                    FieldError(
                        path: variable.rawValue, "\(quoted(places[variable] ?? "")) is not \(variable.shape.allowed)"))
            }
        }
        let query = try Query(target.parameters, known: route.parameters)
        return (route, Call(request, query, places, asker))
    }
}
