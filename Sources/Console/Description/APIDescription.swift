internal import Notices

/// The API as OpenAPI 3.1 describes it: made of the table of routes and of the event contract, so that it says what there is.
enum APIDescription {
    /// Worked out once: neither changes while a program runs.
    static let document = make(RouteTable.all.routes)
    static let bytes = Array(document.text.utf8)

    static func make(_ routes: [Route]) -> JSONValue {
        // Pages are for browsers, and a path that takes whatever is left cannot be told to a client.
        let told = routes.filter {
            !$0.path.takesRest && ($0.path.text.hasPrefix("/v1") || isOfOperators($0.path.text))
        }
        return .object([
            .init("openapi", .string("3.1.0")),
            .init(
                "info",
                .object([
                    .init("title", .string("Belfry")), .init("version", .string("1")),
                    .init(
                        "description",
                        .string(
                            "The worker's HTTP API. Numbers of events stay below 2^53. Answers may gain fields. "
                                + "What is no request of HTTP is refused before anybody looks at what it asks for: \(ofAnyBytes)."
                        )),
                ])),
            .init("paths", paths(told)), .init("components", components),
            .init("security", .array([requirement("token"), requirement("session")])),
        ])
    }

    private static func requirement(_ scheme: String) -> JSONValue { .object([.init(scheme, .array([]))]) }

    private static func isOfOperators(_ path: String) -> Bool { ["/health", "/ready", "/metrics"].contains(path) }

    private static func paths(_ routes: [Route]) -> JSONValue {
        var paths: [(path: String, operations: [JSONValue.Member])] = []
        for route in routes {
            let operation = JSONValue.Member(route.method.rawValue.lowercased(), self.operation(route))
            if let place = paths.firstIndex(where: { $0.path == route.path.text }) {
                paths[place].operations.append(operation)
            } else {
                paths.append((route.path.text, [operation]))
            }
        }
        return .object(paths.map { .init($0.path, .object($0.operations)) })
    }

    // MARK: One route

