import Console
import Testing

@Suite("Bodies, packed and too large")
struct BodyTests {
    private func limited(_ bytes: Int, drain: Int = 64 << 20) -> HTTPLimits {
        var limits = HTTPLimits()
        limits.bodyBytesMax = bytes
        limits.drainBytesMax = drain
        return limits
    }

    @Test func `a packed body is unpacked`() throws {
        let client = try Serving(.echo).client
        let packed = gzipped(Array("hello ".utf8) + [UInt8](repeating: 0x61, count: 300_000))
        for name in ["gzip", "x-gzip", "GZIP"] {
            let response = client.ask("POST", "/", ["Content-Encoding: \(name)"], body: packed)
            #expect(response?.text.hasPrefix("POST / 300006\nhello aaa") == true)
        }
        let chunked = client.ask("POST", "/", ["Content-Encoding: gzip"], body: packed, isChunked: true)
        #expect(chunked?.text.hasPrefix("POST / 300006\nhello aaa") == true)
    }

    @Test func `members one after the other are one body`() throws {
        let client = try Serving(.echo).client
        let packed = gzipped(Array("one ".utf8)) + gzipped(Array("two".utf8))
        #expect(client.ask("POST", "/", ["Content-Encoding: gzip"], body: packed)?.text == "POST / 7\none two")
    }

    @Test func `what is not gzip, or not all of it, is refused`() throws {
        let client = try Serving(.echo).client
        let packed = gzipped(Array("hello".utf8))
        var damaged = packed
        damaged[damaged.count - 6] ^= 1
        for body in [Array("hello".utf8), Array(packed.dropLast()), damaged, packed + [0x61], []] {
            let response = try #require(client.ask("POST", "/", ["Content-Encoding: gzip"], body: body))
            #expect(response.status == 400)
            #expect(response.text.hasPrefix(#"{"error":"the body is not gzip: "#))
        }
        #expect(client.ask("POST", "/", body: packed)?.status == 200)
    }

    @Test func `another coding is refused and the right one named`() throws {
        let client = try Serving(.echo).client
        for coding in ["br", "gzip, gzip", "deflate"] {
            let response = client.ask("POST", "/", ["Content-Encoding: \(coding)"], body: [1, 2, 3])
            #expect(response?.status == 415)
            #expect(response?.headers["accept-encoding"] == "gzip")
        }
        #expect(client.ask("POST", "/", ["Content-Encoding: identity"], body: [0x61])?.text == "POST / 1\na")
    }

    @Test func `a body over the limit is 413, however it comes`() throws {
        let client = try Serving(limits: limited(1000), .echo).client
        let fits = [UInt8](repeating: 0x61, count: 1000)
        #expect(client.ask("POST", "/", body: fits)?.status == 200)
        #expect(client.ask("POST", "/", body: fits, isChunked: true)?.status == 200)
        let response = try #require(client.ask("POST", "/", body: fits + [0x61]))
        #expect(response.status == 413)
        #expect(response.text == "{\"error\":\"the body is larger than 1000 bytes; send it in parts\"}\n")
        #expect(client.ask("POST", "/", body: fits + [0x61], isChunked: true)?.status == 413)
        #expect(client.ask("GET", "/still-there")?.status == 200)
    }

    @Test func `a small body that unpacks to more than the limit is 413`() throws {
        let client = try Serving(.echo).client
        let bomb = gzipped([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        #expect(client.ask("POST", "/", ["Content-Encoding: gzip"], body: bomb)?.status == 413)
        #expect(client.ask("GET", "/still-there")?.status == 200)
    }

    @Test func `who is nobody here, or one person, may say less than an operator (G11)`() throws {
        let entry = try Entry()
        let client = try Serving(entry.router.handler(through: .port(entry.keeper))).client
        func status(_ path: String, _ token: String?, bytes: Int) -> Int? {
            let shown = token.map { ["Authorization: Bearer \($0)"] } ?? []
            let body = [UInt8](repeating: 0x20, count: bytes)
            return client.ask(
                "POST", path, ["Content-Type: application/json"] + shown, body: body)?.status
        }
        #expect(status("/v1/session", nil, bytes: 8 << 10) == 400)
        #expect(status("/v1/session", nil, bytes: 8 << 10 + 1) == 413)
        let anna = entry.person("anna")
        #expect(status("/v1/people/anna/consent", anna, bytes: 256 << 10) == 400)
        #expect(status("/v1/people/anna/consent", anna, bytes: 256 << 10 + 1) == 413)
        #expect(status("/v1/facts", Entry.own, bytes: 1 << 20) == 200)
    }

    @Test func `who announces far too much is told at once and not listened to`() throws {
        let client = try Serving(limits: limited(1000, drain: 2000), .echo).client
        client.send("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: 3000\r\n\r\n")
        #expect(client.response()?.status == 413)
        #expect(client.rest().isEmpty)
    }

    @Test func `who sends without end is hung up on`() throws {
        let client = try Serving(limits: limited(1000, drain: 100_000), .echo).client
        client.send("POST / HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n")
        let piece = Client.chunks(of: [UInt8](repeating: 0x61, count: 10_000))
        var pieces = 0
        while pieces < 10_000, client.send(piece) { pieces += 1 }
        #expect(pieces < 10_000)
    }

    @Test func `a head that is too long is 431`() throws {
        let client = try Serving(.echo).client
        client.send("GET / HTTP/1.1\r\nHost: b\r\nX-Long: \(String(repeating: "x", count: 100_000))\r\n\r\n")
        #expect(client.response()?.status == 431)
    }

    @Test func `what is thrown away is not counted as held`() throws {
        var limits = limited(1000)
        limits.bytesMax = 1500
        let serving = try Serving(limits: limits, .echo)
        let (tooLong, other) = (serving.client, serving.client)
        let chunks = Client.chunks(of: [UInt8](repeating: 0x61, count: 3000))
        tooLong.send(Array("POST / HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + chunks)
        // Answered in the order they came: the first is still sending.
        #expect(other.ask("GET", "/")?.status == 200)
        #expect(other.ask("POST", "/", body: [UInt8](repeating: 0x61, count: 900))?.status == 200)
        tooLong.send("0\r\n\r\n")
        #expect(tooLong.response()?.status == 413)
    }

    @Test func `what cannot be held beside the others is 503, and the room is given back`() throws {
        var limits = HTTPLimits()
        limits.bytesMax = 1000
        let asked = Asked()
        let serving = try Serving(limits: limits, .waiting(asked))
        let (first, second) = (serving.client, serving.client)
        first.send(Client.request("POST", "/held", body: [UInt8](repeating: 0x61, count: 800)))
        let held = asked.next()
        let refused = try #require(second.ask("POST", "/quick", body: [UInt8](repeating: 0x61, count: 300)))
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] == "1")
        #expect(second.ask("GET", "/quick")?.status == 200, "what needs no room is answered")
        held.reply(HTTPResponse(status: 200))
        #expect(first.response()?.status == 200)
        #expect(second.ask("POST", "/quick", body: [UInt8](repeating: 0x61, count: 300))?.status == 200)
    }
}
