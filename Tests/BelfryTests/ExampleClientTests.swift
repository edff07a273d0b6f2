import Foundation
import Testing

/// The clients of `ops/examples`, run against a worker as somebody who copied them would.
@Suite("ops/examples")
struct ExampleClientTests {
    enum Example: CaseIterable {
        case python, swift

        var command: [String] {
            switch self {
            case .swift: [Program.example.path]
            case .python:
                [
                    "/usr/bin/env", "python3",
                    URL(filePath: #filePath).deletingLastPathComponent()
                        .appending(path: "../../ops/examples/belfry_client.py").standardizedFileURL.path,
                ]
            }
        }

        var canRun: Bool { self == .swift || Machine.has("python3") }
    }

    let shell = Shell()

    private func run(_ example: Example, _ words: String..., on port: Int) -> Running {
        Running(
            example.command + words, in: shell.directory.path,
            environment: [
                "BELFRY_URL": "http://127.0.0.1:\(port)", "BELFRY_TOKEN": WorkerPort.token, "no_proxy": "127.0.0.1",
                "PYTHONDONTWRITEBYTECODE": "1",
            ])
    }

    private func worker(on port: Int = 0, _ options: String...) throws -> (Running, Int) {
        let worker = shell.start(["run"] + options + (try shell.listening(on: port)))
        let port = try worker.port()
        try worker.expectReady()
        return (worker, port)
    }

    /// Waits until a warehouse holds an event.
    private func wait(for text: String, in stored: Running) throws {
        while let line = stored.line() { if line.contains(text) { return } }
        throw CancellationError()
    }

    @Test(arguments: Example.allCases.filter(\.canRun))
    func `a warehouse has the whole log once, whatever is killed in between`(_ example: Example) throws {
        try shell.write((1...1500).map { fact(user: "p\($0 % 7)") }.joined(), to: "facts.jsonl")
        try shell.write(fact(user: "late"), to: "late.jsonl")
        try shell.write(fact(user: "last"), to: "last.jsonl")
        try shell.write("", to: "stored")
        var (worker, port) = try worker()
        var warehouse = run(example, "follow", "stored", on: port)
        let stored = Running(["/usr/bin/env", "tail", "-n", "+1", "-F", "stored"], in: shell.directory.path)
        #expect(
            run(example, "send", "facts.jsonl", on: port).end()
                == .done(#"{"recorded": 1500, "duplicates": 0, "refused": 0}"#))
        try wait(for: #""seq":1000,"#, in: stored)
        worker.send(signal: SIGKILL)
        _ = worker.end()
        (worker, port) = try self.worker(on: port)
        // What was sent may be sent again: nobody need know whether it was taken.
        #expect(
            run(example, "send", "facts.jsonl", on: port).end()
                == .done(#"{"recorded": 0, "duplicates": 1500, "refused": 0}"#))
        #expect(run(example, "send", "late.jsonl", on: port).end().code == 0)
        try wait(for: #""user":"late""#, in: stored)
        warehouse.send(signal: SIGKILL)
        _ = warehouse.end()
        // As a crash in the middle of a line leaves it.
        try shell.edit("stored") { $0 += Array(#"{"seq":15"#.utf8) }
        warehouse = run(example, "follow", "stored", on: port)
        #expect(run(example, "send", "last.jsonl", on: port).end().code == 0)
        try wait(for: #""user":"last""#, in: stored)
        warehouse.send(signal: SIGKILL)
        _ = warehouse.end()
        worker.expectStopped()
        let lines = String(decoding: try shell.read("stored"), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines == shell.belfry("log").lines)
    }

    @Test(arguments: Example.allCases.filter(\.canRun))
    func `of a log in partitions it has the one that it was told, from its beginning and on`(_ example: Example) throws
    {
        try shell.write((1...200).map { fact(user: "p\($0)") }.joined(), to: "facts.jsonl")
        try shell.write("", to: "stored")
        let (worker, port) = try worker(on: 0, "--partitions", "2")
        #expect(run(example, "send", "facts.jsonl", on: port).end().code == 0)
        for _ in 1...2 {
            let warehouse = run(example, "follow", "stored", "1", on: port)
            let stored = Running(["/usr/bin/env", "tail", "-n", "+1", "-F", "stored"], in: shell.directory.path)
            let last = shell.belfry("log", "--partition", "1").lines.last ?? "nothing"
            try wait(for: last, in: stored)
            warehouse.send(signal: SIGKILL)
            _ = warehouse.end()
            #expect(run(example, "send", "facts.jsonl", on: port).end().code == 0)
        }
        worker.expectStopped()
        let lines = String(decoding: try shell.read("stored"), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.count > 50 && lines == shell.belfry("log", "--partition", "1").lines)
    }

    @Test(arguments: Example.allCases.filter(\.canRun))
    func `what is refused is told by its line`(_ example: Example) throws {
        try shell.write(fact() + "\n" + fact("app_opend") + fact(user: "bert"), to: "facts.jsonl")
        let (worker, port) = try worker()
        let outcome = run(example, "send", "facts.jsonl", on: port).end()
        #expect(outcome.code == 1)
        #expect(outcome.output == "{\"recorded\": 2, \"duplicates\": 0, \"refused\": 1}\n")
        #expect(outcome.errors.hasPrefix("line 3: type: \"app_opend\" is not a type of fact"), "\(outcome.errors)")
        worker.expectStopped()
    }

    /// Answers as a proxy does whose worker is away, in each way once, and then as the worker.
    private static let proxy = """
        import http.server
        answers = [(502, None), (504, "Thu, 01 Jan 2026 00:00:00 GMT"), (503, "0")]

        class Proxy(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                status, wait = answers.pop(0) if answers else (200, None)
                body = b"<html>Bad Gateway</html>" if status != 200 else b'{"results":[{"line":1,"seq":7}]}'
                self.send_response(status)
                if wait:
                    self.send_header("Retry-After", wait)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        server = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test(.enabled(if: Machine.has("python3")), arguments: Example.allCases.filter(\.canRun))
    func `where a proxy has no answer of the worker, the facts are sent again`(_ example: Example) throws {
        let proxy = Running(["/usr/bin/env", "python3", "-c", Self.proxy], in: shell.directory.path)
        let port = try #require(Int(proxy.line() ?? ""))
        try shell.write(fact(), to: "facts.jsonl")
        let outcome = run(example, "send", "facts.jsonl", on: port).end()
        proxy.send(signal: SIGKILL)
        _ = proxy.end()
        #expect(outcome == .done(#"{"recorded": 1, "duplicates": 0, "refused": 0}"#))
    }
}
