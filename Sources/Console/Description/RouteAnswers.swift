internal import Notices

/// What a route takes in its body and answers with, for those whose answers are known by more than being JSON.
struct RouteAnswers: Sendable {
    struct Content: Sendable {
        var type: String
        var schema: Schema
        /// What the text is made of, where no schema can say it.
        var note: String?

        static let words = Content(type: "text/plain", schema: .text)

        /// JSON line by line; each is by itself what the name says.
        static func lines(of name: String, _ more: String = "") -> Content {
            Content(
                type: "application/x-ndjson", schema: .text,
                note: "one JSON object a line, each a \(Schema.place(of: name))\(more)")
        }

        static func serverSent(_ note: String) -> Content {
            Content(type: "text/event-stream", schema: .text, note: "server-sent events; \(note)")
        }

        var document: JSONValue {
            guard let note, case .object(let members) = schema.document else { return schema.document }
            return .object(members + [.init("description", .string(note))])
        }
    }

    var body: Schema?
    /// Whether a request without a body is taken, whatever the body would have to hold.
    var isBodyOptional = false
    var status = 200
    var contents: [Content] = []
    /// When it answers with nothing, 204, in place of these.
    var nothing: String?
    /// Refusals that say more than what is wrong.
    var refusals: [RefusalStatus: Schema] = [:]

    static func json(_ schema: Schema, body: Schema? = nil, status: Int = 200) -> RouteAnswers {
        RouteAnswers(body: body, status: status, contents: [Content(type: "application/json", schema: schema)])
    }

    /// JSON, or text for people where that is preferred.
    static func jsonOrText(_ schema: Schema, body: Schema? = nil) -> RouteAnswers {
        RouteAnswers(body: body, contents: [Content(type: "application/json", schema: schema), .words])
    }

    /// What stands in the list below. A route that records a fact takes its data, and says that it was recorded unless the
    /// list has more to say.
    static func of(_ route: Route) -> RouteAnswers? {
        let data = route.fact.map { EventSchemas.data(of: $0) }
        guard var answers = known["\(route.method.rawValue) \(route.path.text)"] else {
            return data.map { .json(.named("Recorded"), body: $0) }
        }
        answers.body = answers.body ?? data
        return answers
    }

