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
            let route = self.route(wantedBy: head)
            head.access = try Self.access(of: head, to: route, door)
            if !head.access.mayPassOn { head.headers.remove(PassedOn.fromWorkers) }
            head.bodyBytesMax = head.access.bodyBytesMax
            head.earnsStanding = head.access != .stranger
            if head.access.mayPassOn { head.bodyBytesOfWorkers = route?.bytesMaxOfWorkers }
            head.isOrder = route?.isOrder ?? false
            head.otherOrigin = try door.otherOrigin(of: head, route)
            if let origin = head.otherOrigin, let route, head.method == "OPTIONS" {
                return Self.preflight(route, origin)
            }
        } catch {
            return error.response
        }
        do throws(RouteProblem) {
            let (route, call) = try find(head, Asker(for: head.party))
            switch route.action {
            case .atOnce(let answer): return try route.checked(answer(service, call)).readable(by: head.otherOrigin)
            case .later: return nil
            }
        } catch {
            // Strangers are not told what there is.
            let problem = (head.access == .stranger ? RouteProblem.unauthorized : error).response
            return (PageRoutes.page(instead: problem, of: head) ?? problem).readable(by: head.otherOrigin)
        }
    }

    /// What anyone may ask is answered to whoever shows a person's token that cannot be judged now, as to a stranger.
    private static func access(of head: HTTPRequest, to route: Route?, _ door: Door) throws(RouteProblem) -> Access {
        do throws(RouteProblem) { return try door.access(of: head) } catch {
            guard error.isOfUnjudgedToken, route?.need == .anyone else { throw error }
            return .stranger
        }
    }

    @Sendable public func answer(
        _ request: HTTPRequest, _ asker: Asker, _ reply: @escaping HTTPHandler.Reply
    ) {
        let tell: HTTPHandler.Reply = { [origin = request.otherOrigin] in reply($0.readable(by: origin)) }
        do throws(RouteProblem) {
            let (route, call) = try find(request, asker)
            let check: HTTPHandler.Reply = { tell(route.checked($0)) }
            switch route.action {
            case .atOnce(let answer): check(try answer(service, call))
            case .later(let answer):
                guard let passOn = service.passOn, let home = route.home(call) else {
                    return Self.run(answer, service, call, check)
                }
                passOn(request, home, tell) { [service] in Self.run(answer, service, call, check) }
            }
        } catch {
            tell(error.response)
        }
    }

    private static func run(
        _ answer: @Sendable (Service, Call, @escaping HTTPHandler.Reply) throws(RouteProblem) -> Void,
        _ service: Service, _ call: Call, _ reply: @escaping HTTPHandler.Reply
    ) {
        do throws(RouteProblem) { try answer(service, call, reply) } catch { reply(error.response) }
    }

    /// A stream goes on only for as long as whoever asked for it would still be let in: tokens end, and are revoked.
    @Sendable public func answer(
        _ request: HTTPRequest, _ asker: Asker, through door: Door, _ reply: @escaping HTTPHandler.Reply
    ) {
        answer(request, asker) { response in
            guard let stream = response.stream else { return reply(response) }
            var (response, head) = (response, request)
            head.body = []
            response.stream = stream.guarded { [head] in (try? door.access(of: head)) == head.access }
            reply(response)
        }
    }

    /// Under what a request's route is written in the table; `other` for one that has none.
    public static func route(of request: HTTPRequest) -> String {
        guard let target = try? Target(request.target),
            let found = try? RouteTable.all.find(request.method, target.segments, path: "")
        else { return "other" }
        return found.route.path.text
    }

    /// The route of a request that may be asked by whoever asks it, in the way that the route wants.
    func find(_ request: HTTPRequest, _ asker: Asker) throws(RouteProblem) -> (Route, Call) {
        let target: Target
        do { target = try Target(request.target) } catch { throw .badTarget(error.text) }
        let (route, places) = try table.find(request.method, target.segments, path: request.target)
        try route.check(request.access, user: places[.user])
        switch route.body {
        case .none: break
        case .order: try OrderBody.check(request.headers)
        case .patch: try OrderBody.check(request.headers, accepting: OrderBody.patches)
        case .facts: _ = try FactFormat(request.headers)
        case .cloudEvents: try OrderBody.check(request.headers, accepting: [FactFormat.batchType])
        }
        for variable in route.path.variables {
            guard let text = places[variable], variable.shape.accepts(text) else {
                throw .badParameter(
                    FieldError(
                        path: variable.rawValue, "\(quoted(places[variable] ?? "")) is not \(variable.shape.allowed)"))
            }
        }
        let query = try Query(route.takesAnyQuery ? [] : target.parameters, known: route.parameters)
        return (route, Call(request, query, places, route.headers, asker))
    }

    // MARK: Pages of other origins

    /// What a request is about, or what a browser asks for leave to send (`OPTIONS`).
    private func route(wantedBy head: HTTPRequest) -> Route? {
        guard let target = try? Target(head.target) else { return nil }
        let method = head.method == "OPTIONS" ? head.headers["Access-Control-Request-Method"] ?? "" : head.method
        return (try? table.find(method, target.segments, path: ""))?.route
    }

    private static func preflight(_ route: Route, _ origin: String) -> HTTPResponse {
        HTTPResponse.empty([
            ("Access-Control-Allow-Methods", route.method == .get ? "GET, HEAD" : route.method.rawValue),
            ("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"),
            ("Access-Control-Max-Age", "600"),
        ]).readable(by: origin)
    }
}

extension HTTPResponse {
    /// As a page of another origin may read it. No cookie is ever asked for.
    fileprivate func readable(by origin: String?) -> HTTPResponse {
        guard let origin else { return self }
        var response = self
        response.headers.append("Access-Control-Allow-Origin", origin)
        response.headers.append("Access-Control-Expose-Headers", "Retry-After")
        response.headers.append("Vary", "Origin")
        return response
    }
}
