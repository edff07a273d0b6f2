import Notices
import Testing

@testable import Console

/// `V7`: what `/v1/openapi.json` says of bodies and answers.
@Suite("The description of the API")
struct DescriptionTests {
    private let paths = APIDescription.document["paths"]

    private func operation(_ text: String) -> JSONValue? {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        return paths?[words[1]]?[words[0].lowercased()]
    }

    private func body(_ text: String) -> JSONValue? {
        operation(text)?["requestBody"]?["content"]?["application/json"]?["schema"]
    }

    @Test(arguments: [
        ("POST /v1/people/{user}/tokens", "201"), ("DELETE /v1/people/{user}/tokens", "204"),
        ("DELETE /v1/people/{user}/tokens/{id}", "204"), ("DELETE /v1/session", "204"), ("POST /v1/what-if", "202"),
    ])
    func `an answer that is not 200 is told by its own status`(route: String, status: String) {
        let responses = operation(route)?["responses"]
        #expect(responses?[status] != nil && responses?["200"] == nil)
    }

    @Test(arguments: [
        ("GET /v1/events", ["application/x-ndjson", "text/event-stream"]),
        ("GET /v1/people/{user}/feed", ["application/json", "text/event-stream"]),
        ("GET /v1/people/{user}/settings", ["application/json", "text/plain"]),
    ])
    func `each kind of answer is told`(route: String, types: [String]) {
        #expect(operation(route)?["responses"]?["200"]?["content"]?.members.map(\.key) == types)
    }

    @Test func `every route is in it but the pages, and every header that it reads`() throws {
        for route in RouteTable.all.routes where !route.path.takesRest && !route.takesAnyQuery {
            let text = "\(route.method.rawValue) \(route.path.text)"
            let told = try #require(operation(text), "\(text)")
            let parameters = told["parameters"]?.elements ?? []
            let headers = parameters.filter { $0["in"]?.string == "header" }.compactMap { $0["name"]?.string }
            #expect(headers == route.headers.map(\.rawValue), "\(text)")
            let statuses = told["responses"]?.members.map(\.key) ?? []
            #expect(statuses.filter { $0 >= "4" } == route.refusals.map { "\($0.rawValue)" }, "\(text)")
        }
    }

    @Test(arguments: [
        (
            "POST /v1/facts",
            [
                "traceparent", "ce-specversion", "ce-type", "ce-source", "ce-id", "ce-subject", "ce-time",
                "ce-traceparent",
            ]
        ), ("POST /v1/facts/cloudevents", ["traceparent"]), ("GET /v1/events", ["Last-Event-ID"]),
        ("GET /v1/people/{user}/feed", ["Last-Event-ID"]),
        ("PATCH /v1/people/{user}/preferences", ["Idempotency-Key"]),
        ("POST /v1/people/{user}/phone/code", ["Idempotency-Key"]), ("GET /v1/people", []),
    ])
    func `a header that a route reads is told`(route: String, headers: [String]) {
        let parameters = operation(route)?["parameters"]?.elements ?? []
        #expect(parameters.filter { $0["in"]?.string == "header" }.compactMap { $0["name"]?.string } == headers)
    }

