import Foundation
import Hashing
import Shared
import Testing

/// What went wrong when it was tried on PostgreSQL, each with the way it is avoided.
@Suite("M2, M5: what a shared log must not fall into", .enabled(if: PostgresServer.isInstalled))
struct PitfallTests {
    /// A database of its own, with an old owner of partition 1 whose lease has run out, and a new one.
    struct Case {
        let name: String
        let server: PostgresServer
        let bench: SharedBench
        let old: BenchWorker
        let new: BenchWorker
        let holding: Holding

        init(on server: PostgresServer? = nil) throws {
            let server = try server ?? PostgresServer.common.get()
            let name = try server.database()
            self.server = server
            self.name = name
            bench = SharedBench(
                log: try PostgresLog(server.url(name)),
                lapse: { worker in
                    try server.administer(
                        name, "UPDATE belfry.worker SET alive_until = now() - interval '1 ms' WHERE id = '\(worker)'")
                }, cut: { _ in })
            old = try bench.worker()
            new = try bench.worker(for: .seconds(600))
            holding = try old.take(1)
            try bench.lapse(old.id)
        }

        func raw(as name: String = "test") throws -> RawClient { try RawClient(server.url(self.name), as: name) }

        /// The bytes of a row as a statement of text has them.
        func insert(_ flush: Flush) -> String {
            """
            INSERT INTO belfry.log SELECT \(flush.partition), \(flush.after.until), \(flush.tail.until), \(flush.epoch),
              '\\x\(flush.head)', '\\x\(Hexadecimal.text(flush.frames))'
            """
        }

