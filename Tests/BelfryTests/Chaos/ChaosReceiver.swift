import Delivery
import Foundation

/// A receiver of webhooks with moods, as `chaos_receiver.py` describes it.
final class ChaosReceiver {
    struct Seen: Decodable {
        var tries: Int
        /// Every body that came under a job's id.
        var bodies: [String: [String]]
    }

    private let server: Running
    private let origin: String
    var url: String { origin + "/jobs" }

    init(_ shell: Shell) throws {
        // A proxy that the environment names is not asked for this machine.
        setenv("no_proxy", "127.0.0.1,localhost", 1)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "chaos_receiver.py")
        server = Running(["/usr/bin/env", "python3", script.path], in: shell.directory.path)
        origin = "http://127.0.0.1:\(server.line() ?? "0")"
    }

    /// From now on it takes every job.
    func heal() throws { _ = try ask(.post, "/heal") }

    func seen() throws -> Seen { try JSONDecoder().decode(Seen.self, from: Data(try ask(.get, "/seen").body)) }

    private func ask(_ method: HTTPCall.Method, _ path: String) throws -> HTTPAnswer {
        try HTTPClient().ask(
            HTTPCall(
                method, origin + path, patience: .init(connectMs: 600_000, totalMs: 600_000), answerBytesMax: 256 << 20)
        )
    }
}
