import Foundation
import Notices
import Testing

@testable import Delivery

/// A provider on this machine, as `provider_server.py`, `mail_server.py` or `postfix_server.py` describes it.
final class ProviderServer<Seen: Decodable> {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private let scratch: Scratch
    let port: Int
    var caFile: String { scratch.path + "/ca.pem" }

    init(_ script: String, _ options: String...) throws {
        signal(SIGPIPE, SIG_IGN)
        setenv("no_proxy", "127.0.0.1,localhost", 1)
        scratch = try Scratch()
        process = Oracles.process(script, [scratch.path + "/ca.pem"] + options)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = Self.line(output.fileHandleForReading)
        port = try #require(Int(String(decoding: line, as: UTF8.self)), "the server did not start")
    }

    deinit { try? askToEnd() }

    var origin: String { "https://127.0.0.1:\(port)" }

    /// Waits until Postfix's log holds this.
    func hear(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("hear \(text)\n".utf8))
        try #require(Self.line(output.fileHandleForReading) == Data("heard".utf8))
    }

    /// Ends it, and tells what has come.
    ///
    /// - Parameter mails: how many are to leave Postfix's queue before.
    func end(after mails: Int? = nil) throws -> [Seen] {
        try askToEnd(after: mails)
        let told = Self.line(output.fileHandleForReading)
        process.waitUntilExit()
        return try JSONDecoder().decode([Seen].self, from: told)
    }

    /// By a word, and it is heard to the line's end: a pipe ends late where a process that was started at the same moment has
    /// inherited its other end.
    private func askToEnd(after mails: Int? = nil) throws {
        let word = mails.map { "end \($0)\n" } ?? "end\n"
        try input.fileHandleForWriting.write(contentsOf: Data(word.utf8))
    }

    private static func line(_ handle: FileHandle) -> Data {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = handle.availableData
            if more.isEmpty { break }
            line += more
        }
        return line.dropLast()
    }
}

/// A request that came to `provider_server.py`.
struct SeenRequest: Decodable {
    var connection: Int
    var path: String
    var headers: [String: String]
    var body: String
    /// Whether we broke it off.
    var is_reset: Bool

    var bytes: [UInt8] { bytesOf(hexadecimal: body) }
}

/// A mail that came to `mail_server.py`.
struct SeenMail: Decodable {
    var connection: Int
    var sender: String
    var recipients: [String]
    var mail: String
    var greeting: String
    var is_encrypted: Bool
    var is_known: Bool
    /// How many recipients the relay has heard of by then, refused ones too.
    var recipients_named: Int

    var bytes: [UInt8] { bytesOf(hexadecimal: mail) }
}

/// A mail that came through `postfix_server.py`.
struct PassedMail: Decodable {
    /// `mailbox` or `relayed`.
    var way: String
    var sender: String
    var recipient: String
    /// The fields that Postfix put before it.
    var trace: String
    var mail: String

    var bytes: [UInt8] { bytesOf(hexadecimal: mail) }
}

func bytesOf(hexadecimal text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
}

/// Waits for an answer that comes on another thread.
func verdict(_ send: (@escaping @Sendable (SenderVerdict) -> Void) -> Void) async -> SenderVerdict {
    await withCheckedContinuation { continuation in send { continuation.resume(returning: $0) } }
}

/// Sends many at once and waits for all their answers, in order.
func verdicts(_ count: Int, _ send: @escaping @Sendable (Int, @escaping @Sendable (SenderVerdict) -> Void) -> Void)
    async
    -> [SenderVerdict]
{
    await withTaskGroup(of: (Int, SenderVerdict).self) { group in
        for number in 0..<count {
            group.addTask { (number, await verdict { send(number, $0) }) }
        }
        var all: [Int: SenderVerdict] = [:]
        for await (number, verdict) in group { all[number] = verdict }
        return (0..<count).map { all[$0] ?? .transient(reason: "none") }
    }
}
