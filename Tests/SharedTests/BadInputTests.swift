import Foundation
import Shared
import Testing

/// What a database that is not the right one is answered with: a sentence that says what it is and what to do.
@Suite("M1: a database that cannot be used", .enabled(if: PostgresServer.isInstalled))
struct BadInputTests {
    private func connecting(_ url: String) -> SharedLogError? {
        sharedError { try PostgresLog(url).connect(ConnectionTerms(patience: .seconds(10))) }
    }

    private func isUnreachable(_ error: SharedLogError?) -> Bool {
        if case .unreachable = error { true } else { false }
    }

    @Test func `a URL that is none`() throws {
        for url in ["nonsense", "postgres://[::1/x", "postgres://a/b?sslmod=require", "host"] {
            let error = sharedError { try PostgresLog(url) }
            guard case .wrongURL = error else {
                Issue.record("\(url): \(String(describing: error))")
                continue
            }
        }
        let secret = sharedError { try PostgresLog("postgres://user:geheim@host:no/x?bad=geheim") }
        #expect(secret != nil)
        #expect(!"\(String(describing: secret))".contains("geheim"))
    }

    @Test func `nobody listens there`() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let error = connecting("postgres://belfry@/x?host=\(folder)/nowhere")
        #expect(isUnreachable(error))
        #expect("\(try #require(error))".hasPrefix("the database cannot be reached: "))
    }

    @Test func `a user and a database that are not there`() throws {
        let server = try PostgresServer.common.get()
        guard case .loginRefused(let words) = connecting(server.url("postgres", user: "stranger")) else {
            Issue.record("a stranger was let in")
            return
        }
        #expect(words.contains("stranger"))
        guard case .noDatabase(let name) = connecting(server.url("nowhere")) else {
            Issue.record("there is no such database")
            return
        }
        #expect(name.contains("nowhere"))
    }

    @Test func `a database without a cluster, and one with somebody else's schema`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database(isEmpty: true)
        let log = try PostgresLog(server.url(name))
        #expect(connecting(server.url(name)) == .noCluster(database: name))
        try server.administer(name, "CREATE SCHEMA belfry")
        #expect(connecting(server.url(name)) == .foreignSchema(database: name))
        #expect(sharedError { try log.create(ClusterPlan(id: .random())) } == .foreignSchema(database: name))
        try server.administer(name, "CREATE TABLE belfry.cluster (church text)")
        #expect(connecting(server.url(name)) == .foreignSchema(database: name))
        #expect(sharedError { try log.create(ClusterPlan(id: .random())) } == .foreignSchema(database: name))
        #expect(
            try server.administer(name, "SELECT count(*) FROM pg_class WHERE relnamespace = 'belfry'::regnamespace")
                == [["1"]])
    }

    @Test func `a user without rights is told which`() throws {
        let server = try PostgresServer.common.get()
        let (name, empty) = (try server.database(), try server.database(isEmpty: true))
        let user = "poor_\(name)"
        try server.administer(name, "CREATE USER \(user)")
        guard case .noRights(let all) = connecting(server.url(name, user: user)) else {
            Issue.record("who may nothing is no worker")
            return
        }
        // All at once, so that one look is enough.
        for right in ["to use the schema belfry", "to select in belfry.cluster", "to insert in belfry.key_page"] {
            #expect(all.contains(right), "\(all)")
        }
        try server.administer(name, "GRANT USAGE ON SCHEMA belfry TO \(user)")
        #expect(connecting(server.url(name, user: user)) != nil)
        try server.administer(name, "GRANT SELECT ON ALL TABLES IN SCHEMA belfry TO \(user)")
        guard case .noRights(let lacking) = connecting(server.url(name, user: user)) else {
            Issue.record("who may read only is no worker")
            return
        }
        // Who reads needs no more.
        #expect(
            try PostgresLog(server.url(name, user: user)).connect(ConnectionTerms(isReading: true)).tail(of: 0)
                == .start)
        #expect(lacking.contains("to insert in belfry.log"))
        #expect(!lacking.contains("select"))
        try server.administer(
            name,
            """
            GRANT INSERT ON belfry.log TO \(user); GRANT UPDATE ON belfry.partition TO \(user);
            GRANT INSERT, UPDATE, DELETE ON belfry.worker, belfry.snapshot, belfry.key_page, belfry.missing TO \(user);
            GRANT INSERT, UPDATE ON belfry.key_table TO \(user)
            """)
        #expect(connecting(server.url(name, user: user)) == nil)
        let creating = sharedError { try PostgresLog(server.url(empty, user: user)).create(ClusterPlan(id: .random())) }
        #expect(creating == .noRights("to create a schema in the database \(empty)"))
    }

    @Test(arguments: ["cluster", "worker", "partition", "log", "snapshot"])
    func `a table that is missing is named`(table: String) throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        try server.administer(name, "DROP TABLE belfry.\(table) CASCADE")
        #expect(connecting(server.url(name)) == .tablesMissing(database: name, "belfry.\(table)"))
    }

    @Test func `a cluster of a newer format, and another's`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let found = try PostgresLog(server.url(name)).connect(ConnectionTerms()).cluster
        let expected = ClusterID.random()
        let other = sharedError { try PostgresLog(server.url(name)).connect(ConnectionTerms(cluster: expected)) }
        #expect(other == .anotherCluster(expected: expected, found: found.id))
        try server.administer(name, "UPDATE belfry.cluster SET format = 3")
        #expect(connecting(server.url(name)) == .newerFormat(found: 3))
    }

    @Test func `a database that takes no writes, at once and later`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let worker = try SharedBench(log: try PostgresLog(server.url(name)), lapse: { _ in }, cut: { _ in }).worker()
        let holding = try worker.take(0)
        try server.administer(name, "ALTER DATABASE \(name) SET default_transaction_read_only = on")
        #expect(connecting(server.url(name)) == .readOnly)
        #expect(try PostgresLog(server.url(name)).connect(ConnectionTerms(isReading: true)).tail(of: 1) == .start)
        #expect(try worker.connection.append([holding.flush("an old session still may")]) == [.taken])
    }

    @Test func `a server that is too old, and one that is a pooler's`() throws {
        let old = try CannedServer(version: "14.9", ownNumber: 7)
        defer { old.stop() }
        #expect(connecting(old.url) == .serverTooOld(version: 140_009))
        #expect(
            "\(SharedLogError.serverTooOld(version: 140_009))".contains("PostgreSQL 14.9, and Belfry needs 15 or later")
        )
        let pooler = try CannedServer(version: "15.3", ownNumber: 8)
        defer { pooler.stop() }
        #expect(connecting(pooler.url) == .pooled)
    }

    @Test func `a server that says nothing is not waited for`() throws {
        let mute = try CannedServer(version: nil, ownNumber: 7)
        defer { mute.stop() }
        let error = sharedError { try PostgresLog(mute.url).connect(ConnectionTerms(patience: .milliseconds(50))) }
        #expect(error == .unreachable("it did not answer in time"))
    }

    @Test(.enabled(if: Pooler.isInstalled)) func `a real pooler, whichever way it pools`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        for mode in ["transaction", "session", "statement"] {
            let pooler = try Pooler(in: server, mode: mode)
            defer { pooler.stop() }
            #expect(connecting(pooler.url(name)) == .pooled)
        }
    }

    @Test func `a standby is not taken for the primary, and found beside it`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let standby = try Standby(of: server)
        defer { standby.stop() }
        #expect(connecting(standby.url(name)) == .standby)
        let both = "postgres://belfry@/\(name)?host=\(standby.folder),\(server.folder)"
        let connection = try PostgresLog(both).connect(ConnectionTerms())
        #expect(try connection.view().partitions.count == 9)
    }

    @Test func `a full disk refuses an append, and nothing of it is there`() throws {
        // The trigger says what the server says when its disk is full; it stands for the disk.
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let worker = try SharedBench(log: try PostgresLog(server.url(name)), lapse: { _ in }, cut: { _ in }).worker()
        let holding = try worker.take(0)
        try server.administer(
            name,
            """
            CREATE FUNCTION overflow() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER overflow BEFORE INSERT ON belfry.log FOR EACH ROW EXECUTE FUNCTION overflow()
            """)
        let flush = holding.flush("too much")
        #expect(sharedError { try worker.connection.append([flush]) } == .full("could not extend file"))
        try server.administer(name, "DROP TRIGGER overflow ON belfry.log")
        #expect(try worker.connection.append([flush]) == [.taken])
    }
}
