internal import Hashing
internal import Journal

/// The keys of a log while they are open. Belongs to whoever holds the lock of its `KeyRing`.
///
///     master key ── root key ── key of each page ── key of each person
///                 (keys.table)   (keys.table)        (keys)
///
/// A key is destroyed by writing what is above it anew: its page under a new key, without it, into a free slot of `keys`; and
/// the table under a new root. What lies in the old slot can be opened by nobody who has not the old table.
final class OpenKeys {
    let directory: String
    let disk: any Disk
    let source: MasterKeySource
    let isWriter: Bool
    private(set) var table: KeyTable
    private(set) var masters: MasterKeys
    /// The master key that the table is written under.
    private(set) var master: MasterKey
    private(set) var root: SecretBytes
    private(set) var pageKeys: [SecretBytes]
    let pages: KeyPages
    var cache: KeyCache
    /// For pages and their records.
    let cipher = SIVCipher()
    /// The page whose key is set in it.
    private var pageInCipher: Int?
    private var failure: DiskError?

    init(
        _ directory: String, of identity: LogIdentity, on disk: any Disk, _ source: MasterKeySource, isWriter: Bool,
        cacheCapacity: Int
    ) throws(KeyRingError) {
        (self.directory, self.disk, self.source, self.isWriter) = (directory, disk, source, isWriter)
        let opened = try OpenedTable(directory, identity, disk, source)
        (table, masters, master) = (opened.table, opened.masters, opened.master)
        (root, pageKeys) = (opened.root, opened.pageKeys)
        cache = KeyCache(capacity: cacheCapacity)
        pages = try KeyPages.open(
            DiskPath.join(directory, KeyFile.keys), for: opened.table, isWriter ? .write : .read, on: disk)
        if isWriter { try tidy() }
    }

    deinit { disk.close(pages.file) }

    var tablePath: String { DiskPath.join(directory, KeyFile.table) }

    /// Makes durable what was found, and then removes what a crash left: drafts, and a master key that is needed no longer, or
    /// was never begun with.
    ///
    /// The table is written again because a process that died, or whose sync failed, may have left one that a power cut takes
    /// back: with it whoever it destroys, and with the other master key everybody.
    private func tidy() throws(KeyRingError) {
        try onDisk { () throws(DiskError) in try disk.removeDraft(of: tablePath) }
        try commit(table, pageKeys)
        guard case .own = source.kind else { return }
        let own = OwnMasterKey(in: directory, on: disk)
        try onDisk { () throws(DiskError) in
            try disk.removeDraft(of: own.path)
            if masters.keys.count > 1 { try own.write([master]) }
        }
        masters = MasterKeys([master])
    }
}

// MARK: Reading

extension OpenKeys {
    /// Sets a person's key; `false` where it was destroyed.
    func use(keyOf person: UInt32, in other: SIVCipher) throws(KeyRingError) -> Bool {
        if cache.use(person, in: other) { return true }
        let key = SecretBytes(zeros: SIVCipher.keyBytes)
        switch try read(person, into: key) {
        case .destroyed: return false
        case .lost: throw damaged(person)
        case .key: break
        }
        key.withBytes { cache.keep($0, of: person) }
        other.use(key)
        return true
    }

    private func read(_ person: UInt32, into key: SecretBytes) throws(KeyRingError) -> KeyRecord {
        if let found = try readHere(person, into: key) { return found }
        // Another process may have written the page anew since this one read the table.
        guard !isWriter else { throw damaged(person) }
        let generation = table.generation
        try readTable()
        guard table.generation != generation, let found = try readHere(person, into: key) else {
            throw damaged(person)
        }
        return found
    }

    /// `nil` where the record cannot be opened.
    private func readHere(_ person: UInt32, into key: SecretBytes) throws(KeyRingError) -> KeyRecord? {
        if !isWriter, person >= table.people { try readTable() }
        guard person < table.people else { throw .behind(file: tablePath, people: person...person) }
        let (page, place) = (Int(person) / table.peopleAPage, Int(person) % table.peopleAPage)
        let answer: Result<KeyRecord?, DiskError> = withUnsafeTemporaryAllocation(
            byteCount: KeyPages.recordSize, alignment: 16
        ) { record in
            do throws(DiskError) {
                guard try pages.read(place, of: table.pages[page].slot, into: record) else { return .success(nil) }
            } catch { return .failure(error) }
            use(page)
            return .success(key.withMutableBytes { open(UnsafeRawBufferPointer(record), of: person, into: $0) })
        }
        do { return try answer.get() } catch { throw .disk(error) }
    }

    func open(
        _ record: UnsafeRawBufferPointer, of person: UInt32, into key: UnsafeMutableRawBufferPointer
    ) -> KeyRecord? {
        cipher.open(record, pages.recordBinding(person), into: key)
            ? KeyRecord(UnsafeRawBufferPointer(key)) : nil
    }

    /// Sets the key of a page.
    func use(_ page: Int) {
        if pageInCipher == page { return }
        cipher.use(pageKeys[page])
        pageInCipher = page
    }

    /// Sets another key than a page's.
    func use(other key: SecretBytes) {
        pageInCipher = nil
        cipher.use(key)
    }

