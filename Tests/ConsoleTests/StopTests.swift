import Console
import Foundation
import Testing

@Suite("Stopping the server")
struct StopTests {
    @Test func `requests in flight are answered, new ones are not taken`() throws {
        let asked = Asked()
        let serving = try Serving(.waiting(asked))
        let (waiting, idle) = (serving.client, serving.client)
        #expect(idle.ask("GET", "/quick")?.status == 200)
        waiting.send(Client.request("GET", "/slow"))
        let held = asked.next()
        let stopped = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            serving.server.stop(within: .seconds(30))
            stopped.signal()
        }
        // The socket's name goes before anything else ends.
        while FileManager.default.fileExists(atPath: serving.path) { sched_yield() }
        let refused = idle.ask("GET", "/quick")
        #expect(refused == nil || refused?.status == 503)
        held.reply(HTTPResponse(status: 200, body: Array("in time".utf8)))
        let response = try #require(waiting.response())
        #expect(response.text == "in time")
        #expect(response.headers["connection"] == "close")
        #expect(stopped.wait(timeout: .now() + 600) == .success)
        #expect(serving.client.isAtEnd, "nobody listens any more")
    }

    @Test func `who is not answered in time is told that the worker stops`() throws {
        let asked = Asked()
        let serving = try Serving(.waiting(asked))
        let client = serving.client
        client.send(Client.request("GET", "/slow"))
        let held = asked.next()
        serving.server.stop(within: .milliseconds(1))
        let response = try #require(client.response())
        #expect(response.status == 503)
        #expect(response.text.hasPrefix(#"{"error":"the worker is stopping; "#))
        #expect(response.text.contains(#""in_doubt":true"#))
        held.reply(HTTPResponse(status: 200))
    }

    @Test func `stopping at once with everything in the air crashes nothing`() throws {
        for _ in 0..<20 {
            let asked = Asked()
            let serving = try Serving(.waiting(asked))
            let clients = (0..<10).map { number in
                let client = serving.client
                client.send(
                    number % 3 == 0
                        ? Array("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 10\r\n\r\nab".utf8)
                        : Client.request("GET", number % 3 == 1 ? "/slow" : "/quick"))
                return client
            }
            let held = asked.next()
            DispatchQueue.global().async { held.reply(HTTPResponse(status: 200)) }
            serving.server.stop(within: .zero)
            for client in clients { _ = client.rest() }
        }
    }

    @Test func `who was never accepted hears of it as well`() throws {
        var limits = HTTPLimits()
        limits.connectionsMax = 1
        let asked = Asked()
        let serving = try Serving(limits: limits, .waiting(asked))
        let accepted = serving.client
        accepted.send(Client.request("GET", "/slow"))
        _ = asked.next()
        // Not before: whoever has said nothing yet gives way to whoever comes.
        let waiting = serving.client
        waiting.send(Client.request("GET", "/"))
        serving.server.stop(within: .zero)
        #expect(waiting.hasSomething())
        #expect(waiting.rest().isEmpty)
    }

    @Test func `stopping twice is stopping once`() throws {
        let serving = try Serving(.echo)
        serving.server.stop(within: .zero)
        serving.server.stop(within: .zero)
        #expect(serving.client.isAtEnd)
    }

    @Test func `the place can be listened on again at once`() throws {
        let folder = Folder()
        var port = 0
        for _ in 0..<3 {
            let unix = try HTTPServer(
                on: .unix(folder.path + "/s"), limits: HTTPLimits(), clocks: .real, handler: .echo)
            let socket = try ListeningSocket.tcp(ListenAddress(host: "127.0.0.1", port: port))
            port = try #require(socket.port)
            let tcp = try HTTPServer(
                on: socket, limits: HTTPLimits(), clocks: .real, handler: .echo)
            #expect(Client(path: folder.path + "/s").ask("GET", "/")?.status == 200)
            #expect(Client(port: port).ask("GET", "/")?.status == 200)
            unix.stop(within: .zero)
            tcp.stop(within: .zero)
        }
    }
}
