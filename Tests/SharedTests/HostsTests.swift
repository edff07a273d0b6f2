import Foundation
import Testing

@testable import Shared

@Suite("M3, M5: where the database is, and what its server says besides")
struct HostsTests {
    /// A place where a server is listened to and says nothing, as one whose machine hangs.
    private final class Silence {
        let folder: String
        private let descriptor: Int32

        init() throws {
            folder = NSTemporaryDirectory() + "belfry-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { path in
                path.copyBytes(from: Array("\(folder)/.s.PGSQL.5432".utf8) + [0])
            }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard bound == 0, listen(descriptor, 16) == 0 else { throw PostgresServer.Failure(words: "no socket") }
        }

        deinit {
            close(descriptor)
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `a host that says nothing does not keep anybody from the next, and is asked last from then on`() throws {
        let server = try PostgresServer.common.get()
        let (name, silence) = (try server.database(), try Silence())
        let log = try PostgresLog("postgres://belfry@/\(name)?host=\(silence.folder),\(server.folder)")
        let terms = ConnectionTerms(patience: .seconds(2))
        try log.connect(terms).close()
        let start = ContinuousClock.now
        try log.connect(terms).close()
        #expect(ContinuousClock.now - start < .seconds(1), "it asks the silent one first, again and again")
        let alone = try PostgresLog("postgres://belfry@/\(name)?host=\(silence.folder),\(silence.folder)")
        guard
            case .unreachable(let words)? = sharedError({
                try alone.connect(ConnectionTerms(patience: .milliseconds(200)))
            })
        else {
            Issue.record("it answered")
            return
        }
        #expect(words == "\(silence.folder): it did not answer in time; \(silence.folder): it did not answer in time")
    }

    @Test func `hosts, addresses and ports belong together in their order`() throws {
        #expect(PostgresHosts(["host": "a,b,c"]).names == ["a", "b", "c"])
        #expect(PostgresHosts(["host": "a,", "hostaddr": "10.0.0.1,10.0.0.2"]).names == ["a", "10.0.0.2"])
        #expect(PostgresHosts([:]).names.count <= 1)
        let hosts = PostgresHosts(["host": "a,b", "port": "5433"])
        var seen: [[String]] = []
        _ = try? hosts.first { (settings) throws(LinkFailure) in
            seen.append(settings.map { "\($0.0)=\($0.1)" })
            throw .late
        }
        #expect(seen == [["host=a", "port=5433"], ["host=b", "port=5433"]])
        // Who turns a user away does so for all of them.
        seen = []
        _ = try? hosts.first { (settings) throws(LinkFailure) in
            seen.append(settings.map { "\($0.0)=\($0.1)" })
            throw .turnedAway(ServerWords(severity: "FATAL", state: "28P01", message: "no"))
        }
        #expect(seen.count == 1)
    }

    @Test(arguments: ["postgres://belfry:p@ss@db/belfry", "host=dbuser=belfrypassword=s3cret"])
    func `half a password in place of a host is refused before anybody is asked, and not repeated`(url: String) {
        guard case .wrongURL(let words)? = sharedError({ try PostgresLog(url) }) else {
            Issue.record("it was taken")
            return
        }
        #expect(words.contains("%40") && !words.contains("s3cret") && !words.contains("ss@db"))
    }

    @Test func `that transactions' numbers become few leaves nothing in doubt, and any other warning does`() {
        var words = ServerWords(
            severity: "WARNING", state: "01000", message: "canceling wait for synchronous replication")
        words.function = "SyncRepWaitForLSN"
        #expect(words.isDoubt)
        for function in ["GetNewTransactionId", "GetNewMultiXactId"] {
            words.function = function
            #expect(!words.isDoubt)
        }
        var notice = ServerWords(severity: "INFO", state: "00000", message: "found 0 removable, 3 nonremovable")
        for (detail, keeps) in [
            ("2 dead row versions cannot be removed yet.", true), ("0 dead row versions cannot be removed yet.", false),
            ("", false), ("12 tote Zeilenversionen", true),
        ] {
            notice.detail = detail
            #expect(notice.keepsOldRows == keeps && !notice.isDoubt)
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `old versions of keys that somebody may still see are not told as gone (E1)`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let bench = SharedBench(log: try PostgresLog(server.url(name)), lapse: { _ in }, cut: { _ in })
        let worker = try bench.worker()
        let holding = try worker.take(3)
        func put(_ generation: UInt64, after replacing: UInt64?) throws -> Bool {
            try worker.connection.putKeyTable(
                KeyFlush(
                    partition: 3, epoch: holding.epoch, generation: generation, replacing: replacing, slots: [],
                    destroyed: 0, bytes: [7]))
        }
        #expect(try put(1, after: nil))
        // A backup, say: it has begun, and has not come to this table yet.
        let reader = try RawClient(server.url(name), as: "reader")
        _ = try reader.value("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM belfry.worker")
        #expect(try put(2, after: 1))
        #expect(try !worker.connection.dropOldKeyTables())
        _ = try reader.value("COMMIT; SELECT 1")
        #expect(try worker.connection.dropsOldKeyTables())
        #expect(try worker.connection.keyTable(of: 3)?.generation == 2)
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `nobody's function is called in place of the server's, and nothing is compiled`() throws {
        let server = try PostgresServer.common.get()
        let name = try server.database()
        let link = try PostgresLog(server.url(name)).link(patience: .seconds(10))
        defer { link.finish() }
        _ = try link.run(Schema.session(patience: .seconds(5)))
        #expect(try link.run("SHOW search_path").text(0, 0) == "pg_catalog, pg_temp")
        #expect(try link.run("SHOW jit").text(0, 0) == "off")
    }
}