    private static func operation(_ route: Route) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("operationId", .string(name(of: route))),
            .init("summary", .string(route.summary.prefix(1).uppercased() + route.summary.dropFirst())),
            .init("description", .string(who(route.need))),
        ]
        switch route.need {
        case .anyone: members.append(.init("security", .array([])))
        // Nobody but operators signs in.
        case .themselves: members.append(.init("security", .array([requirement("token")])))
        case .anyoneKnown, .operators, .person: break
        }
        let parameters =
            route.path.variables.map(parameter) + route.parameters.map(parameter) + route.headers.map(parameter)
        if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
        let answers = RouteAnswers.of(route)
        if let body = body(route, answers) { members.append(.init("requestBody", body)) }
        members.append(.init("responses", responses(answers, to: route)))
        return .object(members)
    }

    /// `GET /v1/people/{user}/day` is `get_people_user_day`.
    private static func name(of route: Route) -> String {
        let words = route.path.text.split(separator: "/").filter { $0 != "v1" }.map { piece in
            piece.filter { $0.isLetter || $0.isNumber || "-.".contains($0) }.map { "-.".contains($0) ? "_" : $0 }
        }
        return ([route.method.rawValue.lowercased()] + words.map { String($0) }).joined(separator: "_")
    }

    private static func who(_ need: Route.Need) -> String {
        switch need {
        case .anyone: "Needs no token."
        case .anyoneKnown: "Needs any token that is valid here."
        case .operators(let role): "For operators with the role \(role.rawValue) or more."
        case .person(let role): "For the person themselves, and operators with the role \(role.rawValue) or more."
        case .themselves: "For the person whose token it is."
        }
    }

    private static func parameter(_ variable: PathVariable) -> JSONValue {
        let words: [JSONValue.Member] =
            switch variable {
            case .user, .id, .name: [.init("description", .string("`.` and `..` are written `~.` and `~..`"))]
            case .seq, .rest: []
            }
        return .object(
            [.init("name", .string(variable.rawValue)), .init("in", .string("path")), .init("required", .bool(true))]
                + words + [.init("schema", variable.shape.schema.document)])
    }

    private static func parameter(_ header: RequestHeader) -> JSONValue {
        .object([
            .init("name", .string(header.rawValue)), .init("in", .string("header")), .init("required", .bool(false)),
            .init("description", .string(header.summary)), .init("schema", header.shape.schema.document),
        ])
    }

    private static func parameter(_ named: NamedParameter) -> JSONValue {
        let schema = named.isRepeatable ? Schema.list(named.shape.schema) : named.shape.schema
        return .object([
            .init("name", .string(named.name)), .init("in", .string("query")), .init("required", .bool(false)),
            .init("description", .string(named.summary)), .init("schema", schema.document),
        ])
    }

    private static func body(_ route: Route, _ answers: RouteAnswers?) -> JSONValue? {
        guard route.body != .none else { return nil }
        let usual = answers?.body ?? .anyObject
        let schemas: [(type: String, schema: Schema?)] =
            switch route.body {
            case .none: []
            case .order: OrderBody.usual.map { ($0, usual) }
            case .patch: OrderBody.patches.reversed().map { ($0, usual) }
            case .cloudEvents: [(FactFormat.batchType, usual)]
            case .facts:
                FactFormat.types.map { format in
                    switch format.format {
                    case .document: (format.type, usual)
                    case .lines: (format.type, .text)
                    case .cloudEvent, .binaryCloudEvent: (format.type, .named("CloudEvent"))
                    // Generated clients fail at a list beside what is none: `POST /v1/facts/cloudevents` describes it.
                    case .cloudEvents: (format.type, nil)
                    }
                }
            }
        let content = schemas.map { type, schema in
            JSONValue.Member(type, .object(schema.map { [.init("schema", $0.document)] } ?? []))
        }
        let isRequired = answers?.isBodyOptional != true && answers?.body.map(\.hasRequired) ?? false
        return .object([
            .init("required", .bool(isRequired)), .init("content", .object(content)),
        ])
    }

    private static func responses(_ answers: RouteAnswers?, to route: Route) -> JSONValue {
        let known = answers ?? RouteAnswers(contents: [.init(type: "application/json", schema: .anyObject)])
        let done = response("Done", known.contents)
        let refusals = route.refusals.map { status -> JSONValue.Member in
            let own = known.refusals[status].map { response(status, schema: $0) }
            return .init(
                "\(status.rawValue)", own ?? .object([.init("$ref", .string("#/components/responses/\(status.key)"))]))
        }
        let nothing = known.nothing.map { JSONValue.Member("204", .object([.init("description", .string($0))])) }
        return .object([.init("\(known.status)", done)] + [nothing].compactMap(\.self) + refusals)
    }

    private static func response(
        _ words: String, _ contents: [RouteAnswers.Content], _ headers: [JSONValue.Member] = []
    ) -> JSONValue {
        var response: [JSONValue.Member] = [.init("description", .string(words))]
        if !headers.isEmpty { response.append(.init("headers", .object(headers))) }
        if !contents.isEmpty {
            let told = contents.map { content in
                JSONValue.Member(content.type, .object([.init("schema", content.document)]))
            }
            response.append(.init("content", .object(told)))
        }
        return .object(response)
    }

    // MARK: Refusals

    private static func response(_ status: RefusalStatus, schema: Schema = .named("Problem")) -> JSONValue {
        response(
            status.meaning, [.init(type: "application/json", schema: schema)], status.comesAgain ? retryAfter : [])
    }

    private static let ofOperations = RefusalStatus.allCases.filter { $0.reach == .operation }

    private static let ofAnyBytes = RefusalStatus.allCases.filter { $0.reach == .anyBytes }
        .map { "\($0.rawValue) (\($0.name))" }.joined(separator: ", ")

    private static let retryAfter = [
        JSONValue.Member(
            "Retry-After",
            .object([
                .init("description", .string("after so many seconds the same request is welcome again")),
                .init("schema", Schema.count.document),
            ]))
    ]

    // MARK: Components

    private static var components: JSONValue {
        .object([
            .init("schemas", .object(NamedSchemas.all.map { .init($0.name, $0.schema.document) })),
            .init("responses", .object(ofOperations.map { .init($0.key, response($0)) })),
            .init(
                "securitySchemes",
                .object([
                    .init(
                        "token", .object([.init("type", .string("http")), .init("scheme", .string("bearer"))])),
                    .init(
                        "session",
                        .object([
                            .init("type", .string("apiKey")), .init("in", .string("cookie")),
                            .init("name", .string(SessionCookie.name)),
                            .init("description", .string("what `POST /v1/session` gives the console")),
                        ])),
                ])),
        ])
    }
}

extension Schema {
    /// Whether a body of it cannot be left out.
    fileprivate var hasRequired: Bool {
        switch self {
        case .object(let fields, _): fields.contains(where: \.isRequired)
        default: true
        }
    }
}

extension RefusalStatus {
    /// What the description calls its answer by.
    fileprivate var key: String { name.filter { $0 != " " } }
}
