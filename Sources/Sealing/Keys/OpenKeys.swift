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
    let place: KeyPlace
    let source: MasterKeySource
    let isWriter: Bool
    private(set) var table: KeyTable
    private(set) var masters: MasterKeys
    /// The master key that the table is written under.
    private(set) var master: MasterKey
    private(set) var root: SecretBytes
    private(set) var pageKeys: [SecretBytes]
    /// Of the table's weeks.
    private(set) var textKeys: [SecretBytes]
    let pages: KeyPages
    // Under the lock, by one thread at a time.
    @exclusivity(unchecked) private var cache: KeyCache
    @exclusivity(unchecked) private var ahead = KeysAhead()
    /// The key that was read last, while it is lent.
    private let lent = SecretBytes(zeros: SIVCipher.keyBytes)
    /// For pages and their records.
    let cipher = SIVCipher()
    /// The page whose key is set in it.
    @exclusivity(unchecked) private var pageInCipher: Int?
    private var failure: KeyRingError?

    init(
        _ place: KeyPlace, of identity: LogIdentity, _ source: MasterKeySource, isWriter: Bool, cacheCapacity: Int
    ) throws(KeyRingError) {
        (self.place, self.source, self.isWriter) = (place, source, isWriter)
        let opened = try OpenedTable(place, identity, source)
        (table, masters, master) = (opened.table, opened.masters, opened.master)
        (root, pageKeys, textKeys) = (opened.root, opened.pageKeys, opened.textKeys)
        cache = KeyCache(capacity: cacheCapacity)
        pages = try KeyPages.open(place, for: opened.table, isWriter ? .write : .read)
        if isWriter { try tidy() }
    }

    deinit { place.disk.close(pages.file) }

    var tablePath: String { place.tableName }
    var directory: String { place.directory }
    var disk: any Disk { place.disk }

    /// Makes durable what was found, and then removes what a crash left: drafts, and a master key that is needed no longer, or
    /// was never begun with.
    ///
    /// The table is written again because a process that died, or whose sync failed, may have left one that a power cut takes
    /// back: with it whoever it destroys, and with the other master key everybody.
    private func tidy() throws(KeyRingError) {
        // What a database has acknowledged outlives a power cut, and its master key is another's to keep.
        guard place.tables == nil else { return }
        try onDisk { () throws(DiskError) in try disk.removeDraft(of: tablePath) }
        try commit(table, pageKeys, textKeys)
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
        try withKey(of: person) { other.use($0) }
    }

    /// Lends a person's key; `false` where it was destroyed.
    func withKey(of person: UInt32, _ body: (UnsafeRawBufferPointer) -> Void) throws(KeyRingError) -> Bool {
        if cache.withKey(of: person, body) { return true }
        switch try read(person, into: lent) {
        case .destroyed: return false
        case .lost: throw damaged(person)
        case .key: break
        }
        lent.withBytes {
            cache.keep($0, of: person)
            body($0)
        }
        return true
    }

    /// Nothing of a person's key stays in memory.
    func forgetKeys() {
        cache.forgetAll()
        lent.wipe()
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
        let slot = table.pages[page].slot
        do throws(DiskError) {
            if let found = try readAhead(person, page, place, into: key) { return found }
        } catch { throw .disk(error) }
        let answer: Result<KeyRecord?, DiskError> = withUnsafeTemporaryAllocation(
            byteCount: KeyPages.recordSize, alignment: 16
        ) { record in
            do throws(DiskError) {
                guard try pages.read(place, of: slot, into: record) else { return .success(nil) }
            } catch { return .failure(error) }
            use(page)
            return .success(key.withMutableBytes { open(UnsafeRawBufferPointer(record), of: person, into: $0) })
        }
        do {
            if let found = try answer.get() { return found }
        } catch { throw .disk(error) }
        let at = place * KeyPages.recordSize
        guard let fetched = try pages.fetch(slot), at + KeyPages.recordSize <= fetched.count else { return nil }
        use(page)
        return fetched.withUnsafeBytes { fetched in
            key.withMutableBytes { open(fetched.piece(at, KeyPages.recordSize), of: person, into: $0) }
        }
    }

    /// `nil` where it was not read ahead, or what was is old.
    private func readAhead(
        _ person: UInt32, _ page: Int, _ place: Int, into key: SecretBytes
    ) throws(DiskError) -> KeyRecord? {
        let slot = table.pages[page].slot
        let follows = ahead.follows(place, of: slot)
        func found() -> KeyRecord? {
            ahead.withRecord(place, of: slot) { record in
                use(page)
                return key.withMutableBytes { open(record, of: person, into: $0) }
            }
        }
        if let found = found() { return found }
        guard follows else { return nil }
        try ahead.read(from: place, of: slot, pages)
        return found()
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
        let at = pages.whereabouts(table.pages[page].slot, place: place)
        return judged(.damaged(file: at.file, offset: at.offset, people: person...person))
    }

    /// What cannot be opened in a database may have been written by an owner who came after this one, and is as it should be.
    func judged(_ damage: KeyRingError) -> KeyRingError {
        guard isWriter, place.tables != nil else { return damage }
        do throws(KeyRingError) {
            let now = try KeyTable(try place.readTable(), of: table.identity, file: tablePath)
            return now.generation == table.generation ? damage : .lost("\(tablePath) was changed by another owner")
        } catch .lost(let words) {
            return .lost(words)
        } catch {
            return damage
        }
    }

    /// Whether another process has written a newer table, which is the one from now on.
    func lookAgain() throws(KeyRingError) -> Bool {
        guard !isWriter else { return false }
        let generation = table.generation
        try readTable()
        return table.generation != generation
    }

    /// Reads the table that another process has written.
    func readTable() throws(KeyRingError) {
        let opened = try OpenedTable(place, table.identity, source)
        guard opened.table.generation != table.generation else { return }
        (table, masters, master) = (opened.table, opened.masters, opened.master)
        (root, pageKeys, textKeys) = (opened.root, opened.pageKeys, opened.textKeys)
        pageInCipher = nil
        forgetKeys()
    }
}

