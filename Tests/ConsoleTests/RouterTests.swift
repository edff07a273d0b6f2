import CivilTime
@testable import Console
import Notices
import Testing

@Suite("The routes")
struct RouterTests {
    private let worker = Worker()
    private var router: Router { Router(worker.service) }

    // MARK: Finding the way

    @Test(arguments: [
        "/nowhere", "/v1", "/v1/", "/v1/facts/", "/v1/people/anna", "/v1/people/anna/states", "/V1/facts", "/health/",
    ])
    func `what is not there is 404`(path: String) {
        let answer = router.answer("GET", path)
        #expect(answer.status == 404)
        #expect(answer.text == "{\"error\":\"there is nothing at \\\"\(path)\\\"\"}\n")
    }

    @Test(arguments: [
        ("GET", "/v1/facts", "POST"), ("PUT", "/v1/facts", "POST"), ("GET", "/v1/run-now", "POST"),
        ("POST", "/v1/people/anna/state", "GET, HEAD"), ("DELETE", "/v1/people/anna/history", "GET, HEAD"),
        ("POST", "/health", "GET, HEAD"), ("OPTIONS", "/ready", "GET, HEAD"),
    ])
    func `the wrong method is 405 and the right one named`(method: String, path: String, allowed: String) {
        let answer = router.answer(method, path)
        #expect(answer.status == 405)
        #expect(answer.headers["Allow"] == allowed)
        #expect(answer.text.hasPrefix("{\"error\":"))
    }

    /// A browser takes both for a way through the path, however they are percent-encoded.
    @Test(arguments: [
        ("~.", "."), ("~..", ".."), (".", "."), ("..", ".."), ("%7E..", ".."), ("%2E%2E", ".."), ("a..", "a.."),
        ("...", "..."),
    ])
    func `people whose ids are dots have an address that a browser leaves as it is`(step: String, user: String) throws {
        let segments = try Target("/v1/people/\(step)/state").segments
        #expect(try RouteTable.all.find("GET", segments, path: "").places[.user] == user)
    }

    @Test(arguments: ["~", "~...", "~anna", "~~."]) func `no other name begins with a tilde`(step: String) {
        #expect(router.answer("GET", "/v1/people/\(step)/state").status == 400)
    }

    @Test func `answers are not to be kept on the way`() {
        for path in ["/v1/people/anna/state", "/health", "/nowhere"] {
            #expect(router.answer("GET", path).headers["Cache-Control"] == "no-store")
        }
    }

