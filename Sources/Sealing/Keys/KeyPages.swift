internal import Hashing
internal import Journal

/// The file `keys`: everybody's keys, in pages that are written once and never changed. A page that is written anew takes a
/// slot that no table refers to.
///
/// Where the pages lie in a database the file holds copies of those that were asked for. A copy that cannot be opened, because
/// it is old, torn or was never there, is fetched: the key of the page says so for each record.
struct KeyPages {
    static let magic: [UInt8] = [0xFF, 0x42, 0x45, 0x4C, 0x50, 0x47, 0x53, 0x0A]
    static let version: UInt32 = 1
    /// A page of the disk, so that slots begin at pages of the disk too.
    static let headerSize = 4096
    /// A person's key, sealed with the key of the page.
    static let recordSize = WrappedKey.size

    let path: String
    let identity: LogIdentity
    let peopleAPage: Int
    let disk: any Disk
    let file: DiskFile
    /// `nil` where the file is all there is.
    let tables: (any KeyTables)?

    var pageSize: Int { peopleAPage * Self.recordSize }

    func offset(of slot: UInt32, place: Int = 0) -> Int {
        Self.headerSize + Int(slot) * pageSize + place * Self.recordSize
    }

    func recordBinding(_ person: UInt32) -> Binding { Binding(identity, UInt64(person)) }

    /// Where a sentence says that a record lies.
    func whereabouts(_ slot: UInt32, place: Int = 0) -> (file: String, offset: Int) {
        guard let tables else { return (path, offset(of: slot, place: place)) }
        return ("\(tables.pagesName), slot \(slot)", place * Self.recordSize)
    }
}

// MARK: Opening

extension KeyPages {
    /// Makes the file, without a page, durably.
    static func make(_ path: String, _ identity: LogIdentity, on disk: any Disk) throws(DiskError) {
        let file = try disk.createPrivately(path)
        defer { disk.close(file) }
        try disk.writeAll(file, header(identity), at: 0)
        try disk.syncData(file)
        try disk.syncDirectory(DiskPath.parent(of: path))
    }

    static func open(_ place: KeyPlace, for table: KeyTable, _ mode: OpenMode) throws(KeyRingError) -> KeyPages {
        let (path, disk) = (place.pagesPath, place.disk)
        if place.tables != nil { return try copies(place, for: table) }
        let file: DiskFile
        do throws(DiskError) { file = try disk.open(path, mode) } catch {
            throw error.isNotFound ? .missing(file: path) : .disk(error)
        }
        let pages = KeyPages(
            path: path, identity: table.identity, peopleAPage: table.peopleAPage, disk: disk, file: file, tables: nil)
        do throws(KeyRingError) {
            try pages.check(table)
            return pages
        } catch {
            disk.close(file)
            throw error
        }
    }

    /// The file while it is being filled.
    static func bare(_ path: String, for table: KeyTable, on disk: any Disk) throws(KeyRingError) -> KeyPages {
        let file = try onDisk { () throws(DiskError) in try disk.open(path, .write) }
        return KeyPages(
            path: path, identity: table.identity, peopleAPage: table.peopleAPage, disk: disk, file: file, tables: nil)
    }

    /// The copies of pages that lie in a database, as they were left, or none yet.
    private static func copies(_ place: KeyPlace, for table: KeyTable) throws(KeyRingError) -> KeyPages {
        let (path, disk) = (place.pagesPath, place.disk)
        return try onDisk { () throws(DiskError) in
            if let file = try? disk.open(path, .write) {
                let pages = KeyPages(
                    path: path, identity: table.identity, peopleAPage: table.peopleAPage, disk: disk, file: file,
                    tables: place.tables)
                if (try? pages.checkHeader()) != nil { return pages }
                disk.close(file)
            }
            if try disk.status(of: DiskPath.parent(of: path)) == nil {
                try disk.makeDirectory(DiskPath.parent(of: path))
            }
            let file = try disk.createPrivately(path)
            try disk.writeAll(file, header(table.identity), at: 0)
            return KeyPages(
                path: path, identity: table.identity, peopleAPage: table.peopleAPage, disk: disk, file: file,
                tables: place.tables)
        }
    }

    private static func header(_ identity: LogIdentity) -> [UInt8] {
        var bytes = magic
        bytes.append(number: version)
        bytes.append(number: UInt32(headerSize))
        bytes.append(number: identity.words.0)
        bytes.append(number: identity.words.1)
        bytes.append(number: bytes.checksum)
        return bytes + [UInt8](repeating: 0, count: headerSize - bytes.count)
    }

