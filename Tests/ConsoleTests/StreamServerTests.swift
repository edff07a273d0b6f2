import Foundation
import Synchronization
import Testing

@testable import Console

/// What a stream has to say, put there by a test.
private final class Script: Sendable {
    private struct State: Sendable {
        var pieces: [BodyStream.Next] = []
        var wake: (@Sendable () -> Void)?
        var isClosed = false
        var mayGoOn = true
    }

    private let state = Mutex(State())
    private let begun = DispatchSemaphore(value: 0)
    private let closed = DispatchSemaphore(value: 0)

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func say(_ next: BodyStream.Next) {
        let wake = state.withLock { state in
            state.pieces.append(next)
            return state.wake
        }
        wake?()
    }

    func say(_ text: String) { say(.piece(Array(text.utf8))) }

    func forbid() { state.withLock { $0.mayGoOn = false } }

    /// Until it is gone on with: from then on its times are counted.
    func waitUntilBegun() -> Bool { begun.wait(timeout: .now() + 60) == .success }

    /// Until nobody reads it any more.
    func waitUntilClosed() -> Bool { closed.wait(timeout: .now() + 60) == .success }

    func stream(heartbeat: String = "") -> BodyStream {
        BodyStream(
            BodyStream.Source(
                next: { [self] in
                    state.withLock { $0.pieces.isEmpty ? .nothing : $0.pieces.removeFirst() }
                },
                begin: { [self] wake in
                    state.withLock { $0.wake = wake }
                    begun.signal()
                },
                close: { [self] in
                    state.withLock { $0.isClosed = true }
                    closed.signal()
                },
                heartbeat: Array(heartbeat.utf8), mayGoOn: { [self] in state.withLock { $0.mayGoOn } }))
    }
}

/// A server whose every answer but one is a stream.
private struct Streaming {
    let folder = Folder()
    let hands = Hands()
    let server: HTTPServer
    let streams: StreamServer

    init(
        _ limits: StreamLimits = StreamLimits(), connections: Int = 256, _ stream: @escaping @Sendable () -> BodyStream
    ) throws {
        var limits = limits
        var http = HTTPLimits()
        http.connectionsMax = connections
        (http.lookInterval, limits.lookInterval) = (.seconds(3600), .seconds(3600))
        streams = try StreamServer(limits: limits, clocks: hands.clocks)
        server = try HTTPServer(
            on: .unix(folder.path + "/belfry.sock"), limits: http, clocks: hands.clocks, streams: streams,
            handler: HTTPHandler { request, _, reply in
                var response = HTTPResponse(status: 200, body: Array("plain".utf8))
                if request.target != "/plain" { (response.body, response.stream) = ([], stream()) }
                reply(response)
            })
    }

    var client: Client {
        let client = Client(path: folder.path + "/belfry.sock")
        client.keeping = [server, streams, folder]
        return client
    }

    /// Time passes, and deadlines are looked at.
    func pass(_ duration: Duration) {
        hands.advance(duration)
        streams.look()
    }
}

@Suite("Answers that come in pieces (V5)")
struct StreamServerTests {
    private func begin(_ client: Client, version: String = "1.1") -> Client.Response? {
        client.send("GET /stream HTTP/\(version)\r\nHost: belfry\r\n\r\n")
        return client.response()
    }

    private func rest(_ client: Client) -> String { String(decoding: client.rest(), as: UTF8.self) }

    /// Whoever reads lines to their end must not take a part for the whole.
    @Test func `what does not go on is cut off, and does not look like an end`() throws {
        let script = Script()
        let streaming = try Streaming { script.stream() }
        let client = streaming.client
        _ = begin(client)
        script.say("hello")
        script.say(.broken)
        #expect(rest(client) == "5\r\nhello\r\n")
        #expect(script.waitUntilClosed())
    }

    @Test func `pieces come as chunks, as they are said, and the end is told`() throws {
        let script = Script()
        let streaming = try Streaming { script.stream() }
        let client = streaming.client
        let head = begin(client)
        #expect(head?.status == 200)
        #expect(head?.headers["transfer-encoding"] == "chunked" && head?.headers["content-length"] == nil)
        script.say("hello")
        #expect(client.hasSomething())
        script.say(String(repeating: "x", count: 20))
        script.say(.end)
        #expect(rest(client) == "5\r\nhello\r\n14\r\n\(String(repeating: "x", count: 20))\r\n0\r\n\r\n")
        #expect(script.waitUntilClosed())
    }

    @Test func `who knows no chunks gets the bytes, up to the end of the connection`() throws {
        let script = Script()
        let client = try Streaming { script.stream() }.client
        let head = begin(client, version: "1.0")
        #expect(head?.headers["transfer-encoding"] == nil && head?.headers["connection"] == "close")
        script.say("hello")
        script.say(.end)
        #expect(rest(client) == "hello")
    }

    @Test func `a stream that is not read is closed, and the others go on`() throws {
        let (deaf, fine) = (Script(), Script())
        let turn = Mutex(0)
        let streaming = try Streaming {
            turn.withLock {
                $0 += 1; return $0 == 1 ? deaf.stream() : fine.stream()
            }
        }
        let (sleeper, listener) = (streaming.client, streaming.client)
        #expect(begin(sleeper)?.status == 200)
        #expect(begin(listener)?.status == 200)
        // More than the system keeps of it.
        for _ in 0..<64 { deaf.say(.piece(Array(repeating: 0x78, count: 64 << 10))) }
        fine.say("one")
        #expect(listener.hasSomething())
        streaming.pass(.seconds(9))
        #expect(!deaf.isClosed)
        streaming.pass(.seconds(2))
        #expect(deaf.waitUntilClosed())
        fine.say("two")
        fine.say(.end)
        #expect(rest(listener) == "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
        #expect(!rest(sleeper).hasSuffix("0\r\n\r\n"))
    }

