internal import Notices

/// One thing that may be asked of the worker, as data: where, how, by whom, with what, and what answers it.
///
/// The table of them (`RouteTable`) is the whole API. What is not in it is not there, and nobody is let in by anything but
/// the `need` that stands in it; `/v1/openapi.json` is made of it as well.
struct Route: Sendable {
    enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"

        /// Whether it changes nothing (RFC 9110).
        var isSafe: Bool { self == .get }
    }

    /// The least that whoever asks must be.
    enum Need: Sendable, Equatable {
        case anyone
        /// Whoever has shown a token, an operator's or a person's.
        case anyoneKnown
        case operators(Role)
        /// The person in the path with a token of their own, or an operator who may do as much (`V2`).
        case person(Role)
        /// A person with a token of their own, about themselves.
        case themselves
    }

    enum Body: Sendable, Equatable {
        case none
        /// One JSON object, or nothing.
        case order
        /// A JSON merge patch (RFC 7396).
        case patch
        /// Facts, in the formats of `POST /v1/facts`.
        case facts
        /// A batch of CloudEvents.
        case cloudEvents
    }

    enum Action: Sendable {
        /// Answered on the server's own thread, even when everything is busy: it must not wait for anything.
        case atOnce(@Sendable (Service, Call) throws(RouteProblem) -> HTTPResponse)
        /// Answered later and from any thread, exactly once. Nothing may be waited for before returning.
        case later(@Sendable (Service, Call, @escaping HTTPHandler.Reply) throws(RouteProblem) -> Void)
    }

    let method: Method
    let path: PathTemplate
    let need: Need
    let body: Body
    let parameters: [NamedParameter]
    /// What it does, in a clause.
    let summary: String
    let action: Action
    /// How what answers it may refuse, besides what any request may be refused for (`refusals`).
    let ownRefusals: Set<RefusalStatus>
    /// The fact that it records, whose data are its body.
    var fact: Payload?
    /// What it reads of the head besides; `Call` has no others for it.
    var headers: [RequestHeader] = []
    /// How large a body may be of another worker, where that is more than the door takes.
    var bytesMaxOfWorkers: Int?
    /// Whether a query says nothing to the worker: of a page, what its scripts read there.
    var takesAnyQuery = false
    /// Whose worker it is for; `nil` where any can answer it.
    var home: @Sendable (Call) -> Home? = { call in
        call.userIfAny.map { Home(.person($0), isStream: call.wantsServerSentEvents) }
    }

    /// The same route, of which is known what fact it records.
    func recording(_ fact: Payload) -> Route {
        var route = self
        route.fact = fact
        return route
    }

    /// The same route, which reads these headers.
    func reading(_ headers: RequestHeader...) -> Route { reading(headers) }

    func reading(_ headers: [RequestHeader]) -> Route {
        var route = self
        route.headers = headers
        return route
    }

    /// The same route, which takes more of another worker than the door does.
    func takingOfWorkers(_ bytesMax: Int) -> Route {
        var route = self
        route.bytesMaxOfWorkers = bytesMax
        return route
    }

    /// The same route, which is for another worker than its path says.
    func at(_ home: @escaping @Sendable (Call) -> Home?) -> Route {
        var route = self
        route.home = home
        return route
    }
}

extension Route {
    /// A route that a family of the service answers. While there is none, because the log is still being read, the worker
    /// says so.
    init<Family: Sendable>(
        _ method: Method, _ path: PathTemplate, _ need: Need, _ summary: String,
        parameters: [NamedParameter] = [], body: Body = .none, refusing ownRefusals: Set<RefusalStatus>,
        of family: any KeyPath<Service, Family?> & Sendable,
        _ answer: @escaping @Sendable (Family, Call, @escaping HTTPHandler.Reply) throws(RouteProblem) -> Void
    ) {
        self.init(
            method: method, path: path, need: need, body: body, parameters: parameters, summary: summary,
            action: .later { (service, call, reply) throws(RouteProblem) in
                guard let family = service[keyPath: family] else {
                    return reply(Inability.replaying.response(toOrder: !method.isSafe))
                }
                try answer(family, call, reply)
            }, ownRefusals: ownRefusals)
    }

    /// A route that is answered from the request's head, even when everything is busy.
    init(
        atOnce path: PathTemplate, _ need: Need, _ summary: String, parameters: [NamedParameter] = [],
        refusing ownRefusals: Set<RefusalStatus> = [],
        _ answer: @escaping @Sendable (Service, Call) throws(RouteProblem) -> HTTPResponse
    ) {
        self.init(
            method: .get, path: path, need: need, body: .none, parameters: parameters, summary: summary,
            action: .atOnce(answer), ownRefusals: ownRefusals)
    }

    /// Whether it changes something: a preview is sent like an order and is none.
    var isOrder: Bool {
        guard !method.isSafe else { return false }
        switch need {
        case .operators(let least), .person(let least): return least > .read
        case .anyone, .anyoneKnown, .themselves: return true
        }
    }

    /// Whether who asks may, of a path that names `user`.
    func check(_ access: Access, user: String?) throws(RouteProblem) {
        switch (need, access) {
        case (.anyone, _), (.anyoneKnown, .operator), (.anyoneKnown, .person), (.themselves, .person): return
        case (_, .stranger): throw .unauthorized
        case (.operators(let least), .operator(let known)), (.person(let least), .operator(let known)):
            if known.role < least {
                throw .forbidden("this takes the role \(least.rawValue); yours is \(known.role.rawValue)")
            }
        case (.operators, .person): throw .forbidden("this is for operators; a person's token is for that person alone")
        case (.themselves, .operator): throw .forbidden("this is for a person's own token")
        case (.person, .person(let pass)):
            // Not that somebody else is there, nor that they are not (`G8`).
            if pass.user != user { throw .unauthorized }
        }
    }
}
