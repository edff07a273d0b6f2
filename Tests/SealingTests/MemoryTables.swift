import Synchronization

@testable import Sealing

/// Keys in the tables of a database that never fails.
final class MemoryTables: KeyTables {
    private struct Rows {
        var table: (generation: UInt64, bytes: [UInt8])?
        var pages: [UInt32: [UInt8]] = [:]
        var destroyed = 0
    }

    private let rows = Mutex(Rows())

    let tableName = "belfry.key_table"
    let pagesName = "belfry.key_page"
    let isInDoubt = false

    var destroyed: Int { rows.withLock { $0.destroyed } }

    func table() -> [UInt8]? { rows.withLock { $0.table?.bytes } }

    func put(_ change: KeyTableChange) throws(KeyTablesError) {
        let isTaken = rows.withLock { rows in
            guard rows.table?.generation == change.replacing else { return false }
            rows.table = (change.generation, change.bytes)
            rows.pages = rows.pages.filter { change.slots.contains($0.key) }
            rows.destroyed += change.destroyed
            return true
        }
        if !isTaken { throw KeyTablesError("another owner was there") }
    }

    func page(_ slot: UInt32) -> [UInt8]? { rows.withLock { $0.pages[slot] } }

    func put(page: [UInt8], at slot: UInt32) { rows.withLock { $0.pages[slot] = page } }
}
