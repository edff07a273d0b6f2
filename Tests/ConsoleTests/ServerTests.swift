import Console
import Testing

@Suite("Serving HTTP")
struct ServerTests {
    @Test func `a request is answered, and the connection kept for the next`() throws {
        let client = try Serving(.echo).client
        for number in 1...3 {
            let response = try #require(client.ask("GET", "/v1/x?n=\(number)"))
            #expect(response.status == 200)
            #expect(response.text == "GET /v1/x?n=\(number) 0\n")
        }
    }

    @Test func `requests sent without waiting are answered in their order`() throws {
        let client = try Serving(.echo).client
        client.send((1...20).flatMap { Client.request("POST", "/\($0)", body: Array("\($0)".utf8)) })
        for number in 1...20 {
            #expect(client.response()?.text == "POST /\(number) \("\(number)".utf8.count)\n\(number)")
        }
    }

    @Test func `a body may come in pieces`() throws {
        let client = try Serving(.echo).client
        let body = [UInt8](repeating: 0x61, count: 100_000)
        #expect(client.ask("POST", "/", body: body)?.text.hasPrefix("POST / 100000\naaa") == true)
        #expect(client.ask("POST", "/", body: body, isChunked: true)?.text.hasPrefix("POST / 100000\naaa") == true)
    }

    @Test func `a request of HTTP 1.0 is answered and the connection closed`() throws {
        let client = try Serving(.echo).client
        client.send("GET /old HTTP/1.0\r\n\r\n")
        #expect(client.response()?.text == "GET /old 0\n")
        #expect(client.rest().isEmpty)
    }

    @Test func `HEAD gets the head alone`() throws {
        let client = try Serving(.echo).client
        let response = try #require(client.ask("HEAD", "/"))
        #expect(response.status == 200)
        #expect(response.headers["content-length"] == "9")
        #expect(client.ask("GET", "/after")?.text == "GET /after 0\n")
    }

    @Test func `a client that waits to be asked for its body is asked`() throws {
        let client = try Serving(.echo).client
        client.send("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        client.send("abc")
        #expect(client.response()?.text == "POST / 3\nabc")
    }

    @Test func `a handler may answer later and from another thread`() throws {
        let asked = Asked()
        let client = try Serving(.waiting(asked)).client
        client.send(Client.request("GET", "/slow"))
        asked.next().reply(HTTPResponse(status: 201, body: Array("at last".utf8)))
        let response = try #require(client.response())
        #expect(response.status == 201)
        #expect(response.text == "at last")
    }

    @Test func `only the first reply is heard`() throws {
        let asked = Asked()
        let client = try Serving(.waiting(asked)).client
        client.send(Client.request("GET", "/slow") + Client.request("GET", "/quick"))
        let reply = asked.next().reply
        for status in [200, 500, 501] { reply(HTTPResponse(status: status)) }
        #expect(client.response()?.status == 200)
        #expect(client.response()?.text == "quick")
    }

    @Test func `a large answer comes whole`() throws {
        let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let client = try Serving(HTTPHandler { _, _, reply in reply(HTTPResponse(status: 200, body: large)) }).client
        #expect(client.ask("GET", "/")?.body == large)
    }

    @Test func `what is told at once needs no body`() throws {
        let handler = HTTPHandler(atOnce: { _ in HTTPResponse(status: 404) }) { _, _, reply in
            Issue.record("nothing was to be answered")
            reply(HTTPResponse(status: 500))
        }
        let client = try Serving(handler).client
        #expect(client.ask("POST", "/", body: Array("abc".utf8))?.status == 404)
        #expect(client.ask("GET", "/")?.status == 404)
        client.send("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.response()?.status == 404)
    }

    @Test func `many clients at once are all answered`() throws {
        let serving = try Serving(.echo)
        let clients = (0..<100).map { _ in serving.client }
        for (number, client) in clients.enumerated() { client.send(Client.request("GET", "/\(number)")) }
        for (number, client) in clients.enumerated() { #expect(client.response()?.text == "GET /\(number) 0\n") }
    }

    @Test func `a client that hangs up while it waits is missed by nobody`() throws {
        let asked = Asked()
        let serving = try Serving(.waiting(asked))
        for _ in 0..<5 {
            let client = serving.client
            client.send(Client.request("GET", "/slow"))
            _ = asked.next()
        }
        let last = serving.client
        last.send(Client.request("GET", "/slow"))
        asked.next().reply(HTTPResponse(status: 204))
        #expect(last.response()?.status == 204)
    }
}