    private static let known: [String: RouteAnswers] = {
        var known: [String: RouteAnswers] = [
            "GET /health": .json(.named("Health")), "GET /v1/now": .json(.named("Now")),
            "POST /v1/run-now": .json(.named("RunReport"), body: runOrder),
            "POST /v1/retry": .json(.named("RetryReport"), body: retryOrder),
            "POST /v1/people/{user}/test": .json(.named("TestReport"), body: testOrder),
            "POST /v1/people/{user}/erase": .json(.named("ErasureReport"), body: eraseOrder),
            "GET /v1/people/{user}/export": .jsonOrText(.named("PersonExport")),
            "POST /v1/people/{user}/test-analysis": .json(.named("AnalysisTrial"), body: emptyOrder),
            "GET /v1/people/{user}/state": .jsonOrText(.named("PersonState")),
            "GET /v1/people/{user}/explain": .jsonOrText(.either([.named("Outlook"), .named("NoticeStory")])),
            "POST /v1/people/{user}/preview": .jsonOrText(.named("PreferencesPreview"), body: previewOrder),
            "GET /v1/people/{user}/settings": .jsonOrText(.named("Settings")),
            "PATCH /v1/people/{user}/preferences": .json(.named("Recorded"), body: .named("PreferencesPatch")),
            "POST /v1/people/{user}/consent": .json(.named("Recorded"), body: consentOrder),
            "POST /v1/people/{user}/phone": .json(.named("CodeSent")),
            "POST /v1/people/{user}/phone/again": .json(.named("CodeSent")),
            "POST /v1/people/{user}/phone/code": .json(.named("PhoneVerified")),
            "GET /v1/me": .json(.named("PersonPass")),
            "POST /v1/people/{user}/tokens": .json(.named("PersonToken"), body: tokenOrder, status: 201),
            "DELETE /v1/people/{user}/tokens": RouteAnswers(status: 204),
            "DELETE /v1/people/{user}/tokens/{id}": RouteAnswers(status: 204),
            "POST /v1/session": .json(.named("Session"), body: sessionOrder),
            "GET /v1/session": .json(.named("Session")), "DELETE /v1/session": RouteAnswers(status: 204),
            "GET /v1/events/{seq}": .json(.named("EventOrigin")),
            "GET /v1/log/head": .json(.either([.named("LogHead"), .named("LogHeads")])),
            "GET /v1/people/{user}/day": .json(.named("Day")), "GET /v1/agenda": .json(.named("Agenda")),
            // A policy's document, which `/v1/policy/check` knows better than a schema could.
            "GET /v1/policy": .json(.named("PolicyReport")), "GET /v1/policy/{name}": .json(.anyObject),
            "POST /v1/policy/check": .json(.named("PolicyCheck"), body: .anyObject),
            "POST /v1/what-if": .json(.named("WhatIfBegun"), body: .named("WhatIfOrder"), status: 202),
            "GET /v1/what-if/{id}": .json(.named("WhatIf")),
            "DELETE /v1/what-if/{id}": RouteAnswers(status: 204),
            // As OpenAPI has it.
            "GET /v1/openapi.json": .json(.anyObject),
            "POST /v1/cluster/everyone": .json(.named("CopiedThrough"), body: .anyObject),
            // Its form is the workers' own, and another with the next version.
            "POST /v1/cluster/part": .json(.anyObject, body: .anyObject),
            "POST /v1/cluster/move": .json(.named("MoveStanding"), body: .anyObject),
            "POST /v1/cluster/erase": .json(.named("Forgotten"), body: .anyObject),
            "POST /v1/cluster/revoke": .json(.named("RevokedTokens"), body: .anyObject),
            // As the file has it.
            "POST /v1/cluster/revoked": .json(.named("TokensRevoked"), body: .anyObject),
            "POST /v1/cluster/drain": .json(.named("DrainStanding"), body: emptyOrder),
        ]
        var ready = RouteAnswers.json(.named("Ready"))
        ready.refusals = [.notNow: .named("Ready")]
        known["GET /ready"] = ready
        var facts = RouteAnswers.json(.named("FactsReport"), body: .named("Fact"))
        // Where lines were refused the others are in the log, and each is told of.
        facts.refusals = [
            .badRequest: .either([.named("FactsReport"), .named("Problem")]), .notNow: .named("FactsProblem"),
        ]
        // Nothing told is nothing refused.
        facts.isBodyOptional = true
        known["POST /v1/facts"] = facts
        (facts.body, facts.isBodyOptional) = (.named("CloudEventBatch"), false)
        known["POST /v1/facts/cloudevents"] = facts
        known["POST /v1/people/{user}/phone/code"]?.refusals = [.badRequest: wrongCode]
        known["POST /v1/what-if"]?.refusals = [.conflict: otherWhatIf]
        known["GET /v1/people"] = RouteAnswers(contents: [.lines(of: "PersonListed"), .words])
        known["GET /v1/people/{user}/history"] = RouteAnswers(contents: [.lines(of: "HistoryEntry"), .words])
        let (event, problem) = (Schema.place(of: "Event"), Schema.place(of: "Problem"))
        known["GET /v1/events"] = RouteAnswers(
            contents: [
                .lines(of: "Event", "; the last a \(problem) where partitions of other workers cannot be read on"),
                .serverSent("the data of each is a \(event)"),
            ], nothing: "a client of server-sent events has come back that has had all up to `to`")
        let (item, counts) = (Schema.place(of: "FeedItem"), Schema.place(of: "FeedCounts"))
        known["GET /v1/people/{user}/feed"] = RouteAnswers(contents: [
            Content(type: "application/json", schema: .named("Feed")),
            .serverSent("the data of `item` is a \(item), of `badge` a \(counts), of `cleared` an empty object"),
        ])
        known["GET /v1/stats"] = RouteAnswers(contents: [
            Content(type: "application/json", schema: .named("Stats")), .words,
            Content(type: "text/csv", schema: .text),
        ])
        known["GET /metrics"] = RouteAnswers(contents: [
            .words, Content(type: "application/openmetrics-text", schema: .text),
        ])
        return known
    }()

    private static let runOrder = Schema.object(
        [
            .optional("users", .list(ValueShape.identifier.schema)), .optional("kind", ValueShape.identifier.schema),
            .optional("force", .bool), .optional("dry_run", .bool),
        ], isClosed: true)

    private static let retryOrder = Schema.object(
        [
            .optional("job", ValueShape.notice.schema), .optional("user", ValueShape.identifier.schema),
            .optional("failed_since", .instant),
        ], isClosed: true)

    private static let previewOrder = Schema.object(
        [
            .optional(
                "patch", .named("PreferencesPatch"), "a merge patch on the preferences; one of the three is given"),
            .optional("preset", ValueShape.identifier.schema), .optional("reset", .bool),
        ], isClosed: true)
    private static let wrongCode = Schema.object([
        .init("error", .text), .optional("attempts_left", .count, "where it was the code that was wrong"),
        NamedSchemas.duplicate,
    ])
    private static let otherWhatIf = Schema.object([.init("error", .text), .init("id", .text, "of the one that runs")])
    private static let emptyOrder = Schema.object([], isClosed: true)
    private static let consentOrder = Schema.object([.init("given", .bool)], isClosed: true)
    private static let sessionOrder = Schema.object([.init("token", .text)], isClosed: true)
    private static let tokenOrder = Schema.object(
        [
            .optional(
                "expires_in_seconds", .nullable(.integer(PersonTokens.secondsMin...PersonTokens.secondsMax)))
        ], isClosed: true)
    private static let eraseOrder = Schema.object([.init("user", ValueShape.identifier.schema)], isClosed: true)
    private static let testOrder = Schema.object(
        [.init("kind", ValueShape.identifier.schema), .optional("channel", .word(Channel.names))], isClosed: true)
}