    private func check(_ table: KeyTable) throws(KeyRingError) {
        let size = try checkHeader()
        for (number, page) in table.pages.enumerated() where offset(of: page.slot) + pageSize > size {
            throw .truncated(file: path, bytes: size, people: table.people(of: number))
        }
    }

    /// Returns the file's size.
    @discardableResult
    private func checkHeader() throws(KeyRingError) -> Int {
        let size = try onDisk { () throws(DiskError) in try disk.size(of: file) }
        let header = try bytes(0, min(Self.headerSize, size))
        guard header.count >= 36 else { throw .truncated(file: path, bytes: size, people: nil) }
        guard header.starts(with: Self.magic) else { throw .notKeys(file: path) }
        let found = header.withUnsafeBytes { raw in
            (
                version: raw.number(8, as: UInt32.self), identity: LogIdentity(words: (raw.number(16), raw.number(24))),
                holds: raw.piece(0, 32).checksum == raw.number(32, as: UInt32.self)
            )
        }
        guard found.holds else { throw .damaged(file: path, offset: 0, people: nil) }
        guard found.version == Self.version else { throw .newerFormat(file: path, version: found.version) }
        guard found.identity == identity else { throw .otherLog(file: path) }
        return size
    }
}

// MARK: Pages

extension KeyPages {
    /// Reads a person's record into a buffer of its size.
    func read(
        _ place: Int, of slot: UInt32, into record: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Bool {
        try disk.readAll(file, into: record, at: offset(of: slot, place: place)) == record.count
    }

    /// What the file has of a page; fewer bytes where it ends within it.
    func here(_ slot: UInt32) throws(KeyRingError) -> [UInt8] { try bytes(offset(of: slot), pageSize) }

    /// All of a page's records; fewer bytes where the file ends within it.
    func read(_ slot: UInt32) throws(KeyRingError) -> [UInt8] {
        if tables != nil { return try fetch(slot) ?? [] }
        return try here(slot)
    }

    /// A page as the database has it, of which a copy is kept; `nil` where there is none, or no database.
    func fetch(_ slot: UInt32) throws(KeyRingError) -> [UInt8]? {
        guard let tables, let page = try onTables({ () throws(KeyTablesError) in try tables.page(slot) }) else {
            return nil
        }
        keepCopy(page, of: slot)
        return page
    }

    /// One that cannot be written is fetched again.
    private func keepCopy(_ page: [UInt8], of slot: UInt32) { try? disk.writeAll(file, page, at: offset(of: slot)) }

    /// The page has lost its slot, and the copy of it that is here says nothing any more.
    func forgetCopy(of slot: UInt32) {
        guard tables != nil, let size = try? disk.size(of: file), offset(of: slot) < size else { return }
        keepCopy([UInt8](repeating: 0, count: pageSize), of: slot)
    }

    /// Not durable until `sync`.
    func write(_ records: [UInt8], to slot: UInt32) throws(KeyRingError) {
        precondition(records.count == pageSize, "a page of \(records.count) bytes")
        if let tables {
            try onTables { () throws(KeyTablesError) in try tables.put(page: records, at: slot) }
            return keepCopy(records, of: slot)
        }
        try onDisk { () throws(DiskError) in try disk.writeAll(file, records, at: offset(of: slot)) }
    }

    func sync() throws(KeyRingError) {
        // What lies in a database is durable when it is written.
        if tables != nil { return }
        try onDisk { () throws(DiskError) in try disk.syncData(file) }
    }

    private func bytes(_ offset: Int, _ count: Int) throws(KeyRingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(KeyRingError) in
            try onDisk { () throws(DiskError) in
                try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            }
        }
        bytes.removeLast(count - read)
        return bytes
    }
}

/// What is found in a person's place.
enum KeyRecord: Equatable {
    case key
    /// Sealed zeros: nobody can make one who does not have the key of the page, and a lost sector is none.
    case destroyed
    /// Sealed ones: the record was damaged when the page was written anew. A backup has it.
    case lost

    /// Of what a record was opened to.
    init(_ plain: UnsafeRawBufferPointer) {
        self =
            if plain.allSatisfy({ $0 == 0 }) { .destroyed } else if plain.allSatisfy({ $0 == 0xFF }) { .lost } else {
                .key
            }
    }

    /// What is sealed to say so.
    var filler: UInt8? {
        switch self {
        case .key: nil
        case .destroyed: 0
        case .lost: 0xFF
        }
    }
}
