@testable import Console
import Testing

@Suite("The token for TCP")
struct BearerTests {
    private func answer(_ headers: [String], _ target: String = "/v1/people/anna/state") throws -> Client.Response? {
        let bearer = try Bearer(Array("s3cret-token\n".utf8))
        let socket = try ListeningSocket.tcp(ListenAddress("0"))
        let port = try #require(socket.port)
        let server = try HTTPServer(
            on: socket, limits: HTTPLimits(), clock: { SuspendingClock.now },
            handler: bearer.guarding(Router(Worker().service).handler))
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

    @Test func `whoever watches the machine needs none`() throws {
        #expect(try answer([], "/health")?.status == 200)
        #expect(try answer([], "/ready")?.status == 200)
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
        let serving = try Serving(bearer.guarding(Router(asked.service).handler))
        let client = serving.client
        client.send(
            "POST /v1/facts HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
        #expect(client.response()?.status == 401)
        #expect(asked.orders.isEmpty)
    }
}
