import Console
import Testing

@Suite("Clients that are slow or stuck, and workers that are")
struct SlownessTests {
    private static let partial = [
        "G", "GET /x", "GET /x HTTP/1.1\r\nHost: b\r\n",
        "POST /x HTTP/1.1\r\nHost: b\r\nContent-Length: 10\r\n\r\nabc",
        "POST /x HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ]

    @Test func `a stuck client keeps nobody waiting, and is told when its time is up`() throws {
        let serving = try Serving(.echo)
        let stuck = Self.partial.map { text in
            let client = serving.client
            client.send(text)
            return client
        }
        for _ in 0..<10 { #expect(serving.client.ask("GET", "/quick")?.status == 200) }
        serving.hands.advance(.seconds(61))
        serving.server.look()
        for client in stuck { #expect(String(decoding: client.rest(), as: UTF8.self).hasPrefix("HTTP/1.1 408 ")) }
        #expect(serving.client.ask("GET", "/quick")?.status == 200)
    }

    @Test func `dripping bytes buys no time`() throws {
        let serving = try Serving(.echo)
        let dripping = serving.client
        // Who is answered came later, so the other is known to be there.
        #expect(serving.client.ask("GET", "/quick")?.status == 200)
        for letter in "GET /x HTTP/1.1\r\nHost: b\r\n" {
            dripping.send(String(letter))
            serving.hands.advance(.seconds(1))
        }
        #expect(serving.client.ask("GET", "/quick")?.status == 200)
        serving.hands.advance(.seconds(40))
        serving.server.look()
        #expect(dripping.response()?.status == 408)
    }

    @Test func `answers that nobody takes fill the room there is, and the next is told that it may have been done`()
        throws
    {
        var limits = HTTPLimits()
        (limits.bytesMax, limits.headBytesMax) = (9 << 20, 4 << 10)
        let serving = try Serving(
            limits: limits,
            HTTPHandler { request, _, reply in
                reply(
                    HTTPResponse(
                        status: 200, body: Array(repeating: 0x20, count: request.target == "/large" ? 8 << 20 : 1)))
            })
        let stuck = serving.client
        stuck.send(Client.request("GET", "/large"))
        // It has begun to come, so it is held.
        #expect(stuck.hasSomething())
        let refused = try #require(serving.client.ask("GET", "/large"))
        #expect(refused.status == 503)
        #expect(refused.text.contains(#""in_doubt":true"#))
        #expect(serving.client.ask("GET", "/small")?.status == 200)
        #expect(stuck.response()?.status == 200)
        #expect(serving.client.ask("GET", "/large")?.status == 200)
    }

    @Test func `a request in time is not cut, and the next has its own time`() throws {
        let serving = try Serving(.echo)
        let client = serving.client
        for _ in 0..<5 {
            #expect(client.ask("GET", "/x")?.status == 200)
            // The answer is taken before the server knows that it is; ask it something else first.
            #expect(serving.client.ask("GET", "/y")?.status == 200)
            serving.hands.advance(.seconds(14))
            serving.server.look()
        }
    }

    @Test func `a client that says nothing at all is hung up on without a word`() throws {
        let serving = try Serving(.echo)
        let (silent, idle) = (serving.client, serving.client)
        #expect(idle.ask("GET", "/")?.status == 200)
        serving.hands.advance(.seconds(6))
        serving.server.look()
        #expect(silent.rest().isEmpty)
        #expect(idle.ask("GET", "/")?.status == 200, "between two requests there is more time")
        // The answer is taken before the server knows that it is; ask it something else first.
        #expect(serving.client.ask("GET", "/")?.status == 200)
        serving.hands.advance(.seconds(16))
        serving.server.look()
        #expect(idle.rest().isEmpty)
    }

    @Test func `a client that does not take its answer is cut`() throws {
        let large = [UInt8](repeating: 0x61, count: 32 << 20)
        let serving = try Serving(HTTPHandler { _, _, reply in reply(HTTPResponse(status: 200, body: large)) })
        let stuck = serving.client
        stuck.send(Client.request("GET", "/"))
        // Something of the answer is there, so it is being sent.
        #expect(stuck.hasSomething())
        serving.hands.advance(.seconds(61))
        serving.server.look()
        #expect(stuck.rest().count < large.count)
    }

    @Test func `without a reply the client is told so, and a late reply does no harm`() throws {
        let asked = Asked()
        let serving = try Serving(.waiting(asked))
        let client = serving.client
        client.send(Client.request("POST", "/slow", body: [0x61]))
        let late = asked.next()
        serving.server.look()
        #expect(serving.client.ask("GET", "/quick")?.text == "quick")
        serving.hands.advance(.seconds(31))
        serving.server.look()
        let response = try #require(client.response())
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "1")
        #expect(response.text.contains("no answer within 30 s"))
        late.reply(HTTPResponse(status: 200, body: Array("late".utf8)))
        #expect(client.ask("GET", "/quick")?.text == "quick")
    }

    @Test func `deadlines are kept without anyone asking for it`() throws {
        var limits = HTTPLimits()
        limits.answerTime = .milliseconds(1)
        limits.lookInterval = .milliseconds(10)
        let folder = Folder()
        let server = try HTTPServer(
            on: .unix(folder.path + "/s"), limits: limits, clocks: .real,
            handler: HTTPHandler { _, _, _ in })
        #expect(Client(path: folder.path + "/s").ask("GET", "/")?.status == 503)
        server.stop(within: .zero)
    }

    @Test func `beyond so many requests at once a client is told to come again`() throws {
        var limits = HTTPLimits()
        limits.requestsMax = 2
        let asked = Asked()
        let serving = try Serving(limits: limits, .waiting(asked))
        let (first, second, third) = (serving.client, serving.client, serving.client)
        first.send(Client.request("GET", "/1"))
        second.send(Client.request("GET", "/2"))
        let held = [asked.next(), asked.next()]
        let refused = try #require(third.ask("GET", "/quick"))
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] == "1")
        for one in held { one.reply(HTTPResponse(status: 200)) }
        #expect(first.response()?.status == 200)
        #expect(second.response()?.status == 200)
        #expect(third.ask("GET", "/quick")?.status == 200)
    }

    @Test func `while all places are taken by who is being served, the next waits for one`() throws {
        var limits = HTTPLimits()
        limits.connectionsMax = 2
        let asked = Asked()
        let serving = try Serving(limits: limits, .waiting(asked))
        let served = (0..<2).map { number in
            let client = serving.client
            client.send(Client.request("GET", "/\(number)"))
            return client
        }
        let held = served.map { _ in asked.next() }
        let next = serving.client
        next.send(Client.request("GET", "/quick"))
        for one in held { one.reply(HTTPResponse(status: 200)) }
        #expect(next.response()?.text == "quick")
    }
}
