import Delivery
import Foundation

/// The API of a worker, through the socket in its directory.
struct WorkerDoor: Sendable {
    private let client: HTTPClient

    init(_ shell: Shell, data: String = "events/log") { client = .unix(shell.path("\(data)/belfry.sock")) }

    /// `nil` where nobody listens or no answer came.
    func append(_ lines: String) -> HTTPAnswer? {
        ask(.post, "v1/facts", type: "application/x-ndjson", body: Array(lines.utf8))
    }

    func runNow(_ order: String) -> HTTPAnswer? {
        ask(.post, "v1/run-now", type: "application/json", body: Array(order.utf8))
    }

    /// - Parameter key: under which it is done once, however often it is asked for.
    func post(_ path: String, _ order: String, key: String? = nil) -> HTTPAnswer? {
        ask(.post, path, type: "application/json", body: Array(order.utf8), key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    func get(_ path: String) -> HTTPAnswer? { ask(.get, path, type: nil, body: []) }

    func get(_ path: String, accepting type: String) -> HTTPAnswer? {
        try? client.ask(
            HTTPCall(
                .get, "http://belfry/\(path)", headers: [("Accept", type)], body: [],
                patience: .init(connectMs: 600_000, totalMs: 600_000), answerBytesMax: 16 << 20))
    }

    func health() -> Printed? { ask(.get, "health", type: nil, body: []).flatMap { try? Printed($0.text) } }

    private func ask(
        _ method: HTTPCall.Method, _ path: String, type: String?, body: [UInt8], _ headers: [(String, String)] = []
    ) -> HTTPAnswer? {
        try? client.ask(
            HTTPCall(
                method, "http://belfry/\(path)", headers: (type.map { [("Content-Type", $0)] } ?? []) + headers,
                body: body,
                patience: .init(connectMs: 600_000, totalMs: 600_000), answerBytesMax: 16 << 20))
    }
}
