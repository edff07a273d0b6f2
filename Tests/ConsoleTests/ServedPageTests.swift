import Pages
import Testing

@testable import Console

@Suite("V1, V3: pages")
struct ServedPageTests {
    private let entry: Entry

    init() throws { entry = try Entry(origins: ["https://app.example", "https://other.example:8443"]) }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
        + "form-action 'self'; frame-ancestors "

    @Test(arguments: [
        "/", "/now", "/people", "/people/anna", "/people/an%6Ea?at=7", "/agenda", "/policy", "/numbers", "/log/7",
    ])
    func `every view of the console has an address, for whoever signs in there`(path: String) {
        let answer = entry.ask("GET", path)
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(
            answer.headers["Content-Security-Policy"]
                == Self.policy + "'none'; require-trusted-types-for 'script'")
        #expect(
            answer.headers["X-Content-Type-Options"] == "nosniff" && answer.headers["Referrer-Policy"] == "no-referrer")
        #expect(answer.headers["Cache-Control"] == "no-cache")
        #expect(answer.text == entry.ask("GET", "/").text)
    }

    /// What scripts ask for to show a person, `console/person.js` and `console/day.js`, is on its way before they are.
    @Test(arguments: [
        ("/people/anna", ["/v1/people/anna/state", "/v1/people/anna/day"]),
        ("/people/an%6Ea", ["/v1/people/anna/state", "/v1/people/anna/day"]),
        (
            "/people/anna%40example.org?date=2026-03-02&notice=x%2Fy",
            ["/v1/people/anna%40example.org/state", "/v1/people/anna%40example.org/day?date=2026-03-02"]
        ),
        ("/people/anna?date=%3E,%0A", ["/v1/people/anna/state", "/v1/people/anna/day?date=%3E%2C%0A"]),
        ("/people/anna/why?kind=x", ["/v1/people/anna/state"]),
        ("/people/~.", ["/v1/people/~./state", "/v1/people/~./day"]),
        ("/people/%C3%A4", ["/v1/people/%C3%A4/state", "/v1/people/%C3%A4/day"]),
        ("/people/a%c3%a4%3E", ["/v1/people/a%C3%A4%3E/state", "/v1/people/a%C3%A4%3E/day"]),
        ("/people", []), ("/now", []),
    ])
    func `whoever is signed in is told with the page what it will ask for`(path: String, asked: [String]) {
        func links(_ headers: [(String, String)]) -> [String] {
            entry.ask("GET", path, headers).headers.all("Link").flatMap { $0.split(separator: ", ").map(String.init) }
        }
        #expect(links([]) == [])
        let told = entry.ask("POST", "/v1/session", body: #"{"token":"\#(Entry.token(.read))"}"#)
        let cookie = told.headers["Set-Cookie"].map { String($0.prefix { $0 != ";" }) } ?? ""
        let expected = (["/v1/session", "/v1/policy"] + asked).map { "<\($0)>; rel=preload; as=fetch; crossorigin" }
        #expect(links([("Cookie", cookie)]) == expected)
        #expect(links([("Cookie", cookie + "x")]) == [])
    }

    @Test func `the settings page may stand in frames of the configured origins`() throws {
        let me = entry.ask("GET", "/me")
        #expect(me.status == 200)
        #expect(
            me.headers["Content-Security-Policy"]
                == Self.policy + "https://app.example https://other.example:8443; require-trusted-types-for 'script'")
        let alone = try Entry(origins: []).ask("GET", "/me")
        #expect(alone.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
    }

    @Test func `what a page is made of comes by its name`() {
        let icon = entry.ask("GET", "/assets/icon.svg")
        #expect(icon.status == 200 && icon.headers["Content-Type"] == "image/svg+xml")
        #expect(icon.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    }

    @Test(arguments: [
        "/assets/", "/assets", "/assets/../console.html", "/assets/%2e%2e/me.html", "/assets/none.js", "/me/x",
        "/index.html",
        "/console.html", "/assets//icon.svg", "/assets%2ficon.svg", "/ME",
    ])
    func `what is no page is nothing`(path: String) {
        let answer = entry.ask("GET", path)
        #expect([401, 404].contains(answer.status), "\(path): \(answer.status)")
        #expect(answer.headers["Content-Type"] == "application/json")
        #expect(entry.ask("GET", path, showing: Entry.own).status == 404, "\(path)")
    }

    @Test func `a page that has not changed is not sent again`() throws {
        let first = entry.ask("GET", "/")
        let tag = try #require(first.headers["ETag"])
        for given in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = entry.ask("GET", "/", [("If-None-Match", given)])
            #expect(again.status == 304 && again.text.isEmpty && again.headers["ETag"] == tag, "\(given)")
            #expect(again.headers["Content-Type"] == nil)
        }
        #expect(entry.ask("GET", "/", [("If-None-Match", "\"x\"")]).status == 200)
        #expect(entry.ask("GET", "/me").headers["ETag"] != tag)
    }

    @Test func `a page is packed for who takes it so`() throws {
        let plain = entry.ask("GET", "/")
        for (accepted, isPacked) in [
            ("gzip", true), ("br, gzip;q=0.5", true), ("*", true), ("identity", false), ("gzip;q=0", false),
            ("br", false),
        ] {
            let head = HTTPRequest(
                method: "GET", target: "/", headers: HTTPHeaders([("Host", "belfry"), ("Accept-Encoding", accepted)]))
            var asked = head
            let answer = try #require(entry.router.meet(&asked, .port(entry.keeper)))
            #expect((answer.headers["Content-Encoding"] == "gzip") == isPacked, "\(accepted)")
            #expect(answer.headers["Vary"] == "Accept-Encoding")
            #expect((answer.headers["ETag"] == plain.headers["ETag"]) == !isPacked)
            if isPacked {
                var unpacked: [UInt8] = []
                try answer.body.withUnsafeBytes { bytes in
                    try Inflater().inflate(bytes) { piece in
                        unpacked += piece
                        return .more
                    }
                }
                #expect(String(decoding: unpacked, as: UTF8.self) == plain.text)
            }
        }
    }

    @Test func `pages are there while the log is read`() throws {
        let keeper = Doorkeeper(own: nil, clock: { Entry.start })
        var service = Service(health: entry.worker.service.health)
        service.access = AccessService(keeper) { $0() }
        #expect(Router(service).answer("GET", "/", [("Host", "localhost")], through: .port(keeper)).status == 200)
    }
}