    @Test(arguments: [
        ("GET /health", [400, 403, 421, 503]),
        ("GET /v1/people/{user}/state", [400, 401, 403, 404, 421, 500, 503]),
        ("POST /v1/facts", [400, 401, 403, 408, 413, 415, 421, 500, 503]),
        ("POST /v1/retry", [400, 401, 403, 404, 408, 413, 415, 421, 500, 503]),
        ("POST /v1/people/{user}/phone/code", [400, 401, 403, 408, 413, 415, 421, 429, 500, 503]),
        ("POST /v1/what-if", [400, 401, 403, 408, 409, 413, 415, 421, 500, 503]),
        ("GET /v1/events", [400, 401, 403, 404, 421, 429, 500, 503]),
        ("DELETE /v1/what-if/{id}", [400, 401, 403, 404, 421, 503]),
    ])
    func `every way to be refused has its status`(route: String, statuses: [Int]) throws {
        let responses = try #require(operation(route)?["responses"])
        #expect(responses.members.compactMap { Int($0.key) }.filter { $0 >= 400 } == statuses)
        let known = APIDescription.document["components"]?["responses"]
        for status in responses.members where status.value["$ref"] != nil {
            let name = status.value["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
            #expect(known?[name]?["description"]?.string?.isEmpty == false, "\(name)")
        }
        #expect(known?["ServiceUnavailable"]?["headers"]?["Retry-After"] != nil)
        #expect(known?["NotFound"]?["headers"] == nil)
    }

    @Test func `what is no request at all is told once, for all`() {
        let words = APIDescription.document["info"]?["description"]?.string ?? ""
        for status in ["414", "417", "431", "501", "505"] { #expect(words.contains(status), "\(status)") }
    }

    @Test func `a batch of CloudEvents is a list of what one is`() throws {
        let content = operation("POST /v1/facts/cloudevents")?["requestBody"]?["content"]
        #expect(content?.members.map(\.key) == ["application/cloudevents-batch+json"])
        let schema = content?["application/cloudevents-batch+json"]?["schema"]?["$ref"]?.string
        #expect(schema == "#/components/schemas/CloudEventBatch")
        let batch = APIDescription.document["components"]?["schemas"]?["CloudEventBatch"]
        #expect(batch?["items"]?["$ref"]?.string == "#/components/schemas/CloudEvent")
        let entry = try Entry()
        func tell(_ type: String) -> Int {
            entry.ask(
                "POST", "/v1/facts/cloudevents", showing: Entry.own, [("Content-Type", type)], body: "[]"
            ).status
        }
        #expect(tell("application/cloudevents-batch+json") == 200)
        #expect(tell("application/json") == 415)
    }

    /// Each is tried: what the description does not have is refused with the list of what it has.
    @Test func `every content type that facts and patches come in is told`() throws {
        func types(_ text: String) -> [String] {
            operation(text)?["requestBody"]?["content"]?.members.map(\.key) ?? []
        }
        #expect(
            types("POST /v1/facts") == [
                "application/json", "application/x-ndjson", "application/cloudevents+json",
                "application/cloudevents-batch+json",
            ])
        #expect(
            types("PATCH /v1/people/{user}/preferences") == ["application/json", "application/merge-patch+json"])
        let entry = try Entry()
        for type in types("POST /v1/facts") {
            let answer = entry.ask("POST", "/v1/facts", showing: Entry.own, [("Content-Type", type)], body: "[]")
            #expect(answer.status != 415, "\(type)")
        }
        for type in ["text/plain", "application/merge-patch+json"] {
            let answer = entry.ask("POST", "/v1/facts", showing: Entry.own, [("Content-Type", type)], body: "[]")
            #expect(answer.status == 415, "\(type)")
            #expect(types("POST /v1/facts").allSatisfy { answer.text.contains($0) }, "\(answer.text)")
        }
        func patch(_ type: String) -> Int {
            entry.ask(
                "PATCH", "/v1/people/anna/preferences", showing: Entry.own, [("Content-Type", type)], body: "{}"
            ).status
        }
        for type in types("PATCH /v1/people/{user}/preferences") { #expect(patch(type) != 415, "\(type)") }
        #expect(patch("text/plain") == 415)
    }

    @Test func `a patch of preferences has every field with its words and bounds, and each may be null`() throws {
        let body = operation("PATCH /v1/people/{user}/preferences")?["requestBody"]?["content"]?["application/json"]
        #expect(body?["schema"]?["$ref"]?.string == "#/components/schemas/PreferencesPatch")
        let patch = try #require(APIDescription.document["components"]?["schemas"]?["PreferencesPatch"])
        #expect(patch["required"] == nil && patch["additionalProperties"]?.bool == false)
        let fields = try #require(patch["properties"])
        #expect(
            fields["frequency"]?["enum"]?.elements?.compactMap(\.string) == ["daily", "few_times_a_week", "weekly"])
        #expect(fields["frequency"]?["enum"]?.elements?.last == .null)
        #expect(fields["pause_threshold_seconds"]?["maximum"]?.integer == 86_400)
        #expect(fields["quiet_hours"]?["properties"]?["start"]?["pattern"] != nil)
        #expect(fields["schedule"]?["properties"]?["mon"]?["items"]?["items"]?["pattern"] != nil)
        #expect(fields["choices"]?["additionalProperties"]?["type"]?.elements?.count == 4)
        for field in fields.members {
            #expect(field.value["type"]?.elements?.last?.string == "null", "\(field.key)")
        }
    }

    @Test func `operators come with a token or a session, a person with a token`() {
        let schemes = APIDescription.document["components"]?["securitySchemes"]
        #expect(
            schemes?["session"]?["in"]?.string == "cookie" && schemes?["session"]?["name"]?.string == "belfry_session")
        #expect(
            APIDescription.document["security"]?.elements?.flatMap { $0.members.map(\.key) } == ["token", "session"])
        #expect(operation("GET /v1/me")?["security"]?.elements?.flatMap { $0.members.map(\.key) } == ["token"])
    }

    /// The body of a route that records a fact is that fact's data; nobody writes its fields down a second time.
    @Test func `every order says what fields it takes`() throws {
        let free = ["/v1/policy/check", "/v1/people/{user}/test-analysis"]
        for route in RouteTable.all.routes where route.body == .order {
            guard !free.contains(route.path.text), !route.path.text.hasPrefix("/v1/cluster") else { continue }
            let text = "\(route.method.rawValue) \(route.path.text)"
            let schema = try #require(body(text), "\(text)")
            #expect(schema["properties"] != nil || schema["$ref"] != nil, "\(text)")
        }
        #expect(
            body("POST /v1/people/{user}/notices/snoozed")?["required"]?.elements?.compactMap(\.string) == [
                "job", "minutes",
            ])
        #expect(operation("POST /v1/people/{user}/notices/snoozed")?["requestBody"]?["required"]?.bool == true)
        #expect(operation("POST /v1/people/{user}/reset")?["requestBody"]?["required"]?.bool == false)
        #expect(operation("POST /v1/facts")?["requestBody"]?["required"]?.bool == false)
    }

    /// An address that a browser asks for a page shows the console, which says that nothing is there.
    @Test(arguments: ["/nonsense/path", "/peopel"]) func `a browser gets a page at an address that is none`(
        path: String
    ) throws {
        let entry = try Entry()
        let page = entry.ask("GET", path, showing: Entry.own, [("Accept", "text/html,application/xhtml+xml")])
        #expect(page.status == 404 && page.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(entry.ask("GET", path, showing: Entry.own).headers["Content-Type"] == "application/json")
        #expect(
            entry.ask("GET", "/v1/nowhere", showing: Entry.own, [("Accept", "text/html")]).headers["Content-Type"]
                == "application/json")
    }
}
