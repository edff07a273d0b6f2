import Foundation
import Testing

/// A PostgreSQL server of a test's own, as the tests of the shared log start theirs. It ends with this object.
final class Database {
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.sorted().reversed().map { "\(root)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    static var isInstalled: Bool { programs != nil }

    private let folder: String
    private let running: Running

    init() throws {
        let programs = try #require(Self.programs)
        // A Unix socket's path has 107 bytes at most.
        folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../SharedTests/Server/serve.sh").standardizedFileURL.path
        running = Running(["/bin/sh", script, programs, folder], in: folder, environment: [:])
        try #require(running.line() == "ready")
    }

    deinit { _ = running.end() }

    /// A new, empty database.
    func make(_ name: String) throws -> String {
        try run("postgres", "CREATE DATABASE \(name)")
        return "postgres://belfry@/\(name)?host=\(folder)"
    }

    /// All that is in it, as text.
    func dump(_ database: String) throws -> String {
        let programs = try #require(Self.programs)
        let done = Running(
            [programs + "/pg_dump", "-U", "belfry", "-h", folder, database], in: folder, environment: [:]
        ).end()
        try #require(done.code == 0, "\(done.errors)")
        return done.output
    }

    /// A session that runs by itself.
    func start(_ database: String, _ script: String) throws -> Running {
        let programs = try #require(Self.programs)
        return Running(
            [programs + "/psql", "-U", "belfry", "-h", folder, "-d", database, "-qAt", "-c", script], in: folder,
            environment: [:])
    }

    @discardableResult
    func run(_ database: String, _ script: String) throws -> String {
        let done = try start(database, script).end()
        try #require(done.code == 0, "\(done.errors)")
        return done.output
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests with a server of their own, which `ops/bootstrap --test` installs.
    static var withDatabase: Self { .enabled(if: Database.isInstalled, "ops/bootstrap --test installs PostgreSQL") }
}