    @Test func `while nothing is said there is a sign of life`() throws {
        let script = Script()
        let streaming = try Streaming { script.stream(heartbeat: ":\n\n") }
        let client = streaming.client
        #expect(begin(client)?.status == 200)
        #expect(script.waitUntilBegun())
        streaming.pass(.seconds(14))
        streaming.pass(.seconds(1))
        #expect(client.hasSomething())
        script.say(.end)
        #expect(rest(client) == "3\r\n:\n\n\r\n0\r\n\r\n")
    }

    @Test func `who is sent something after a long silence has the whole time to take it`() throws {
        let script = Script()
        let streaming = try Streaming { script.stream() }
        let client = streaming.client
        #expect(begin(client)?.status == 200)
        #expect(script.waitUntilBegun())
        streaming.pass(.seconds(14))
        // More than the system keeps of it: some of it waits for the client.
        for _ in 0..<64 { script.say(.piece(Array(repeating: 0x78, count: 64 << 10))) }
        #expect(client.hasSomething())
        for _ in 0..<9 { streaming.pass(.seconds(1)) }
        #expect(!script.isClosed)
        script.say(.end)
        #expect(rest(client).hasSuffix("0\r\n\r\n"))
    }

    @Test func `who may not read any more is told the end`() throws {
        let script = Script()
        let streaming = try Streaming { script.stream() }
        let client = streaming.client
        #expect(begin(client)?.status == 200)
        #expect(script.waitUntilBegun())
        script.forbid()
        streaming.pass(.seconds(15))
        #expect(rest(client) == "0\r\n\r\n")
        #expect(script.waitUntilClosed())
    }

    @Test func `streams are not among the connections, and have a limit of their own`() throws {
        var limits = StreamLimits()
        limits.streamsMax = 8
        let scripts = (0..<9).map { _ in Script() }
        let next = Mutex(0)
        let streaming = try Streaming(limits, connections: 2) {
            scripts[
                next.withLock {
                    $0 += 1; return $0 - 1
                }
            ].stream()
        }
        // One after the other: only two at a time have a place among those who are not yet served.
        let clients = (0..<8).map { _ in
            let client = streaming.client
            #expect(begin(client)?.status == 200)
            return client
        }
        let late = streaming.client
        #expect(begin(late)?.status == 503)
        #expect(scripts[8].waitUntilClosed())
        #expect(streaming.client.ask("GET", "/plain")?.text == "plain")
        // A place that was left is another's.
        scripts[0].say(.end)
        #expect(rest(clients[0]) == "0\r\n\r\n")
        withExtendedLifetime(clients) {}
    }

    @Test func `who hangs up is forgotten`() throws {
        let script = Script()
        let streaming = try Streaming { script.stream() }
        var client: Client? = streaming.client
        #expect(begin(try #require(client))?.status == 200)
        client = nil
        #expect(script.waitUntilClosed())
    }

    @Test func `stopping ends every stream so that its client can tell`() throws {
        let script = Script()
        let streaming = try Streaming { script.stream() }
        var clients = (0..<20).map { _ in streaming.client }
        for client in clients { #expect(begin(client)?.status == 200) }
        Thread.detachNewThread { [streams = streaming.streams] in streams.stop(within: .seconds(600)) }
        for client in clients { #expect(rest(client) == "0\r\n\r\n") }
        clients = []
        #expect(begin(streaming.client)?.status == 503)
    }

    /// Its head is sent before the streams have it: where a stop comes between the two, it is waited for.
    @Test func `who is let in as the streams stop is told the end as well`() throws {
        for _ in 0..<200 {
            let script = Script()
            let streaming = try Streaming { script.stream() }
            let client = streaming.client
            #expect(begin(client)?.status == 200)
            Thread.detachNewThread { [streams = streaming.streams] in streams.stop(within: .seconds(600)) }
            try #require(rest(client) == "0\r\n\r\n")
        }
    }

    /// By then all others have ended.
    @Test func `who was let in before a stop and comes behind it is told the end`() throws {
        for _ in 0..<20 {
            let (script, late) = (Script(), Script())
            let streaming = try Streaming { script.stream() }
            let streams = streaming.streams
            var client: Client? = streaming.client
            #expect(begin(try #require(client))?.status == 200)
            try #require(streams.reserve())
            streams.end(within: .seconds(600))
            #expect(rest(try #require(client)) == "0\r\n\r\n")
            client = nil
            var turns = 10_000_000
            while streams.count > 1, turns > 0 {
                turns -= 1
                sched_yield()
            }
            var pair: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            streams.take(StreamArrival(descriptor: pair[0], stream: late.stream(), isChunked: true))
            try #require(rest(Client(descriptor: pair[1])) == "0\r\n\r\n")
        }
    }

    @Test func `the head alone is an answer without a stream`() throws {
        let script = Script()
        let client = try Streaming { script.stream() }.client
        #expect(client.ask("HEAD", "/stream")?.status == 200)
        #expect(script.waitUntilClosed())
    }
}
