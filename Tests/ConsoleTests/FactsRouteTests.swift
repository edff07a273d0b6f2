import Notices
import Synchronization
import Testing

@testable import Console

@Suite("POST /v1/facts")
struct FactsRouteTests {
    private let worker = Worker()
    private static let json = ("Content-Type", "application/json")
    private static let lines = ("Content-Type", "application/x-ndjson")

    private func post(_ body: String, _ type: (String, String) = lines, query: String = "") -> (Int, String) {
        let answer = Router(worker.service).answer("POST", "/v1/facts\(query)", [type], body: body)
        return (answer.status, answer.text)
    }

    @Test func `one object is one fact`() {
        #expect(post(opened("anna"), Self.json) == (200, results("{\"line\":1,\"seq\":1}", accepted: 1)))
        #expect(worker.orders.first?.facts.first?.user == "anna")
        #expect(worker.orders.first?.isAllOrNothing == false)
    }

    private func results(_ lines: String..., accepted: Int, refused: Int = 0) -> String {
        "{\"accepted\":\(accepted),\"refused\":\(refused),\"results\":[\(lines.joined(separator: ","))]}\n"
    }

    @Test func `another worker says which of those who had an id is meant`() {
        func post(_ addressees: String) -> Int {
            let headers = [Self.lines, (PassedOn.header, "1"), (PassedOn.addressees, addressees)]
            return Router(worker.service).answer(
                "POST", "/v1/facts", headers, body: opened("anna") + "\n" + opened("bert")
            )
            .status
        }
        #expect(post(PassedOn.text([nil, .onlyOne])) == 200)
        #expect(worker.orders.last?.facts.map(\.addressee) == [nil, .onlyOne])
        for wrong in ["", "one=", "one=,one=,one=", "x,one="] { #expect(post(wrong) == 400) }
    }

    @Test func `one object may stand on many lines`() {
        let body = "\n{\n  \"type\": \"app_opened\",\n  \"user\": \"anna\"\n}\n"
        #expect(post(body, Self.json) == (200, results("{\"line\":2,\"seq\":1}", accepted: 1)))
    }

    @Test func `each line is answered in its order, blank ones are passed over and counted`() {
        let body = [opened("anna", id: "a"), "", opened("warned"), "  \t\r", opened("anna", id: "a") + "\r"]
        let expected = results(
            "{\"line\":1,\"seq\":1}", "{\"line\":3,\"seq\":2,\"warnings\":[\"mind the gap\"]}",
            "{\"line\":5,\"duplicate_of\":1}", accepted: 3)
        #expect(post(body.joined(separator: "\n") + "\n") == (200, expected))
    }

    @Test func `several lines are lines, whatever they are called`() {
        let body = opened("anna") + "\n" + opened("bert") + "\n"
        #expect(
            post(body, Self.json) == (200, results("{\"line\":1,\"seq\":1}", "{\"line\":2,\"seq\":2}", accepted: 2)))
    }

    @Test(arguments: [
        "x", "{", "\u{FEFF}" + opened("carl"), "\"a text\"", "[1,", String(opened("carl").dropLast()) + ",", "7 8",
    ])
    func `lines of which the first is none are lines all the same`(first: String) {
        let (status, text) = post("\(first)\n\(opened("anna"))\n\n\(opened("bert"))\n", Self.json)
        #expect(status == 400)
        #expect(text.hasPrefix(#"{"accepted":2,"refused":1,"results":[{"line":1,"refused":""#), "\(text)")
        #expect(text.hasSuffix("{\"line\":2,\"seq\":1},{\"line\":4,\"seq\":2}]}\n"), "\(text)")
    }

    @Test func `what is refused in reading is told to whoever counts, by the type it said it was`() {
        let lines = [
            opened("anna"), #"{"type":"app_opened"}"#, #"{"type":"points_earned","user":"anna","data":{"points":-1}}"#,
            #"{"type":"points_earned","user":"anna","data":{}}"#, #"{"type":"job_emitted","user":"anna"}"#,
            #"{"type":"made_up_7","user":"anna"}"#, "nothing",
        ]
        #expect(post(lines.joined(separator: "\n")).0 == 400)
        #expect(worker.refused == ["app_opened": 1, "points_earned": 2, "unknown": 3])
        #expect(post(#"{"type":"app_opened"}"#, Self.json).0 == 400)
        #expect(post(opened("anna") + "\n" + "nothing", query: "?all_or_nothing=true").0 == 400)
        #expect(worker.refused == ["app_opened": 2, "points_earned": 2, "unknown": 4])
        let event = ("Content-Type", "application/cloudevents+json")
        let told = #"{"specversion":"1.0","source":"s","id":"1","subject":"anna","type":"points_earned","data":{}}"#
        #expect(post(told, event).0 == 400 && post(told.replacing("1.0", with: "2"), event).0 == 400)
        #expect(worker.refused["points_earned"] == 4)
    }

