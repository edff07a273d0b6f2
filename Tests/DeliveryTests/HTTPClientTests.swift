import Delivery
import Foundation
import Testing

@Suite("One question to a server", .unlessItHangs, .enabled(if: Python.path != nil))
struct HTTPClientTests {
    private func ask(
        _ url: String, _ method: HTTPCall.Method = .post, headers: [(name: String, value: String)] = [],
        body: [UInt8] = [], totalMs: Int = 600_000, answerBytesMax: Int = 1 << 20, by client: HTTPClient = HTTPClient()
    ) throws(HTTPFailure) -> HTTPAnswer {
        try client.ask(
            HTTPCall(
                method, url, headers: headers, body: body, patience: .init(connectMs: 600_000, totalMs: totalMs),
                answerBytesMax: answerBytesMax))
    }

    private func failure(_ body: () throws(HTTPFailure) -> HTTPAnswer) -> HTTPFailure? {
        do throws(HTTPFailure) { _ = try body() } catch { return error }
        return nil
    }

    @Test func `an answer has its status, its headers whatever their case, and its body`() throws {
        let receiver = try Receiver()
        let body = Array("{\"a\":\"\0é\"}".utf8)
        let answer = try ask(receiver.url("ok"), headers: [("webhook-id", "j1")], body: body)
        #expect(answer.status == 200)
        #expect(answer.headers["x-REQUEST-id"] == "r-1")
        #expect(answer.text == "thanks")
        let seen = try receiver.seen()
        #expect(seen.map(\.id) == ["j1"])
        #expect(Array(seen[0].body.utf8) == body)
    }

    @Test func `a redirect is an answer like any other`() throws {
        let receiver = try Receiver()
        let answer = try ask(receiver.url("redirect"))
        receiver.end()
        #expect(answer.status == 302)
        #expect(answer.headers["location"] == "/ok")
    }

    @Test func `a server that hangs, answers too much, or is not there`() throws {
        let receiver = try Receiver()
        #expect(failure { () throws(HTTPFailure) in try ask(receiver.url("hang"), totalMs: 100) }?.reason == .timedOut)
        let huge = failure { () throws(HTTPFailure) in try ask(receiver.url("huge"), answerBytesMax: 100_000) }
        #expect(huge?.reason == .tooLarge)
        #expect(huge?.status == 200)
        #expect(huge?.words == "more than 100000 bytes")
        receiver.end()
        let gone = failure { () throws(HTTPFailure) in try ask("http://127.0.0.1:1/ok") }
        #expect(gone?.reason == .cannotConnect)
        #expect(gone?.words.isEmpty == false)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1:x", "http://"])
    func `only http and https are spoken`(url: String) {
        #expect(failure { () throws(HTTPFailure) in try ask(url) }?.reason == .badCall)
    }

    @Test func `a header with a line end is no header`() {
        let failure = failure { () throws(HTTPFailure) in
            try ask("http://127.0.0.1:1/", headers: [("a", "b\r\nHost: other")])
        }
        #expect(failure?.reason == .badCall)
    }

    @Test func `a socket in the file system is asked like a server`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/s"
        let receiver = try Receiver(socket: path)
        let client = HTTPClient.unix(path)
        let answer = try ask("http://belfry/ok", body: [65], by: client)
        #expect(answer.status == 200)
        let seen = try ask("http://belfry/seen", .get, by: client)
        #expect(seen.text.contains("\"body\": \"A\""))
        receiver.end()
        let gone = failure { () throws(HTTPFailure) in try ask("http://belfry/ok", by: .unix(scratch.path + "/none")) }
        #expect(gone?.reason == .cannotConnect)
    }
}
