@testable import Console
import Dispatch
import Testing

/// `G11`: clients that are many, half there or gone take nothing from the others.
@Suite("Crowds of clients")
struct CrowdTests {
    private func limited(to connections: Int) -> HTTPLimits {
        var limits = HTTPLimits()
        limits.connectionsMax = connections
        return limits
    }

    @Test(arguments: ["", "G", "GET /x HTTP/1.1\r\nHost: b\r\n"])
    func `half requests in any number shut nobody out`(half: String) throws {
        let serving = try Serving(limits: limited(to: 8), .echo)
        var crowd: [Client] = []
        for _ in 0..<40 {
            let client = serving.client
            client.send(half)
            crowd.append(client)
        }
        // No time has passed.
        #expect(serving.client.ask("GET", "/good")?.status == 200)
        let last = String(decoding: crowd[0].rest(), as: UTF8.self)
        #expect(half.isEmpty ? last.isEmpty : last.hasPrefix("HTTP/1.1 503 ") && last.contains("too many connections"))
    }

    @Test func `a crowd takes no place from who is being served`() throws {
        let asked = Asked()
        let serving = try Serving(limits: limited(to: 4), .waiting(asked))
        let (sending, waiting) = (serving.client, serving.client)
        waiting.send(Client.request("POST", "/slow", body: [0x61]))
        let held = asked.next()
        sending.send("POST /quick HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\na")
        // Whoever is answered now came later, so its head was read before.
        #expect(serving.client.ask("GET", "/quick")?.status == 200)
        let crowd = (0..<20).map { _ in serving.client }
        #expect(serving.client.ask("GET", "/quick")?.status == 200)
        sending.send("bc")
        #expect(sending.response()?.text == "quick")
        held.reply(HTTPResponse(status: 200))
        #expect(waiting.response()?.status == 200)
        for client in crowd.prefix(15) { #expect(client.rest().isEmpty) }
    }

    @Test func `who is refused and sends on and on can be asked to go`() throws {
        let refusing = HTTPHandler(atOnce: { head in head.target == "/good" ? nil : HTTPResponse(status: 401) }) {
            _, _, reply in reply(HTTPResponse(status: 200))
        }
        let serving = try Serving(limits: limited(to: 2), refusing)
        let strangers = (0..<6).map { _ in
            let client = serving.client
            client.send("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 1000000\r\n\r\nabc")
            return client
        }
        #expect(serving.client.ask("GET", "/good")?.status == 200)
        #expect(String(decoding: strangers[0].rest(), as: UTF8.self).hasPrefix("HTTP/1.1 503 "))
    }

    // MARK: Gone

    @Test func `a question is over when its asker has gone`() throws {
        let asked = Asked()
        let serving = try Serving(.waiting(asked))
        var client: Client? = serving.client
        client?.send(Client.request("GET", "/slow"))
        let question = asked.next()
        #expect(!question.asker.isGone)
        client = nil
        // Only the server's thread can notice; it has when the next is answered.
        while !question.asker.isGone { #expect(serving.client.ask("GET", "/quick")?.status == 200) }
        question.reply(HTTPResponse(status: 200))
        #expect(serving.client.ask("GET", "/quick")?.status == 200)
    }

    @Test func `over TCP a client that ends its side has a moment to read, and has gone then`() throws {
        let asked = Asked()
        let hands = Hands()
        let socket = try ListeningSocket.tcp(ListenAddress("0"))
        let port = try #require(socket.port)
        var limits = HTTPLimits()
        limits.lookInterval = .milliseconds(10)
        let server = try HTTPServer(on: socket, limits: limits, clocks: hands.clocks, handler: .waiting(asked))
        defer { server.stop(within: .zero) }
        let (quick, slow) = (Client(port: port), Client(port: port))
        quick.send(Client.request("GET", "/slow"))
        quick.finishSending()
        asked.next().reply(HTTPResponse(status: 200, body: Array("in time".utf8)))
        #expect(quick.response()?.text == "in time")
        slow.send(Client.request("GET", "/slow"))
        let question = asked.next()
        slow.finishSending()
        while !question.asker.isGone {
            hands.advance(.milliseconds(500))
            #expect(Client(port: port).ask("GET", "/quick")?.status == 200)
        }
        #expect(slow.response()?.status == 503)
    }

    @Test func `an order goes on when its client has gone, and counts until it is done`() throws {
        var limits = HTTPLimits()
        limits.requestsMax = 1
        let asked = Asked()
        let serving = try Serving(limits: limits, .waiting(asked))
        var client: Client? = serving.client
        client?.send(Client.request("POST", "/slow", body: [0x61]))
        let order = asked.next()
        client = nil
        while !order.asker.isGone { #expect(serving.client.ask("GET", "/quick")?.status == 503) }
        #expect(serving.client.ask("GET", "/quick")?.status == 503)
        order.reply(HTTPResponse(status: 200))
        #expect(serving.client.ask("GET", "/quick")?.status == 200)
    }

    @Test func `questions whose askers have gone leave room for others at once`() throws {
        var limits = HTTPLimits()
        limits.requestsMax = 2
        let asked = Asked()
        let serving = try Serving(limits: limits, .waiting(asked))
        for _ in 0..<10 {
            var client: Client? = serving.client
            client?.send(Client.request("GET", "/slow"))
            let question = asked.next()
            client = nil
            while !question.asker.isGone { _ = serving.client.ask("GET", "/quick") }
            // Nobody has replied to any of them.
            #expect(serving.client.ask("GET", "/quick")?.status == 200)
        }
    }
}
