import Delivery
import Foundation
import Testing

/// The scripts that lie beside this file.
enum Python {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        .map { "\($0)/python3" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static func process(_ script: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path ?? "")
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: script)
        process.arguments = [file.path] + arguments
        return process
    }

    /// What a script prints when it is given these lines.
    static func answers(_ script: String, _ lines: [String]) throws -> [String] {
        try answers(process(script, []), lines)
    }

    static func answers(_ process: Process, _ lines: [String]) throws -> [String] {
        // Files, not pipes: a pipe that is full keeps its writer waiting, and one whose other end a process that was started
        // at the same moment has inherited does not end.
        let scratch = try Scratch()
        let asked = URL(filePath: try scratch.write(lines.joined(separator: "\n"), to: "asked"))
        let answered = URL(filePath: try scratch.write("", to: "answered"))
        process.standardInput = try FileHandle(forReadingFrom: asked)
        process.standardOutput = try FileHandle(forWritingTo: answered)
        try process.run()
        process.waitUntilExit()
        let answers = try Data(contentsOf: answered)
        try #require(process.terminationStatus == 0, "the script failed")
        return String(decoding: answers, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// A receiver of webhooks on this machine, as `webhook_server.py` describes it.
final class Receiver {
    /// What came in, as the receiver tells it.
    struct Seen: Decodable {
        var path: String
        var id: String?
        var body: String
        var timestamp: String?
        var signature: String?
        var type: String?
        var expect: String?
        /// What a mail program is told to stop mails by.
        var stop: String?
        var post: String?
        var connection: Int
    }

    private let process: Process
    private let input = Pipe()
    let port: Int

    init(socket: String? = nil) throws {
        // A proxy that the environment names is not asked for this machine.
        setenv("no_proxy", "127.0.0.1,localhost", 1)
        signal(SIGPIPE, SIG_IGN)
        process = Python.process("webhook_server.py", socket.map { [$0] } ?? [])
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1) {
            line += byte
        }
        port = try #require(Int(String(decoding: line, as: UTF8.self).dropLast()), "the receiver did not start")
    }

    deinit { try? input.fileHandleForWriting.close() }

    /// Ends it at once: nobody listens on its port any more.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    func address(_ path: String) throws -> HTTPAddress { try #require(HTTPAddress(url(path))) }

    func seen() throws -> [Seen] {
        let answer = try HTTPClient().ask(
            HTTPCall(.get, url("seen"), patience: .long, answerBytesMax: 16 << 20))
        return try JSONDecoder().decode([Seen].self, from: Data(answer.body))
    }
}

extension HTTPCall.Patience {
    /// Longer than any machine is slow: what waits so long hangs.
    static let long = HTTPCall.Patience(connectMs: 600_000, totalMs: 600_000)
}
