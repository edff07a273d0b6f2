import Foundation
import Shared
import Synchronization

/// A PostgreSQL server of the tests' own, in a temporary folder, as `serve.sh` describes it. It ends with this process,
/// or with `stop`.
final class PostgresServer: Sendable {
    /// Where Debian keeps the programs of the newest version that is installed.
    static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.sorted().reversed().map { "\(root)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    static var isInstalled: Bool { programs != nil }

    /// One for all suites; each test has a database of its own.
    static let common = Result { try PostgresServer() }

    let folder: String
    private let process: Process
    private let input: Pipe
    private let made = Mutex(0)
    /// A database may not be copied by two at once.
    private let copying = Mutex(())

    struct Failure: Error {
        var words: String
    }

    init(_ settings: [String] = []) throws {
        guard let programs = Self.programs else { throw Failure(words: "PostgreSQL is not installed") }
        // A Unix socket's path has 107 bytes at most.
        folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "serve.sh").path
        process.arguments = [script, programs, folder] + settings
        input = Pipe()
        let output = Pipe()
        // Nobody who is started meanwhile keeps the server alive.
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.availableData
        guard said == Data("ready\n".utf8) else {
            throw Failure(words: "the server did not start: \(String(decoding: said, as: UTF8.self))")
        }
        try administer("postgres", "CREATE DATABASE template")
        _ = try PostgresLog(url("template")).create(ClusterPlan(id: .random(), partitions: 8))
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func url(_ database: String, user: String = "belfry") -> String { "postgres://\(user)@/\(database)?host=\(folder)" }

    /// A new database with a cluster of eight partitions in it, or an empty one.
    func database(isEmpty: Bool = false) throws -> String {
        let name = made.withLock { made in
            made += 1
            return "test_\(made)"
        }
        _ = try copying.withLock { _ in
            try administer(
                "postgres", "CREATE DATABASE \(name) TEMPLATE \(isEmpty ? "template0" : "template") STRATEGY file_copy")
        }
        return name
    }

    /// What a script answers that its administrator runs in a database.
    @discardableResult
    func administer(_ database: String, _ script: String) throws -> [[String]] {
        let client = try RawClient(url(database))
        defer { client.close() }
        return try client.run(script)
    }
}
