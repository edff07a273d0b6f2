import Foundation
import Shared
import Simulation
import Testing

@Suite("G3, G10: a life on PostgreSQL whose connections are cut, frozen and delayed", .serialized)
struct ProxyTests {
    /// One database, emptied before each life: to make one takes longer than to live in it.
    private struct Stage {
        let server: PostgresServer
        let name: String
        let proxy: Proxy

        init() throws {
            server = try PostgresServer.common.get()
            name = try server.database()
            proxy = try Proxy(to: server)
        }

        /// Lives a life in which one message is spoiled. Returns how many there were.
        @discardableResult
        func live(_ fault: Proxy.Fault?, atMessage number: Int = 0) throws -> Int {
            try proxy.plan(fault, atMessage: number)
            try server.administer(
                name,
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid();
                TRUNCATE belfry.log, belfry.snapshot, belfry.worker;
                UPDATE belfry.partition SET epoch = 0, owner = NULL;
                """)
            let life = SharedLife(try PostgresLog(proxy.url(name)), triesMax: 12, patience: .milliseconds(600))
            try life.live()
            let messages = try proxy.plan(nil)
            let connection = try PostgresLog(server.url(name)).connect(ConnectionTerms())
            defer { connection.close() }
            try life.check(connection, "\(fault?.rawValue ?? "nothing") at message \(number)")
            return messages
        }
    }

    /// In an ordinary run every 97th message, in a long one each.
    @Test(.enabled(if: PostgresServer.isInstalled && Proxy.python != nil), arguments: Proxy.Fault.allCases)
    func `whichever message is spoiled, what was acknowledged is there once`(fault: Proxy.Fault) throws {
        let stage = try Stage()
        defer { stage.proxy.stop() }
        let messages = try stage.live(nil)
        #expect(messages > 300)
        let step = LongRun.isAskedFor ? 1 : 97
        for number in stride(from: 1, through: messages, by: step) {
            do { try stage.live(fault, atMessage: number) } catch {
                Issue.record("\(fault) at message \(number): \(error)")
            }
        }
    }
}
