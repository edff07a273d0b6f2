import Foundation
import Testing

/// An analyser to run beside a worker: chat completions, held against the openai package's own types.
enum AnalyserServer {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func start(_ shell: Shell) throws -> (running: Running, port: Int) {
        let script = root.appending(path: "Tests/DeliveryTests/Oracles/analyser_server.py").path
        let running = Running(
            ["/usr/bin/env", "python3", script], in: shell.directory.path,
            environment: [
                "PYTHONPATH": root.appending(path: ".build/oracles").path, "PYTHONDONTWRITEBYTECODE": "1",
            ])
        return (running, try #require(running.line().flatMap { Int($0) }))
    }

    /// The senders' document that names it, `senders.json`.
    static func write(_ port: Int, model: String, to shell: Shell) throws {
        try shell.write("sk-demo\n", to: "key")
        #expect(chmod(shell.path("key"), 0o600) == 0)
        try shell.write(
            #"{"analyser":{"url":"http://127.0.0.1:\#(port)/v1/chat/completions","model":"\#(model)","key_file":"key"}}"#,
            to: "senders.json")
    }
}
