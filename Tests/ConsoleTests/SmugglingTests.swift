import Console
import Testing

/// What a proxy could read otherwise than this server gets one answer, in this API's own form, and the connection ends.
/// Nothing that follows it is taken for a request.
@Suite("Requests within requests")
struct SmugglingTests {
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: b\r\n\r\n"

    enum Door: CaseIterable { case unix, tcp }

    /// A client that has sent this, and what it is given.
    private func answers(_ door: Door, to sent: [UInt8]) throws -> (response: Client.Response?, rest: [UInt8]) {
        switch door {
        case .unix:
            let client = try Serving(.echo).client
            client.send(sent)
            return (client.response(), client.rest())
        case .tcp:
            let socket = try ListeningSocket.tcp(ListenAddress("0"))
            let port = try #require(socket.port)
            let server = try HTTPServer(on: socket, limits: HTTPLimits(), clocks: .real, handler: .echo)
            defer { server.stop(within: .zero) }
            let client = Client(port: port)
            client.send(sent)
            return (client.response(), client.rest())
        }
    }

    private static let hostile: [(sent: String, status: Int)] = [
        ("POST / HTTP/1.1\r\nHost: b\r\nContent-Length : 5\r\n\r\nhello" + smuggled, 400),
        (
            "POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
            400
        ),
        ("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello" + smuggled, 400),
        ("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 5x\r\n\r\nhello" + smuggled, 400),
        ("POST / HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: gzip\r\n\r\nhello" + smuggled, 501),
        ("POST / HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n0\r\n\r\n" + smuggled, 400),
        ("POST / HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n" + smuggled, 400),
        ("GET / HTTP/1.1\r\nHost: b\r\nX: \u{00}\r\n\r\n" + smuggled, 400),
        ("GET / HTTP/1.1\r\n\r\n" + smuggled, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + smuggled, 400),
        ("GET /\r\nHost: b\r\n\r\n" + smuggled, 400),
        ("GET / HTTP/1.1\nHost: b\n\n" + smuggled, 400),
        ("GET / HTTP/1.1\r\nHost: b\r\n folded\r\n\r\n" + smuggled, 400),
        ("GET / HTTP/3.0\r\nHost: b\r\n\r\n" + smuggled, 505),
        ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: b\r\n\r\n" + smuggled, 414),
        ("GET / HTTP/1.1\r\nHost: b\r\n" + String(repeating: "X: y\r\n", count: 200) + "\r\n" + smuggled, 431),
        ("GET / HTTP/1.1\r\nHost: b\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n" + smuggled, 431),
    ]

    @Test(arguments: hostile.indices, Door.allCases)
    func `each gets one answer that says what is wrong`(index: Int, door: Door) throws {
        let (sent, status) = Self.hostile[index]
        let (response, rest) = try answers(door, to: Array(sent.utf8))
        let answer = try #require(response, "\(sent.prefix(120))")
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.headers["connection"] == "close")
        #expect(answer.headers["date"] == "Mon, 02 Mar 2026 14:00:00 GMT")
        #expect(answer.text.hasPrefix(#"{"error":""#) && answer.text.hasSuffix("\"}\n"))
        #expect(rest.isEmpty, "a second answer: \(String(decoding: rest, as: UTF8.self))")
    }

    @Test func `a good request in front of a bad one is answered before it`() throws {
        let client = try Serving(.echo).client
        client.send(Client.request("POST", "/good", body: Array("abc".utf8)) + Array("bad\r\n\r\n".utf8))
        #expect(client.response()?.text == "POST /good 3\nabc")
        #expect(client.response()?.status == 400)
        #expect(client.rest().isEmpty)
    }

    @Test(arguments: [
        ("/v1/people/anna/state?" + (0..<500).map { "p\($0)=1" }.joined(separator: "&"), 400),
        ("/v1/people/anna/state?" + String(repeating: "&", count: 500), 200),
        ("/v1/people/%/state", 400), ("*", 400),
    ])
    func `a target that is out of all proportion is answered once, and the connection stays`(
        target: String, status: Int
    ) throws {
        let client = try Serving(Router(Worker().service).handler).client
        let answer = try #require(client.ask("GET", target))
        #expect(answer.status == status)
        #expect(status == 200 || answer.text.hasPrefix(#"{"error":""#))
        #expect(client.ask("GET", "/ready")?.status == 200)
    }

    @Test func `a request that ends before it is whole is told so`() throws {
        for sent in ["GET / HTTP/1.1\r\nHost: b\r\n", "POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 10\r\n\r\nabc"] {
            let client = try Serving(.echo).client
            client.send(sent)
            client.finishSending()
            #expect(client.response()?.text == "{\"error\":\"the request ends before it is whole\"}\n")
            #expect(client.rest().isEmpty)
        }
    }

    @Test func `what was refused before its body came does not have it read as requests`() throws {
        let refusing = HTTPHandler(atOnce: { _ in HTTPResponse(status: 401) }) { _, _, reply in
            Issue.record("a body was taken for a request")
            reply(HTTPResponse(status: 200))
        }
        let client = try Serving(refusing).client
        client.send(
            "POST / HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\nContent-Length: \(Self.smuggled.utf8.count)\r\n\r\n")
        #expect(client.response()?.status == 401)
        client.send(Self.smuggled)
        #expect(client.rest().isEmpty)
    }
}
