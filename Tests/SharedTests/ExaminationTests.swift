import Foundation
import Shared
import Testing

/// What an operator is told of a database before workers use it.
@Suite("What is looked at in a database", .enabled(if: PostgresServer.isInstalled))
struct ExaminationTests {
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private func examined(_ url: String, aheadMs: Int64 = 0) throws -> [String: Examination.Finding] {
        let examination = Examination(try PostgresLog(url), now: { Self.now - aheadMs })
        return Dictionary(examination.findings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func ailing(_ findings: [String: Examination.Finding]) -> Set<String> {
        Set(findings.values.filter { !$0.isWell }.map(\.name))
    }

    @Test func `a database with a cluster is told of, and what it lacks`() throws {
        let server = try PostgresServer.common.get()
        let found = try examined(server.url(try server.database()))
        // The tests' server does not sync, so that they are short.
        #expect(ailing(found) == ["durability"], "\(found)")
        #expect(found["durability"]?.detail.hasPrefix("fsync is off, so a power cut loses") == true)
        #expect(found["version"]?.detail.hasPrefix("PostgreSQL ") == true)
        let cluster = found["cluster"]?.detail ?? ""
        #expect(
            cluster.contains("of 8 partitions, with") && cluster.contains("0 workers live, 9 logs have no owner"),
            "\(cluster)")
        #expect(found["standbys"]?.detail.contains("on this server alone") == true)
        #expect(found["time-outs"]?.detail == "none is set for belfry")
        #expect(found["encoding"]?.detail == "UTF8")
    }

    @Test func `a clock that is off, time-outs and a limit of connections are named`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let late = try examined(server.url(name), aheadMs: 90_000)
        #expect(late["clocks"]?.isWell == false)
        #expect(late["clocks"]?.detail.contains("ms ahead of this machine's") == true, "\(late)")
        try server.administer(
            name,
            """
            ALTER DATABASE \(name) SET idle_session_timeout = '7s'; ALTER DATABASE \(name) SET statement_timeout = '11s'
            """)
        let timed = try examined(server.url(name))
        #expect(timed["time-outs"]?.isWell == true)
        #expect(timed["time-outs"]?.detail.contains("statement_timeout is 11s, idle_session_timeout is 7s") == true)
        try server.administer(name, "ALTER DATABASE \(name) CONNECTION LIMIT 2")
        let narrow = try examined(server.url(name))
        #expect(narrow["connections"]?.isWell == false, "\(narrow)")
    }

    @Test func `an idle connection of a worker outlives the time-out that the database has`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        try server.administer(name, "ALTER DATABASE \(name) SET idle_session_timeout = '1s'")
        let connection = try PostgresLog(server.url(name)).connect(ConnectionTerms())
        // The server waits, in another database.
        try server.administer("postgres", "SELECT pg_sleep(1.5)")
        #expect(try connection.view().partitions.count == 9)
    }

    @Test func `no cluster, no rights, and nobody there`() throws {
        let server = try PostgresServer.common.get()
        let empty = try server.database(isEmpty: true)
        let bare = try examined(server.url(empty))
        #expect(bare["cluster"]?.isWell == true && bare["cluster"]?.detail.contains("belfry cluster create") == true)
        let user = "guest_\(empty)"
        try server.administer(empty, "CREATE USER \(user)")
        let guest = try examined(server.url(empty, user: user))
        #expect(guest["cluster"]?.isWell == false)
        #expect(guest["cluster"]?.detail.contains("GRANT CREATE ON DATABASE \(empty) TO \(user)") == true, "\(guest)")
        let full = try server.database()
        try server.administer(full, "CREATE USER clerk_\(full)")
        let clerk = try examined(server.url(full, user: "clerk_\(full)"))
        #expect(clerk["cluster"]?.detail.contains("to use the schema belfry") == true)
        let nowhere = try examined("postgres://belfry@/x?host=\(FileManager.default.temporaryDirectory.path)/nowhere")
        #expect(Set(nowhere.keys) == ["connection"])
        #expect(nowhere["connection"]?.detail.hasPrefix("the database cannot be reached") == true)
    }

    @Test func `an old server, a pooler, a standby and one that takes no writes are told apart`() throws {
        let old = try CannedServer(version: "14.9", ownNumber: 7)
        defer { old.stop() }
        let tooOld = try examined(old.url)
        #expect(tooOld.count == 1 && tooOld["version"]?.detail.contains("PostgreSQL 14.9, and Belfry needs 15") == true)
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let standby = try Standby(of: server)
        defer { standby.stop() }
        #expect(try examined(standby.url(name))["primary"]?.detail.contains("is a standby") == true)
        try server.administer(name, "ALTER DATABASE \(name) SET default_transaction_read_only = on")
        #expect(try examined(server.url(name))["primary"]?.detail.contains("takes no writes") == true)
    }

    @Test(.enabled(if: Pooler.isInstalled)) func `a pooler in between is named`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let pooler = try Pooler(in: server, mode: "transaction")
        defer { pooler.stop() }
        let found = try examined(pooler.url(name))
        #expect(found["primary"]?.isWell == false && found["primary"]?.detail.contains("a pooler answers") == true)
    }

    @Test func `a synchronous standby that is not there is told before every commit hangs`() throws {
        let server = try PostgresServer()
        defer { server.stop() }
        try server.administer("postgres", "ALTER SYSTEM SET synchronous_standby_names = 'absent'")
        try server.administer("postgres", "SELECT pg_reload_conf()")
        var told = ""
        // The server reads its settings when it gets round to it.
        for _ in 0..<10_000 where !told.contains("absent") {
            let found = try examined(server.url("postgres"))["standbys"]
            told = found?.detail ?? ""
            if told.contains("absent") { #expect(found?.isWell == false) }
        }
        #expect(told.contains("none of them is connected: every commit hangs"), "\(told)")
    }
}
