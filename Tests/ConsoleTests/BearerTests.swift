@testable import Console
import Testing

@Suite("The token for TCP")
struct BearerTests {
    private func keeper(_ bearer: Bearer) -> Doorkeeper {
        Doorkeeper(own: bearer, hosts: HostNames(["belfry", "b"]), clock: { Entry.start })
    }

    private func answer(_ headers: [String], _ target: String = "/v1/people/anna/state") throws -> Client.Response? {
        let bearer = try Bearer(Array("s3cret-token\n".utf8))
        let socket = try ListeningSocket.tcp(ListenAddress("0"))
        let port = try #require(socket.port)
        let server = try HTTPServer(
            on: socket, limits: HTTPLimits(), clocks: .real,
            handler: Router(Worker().service).handler(through: .port(keeper(bearer))))
        defer { server.stop(within: .zero) }
        return Client(port: port).ask("GET", target, headers)
    }

    @Test func `the right token opens the door`() throws {
        #expect(try answer(["Authorization: Bearer s3cret-token"])?.status == 200)
        #expect(try answer(["authorization: bearer  s3cret-token "])?.status == 200)
    }

    @Test(arguments: [
        [], ["Authorization: Bearer wrong"], ["Authorization: Bearer"], ["Authorization: Bearer s3cret-toke"],
        ["Authorization: Bearer s3cret-token2"], ["Authorization: Basic s3cret-token"], ["Authorization: s3cret-token"],
        ["Authorization: Bearer S3CRET-TOKEN"],
        ["Authorization: Bearer s3cret-token", "Authorization: Bearer s3cret-token"],
    ])
    func `without it, or with another, nothing is told but that`(headers: [String]) throws {
        let response = try #require(try answer(headers))
        #expect(response.status == 401)
        #expect(response.headers["www-authenticate"] == "Bearer")
        #expect(!response.text.contains("s3cret"))
        // Whether there is such a place is not told either.
        #expect(try answer(headers, "/nowhere")?.status == 401)
    }

    @Test(arguments: [[], ["Authorization: Bearer wrong"]])
    func `whoever watches the machine needs none, and is told only whether the worker is well`(
        headers: [String]
    ) throws {
        let health = try #require(try answer(headers, "/health"))
        #expect(health.status == 200)
        #expect(health.text == "{\"status\":\"ready\"}\n")
        let ready = try #require(try answer(headers, "/ready"))
        #expect(ready.status == 200)
        #expect(ready.text == "{\"ready\":true}\n")
        #expect(try answer(headers, "/health?x=1")?.status == 401)
        #expect(try answer(["Authorization: Bearer s3cret-token"], "/health")?.text.contains("last_seq") == true)
    }

    @Test func `why a worker is not ready is for who has the token`() throws {
        var service = Worker().service
        let health = service.health
        service.health = {
            var unready = health()
            unready.whyNotReady = "cannot write /var/lib/belfry/0.log"
            return unready
        }
        let bearer = try Bearer(Array("s3cret".utf8))
        let client = try Serving(Router(service).handler(through: .port(keeper(bearer)))).client
        #expect(client.ask("GET", "/health")?.text == "{\"status\":\"not_ready\"}\n")
        let ready = try #require(client.ask("GET", "/ready"))
        #expect(ready.status == 503)
        #expect(ready.headers["retry-after"] == "1")
        #expect(ready.text == "{\"ready\":false}\n")
        let told = client.ask("GET", "/ready", ["Authorization: Bearer s3cret"])
        #expect(told?.text.contains("/var/lib/belfry") == true)
    }

    @Test func `strangers are not told what there is`() throws {
        #expect(try answer([], "/health/")?.status == 401)
    }

    @Test func `a token that no header can carry is refused`() {
        func problem(_ text: String) -> Bearer.Problem? {
            do throws(Bearer.Problem) { _ = try Bearer(Array(text.utf8)) } catch { return error }
            return nil
        }
        #expect(problem("") == .empty)
        #expect(problem("\n") == .empty)
        #expect(problem("two words") == .unfit)
        #expect(problem("tok\nen") == .unfit)
        #expect(problem(String(repeating: "x", count: 4097)) == .tooLong(bytes: 4097))
        #expect(problem("token\r\n") == nil)
    }

    @Test func `a large request without a token is not read`() throws {
        let bearer = try Bearer(Array("s3cret".utf8))
        let asked = Worker()
        let serving = try Serving(Router(asked.service).handler(through: .port(keeper(bearer))))
        let client = serving.client
        client.send(
            "POST /v1/facts HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
        #expect(client.response()?.status == 401)
        #expect(asked.orders.isEmpty)
    }
}
