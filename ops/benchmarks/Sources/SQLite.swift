import CSQLite
import CivilTime
import Foundation
import Journal
import Notices

/// The same appends into a table, as durable as SQLite makes them.
enum SQLite {
    static func bulk(in directory: String, entries: [Entry], facts: Int, batch: Int) throws -> Double {
        let table = try Database(directory + "/facts.db")
        let start = seconds()
        for round in 0..<facts / batch {
            try table.run("BEGIN")
            for place in 0..<batch { try table.insert(entries[(round * batch + place) % entries.count]) }
            try table.run("COMMIT")
        }
        return Double(facts / batch * batch) / (seconds() - start)
    }

    static func single(in directory: String, facts: Int) throws -> Double {
        let table = try Database(directory + "/facts.db")
        let entries = (0..<facts).map { Samples.entry($0, people: 10_000, withID: false) }
        let start = seconds()
        for entry in entries { try table.insert(entry) }
        return Double(facts) / (seconds() - start)
    }

    private struct Problem: Error { var message: String }

    private final class Database {
        private var handle: OpaquePointer?
        private var statement: OpaquePointer?

        init(_ path: String) throws {
            try check(sqlite3_open(path, &handle))
            try run("PRAGMA journal_mode=WAL")
            try run("PRAGMA synchronous=FULL")
            try run("CREATE TABLE facts (seq INTEGER PRIMARY KEY, at INTEGER, user TEXT, type INTEGER, data BLOB)")
            try check(
                sqlite3_prepare_v2(
                    handle, "INSERT INTO facts (at, user, type, data) VALUES (?, ?, ?, ?)", -1, &statement, nil))
        }

        deinit {
            sqlite3_finalize(statement)
            sqlite3_close(handle)
        }

        func run(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

        func insert(_ entry: Entry) throws {
            var payload = ByteBuffer()
            entry.payload.encode(into: &payload)
            sqlite3_bind_int64(statement, 1, Samples.clock().milliseconds)
            sqlite3_bind_text(statement, 2, entry.user, -1, belfry_sqlite_transient())
            sqlite3_bind_int(statement, 3, Int32(entry.payload.type.number))
            sqlite3_bind_blob(statement, 4, payload.bytes.baseAddress, Int32(payload.count), belfry_sqlite_transient())
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw Problem(message: String(cString: sqlite3_errmsg(handle)))
            }
            sqlite3_reset(statement)
        }

        private func check(_ code: Int32) throws {
            guard code == SQLITE_OK else { throw Problem(message: String(cString: sqlite3_errmsg(handle))) }
        }
    }
}
