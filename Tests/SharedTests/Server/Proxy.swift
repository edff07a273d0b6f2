import Foundation

/// What stands between a life and the server and spoils the k-th message; see `proxy.py`.
final class Proxy {
    enum Fault: String, CaseIterable {
        case cut, freeze, delay
    }

    static let python = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        .map { "\($0)/python3" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let folder: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(to server: PostgresServer) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.executableURL = URL(filePath: Self.python ?? "")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "proxy.py").path
        process.arguments = [script, folder, server.folder]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard line() == "ready" else { throw PostgresServer.Failure(words: "the proxy did not start") }
    }

    func url(_ database: String) -> String { "postgres://belfry@/\(database)?host=\(folder)" }

    /// Ends all connections, and spoils the message of this number from now. Returns how many there were before.
    @discardableResult
    func plan(_ fault: Fault?, atMessage number: Int = 0) throws -> Int {
        try input.fileHandleForWriting.write(contentsOf: Data("\(fault?.rawValue ?? "none") \(number)\n".utf8))
        guard let count = Int(line()) else { throw PostgresServer.Failure(words: "the proxy has gone") }
        return count
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func line() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(output.fileHandleForReading.fileDescriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