    private func damaged(_ person: UInt32) -> KeyRingError {
        let (page, place) = (Int(person) / table.peopleAPage, Int(person) % table.peopleAPage)
        return .damaged(
            file: pages.path, offset: pages.offset(of: table.pages[page].slot, place: place), people: person...person)
    }

    /// Reads the table that another process has written.
    func readTable() throws(KeyRingError) {
        let opened = try OpenedTable(directory, table.identity, disk, source)
        guard opened.table.generation != table.generation else { return }
        (table, masters, master) = (opened.table, opened.masters, opened.master)
        (root, pageKeys) = (opened.root, opened.pageKeys)
        pageInCipher = nil
        cache.forgetAll()
    }
}

// MARK: Changing

extension OpenKeys {
    /// Does what changes the files. Once something of it has failed nothing is tried again (`G4`): nobody knows what a disk
    /// holds after a sync that failed.
    func changing<Result>(_ work: () throws(KeyRingError) -> Result) throws(KeyRingError) -> Result {
        precondition(isWriter, "keys that were opened to be read are changed")
        if let failure { throw .stopped(failure) }
        do throws(KeyRingError) { return try work() } catch {
            if case .disk(let error) = error { failure = error }
            throw error
        }
    }

    /// Writes a table that is then the one in force.
    ///
    /// - Parameters:
    ///   - pageKeys: of all its pages.
    ///   - newRoot: under which the pages' keys are written anew; `nil` where the root stays what it is.
    ///   - newMaster: under which the root is; `nil` where it stays what it is.
    func commit(
        _ change: KeyTable, _ pageKeys: [SecretBytes], newRoot: SecretBytes? = nil, newMaster: MasterKey? = nil
    ) throws(KeyRingError) {
        let (root, master) = (newRoot ?? self.root, newMaster ?? self.master)
        var next = change
        next.generation += 1
        if newRoot != nil {
            use(other: root)
            for (number, page) in next.pages.enumerated() {
                next.pages[number] = KeyTable.Page(
                    slot: page.slot, destroyed: page.destroyed,
                    key: WrappedKey(pageKeys[number], next.binding(number), by: cipher))
            }
        }
        use(other: master.key)
        next.root = WrappedKey(root, next.rootBinding, by: cipher)
        next.masterMark = master.mark(for: next.identity)
        try onDisk { () throws(DiskError) in try disk.replacePrivately(tablePath, next.bytes) }
        (table, self.pageKeys, self.root, self.master) = (next, pageKeys, root, master)
    }

    func keep(_ masters: MasterKeys) { self.masters = masters }
}

/// A table with its keys, as it is found on the disk.
private struct OpenedTable {
    let table: KeyTable
    let masters: MasterKeys
    let master: MasterKey
    let root: SecretBytes
    let pageKeys: [SecretBytes]

    /// Of more pages than there can be people.
    private static let bytesMax = 128 << 20

    init(
        _ directory: String, _ identity: LogIdentity, _ disk: any Disk, _ source: MasterKeySource
    ) throws(KeyRingError) {
        let path = DiskPath.join(directory, KeyFile.table)
        (table, masters, master) = try Self.read(path, identity, disk, source)
        let cipher = SIVCipher()
        cipher.use(master.key)
        guard let root = table.root?.unwrapped(table.rootBinding, by: cipher) else {
            throw .damaged(file: path, offset: 64, people: nil)
        }
        self.root = root
        cipher.use(root)
        var keys: [SecretBytes] = []
        keys.reserveCapacity(table.pages.count)
        for (number, page) in table.pages.enumerated() {
            guard let key = page.key.unwrapped(table.binding(number), by: cipher) else {
                throw .damaged(
                    file: path, offset: KeyTable.headerSize + number * KeyTable.Page.size,
                    people: table.people(of: number))
            }
            keys.append(key)
        }
        pageKeys = keys
    }

    /// How often both are read: a writer may replace the one after the other was read.
    private static let readings = 4

    private static func read(
        _ path: String, _ identity: LogIdentity, _ disk: any Disk, _ source: MasterKeySource
    ) throws(KeyRingError) -> (KeyTable, MasterKeys, MasterKey) {
        var before: KeyTable?
        for _ in 0..<readings {
            let bytes: [UInt8]
            do throws(DiskError) { bytes = try disk.contents(of: path, limit: bytesMax) } catch {
                throw error.isNotFound ? .missing(file: path) : .disk(error)
            }
            let table = try KeyTable(bytes, of: identity, file: path)
            if table == before { break }
            let masters = try source.keys(in: DiskPath.parent(of: path), on: disk)
            if let master = masters.keys.first(where: { $0.mark(for: identity) == table.masterMark }) {
                return (table, masters, master)
            }
            before = table
        }
        throw .wrongMaster(file: path, master: source.name)
    }
}

extension MasterKeySource {
    func keys(in directory: String, on disk: any Disk) throws(KeyRingError) -> MasterKeys {
        switch kind {
        case .own: return try OwnMasterKey(in: directory, on: disk).read()
        case .given(let read):
            do throws(MasterKeyError) { return try MasterKeys(try read(), from: name) } catch { throw .master(error) }
        }
    }
}
