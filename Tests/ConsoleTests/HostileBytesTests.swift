import Console
import Simulation
import Testing

/// Whatever bytes come, the server lives and answers the next client.
@Suite("Bytes that are no requests")
struct HostileBytesTests {
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.bodyBytesMax = 10_000
        limits.drainBytesMax = 50_000
        return limits
    }()

    @Test(arguments: 0..<8) func `random bytes`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let serving = try Serving(limits: Self.limits, Router(Worker().service).handler)
        var clients: [Client] = []
        for _ in 0..<40 {
            let client = serving.client
            let count = Int.random(in: 1...3000, using: &random)
            let sent = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            client.send(sent)
            client.finishSending()
            clients.append(client)
        }
        endAll(clients, of: serving)
        #expect(serving.client.ask("GET", "/health")?.status == 200, "seed \(seed)")
    }

    @Test(arguments: 0..<8) func `requests that were damaged`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let serving = try Serving(limits: Self.limits, Router(Worker().service).handler)
        let facts = Array((opened("anna") + "\n" + opened("bert")).utf8)
        let whole = [
            Client.request("POST", "/v1/facts", ["Content-Type: application/x-ndjson"], body: facts),
            Client.request("POST", "/v1/facts", ["Content-Type: application/x-ndjson"], body: facts, isChunked: true),
            Client.request("POST", "/v1/facts", ["Content-Encoding: gzip"], body: gzipped(facts)),
            Client.request("POST", "/v1/run-now", body: Array(#"{"users":["anna"],"force":true}"#.utf8)),
            Client.request(
                "GET", "/v1/people/anna/explain?kind=check_in&at=2026-03-02T09:00:00Z", ["Accept: text/plain"]),
            Client.request("HEAD", "/health"),
        ]
        var clients: [Client] = []
        for _ in 0..<60 {
            let client = serving.client
            var sent: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                sent += whole[Int.random(in: 0..<whole.count, using: &random)]
            }
            for _ in 0..<Int.random(in: 1...6, using: &random) { damage(&sent, &random) }
            client.send(sent)
            client.finishSending()
            clients.append(client)
        }
        endAll(clients, of: serving)
        #expect(serving.client.ask("GET", "/health")?.status == 200, "seed \(seed)")
    }

    /// Once the last has been answered all have been heard. Who still owes a request then is out of time.
    private func endAll(_ clients: [Client], of serving: Serving) {
        #expect(serving.client.ask("GET", "/health")?.status == 200)
        serving.hands.advance(.seconds(61))
        serving.server.look()
        for client in clients { _ = client.rest() }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: [0, 0x0D, 0x0A, 0x25, 0xFF].shuffled(using: &random).prefix(2), at: place)
        case 3: bytes.removeLast(bytes.count - place)
        default: bytes.insert(contentsOf: bytes[place..<min(place + 50, bytes.count)], at: place)
        }
    }

    @Test func `a length that cannot be`() throws {
        let serving = try Serving(limits: Self.limits, .echo)
        for length in ["-1", "abc", "99999999999999999999999", "18446744073709551615", "1 2", "0x10", ""] {
            let client = serving.client
            client.send("POST / HTTP/1.1\r\nHost: b\r\nContent-Length: \(length)\r\n\r\nabc")
            client.finishSending()
            let answer = try #require(client.response(), "\(length)")
            #expect(answer.status >= 400, "\(length)")
        }
        #expect(serving.client.ask("GET", "/")?.status == 200)
    }
}
