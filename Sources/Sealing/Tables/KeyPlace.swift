internal import Journal

/// Where the keys of one log lie: in files beside it, or in tables of a database, of whose pages copies are kept beside it.
struct KeyPlace: Sendable {
    let directory: String
    let disk: any Disk
    /// `nil` where they lie in files.
    let tables: (any KeyTables)?

    var tableName: String { tables?.tableName ?? DiskPath.join(directory, KeyFile.table) }
    var pagesPath: String { DiskPath.join(directory, KeyFile.keys) }

    /// Of more pages than there can be people.
    private static let bytesMax = 128 << 20

    /// Whether there are keys, whatever state they are in.
    var isThere: Bool {
        get throws(KeyRingError) {
            if let tables { return try onTables { () throws(KeyTablesError) in try tables.table() } != nil }
            return try onDisk { () throws(DiskError) in try disk.status(of: tableName) } != nil
        }
    }

    func readTable() throws(KeyRingError) -> [UInt8] {
        if let tables {
            guard let bytes = try onTables({ () throws(KeyTablesError) in try tables.table() }) else {
                throw .missing(file: tableName)
            }
            return bytes
        }
        do throws(DiskError) { return try disk.contents(of: tableName, limit: Self.bytesMax) } catch {
            throw error.isNotFound ? .missing(file: tableName) : .disk(error)
        }
    }

    /// Makes a table the one in force. Durable when it returns.
    ///
    /// - Parameters:
    ///   - replacing: the generation of the one before; `nil` for the first.
    ///   - destroyed: how many people's keys are gone with it.
    func put(_ table: KeyTable, replacing: UInt64?, destroyed: Int) throws(KeyRingError) {
        guard let tables else {
            return try onDisk { () throws(DiskError) in try disk.replacePrivately(tableName, table.bytes) }
        }
        let change = KeyTableChange(
            bytes: table.bytes, generation: table.generation, replacing: replacing, slots: table.pages.map(\.slot),
            destroyed: destroyed)
        try onTables { () throws(KeyTablesError) in try tables.put(change) }
    }
}