    @Test func `so are those whose first is no UTF-8`() {
        let body = Array("{\"type\":\"app_opened\",\"user\":\"".utf8) + [0xFF] + Array("\"}\n\(opened("anna"))".utf8)
        var intake = FactIntake { _ in nil }
        #expect(throws: Never.self) { try intake.take(body, .document) }
        #expect((intake.facts.map(\.user), intake.refused) == (["anna"], 1))
    }

    @Test func `a broken document is not taken for lines`() {
        // Its second line is an object with a comma behind it, and none is one by itself.
        let body = "{\"type\":\"app_opened\",\"user\":\"anna\",\"data\":\n{\"a\":1},\n}\n"
        let (status, text) = post(body, Self.json)
        #expect(status == 400)
        #expect(text.hasPrefix(#"{"accepted":0,"refused":1,"#), "\(text)")
    }

    @Test func `a refused line is told with its path, and the others go in`() {
        let body = [
            opened("anna"), "{", #"{"type":"app_opend","user":"anna"}"#,
            #"{"type":"preferences_changed","user":"anna","data":{"patch":{"frequency":"hourly"}}}"#,
            #"{"type":"user_enrolled","user":"anna","data":{"timezone":"Mars/Olympus"}}"#, opened("bert"),
        ]
        let (status, text) = post(body.joined(separator: "\n"))
        #expect(status == 400)
        #expect(
            text.hasPrefix(#"{"accepted":2,"refused":4,"results":[{"line":1,"seq":1},{"line":2,"refused":"not JSON: "#))
        #expect(
            text.contains(
                #"{"line":3,"refused":"type: \"app_opend\" is not a type of fact; did you mean app_opened?"}"#))
        #expect(text.contains(#"{"line":4,"refused":"data.patch.frequency: "#))
        #expect(text.contains(#"{"line":5,"refused":"data.timezone: unknown zone"}"#))
        #expect(text.hasSuffix("{\"line\":6,\"seq\":2}]}\n"))
    }

    @Test func `a broken object tells the line and column it breaks at`() {
        let body = "{\n  \"type\": \"app_opened\",\n  \"user\": anna\n}\n"
        #expect(
            post(body, Self.json)
                == (
                    400,
                    results(
                        #"{"line":3,"refused":"not JSON: column 11: expected a JSON value"}"#, accepted: 0, refused: 1)
                ))
    }

    @Test func `all or nothing appends nothing when a line is refused`() {
        let body = opened("anna") + "\n{}\n" + opened("bert")
        let (status, text) = post(body, query: "?all_or_nothing=true")
        #expect(status == 400)
        #expect(
            text.hasPrefix(#"{"accepted":0,"refused":1,"results":[{"line":1,"withheld":true},{"line":2,"refused":"#))
        #expect(text.hasSuffix("{\"line\":3,\"withheld\":true}]}\n"))
        #expect(worker.orders.isEmpty)
        #expect(post(opened("anna"), query: "?all_or_nothing=true").0 == 200)
        #expect(worker.orders.first?.isAllOrNothing == true)
    }

    @Test func `what someone wrote is never repeated in a refusal (A1)`() {
        let secret = "meet me at the old mill"
        for body in [
            #"{"type":"message_received","user":"a","data":{"conversation":"c","message":"m","text":["\#(secret)"]}}"#,
            #"{"type":"message_received","user":"a","data":"\#(secret)"}"#, #""\#(secret)""#,
        ] {
            let (status, text) = post(body)
            #expect(status == 400)
            #expect(!text.contains("mill"))
        }
    }

    @Test func `nothing to take is nothing taken`() {
        #expect(post("\n\n") == (200, results(accepted: 0)))
        #expect(post("", Self.json) == (200, results(accepted: 0)))
        #expect(worker.orders.isEmpty)
    }

    @Test func `a line of more than a mebibyte is refused, and the next is read`() {
        let body = String(repeating: " ", count: (1 << 20) + 1 - opened("anna").utf8.count) + opened("anna")
        let expected = results(
            #"{"line":1,"refused":"the line is longer than 1048576 bytes"}"#, "{\"line\":2,\"seq\":1}", accepted: 1,
            refused: 1)
        #expect(post(body + "\n" + opened("bert")) == (400, expected))
        #expect(post(String(body.dropFirst())).0 == 200)
    }

    @Test func `too many facts at once are 413, and none goes in`() {
        let body = String(repeating: opened("anna") + "\n", count: 65_537)
        #expect(post(body).0 == 413)
        #expect(worker.orders.isEmpty)
        #expect(post(String(body.dropLast(opened("anna").utf8.count + 1))).0 == 200)
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/xml",
        "json", "",
    ])
    func `another content type is 415 and the right ones are named`(type: String) {
        let (status, text) = post(opened("anna"), ("content-type", type))
        #expect(status == 415)
        #expect(text.contains("application/json, application/x-ndjson, application/cloudevents+json or"))
        #expect(worker.orders.isEmpty)
    }

    @Test(arguments: [
        "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"", "application/ndjson",
        "application/jsonl",
    ])
    func `the usual spellings are understood`(type: String) {
        #expect(post(opened("anna"), ("content-type", type)).0 == 200)
    }

    @Test func `what the worker cannot do is told`() {
        func answer(_ inability: Inability) -> (status: Int, headers: HTTPHeaders, text: String) {
            var service = worker.service
            service.orders?.append = { _, reply in reply(.failure(inability)) }
            return Router(service).answer("POST", "/v1/facts", body: opened("anna"))
        }
        #expect(answer(.busy).status == 503)
        #expect(answer(.busy).headers["Retry-After"] == "1")
        #expect(answer(.replaying).status == 503)
        #expect(answer(.stopping).status == 503)
        #expect(answer(.stopping).headers["Retry-After"] == "5")
        #expect(answer(.failed("the disk is gone")).status == 500)
        #expect(answer(.failed("the disk is gone")).text == "{\"error\":\"the disk is gone\",\"in_doubt\":true}\n")
        #expect(answer(.undone("it was not begun")).status == 500)
        #expect(answer(.undone("it was not begun")).text == "{\"error\":\"it was not begun\"}\n")
    }

    @Test func `what the worker refuses is told with the line it stands on`() {
        var service = worker.service
        service.orders?.append = { order, reply in
            reply(
                .success(
                    order.facts.map {
                        .success($0.user == "bert" ? .refused(FieldError("no such preset")) : .leftOut)
                    }))
        }
        let answer = Router(service).answer("POST", "/v1/facts", body: opened("anna") + "\n\n" + opened("bert"))
        #expect(answer.status == 400)
        let expected = results(
            "{\"line\":1,\"withheld\":true}", "{\"line\":3,\"refused\":\"no such preset\"}", accepted: 0, refused: 1)
        #expect(answer.text == expected)
    }

    /// Issue 14: a batch over many partitions is answered line by line.
    @Test func `where one log does not answer, each line says what is known of it`() throws {
        func answer(_ of: [FactAnswer]) -> (status: Int, text: String, retry: String?) {
            var service = worker.service
            service.orders?.append = { _, reply in reply(.success(of)) }
            let answer = Router(service).answer(
                "POST", "/v1/facts", body: of.map { _ in opened("anna") }.joined(separator: "\n"))
            return (answer.status, answer.text, answer.headers["Retry-After"])
        }
        let advice = "`results` has each line, and what has an id counts once if it is sent again"
        let partly = answer([
            .success(.recorded(seq: 7, warnings: [])), .failure(.unanswered("nobody is there")),
            .success(.refused(FieldError("no"))), .failure(.inDoubt("its owner is silent")),
        ])
        #expect(partly.status == 503)
        #expect(partly.retry == "2")
        #expect(
            partly.text == """
                {"accepted":1,"refused":1,"error":"1 fact was not taken, of 1 it is not known whether it was: nobody is there; try again; \(advice)","in_doubt":true,"results":[{"line":1,"seq":7},{"line":2,"not_taken":"nobody is there; try again"},{"line":3,"refused":"no"},{"line":4,"in_doubt":"its owner is silent"}]}

                """)
        // What cannot go on is no better known than what is silent.
        let failed = answer([.success(.duplicate(of: 3)), .failure(.failed("the disk is full"))])
        #expect(failed.status == 503)
        #expect(failed.text.contains(#"{"line":2,"in_doubt":"the disk is full"}"#))
        let stopping = answer([.success(.duplicate(of: 3)), .failure(.stopping)])
        #expect(stopping.text.contains(#"{"line":2,"not_taken":"the worker is stopping; try again"}"#))
    }
}
