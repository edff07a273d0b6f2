import Delivery
import Foundation
import Testing

/// `GET /v1/openapi.json`, and what tools that nobody here wrote make of it.
@Suite("OpenAPI (V7)")
struct OpenAPITests {
    let shell = Shell()

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL
    private static let oracles = root.appending(path: ".build/oracles").path
    private static func has(_ package: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(oracles)/\(package)")
    }

    private func worker() throws -> (Running, port: Int) {
        let worker = shell.start(["run", "--jobs", "spool:\(shell.path("spool"))"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        return (worker, port)
    }

    /// Saves the description beside the worker.
    private func describe(_ port: Int) throws {
        let answer = try WorkerPort(port).get("v1/openapi.json", token: WorkerPort.token)
        #expect(answer.status == 200)
        try shell.write(answer.body, to: "openapi.json")
    }

    @Test func `it has every route with its role, and every fact with its fields`() throws {
        let (worker, port) = try worker()
        try describe(port)
        #expect(try WorkerPort(port).get("v1/openapi.json").status == 401)
        worker.expectStopped()
        let document = try Printed(String(decoding: try shell.read("openapi.json"), as: UTF8.self))
        #expect(document["openapi"] == "3.1.0")
        let paths = document.keys("paths")
        for path in ["/v1/facts", "/v1/people/{user}/day", "/v1/stats", "/metrics", "/v1/what-if/{id}", "/health"] {
            #expect(paths.contains(path), "\(path)")
        }
        let schemas = document.keys("components.schemas")
        #expect(schemas.contains("UserEnrolledFact") && !schemas.contains("JobEmittedFact"))
        #expect(document["components.schemas.UserEnrolledFact.properties.data.required"] == #"["timezone"]"#)
        #expect(!document.text.contains("anyOf") && !document.text.contains("nullable"))
    }

    @Test(.enabled(if: has("openapi_spec_validator"), "ops/bootstrap --test installs openapi-spec-validator"))
    func `the validator of the specification takes it`() throws {
        let (worker, port) = try worker()
        try describe(port)
        worker.expectStopped()
        let outcome = shell.bash(
            "PYTHONPATH=\(Self.oracles) python3 -m openapi_spec_validator --schema 3.1 openapi.json")
        #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test(.enabled(if: has("schemathesis"), "ops/bootstrap --test installs schemathesis"))
    func `no answer is found that the description does not have`() throws {
        let (worker, port) = try worker()
        try describe(port)
        let examples = ProcessInfo.processInfo.environment["BELFRY_LONG"] == nil ? 8 : 200
        let outcome = shell.bash(
            """
            export PYTHONPATH=\(Self.oracles) no_proxy=127.0.0.1
            python3 -m schemathesis.cli run openapi.json --url http://127.0.0.1:\(port) \
              -H "Authorization: Bearer \(WorkerPort.token)" --phases examples,fuzzing --max-examples \(examples) \
              --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
              --seed 1 --generation-database none --request-timeout 60 --exclude-path-regex '/events$|feed' \
              --suppress-health-check all --no-color
            """, patience: .seconds(300 + 30 * examples))
        #expect(outcome.code == 0, "\(outcome.output.suffix(6000))\(outcome.errors.suffix(2000))")
        #expect(outcome.output.contains("API Operations") || outcome.output.contains("Operations:"))
        worker.expectStopped()
    }

    /// What schemathesis makes up is hardly ever about anybody.
    @Test(
        .enabled(if: has("jsonschema"), "ops/bootstrap --test installs jsonschema"),
        arguments: [
            "microcommit-a-goals-life", "screentime-a-minor-and-a-digest", "messageai-an-overload-and-its-summary",
            "coachme-the-first-yes", "microcommit-a-number-and-an-address",
        ])
    func `what is answered about the people of a story is as described`(name: String) throws {
        let story = try Story(name)
        // Some stories hold lines that are refused, on purpose.
        _ = shell.belfry("import", story.facts, "--policy", story.policy, "--until", story.until)
        let (worker, port) = try worker()
        let script = Self.root.appending(path: "Tests/BelfryTests/described_answers.py").path
        let outcome = shell.bash(
            "PYTHONPATH=\(Self.oracles) no_proxy=127.0.0.1 python3 \(script) http://127.0.0.1:\(port) \(WorkerPort.token)"
        )
        #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
        #expect((Int(outcome.output.prefix { $0.isNumber }) ?? 0) > 50, "\(outcome.output)")
        worker.expectStopped()
    }

    @Test(.enabled(if: has("openapi_python_client"), "ops/bootstrap --test installs openapi-python-client"))
    func `a client is generated from it that works`() throws {
        let (worker, port) = try worker()
        try describe(port)
        let generated = shell.bash(
            """
            export PYTHONPATH=\(Self.oracles) PATH=\(Self.oracles)/bin:$PATH
            python3 -m openapi_python_client generate --path openapi.json --meta none --output-path belfry_client
            """)
        #expect(generated.code == 0, "\(generated.output)\(generated.errors)")
        try shell.write(
            """
            import sys
            from belfry_client import AuthenticatedClient
            from belfry_client.api.default import (
                get_health, get_now, get_people_user_day, get_people_user_state, patch_people_user_preferences, post_facts,
                post_facts_cloudevents)
            from belfry_client.models import CloudEvent, PreferencesPatch, Problem, UserEnrolledFact
            client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
            fact = UserEnrolledFact.from_dict(
                {"type": "user_enrolled", "user": "anna", "data": {"timezone": "Europe/Paris"}})
            told = post_facts.sync(client=client, body=fact)
            patch = PreferencesPatch.from_dict(
                {"frequency": "daily", "quiet_hours": {"start": "21:00"}, "kinds": {"check_in": {"channels": ["push"]}},
                    "check_in_time": None})
            print(patch_people_user_preferences.sync("anna", client=client, body=patch).seq > told.accepted)
            print(told.accepted, get_now.sync(client=client).people, get_people_user_day.sync("anna", client=client).timezone,
                get_health.sync(client=client).status)
            def event(number, type, data):
                return CloudEvent.from_dict({
                    "specversion": "1.0", "id": number, "source": "/shop", "type": type, "subject": "anna", "data": data})
            batch = [event("1", "points_earned", {"points": 5}), event("2", "points_earned", {"points": 7})]
            print(post_facts_cloudevents.sync(client=client, body=batch).accepted,
                post_facts.sync(client=client, body=batch[0]).results[0].duplicate_of > 0,
                post_facts.sync_detailed(client=client, body=fact, ce_specversion="1.0", ce_type="app_opened",
                    ce_source="/app", ce_id="9", ce_subject="anna").status_code.value)
            unknown = get_people_user_state.sync_detailed("nobody", client=client)
            print(unknown.status_code.value, isinstance(unknown.parsed, Problem))
            """, to: "use.py")
        let used = shell.bash(
            """
            export PYTHONPATH=\(Self.oracles):. no_proxy=127.0.0.1
            python3 use.py http://127.0.0.1:\(port) \(WorkerPort.token)
            """)
        #expect(used.output == "True\n1 1 Europe/Paris ready\n2 True 400\n404 True\n", "\(used.output)\(used.errors)")
        worker.expectStopped()
    }
}
