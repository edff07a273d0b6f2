internal import CivilTime
internal import Notices

/// What a request asks for, read from its head: method, path, query and the headers that matter.
enum Route: Equatable {
    case facts(FactFormat, isAllOrNothing: Bool)
    case runNow
    case person(Question)
    /// Of whom; what is to be tried stands in the body.
    case preview(user: String, wantsText: Bool)
    case health
    case ready

    init(_ head: HTTPRequest) throws(RouteProblem) {
        let target: Target
        do { target = try Target(head.target) } catch { throw .badTarget(error.text) }
        var query = Query(target.parameters)
        switch target.segments {
        case ["v1", "facts"]:
            try Self.expect("POST", head)
            let format = try FactFormat(head.headers)
            self = .facts(format, isAllOrNothing: try query.flag("all_or_nothing"))
        case ["v1", "run-now"]:
            try Self.expect("POST", head)
            try RunNowRequest.check(head.headers)
            self = .runNow
        case ["health"]:
            try Self.expect("GET", head)
            self = .health
        case ["ready"]:
            try Self.expect("GET", head)
            self = .ready
        default:
            guard target.segments.count == 4, target.segments[...1] == ["v1", "people"] else {
                throw .notFound(path: head.target)
            }
            let (user, word) = (target.segments[2], target.segments[3])
            if word == "preview" {
                try Self.expect("POST", head)
                try RunNowRequest.check(head.headers)
                self = .preview(user: try Self.known(user), wantsText: MediaType.prefersText(head.headers))
            } else {
                self = .person(try Self.question(word, about: user, &query, head))
            }
        }
        try query.finish()
    }

    private static func question(
        _ word: String, about user: String, _ query: inout Query, _ head: HTTPRequest
    ) throws(RouteProblem) -> Question {
        let isKnown = ["state", "explain", "history"].contains(word)
        guard isKnown else { throw .notFound(path: head.target) }
        try expect("GET", head)
        let user = try known(user)
        let subject: Question.Subject
        switch word {
        case "state": subject = .state(at: try query.moment("at"))
        case "explain":
            let (kind, notice) = (try query.identifier("kind"), try query.noticeName("notice"))
            guard kind == nil || notice == nil else {
                throw .badParameter(FieldError("kind and notice cannot be given together"))
            }
            subject = .explain(kind: kind, notice: notice, at: try query.moment("at"))
        default: subject = .history(status: try query.status("status"), days: try query.number("days", 1...3650))
        }
        return Question(subject: subject, user: user, wantsText: MediaType.prefersText(head.headers))
    }

    private static func known(_ user: String) throws(RouteProblem) -> String {
        guard Identifier.isAccepted(user) else {
            throw .badParameter(FieldError(path: "user", "\(quoted(user)) is not \(Identifier.allowed)"))
        }
        return user
    }

    /// `HEAD` is `GET` without the body, which the server leaves out.
    private static func expect(_ method: String, _ head: HTTPRequest) throws(RouteProblem) {
        guard head.method == method || (method == "GET" && head.method == "HEAD") else {
            throw .wrongMethod(head.method, allowed: method == "GET" ? "GET, HEAD" : method)
        }
    }
}

/// The parameters of a query, each to be asked for by what it may be; what nobody asks for is refused.
private struct Query {
    private var parameters: [Target.Parameter]
    private var known: [String] = []

    init(_ parameters: [Target.Parameter]) { self.parameters = parameters }

    mutating func flag(_ name: String) throws(RouteProblem) -> Bool {
        try value(name, "true or false") { ["true": true, "false": false][$0] } ?? false
    }

    mutating func identifier(_ name: String) throws(RouteProblem) -> String? {
        try value(name, Identifier.allowed) { Identifier.isAccepted($0) ? $0 : nil }
    }

    mutating func noticeName(_ name: String) throws(RouteProblem) -> String? {
        try value(name, NoticeName.allowed) { NoticeName.isAccepted($0) ? $0 : nil }
    }

    mutating func moment(_ name: String) throws(RouteProblem) -> Question.Moment {
        try value(name, "an event's number or an instant such as 2026-03-02T14:00:00Z") { text in
            UInt64(text).map { .seq($0) } ?? (try? Instant(rfc3339: text)).map { .instant($0) }
        } ?? .end
    }

    mutating func status(_ name: String) throws(RouteProblem) -> HistoryStatus? {
        let allowed = HistoryStatus.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(name, "one of \(allowed)") { HistoryStatus(rawValue: $0) }
    }

    mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(RouteProblem) -> Int? {
        try value(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func finish() throws(RouteProblem) {
        guard let stray = parameters.first else { return }
        let list = known.isEmpty ? "none are" : "known here: " + known.joined(separator: ", ")
        throw .badParameter(FieldError(path: quoted(stray.name), "is not a parameter (\(list))"))
    }

    private mutating func value<Value>(
        _ name: String, _ allowed: String, _ read: (String) -> Value?
    ) throws(RouteProblem) -> Value? {
        known.append(name)
        guard let place = parameters.firstIndex(where: { $0.name == name }) else { return nil }
        let text = parameters.remove(at: place).value
        guard let value = read(text) else {
            throw .badParameter(FieldError(path: name, "\(quoted(text)) is not \(allowed)"))
        }
        return value
    }
}