// MARK: Changing

extension OpenKeys {
    /// Does what changes the files. Once something of it has failed nothing is tried again (`G4`): nobody knows what a disk
    /// holds after a sync that failed.
    func changing<Result>(_ work: () throws(KeyRingError) -> Result) throws(KeyRingError) -> Result {
        precondition(isWriter, "keys that were opened to be read are changed")
        if let failure { throw failure }
        do throws(KeyRingError) { return try work() } catch {
            stop(after: error)
            throw error
        }
    }

    func stop(after error: KeyRingError) {
        switch error {
        case .disk(let error): failure = .stopped(error)
        case .lost: failure = error
        default: break
        }
    }

    /// Writes a table that is then the one in force.
    ///
    /// - Parameters:
    ///   - pageKeys: of all its pages.
    ///   - textKeys: of all its weeks.
    ///   - newRoot: under which the pages' keys are written anew; `nil` where the root stays what it is.
    ///   - newMaster: under which the root is; `nil` where it stays what it is.
    ///   - destroyed: how many people's keys are gone with it.
    func commit(
        _ change: KeyTable, _ pageKeys: [SecretBytes], _ textKeys: [SecretBytes], newRoot: SecretBytes? = nil,
        newMaster: MasterKey? = nil, destroyed: Int = 0
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
            for (place, text) in next.weeks.enumerated() {
                let key = WrappedKey(textKeys[place], next.binding(of: text.week), by: cipher)
                next.weeks[place] = TextKey(week: text.week, key: key)
            }
        }
        pageInCipher = nil
        next.seal(root, under: master, by: cipher)
        try place.put(next, replacing: table.generation, destroyed: destroyed)
        let left = Set(table.pages.map(\.slot)).subtracting(next.pages.map(\.slot))
        (table, self.pageKeys, self.textKeys, self.root, self.master) = (next, pageKeys, textKeys, root, master)
        for slot in left { pages.forgetCopy(of: slot) }
    }

    /// A table that was made beside these keys, and is the one in force by now.
    func install(_ draft: KeyDraft) {
        precondition(draft.table.generation == table.generation + 1, "a table that was made from another")
        (table, pageKeys) = (draft.table, draft.pageKeys)
    }

    func keep(_ masters: MasterKeys) { self.masters = masters }
}

/// A table with its keys, as it is found on the disk.
struct OpenedTable {
    let table: KeyTable
    let masters: MasterKeys
    let master: MasterKey
    let root: SecretBytes
    let pageKeys: [SecretBytes]
    let textKeys: [SecretBytes]

    init(_ place: KeyPlace, _ identity: LogIdentity, _ source: MasterKeySource) throws(KeyRingError) {
        let path = place.tableName
        (table, masters, master) = try Self.read(place, identity, source)
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
        var textKeys: [SecretBytes] = []
        for (place, text) in table.weeks.enumerated() {
            guard let key = text.key.unwrapped(table.binding(of: text.week), by: cipher) else {
                let start = KeyTable.headerSize + table.pages.count * KeyTable.Page.size + KeyTable.weeksHeaderSize
                throw .weekDamaged(file: path, offset: start + place * TextKey.size)
            }
            textKeys.append(key)
        }
        self.textKeys = textKeys
    }

    /// How often both are read: a writer may replace the one after the other was read.
    private static let readings = 4

    private static func read(
        _ place: KeyPlace, _ identity: LogIdentity, _ source: MasterKeySource
    ) throws(KeyRingError) -> (KeyTable, MasterKeys, MasterKey) {
        let path = place.tableName
        var before: KeyTable?
        for _ in 0..<readings {
            let table = try KeyTable(try place.readTable(), of: identity, file: path)
            if table == before { break }
            let masters = try source.keys(for: place)
            if let master = masters.keys.first(where: { $0.mark(for: identity) == table.masterMark }) {
                return (table, masters, master)
            }
            before = table
        }
        throw .wrongMaster(file: path, master: source.name)
    }
}

extension MasterKeySource {
    /// What opens the keys of a place. Keys in a database are opened by many, so their master key is given.
    func keys(for place: KeyPlace) throws(KeyRingError) -> MasterKeys {
        if place.tables != nil, case .own = kind { throw .noCommonMaster }
        return try keys(in: place.directory, on: place.disk)
    }

    func keys(in directory: String, on disk: any Disk) throws(KeyRingError) -> MasterKeys {
        switch kind {
        case .own: return try OwnMasterKey(in: directory, on: disk).read()
        case .given(let read):
            do throws(MasterKeyError) { return try MasterKeys(try read(), from: name) } catch { throw .master(error) }
        }
    }
}