        /// Waits until somebody waits for a lock in this database, or a call has ended without.
        func waitForALock(_ administrator: RawClient, or hasEnded: () -> Bool) throws {
            let patience = BootInstant.current + .seconds(20)
            let query = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)' AND wait_event_type = 'Lock'"
            while try administrator.value(query) == "0", !hasEnded(), BootInstant.current < patience {}
        }
    }

    @Test func `a stale owner's append waits for the new epoch, and then writes nothing`() throws {
        let pit = try Case()
        let administrator = try pit.raw()
        let taker = try pit.raw()
        // The new owner's statement is under way: it has the row, and has not committed.
        try taker.run("BEGIN; UPDATE belfry.partition SET epoch = epoch + 1, owner = '\(pit.new.id)' WHERE id = 1")
        let (connection, flush) = (pit.old.connection, pit.holding.flush("stale"))
        let append = Aside { try connection.append([flush]) }
        try pit.waitForALock(administrator, or: { append.hasEnded })
        #expect(!append.hasEnded, "the append went past the new owner's lock")
        try taker.run("COMMIT")
        #expect(try append.value() == [.lost])
        #expect(try pit.new.connection.tail(of: 1) == .start)
    }

    @Test func `whoever takes a partition reads an append that committed while it waited`() throws {
        let pit = try Case()
        let administrator = try pit.raw()
        let writer = try pit.raw()
        let flush = pit.holding.flush("in flight")
        try writer.run("BEGIN; SELECT FROM belfry.partition WHERE id = 1 FOR NO KEY UPDATE; \(pit.insert(flush))")
        let new = pit.new
        let taking = Aside { try new.take(1) }
        try pit.waitForALock(administrator, or: { taking.hasEnded })
        #expect(!taking.hasEnded)
        try writer.run("COMMIT")
        let taken = try taking.value()
        #expect(taken.epoch == pit.holding.epoch + 1)
        #expect(taken.tail == flush.tail)
    }

    @Test func `a client that pauses in a pipeline with the row in its hands is ended`() throws {
        let pit = try Case()
        let paused = try pit.raw(as: "belfry \(pit.old.id)")
        try paused.runAndPauseBeforeSync(
            """
            WITH f AS MATERIALIZED (SELECT id FROM belfry.partition WHERE id = 1 FOR NO KEY UPDATE)
            \(pit.insert(pit.holding.flush("paused"))) FROM f
            """)
        #expect(try pit.raw().value("SELECT count(*) FROM pg_stat_activity WHERE pid = \(paused.backend)") == "1")
        let taken = try pit.new.take(1)
        #expect(taken == Holding(partition: 1, epoch: pit.holding.epoch + 1, tail: .start))
        #expect(throws: RawClient.Failure.self) { try paused.run("SELECT 1") }
    }

    @Test func `a worker's own statement that hangs after its connection broke is ended, too`() throws {
        let pit = try Case()
        // What the server has not noticed: the client of this one is gone.
        let orphan = try pit.raw(as: "belfry \(pit.new.id)")
        #expect(try pit.new.take(2).epoch == 1)
        try orphan.run("BEGIN; SELECT FROM belfry.partition WHERE id = 2 FOR NO KEY UPDATE")
        #expect(try pit.new.take(2).epoch == 2)
        #expect(throws: RawClient.Failure.self) { try orphan.run("SELECT 1") }
    }

    @Test func `only the dead's statements are ended, and of one's own those that are not in use`() throws {
        let pit = try Case()
        let living = try pit.bench.worker(for: .seconds(600))
        let names = [pit.old.id, living.id, pit.new.id, pit.new.id]
        let clients = try names.map { try pit.raw(as: "belfry \($0)") }
        for client in clients { try client.run("BEGIN; SELECT FROM belfry.partition") }
        #expect(try pit.new.connection.terminateLeftovers(by: pit.new.id, sparing: [clients[3].backend]) == 2)
        #expect(throws: RawClient.Failure.self) { try clients[0].run("SELECT 1") }
        #expect(try clients[1].value("SELECT 1") == "1")
        #expect(throws: RawClient.Failure.self) { try clients[2].run("SELECT 1") }
        #expect(try clients[3].value("SELECT 1") == "1")
    }

    @Test func `a wait for a standby that was cancelled is unknown, not success`() throws {
        // The setting is the whole server's.
        let server = try PostgresServer()
        defer { server.stop() }
        let pit = try Case(on: server)
        let holding = try pit.new.take(2)
        // Whoever does not want to hear of warnings hears of them all the same.
        try server.administer(pit.name, "ALTER DATABASE \(pit.name) SET client_min_messages = error")
        try server.administer(pit.name, "ALTER DATABASE \(pit.name) SET synchronous_commit = local")
        let connection = try pit.bench.log.connect(ConnectionTerms(worker: pit.new.id, patience: .seconds(60)))
        let administrator = try pit.raw()
        try administrator.run("SET synchronous_commit = local")
        try administrator.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try administrator.run("SELECT pg_reload_conf()")
        try administrator.wait(until: "SHOW synchronous_standby_names", is: "nobody")
        func cancelTheWait() throws {
            try administrator.wait(
                until: "SELECT wait_event FROM pg_stat_activity WHERE pid = \(connection.backend)", is: "SyncRep")
            try administrator.run("SELECT pg_cancel_backend(\(connection.backend))")
        }
        let flush = holding.flush("on the primary alone")
        let append = Aside { try connection.append([flush]) }
        try cancelTheWait()
        #expect(try append.value() == [.unknown])
        // It is there, but nobody was told so.
        #expect(try administrator.value("SELECT count(*) FROM belfry.log") == "1")
        let id = pit.new.id
        let taking = Aside { try connection.acquire(2, for: id, seen: holding.epoch) }
        try cancelTheWait()
        #expect(sharedError { try taking.value() }.map { if case .unknown = $0 { true } else { false } } == true)
        let renewal = Aside { try connection.renew(id, for: .seconds(6)) }
        try cancelTheWait()
        #expect(sharedError { try renewal.value() }.map { if case .unknown = $0 { true } else { false } } == true)
        try administrator.run("ALTER SYSTEM RESET synchronous_standby_names")
        try administrator.run("SELECT pg_reload_conf()")
        try administrator.wait(until: "SHOW synchronous_standby_names", is: "")
        let again = try #require(
            try connection.take(
                try pit.new.state(of: 2), for: id, sparing: [connection.backend, pit.new.connection.backend]))
        #expect(again.tail == flush.tail)
        #expect(try connection.append([again.flush("and on")]) == [.taken])
    }

    @Test func `an old owner's pruning waits for the new epoch, and then removes nothing`() throws {
        let pit = try Case()
        #expect(try pit.old.connection.putSnapshot(.state, of: 1, epoch: pit.holding.epoch, at: 64, bytes: [7]))
        let administrator = try pit.raw()
        let taker = try pit.raw()
        try taker.run("BEGIN; UPDATE belfry.partition SET epoch = epoch + 1, owner = '\(pit.new.id)' WHERE id = 1")
        let (connection, epoch) = (pit.old.connection, pit.holding.epoch)
        let pruning = Aside { try connection.pruneSnapshots(.state, of: 1, epoch: epoch, keeping: []) }
        try pit.waitForALock(administrator, or: { pruning.hasEnded })
        try taker.run("COMMIT")
        #expect(try pruning.value() == nil)
        #expect(try pit.new.connection.newestSnapshot(.state, of: 1) == [7])
    }

    @Test func `an append makes no version of any row but its own`() throws {
        let pit = try Case()
        var holding = try pit.new.take(3)
        let administrator = try pit.raw()
        let before = try administrator.run("SELECT ctid, xmin, epoch FROM belfry.partition WHERE id = 3")
        for number in 0..<10 {
            let flush = holding.flush("\(number)")
            #expect(try pit.new.connection.append([flush]) == [.taken])
            holding = holding.after(flush)
        }
        #expect(try administrator.run("SELECT ctid, xmin, epoch FROM belfry.partition WHERE id = 3") == before)
    }

    @Test func `a database whose usual isolation is another is asked with ours`() throws {
        let pit = try Case()
        try pit.server.administer(
            pit.name, "ALTER DATABASE \(pit.name) SET default_transaction_isolation = 'repeatable read'")
        let administrator = try pit.raw()
        let writer = try pit.raw()
        let flush = pit.holding.flush("in flight")
        try writer.run("BEGIN; SELECT FROM belfry.partition WHERE id = 1 FOR NO KEY UPDATE; \(pit.insert(flush))")
        let fresh = BenchWorker(
            id: pit.new.id, connection: try pit.bench.log.connect(ConnectionTerms(worker: pit.new.id)))
        let taking = Aside { try fresh.take(1) }
        try pit.waitForALock(administrator, or: { taking.hasEnded })
        try writer.run("COMMIT")
        #expect(try taking.value().tail == flush.tail)
    }

    @Test func `the row in front is found by its key, however the log grew since the plan was made`() throws {
        let pit = try Case()
        var holding = try pit.new.take(3)
        // Planned for good after five askings, while the table is small and known to be.
        try pit.raw().run("ANALYZE belfry.log")
        for number in 0..<8 {
            let flush = holding.flush("\(number)")
            #expect(try pit.new.connection.append([flush]) == [.taken])
            holding = holding.after(flush)
        }
        let administrator = try pit.raw()
        try administrator.run(
            """
            INSERT INTO belfry.log SELECT 4, n * 8, n * 8 + 8, 1, '\\x\(Digest.zero)', '\\x0000000000000000'
            FROM generate_series(0, 20000) n
            """)
        let scans = "SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE 'log%'"
        try administrator.run("SELECT pg_stat_force_next_flush()")
        let before = try administrator.value(scans)
        #expect(try pit.new.connection.append([holding.flush("after")]) == [.taken])
        // What a session has counted is to be seen when it has ended.
        pit.new.connection.close()
        let name = "belfry \(pit.new.id)"
        try administrator.wait(
            until: "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'", is: "0")
        #expect(try administrator.value(scans) == before)
    }
}
