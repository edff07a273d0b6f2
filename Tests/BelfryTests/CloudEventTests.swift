import Delivery
import Foundation
import Testing

/// CloudEvents as their own library makes them (`V7`).
@Suite("CloudEvents", .withProviders)
struct CloudEventTests {
    let shell = Shell()

    private struct Message: Decodable {
        var headers: [String: String]
        var body: String
    }

    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// The requests of the oracle.
    private func messages() throws -> [Message] {
        let script = Self.package.appending(path: "Tests/DeliveryTests/Oracles/cloudevents_oracle.py").path
        let oracle = Running(
            ["/usr/bin/env", "python3", script], in: shell.directory.path,
            environment: [
                "PYTHONPATH": Self.package.appending(path: ".build/oracles").path, "PYTHONDONTWRITEBYTECODE": "1",
            ])
        let told = oracle.end()
        #expect(told.errors == "")
        return try told.lines.map { try JSONDecoder().decode(Message.self, from: Data($0.utf8)) }
    }

    @Test func `in each of their modes they become facts, each once`() throws {
        let worker = shell.start(["run"])
        try worker.expectReady()
        let client = HTTPClient.unix(shell.path("events/log/belfry.sock"))
        let answers = try messages().map { message in
            try client.ask(
                HTTPCall(
                    .post, "http://belfry/v1/facts", headers: message.headers.map { ($0.key, $0.value) },
                    body: Array(message.body.utf8), patience: .init(connectMs: 600_000, totalMs: 600_000),
                    answerBytesMax: 1 << 20)
            ).text
        }
        worker.expectStopped()
        let points = try shell.belfry("log", "--type", "points_earned").events()
        #expect(points.count == 5)
        #expect(points.allSatisfy { $0.user == "anna" && $0.occurred_at == "2026-03-02T14:00:00.123Z" })
        #expect(Set(points.compactMap(\.id)).count == 5)
        let (first, second) = (try #require(points.first).seq, try #require(points.dropFirst().first).seq)
        #expect(answers[0].contains(#"{"line":1,"seq":\#(first)}"#))
        // The same source and id is the same fact, in whichever mode it comes.
        #expect(answers[2].contains(#"{"line":1,"duplicate_of":\#(second)}"#))
        #expect(answers[4].contains("did you mean points_earned"))
        #expect(answers[5].contains(#"{"line":2,"duplicate_of":\#(first)}"#))
        #expect(shell.belfry("log").lines.filter { $0.contains("traceparent") }.count == 1)
    }
}
