import CivilTime
import Delivery
import Foundation
import Journal
import Notices
import Testing

/// `G11`: a worker with every sort of bad client at its door answers good ones as if they were alone. How long that takes on a
/// machine that does nothing else is measured by `ops/benchmarks/run --only readers`; here it is what each of them is told.
@Suite("belfry run among hostile clients")
struct HostileClientTests {
    let shell = Shell()
    private static let readers = 40

    private func run() throws -> (worker: Running, port: Int) {
        let worker = shell.start(["run", "--jobs", "spool:spool"] + (try shell.listening()))
        let port = try worker.port()
        try worker.expectReady()
        return (worker, port)
    }

    private static func question(_ user: String, _ word: String = "state") -> String {
        "GET /v1/people/\(user)/\(word) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(WorkerPort.token)\r\n"
            + "Connection: close\r\n\r\n"
    }

    @Test func `facts are taken beside readers of long histories, half of whom hang up`() throws {
        // A commit an event: the longest way there is to read.
        try shell.writeLog(events: 1...4000, people: 2)
        let (worker, port) = try run()
        var readers: [RawClient] = []
        for number in 0..<Self.readers {
            let word = ["state", "explain", "history"][number % 3]
            let client = RawClient(port: port).send(Self.question("u\(number % 2)", word))
            // Who is let go of hangs up.
            if number % 2 == 0 { readers.append(client) }
        }
        for number in 1...50 {
            let answer = try WorkerPort(port).append(fact(user: "honest", id: "h\(number)"))
            #expect(answer.status == 200, "\(answer.text)")
        }
        for reader in readers {
            let told = reader.received()
            #expect(told.hasPrefix("HTTP/1.1 200 ") || told.hasPrefix("HTTP/1.1 503 "), "\(told.prefix(200))")
            if told.hasPrefix("HTTP/1.1 503 ") { #expect(told.contains("\r\nRetry-After: ")) }
        }
        let alone = RawClient(port: port).send(Self.question("u1")).received()
        #expect(alone.hasPrefix("HTTP/1.1 200 "), "\(alone.prefix(200))")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `half requests, slow ones and smuggled ones keep nobody out`() throws {
        let (worker, port) = try run()
        let halves = [
            "", "GET /health", "POST /v1/facts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
            "POST /v1/facts HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        ]
        var crowd: [RawClient] = []
        for number in 0..<600 {
            crowd.append(RawClient(port: port).send(halves[number % halves.count]))
            guard number % 50 == 49 else { continue }
            let answer = try WorkerPort(port).append(fact(user: "honest", id: "h\(number)"))
            #expect(answer.status == 200, "\(answer.text)")
            let health = try WorkerPort(port).get("health")
            #expect((health.status, health.text) == (200, "{\"status\":\"ready\"}\n"))
        }
        let smuggling = RawClient(port: port).send(
            "POST /v1/facts HTTP/1.1\r\nHost: localhost\r\nContent-Length : 10\r\n\r\n" + Self.question("anna")
        ).received()
        #expect(smuggling.hasPrefix("HTTP/1.1 400 "))
        #expect(smuggling.components(separatedBy: "HTTP/1.1 ").count == 2, "one answer: \(smuggling)")
        #expect(smuggling.contains("a space between a header field's name and its colon"))
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(crowd.count == 600)
    }

    @Test func `how many come from one address is an option of TCP`() throws {
        let without = shell.belfry("run", "--connections-per-address", "5")
        #expect(without.code == 2)
        #expect(without.errors.contains("--connections-per-address is for --listen"), "\(without.errors)")
        for bad in ["0", "257", "many"] {
            let outcome = shell.belfry(["run", "--connections-per-address", bad] + (try shell.listening()), input: [])
            #expect(outcome.code == 2)
            #expect(outcome.errors.contains("takes a number from 1 to 256"), "\(outcome.errors)")
        }
    }
}
