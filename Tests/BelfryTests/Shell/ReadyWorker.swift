import Delivery
import Foundation
import Testing

extension Running {
    /// Waits until a worker takes requests. There is no other way to know: it says so once.
    func expectReady() throws {
        if complaint(of: #""message":"running""#) != nil { return }
        Issue.record("the worker ended: \(end().errors)")
        throw CancellationError()
    }

    /// Asks a worker to end, and it ends as it should.
    @discardableResult
    func expectStopped() -> Outcome {
        send(signal: SIGTERM)
        let end = end()
        #expect(end.code == 0, "\(end.errors)")
        return end
    }

    /// The port it listens on, once it does.
    func port() throws -> Int {
        try port(after: #""message":"listening""#)
    }

    /// The port of its public door, once it listens there.
    func publicPort() throws -> Int { try port(after: "listening for providers") }

    private func port(after words: String) throws -> Int {
        let listening = try #require(complaint(of: words))
        return try #require(listening.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) })
    }
}

/// The API of a worker on a TCP port of this machine.
struct WorkerPort {
    static let token = "a-token-that-is-long-enough-for-anybody-0123456789"

    let number: Int

    init(_ number: Int) {
        self.number = number
        setenv("no_proxy", "127.0.0.1,localhost", 1)
    }

    func get(_ path: String, token: String? = nil) throws -> HTTPAnswer { try ask(.get, path, token) }

    func append(_ lines: String) throws -> HTTPAnswer { try ask(.post, "v1/facts", Self.token, Array(lines.utf8)) }

    func ask(
        _ method: HTTPCall.Method, _ path: String, _ token: String?, _ body: [UInt8] = [],
        headers: [(String, String)] = [("Content-Type", "application/json")]
    ) throws -> HTTPAnswer {
        try HTTPClient().ask(
            HTTPCall(
                method, "http://127.0.0.1:\(number)/\(path)",
                headers: headers
                    + (token.map { [("Authorization", "Bearer \($0)")] } ?? []),
                body: body,
                patience: .init(connectMs: 600_000, totalMs: 600_000), answerBytesMax: 1 << 20))
    }
}

extension Shell {
    /// A worker that takes requests, and whose jobs lie in `spool`.
    func spooling(_ words: String...) throws -> Running {
        let worker = start(["run", "--jobs", "spool:spool"] + words)
        try worker.expectReady()
        return worker
    }

    /// The words that have a worker listen on a port of the system's choice, or on this one.
    func listening(on port: Int = 0) throws -> [String] {
        try write(WorkerPort.token + "\n", to: "token")
        #expect(chmod(path("token"), 0o600) == 0)
        return ["--listen", "127.0.0.1:\(port)", "--token-file", "token"]
    }
}