    @Test func `the table says of every route who may ask it, and no two are the same`() {
        let routes = RouteTable.all.routes
        #expect(Set(routes.map { "\($0.method.rawValue) \($0.path.text)" }).count == routes.count)
        for route in routes {
            #expect(!route.summary.isEmpty, "\(route.path.text)")
            #expect(Set(route.parameters.map(\.name)).count == route.parameters.count, "\(route.path.text)")
            if case .person = route.need { #expect(route.path.variables.contains(.user), "\(route.path.text)") }
        }
    }

    @Test func `words of a path come before places for names`() throws {
        let routes: [Route] = ["/v1/policy/{name}", "/v1/policy/check", "/assets/{rest}"].map { path in
            Route(atOnce: path, .anyone, "") { _, _ in HTTPResponse(status: 200) }
        }
        let table = RouteTable(routes)
        func path(_ segments: String...) -> String? {
            (try? table.find("HEAD", segments, path: ""))?.route.path.text
        }
        #expect(path("v1", "policy", "check") == "/v1/policy/check")
        #expect(path("v1", "policy", "standard") == "/v1/policy/{name}")
        #expect(path("assets", "fonts", "a.svg") == "/assets/{rest}")
        #expect(try table.find("GET", ["assets", "a", "b"], path: "").places == [.rest: "a/b"])
        #expect(path("assets") == nil)
        #expect(path("v1", "policy") == nil)
    }

    @Test func `what comes while the log is read is told to come again`() {
        let router = Router(Service(health: worker.service.health))
        #expect(router.answer("GET", "/v1/people/anna/state").status == 503)
        #expect(router.answer("POST", "/v1/facts", body: opened("anna")).headers["Retry-After"] == "1")
        #expect(router.answer("GET", "/health").status == 200)
    }

    // MARK: Running now

    @Test func `an order is read`() {
        let answer = router.answer(
            "POST", "/v1/run-now", body: #"{"users":["anna","bert"],"kind":"check_in","force":true}"#)
        #expect(answer.status == 200)
        let numbers =
            #""job_count":1,"unsent":[],"unsent_count":0,"withheld":[],"events":2,"first_seq":41,"last_seq":42"#
        #expect(answer.text == #"{"jobs":[{"id":"anna/reminder/#1"}],\#(numbers)}"# + "\n")
        for body in ["", "{}", #"{"users":null,"kind":null,"force":null}"#, " \n"] {
            #expect(router.answer("POST", "/v1/run-now", body: body).status == 200)
        }
        #expect(worker.runs.first == RunNowRequest(users: ["anna", "bert"], kind: "check_in", force: true))
        #expect(
            worker.runs.dropFirst()
                == [RunNowRequest](repeating: RunNowRequest(users: [], kind: nil, force: false), count: 4)[...])
    }

    @Test(arguments: [
        (#"{"user":"anna"}"#, #""user": is not a field of run-now (known here: users, kind, force, dry_run)"#),
        (#"{"users":"anna"}"#, "users: must be a list of at most 1000 ids"),
        (#"{"users":["anna","b b"]}"#, #"users[1]: "b b" is not an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)"#),
        (#"{"users":[]}"#, "users: is empty; leave it out to run for everyone"),
        (#"{"kind":7}"#, "kind: 7 is not an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)"),
        (#"{"force":"yes"}"#, #"force: "yes" is not true or false"#),
        (#"{"force":true}"#, "force: needs a kind: what is due is decided under all rules"),
        (
            #"{"force":true,"users":["anna"],"kind":null}"#,
            "force: needs a kind: what is due is decided under all rules"
        ),
        (#"{"partitions":[1]}"#, "partitions: is for workers among themselves; name users"),
        (#"{"partitions":["1"]}"#, "partitions: must be a list of numbers"),
        ("[]", "an order is a JSON object"),
        ("{", #"not JSON: column 2: the text ends here: expected a key in double quotes"#),
    ])
    func `an order that is none is refused with its path`(body: String, problem: String) {
        let answer = router.answer("POST", "/v1/run-now", body: body)
        #expect(answer.status == 400)
        #expect(JSONValue(parsing: answer.text)?["error"]?.string == problem)
        #expect(worker.runs.isEmpty)
    }

    @Test func `an order of another type is 415`() {
        #expect(router.answer("POST", "/v1/run-now", [("Content-Type", "text/plain")]).status == 415)
    }

    @Test func `what came of a run is told`() {
        func status(_ answer: RunAnswer) -> Int {
            var service = worker.service
            service.orders?.runNow = { _, _, reply in reply(answer) }
            return Router(service).answer("POST", "/v1/run-now").status
        }
        #expect(status(.refused("the policy has no such kind")) == 400)
        #expect(status(.unable(.busy)) == 503)
        #expect(status(.unable(.failed("stopped"))) == 500)
    }

    @Test func `what a run has not sent is listed, and counted by its reason`() {
        let first = Instant(milliseconds: 1_772_449_200_000)
        var report = RunReport(jobs: [], jobCount: 0, firstSeq: 41, lastSeq: 42)
        report.unsent = [Array(#"{"seq":42}"#.utf8)]
        report.unsentCount = 5000
        report.withheld = [
            .init(type: "notice_held", reason: .quietHours, count: 4999, until: first...first.advanced(byHours: 1)),
            .init(type: "notice_dropped", reason: .noChannel, count: 1),
        ]
        (report.erased, report.erasedCount) = ([Array(#"{"seq":41}"#.utf8)], 2000)
        let done = report
        var service = worker.service
        service.orders?.runNow = { _, _, reply in reply(.done(done)) }
        let told = JSONValue(parsing: Router(service).answer("POST", "/v1/run-now").text)
        #expect(told?["unsent"]?.elements?.count == 1 && told?["unsent_count"]?.integer == 5000)
        #expect(told?["erased"]?.elements?.count == 1 && told?["erased_count"]?.integer == 2000)
        #expect(told?["dry_run"] == nil && told?["events"]?.integer == 2)
        let withheld = told?["withheld"]?.elements ?? []
        #expect(withheld.first?["first_until"]?.string == "2026-03-02T11:00:00.000Z")
        #expect(withheld.compactMap { RunReport.Withheld($0) } == done.withheld)
    }

    // MARK: Asking about one person

    @Test func `questions are read`() {
        let noon = Instant(milliseconds: 1_772_449_200_000)
        let asked: [(String, Question.Subject)] = [
            ("state", .state(at: .end)),
            ("state?at=42", .state(at: .seq(42))),
            ("state?at=2026-03-02T12:00:00+01:00", .state(at: .instant(noon))),
            ("state?at=2026-03-02T12%3A00%3A00%2B01%3A00", .state(at: .instant(noon))),
            ("explain", .explain(.everyKind, wantsAll: false, at: .end)),
            ("explain?kind=check_in&at=7", .explain(.kind(.init(kind: "check_in")), wantsAll: false, at: .seq(7))),
            (
                "explain?kind=reminder&subject=goal:g1&priority=high&all=true",
                .explain(
                    .kind(.init(kind: "reminder", subject: "goal:g1", priority: .high)), wantsAll: true, at: .end)
            ),
            (
                "explain?notice=anna/check_in/2026-03-02T09:00~1",
                .explain(.notice("anna/check_in/2026-03-02T09:00~1"), wantsAll: false, at: .end)
            ),
            (
                "explain?notice=anna%2Freminder%2F%2342",
                .explain(.notice("anna/reminder/#42"), wantsAll: false, at: .end)
            ),
            ("history", .history(status: nil, days: nil)),
            ("history?status=failed&days=30", .history(status: .failed, days: 30)),
        ]
        for (path, _) in asked { #expect(router.answer("GET", "/v1/people/an%6Ea/\(path)").status == 200, "\(path)") }
        #expect(worker.questions == asked.map { Question(subject: $0.1, user: "anna", wantsText: false) })
    }

    @Test func `a change to be tried is read`() throws {
        let patch = try PreferencesPatch(reading: #"{"digest_mode":true}"#)
        let asked: [(String, PreviewedChange)] = [
            (#"{"patch":{"digest_mode":true}}"#, .patch(patch)), (#"{"preset":"minimal"}"#, .preset("minimal")),
            (#"{"reset":true}"#, .reset),
        ]
        for (body, _) in asked {
            #expect(router.answer("POST", "/v1/people/anna/preview", body: body).status == 200, "\(body)")
        }
        #expect(
            worker.questions == asked.map { Question(subject: .preview($0.1), user: "anna", wantsText: false) })
        #expect(router.answer("GET", "/v1/people/anna/preview").status == 405)
    }

    @Test(arguments: [
        ("{", "not JSON"), ("", "not JSON"), ("[]", "must be an object with one of patch, preset and reset"),
        ("{}", "must be an object with one of patch, preset and reset"),
        (#"{"patch":{},"reset":true}"#, "must be an object with one of patch, preset and reset"),
        (#"{"patch":{"enabled":1}}"#, "patch.enabled: 1 is not true or false"),
        (#"{"patch":[]}"#, "patch: a list is not an object"), (#"{"preset":1}"#, "preset: 1 is not an id"),
        (#"{"reset":false}"#, "reset: false is not true"),
        (#"{"user":"x"}"#, #""user": is not a field of a preview (known here: patch, preset, reset)"#),
    ])
    func `a change that is none is refused`(body: String, problem: String) {
        let answer = router.answer("POST", "/v1/people/anna/preview", body: body)
        #expect(answer.status == 400)
        #expect(JSONValue(parsing: answer.text)?["error"]?.string?.hasPrefix(problem) == true, "\(answer.text)")
        #expect(worker.questions.isEmpty)
    }

    @Test(arguments: [
        ("state?at=yesterday", #"at: "yesterday" is not an event's number or an instant such as 2026-03-02T14:00:00Z"#),
        ("state?on=1", #""on": is not a parameter (known here: at)"#),
        ("state?at=1&at=2", #""at" stands twice in the query"#),
        ("history?days=0", #"days: "0" is not a whole number from 1 to 3650"#),
        ("history?status=lost", #"status: "lost" is not one of sent, delivered, failed, queued, blocked"#),
        ("explain?priority=high", "subject and priority are of a kind: name it"),
        ("explain?kind=a&priority=loud", #"priority: "loud" is not one of low, medium, high, critical"#),
        ("explain?kind=a&notice=b", "kind and notice cannot be given together"),
        ("explain?kind=a%20b", #"kind: "a b" is not an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)"#),
        ("state?at=%zz", "the query is not percent-encoded UTF-8"),
        ("state?at=%C3", "the query is not percent-encoded UTF-8"),
    ])
    func `a question that is none is refused`(path: String, problem: String) {
        let answer = router.answer("GET", "/v1/people/anna/\(path)")
        #expect(answer.status == 400)
        #expect(JSONValue(parsing: answer.text)?["error"]?.string == problem)
        #expect(worker.questions.isEmpty)
    }

    @Test(arguments: ["%20", "", "an%2Fna", "an%00na", "%FF", "an+na", String(repeating: "x", count: 129)])
    func `who can be nobody's name is refused`(user: String) {
        #expect(router.answer("GET", "/v1/people/\(user)/state").status == 400)
        #expect(worker.questions.isEmpty)
    }

    @Test func `health takes no parameters`() {
        #expect(router.answer("GET", "/health?verbose=1").status == 400)
        #expect(router.answer("POST", "/v1/facts?allornothing=1").status == 400)
        #expect(router.answer("POST", "/v1/facts?all_or_nothing=yes").status == 400)
    }

    @Test(arguments: [
        ("text/plain", true), ("text/*", true), ("application/json", false), ("*/*", false), ("text/plain;q=0", false),
        ("text/plain;q=0.5, application/json", false), ("application/json;q=0.5, text/plain", true),
        ("text/html, text/plain;q=0.9, */*;q=0.1", true), ("image/png", false), ("TEXT/PLAIN", true), (";;,=", false),
    ])
    func `words are for who asks for them`(accept: String, wantsText: Bool) {
        let answer = router.answer("GET", "/v1/people/anna/state", [("Accept", accept)])
        #expect(worker.questions.last?.wantsText == wantsText)
        #expect(answer.headers["Content-Type"] == (wantsText ? "text/plain; charset=utf-8" : "application/json"))
        #expect(answer.text == (wantsText ? "in words\n" : "{\"user\":\"anna\"}\n"))
    }

    @Test func `what came of a question is told`() {
        func status(_ answer: Answer) -> Int {
            var service = worker.service
            service.questions?.ask = { _, _, reply in reply(answer) }
            return Router(service).answer("GET", "/v1/people/anna/state").status
        }
        #expect(status(.unknown("the log holds nothing about \"anna\"")) == 404)
        #expect(status(.refused("no such kind")) == 400)
        #expect(status(.unable(.stopping)) == 503)
    }

    // MARK: Targets

    @Test func `a target is taken apart before it is decoded`() throws {
        let target = try Target("/a%2Fb//c?x=1%262&y&z=a=b&&")
        #expect(target.segments == ["a/b", "", "c"])
        #expect(
            target.parameters == [
                .init(name: "x", value: "1&2"), .init(name: "y", value: ""), .init(name: "z", value: "a=b"),
            ])
        #expect(try Target("HTTP://host:1/v1/facts?x=1").segments == ["v1", "facts"])
        #expect(try Target("http://host").segments == [""])
    }

    @Test(arguments: ["", "*", "v1/facts", "/%", "/%4", "/%g0", "?x=1", "https://host/v1"])
    func `a target that is none is refused`(raw: String) {
        #expect(throws: Target.Problem.self) { try Target(raw) }
    }

    // MARK: People, retries and samples

    @Test func `a search for people is read`() {
        let answer = router.answer("GET", "/v1/people?prefix=an&with=failed&limit=7&after=anna")
        #expect(answer.status == 200 && answer.text == #"{"user":"anna"}"# + "\n")
        #expect(router.answer("GET", "/v1/people").status == 200)
        #expect(
            worker.searches == [
                PeopleQuestion(prefix: "an", state: .failed, limit: 7, after: "anna", wantsText: false),
                PeopleQuestion(prefix: nil, state: nil, limit: nil, after: nil, wantsText: false),
            ])
        for (query, problem) in [
            ("limit=0", #"limit: "0" is not a whole number from 1 to 1000"#),
            (
                "with=money",
                #"with: "money" is not one of waiting, snoozed, failed, opted_out, unreachable, warned"#
            ), ("after=a%20b", #"after: "a b" is not an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)"#),
            ("page=2", #""page": is not a parameter (known here: prefix, with, limit, after)"#),
        ] {
            let answer = router.answer("GET", "/v1/people?\(query)")
            #expect(answer.status == 400 && JSONValue(parsing: answer.text)?["error"]?.string == problem)
        }
    }

    @Test func `a retry is of one job, one person, or since an instant`() throws {
        for body in [
            #"{"job":"anna/reminder/#1"}"#, #"{"user":"anna"}"#, #"{"failed_since":"2026-03-02T12:00:00Z"}"#,
        ] {
            let answer = router.answer("POST", "/v1/retry", body: body)
            #expect(answer.status == 200)
            #expect(
                answer.text
                    == #"{"retried":1,"refused":1,"jobs":[{"job":"anna/reminder/#1","seq":7},{"job":"anna/reminder/#2","refused":"it is too late"}]}"#
                    + "\n")
        }
        let noon = try Instant(rfc3339: "2026-03-02T12:00:00Z")
        #expect(worker.retries == [.job("anna/reminder/#1"), .user("anna"), .failedSince(noon)])
        for (body, problem) in [
            ("", "name one of job, user and failed_since"),
            (#"{"user":"anna","job":"anna/reminder/#1"}"#, "name one of job, user and failed_since"),
            (
                #"{"failed_since":"noon"}"#,
                #"failed_since: "noon" is not an instant such as 2026-03-02T14:00:00Z"#
            ), (#"{"jobs":[]}"#, #""jobs": is not a field of retry (known here: job, user, failed_since)"#),
        ] {
            let answer = router.answer("POST", "/v1/retry", body: body)
            #expect(answer.status == 400 && JSONValue(parsing: answer.text)?["error"]?.string == problem)
        }
        #expect(router.answer("GET", "/v1/retry").status == 405)
    }

    @Test func `a sample that is asked for again with its key is known by it`() {
        let key = [("Idempotency-Key", "k1")]
        for user in ["anna", "anna", "bert"] {
            #expect(router.answer("POST", "/v1/people/\(user)/test", key, body: #"{"kind":"check_in"}"#).status == 200)
        }
        let ids = worker.tests.compactMap(\.id)
        #expect(ids.count == 3 && ids[0] == ids[1] && ids[0] != ids[2] && !ids.contains("k1"))
        let wrong = router.answer(
            "POST", "/v1/people/anna/test", [("Idempotency-Key", "a b")], body: #"{"kind":"check_in"}"#)
        #expect(wrong.status == 400)
    }

    @Test func `a sample is of a kind, on a channel or on all`() {
        #expect(router.answer("POST", "/v1/people/anna/test", body: #"{"kind":"check_in"}"#).status == 200)
        let answer = router.answer("POST", "/v1/people/anna/test", body: #"{"kind":"check_in","channel":"email"}"#)
        #expect(answer.text == #"{"seq":8,"decisions":[{"seq":9}]}"# + "\n")
        #expect(
            worker.tests == [
                TestOrder(user: "anna", kind: "check_in"), TestOrder(user: "anna", kind: "check_in", channel: .email),
            ])
        for (body, problem) in [
            ("", "kind: is missing"),
            (#"{"kind":"a","channel":"pigeon"}"#, #"channel: "pigeon" is not one of push, email, sms, in_app"#),
            (#"{"kind":"a","user":"b"}"#, #""user": is not a field of test (known here: kind, channel)"#),
        ] {
            let answer = router.answer("POST", "/v1/people/anna/test", body: body)
            #expect(answer.status == 400 && JSONValue(parsing: answer.text)?["error"]?.string == problem)
        }
    }
}
