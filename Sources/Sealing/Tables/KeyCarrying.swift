internal import Hashing
public import Journal

/// Keys on their way between files and a database. They stay what they are: only what the root is sealed under may change.
extension KeyRing {
    /// Puts the keys of this log into tables that have none, under the master key that all who use them are given.
    public func carry(into tables: any KeyTables, master source: MasterKeySource) throws(KeyRingError) {
        try reading { (open) throws(KeyRingError) in
            let place = KeyPlace(directory: open.directory, disk: open.disk, tables: tables)
            let master = try source.keys(for: place).newest
            for page in open.table.pages {
                let records = try open.pages.read(page.slot)
                try onTables { () throws(KeyTablesError) in try tables.put(page: records, at: page.slot) }
            }
            var table = open.table
            table.generation += 1
            table.seal(open.root, under: master, by: SIVCipher())
            try place.put(table, replacing: nil, destroyed: 0)
        }
    }

    /// That a master key opens what lies in tables. Keys that were not begun yet are opened by any that is one.
    public static func expectOpen(
        _ tables: any KeyTables, of identity: LogIdentity, on disk: any Disk, master source: MasterKeySource
    ) throws(KeyRingError) {
        let place = KeyPlace(directory: "", disk: disk, tables: tables)
        if try place.isThere { _ = try OpenedTable(place, identity, source) } else { _ = try source.keys(for: place) }
    }

    /// Writes keys that lie in tables into new files, as they are, and returns their table. `nil` where it was changed meanwhile:
    /// it is to be tried again.
    public static func copy(
        _ tables: any KeyTables, of identity: LogIdentity, to directory: String, on disk: any Disk
    ) throws(KeyRingError) -> [UInt8]? {
        let place = KeyPlace(directory: directory, disk: disk, tables: tables)
        let bytes = try place.readTable()
        let table = try KeyTable(bytes, of: identity, file: place.tableName)
        let path = place.pagesPath
        try onDisk { () throws(DiskError) in
            try disk.makeDirectory(directory)
            try KeyPages.make(path, identity, on: disk)
        }
        let pages = try KeyPages.bare(path, for: table, on: disk)
        defer { disk.close(pages.file) }
        for page in table.pages {
            guard let records = try onTables({ () throws(KeyTablesError) in try tables.page(page.slot) }) else {
                return nil
            }
            guard records.count == pages.pageSize else {
                throw .truncated(
                    file: "\(tables.pagesName), slot \(page.slot)", bytes: records.count, people: nil)
            }
            try pages.write(records, to: page.slot)
        }
        try pages.sync()
        try onDisk { () throws(DiskError) in
            try disk.replacePrivately(DiskPath.join(directory, KeyFile.table), bytes)
        }
        return try place.readTable() == bytes ? bytes : nil
    }
}
