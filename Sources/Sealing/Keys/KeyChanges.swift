internal import Hashing
internal import Journal
internal import Notices

/// What changes the keys of a log. Each change is whole or has not happened, wherever it is cut off.
extension OpenKeys {
    /// Makes keys for everybody numbered below `count`, a page at a time. When it returns they are durable.
    func makeKeys(below count: Int) throws(KeyRingError) {
        guard count > table.people else { return }
        try changing { () throws(KeyRingError) in
            var (next, keys) = (table, pageKeys)
            var slots = FreeSlots(of: table)
            let wanted = (count + table.peopleAPage - 1) / table.peopleAPage
            for page in table.pages.count..<wanted {
                let key = SecretBytes(random: SIVCipher.keyBytes)
                let slot = slots.take()
                let fresh = SecretBytes(random: table.peopleAPage * SIVCipher.keyBytes)
                use(other: key)
                try pages.write(pages.records(fresh, page, by: cipher), to: slot)
                let binding = next.pageBinding(page, slot: slot, destroyed: Destroyed.none)
                use(other: root)
                next.pages.append(
                    KeyTable.Page(
                        slot: slot, destroyed: Destroyed.none, key: WrappedKey(key, binding, by: cipher)))
                keys.append(key)
            }
            try pages.sync()
            try commit(next, keys, textKeys)
        }
    }

    /// Destroys the keys of these people, of whom some may be destroyed already; those without a key have none to destroy.
    /// When it returns, nothing on the disk opens them.
    ///
    /// - Returns: how many were destroyed that had not been.
    func destroy(_ people: some Sequence<UInt32>) throws(KeyRingError) -> Int {
        var places: [Int: Set<Int>] = [:]
        for person in people where person < table.people {
            places[Int(person) / table.peopleAPage, default: []].insert(Int(person) % table.peopleAPage)
        }
        let touched = places.filter { Destroyed.mark(of: $0.value.sorted()) != table.pages[$0.key].destroyed }
        guard !touched.isEmpty else { return 0 }
        return try changing { () throws(KeyRingError) in
            var rewriting = Rewriting(self)
            var count = 0
            for (page, places) in touched.sorted(by: { $0.key < $1.key }) {
                let isWanted = { (place: Int, found: KeyRecord) in
                    places.contains(place) && found != .destroyed
                }
                count += try rewriting.rewrite(page, whoever: isWanted, becoming: .destroyed)
            }
            if count > 0 { try finish(rewriting, destroyed: count) }
            return count
        }
    }

    /// Whether anybody's key is destroyed who is numbered from `first` on.
    ///
    /// - Parameter erased: those before `first` whose keys are.
    func hasDestroyed(from first: Int, besides erased: [UInt32]) -> Bool {
        let size = table.peopleAPage
        return table.pages.indices.dropFirst(first / size).contains { page in
            let own = erased.lazy.map(Int.init).filter { $0 < first && $0 / size == page }.map { $0 % size }
            return table.pages[page].destroyed != Destroyed.mark(of: own.sorted())
        }
    }

    /// Whether anybody's key is destroyed who is numbered below `end`, besides those of `erased`. Only a page whose mark does not say the
    /// same is read: it may as well lack what the log erased and a restored table has still.
    func hasDestroyed(below end: Int, besides erased: [UInt32]) throws(KeyRingError) -> Bool {
        let size = table.peopleAPage
        var places: [Int: Set<Int>] = [:]
        for person in erased { places[Int(person) / size, default: []].insert(Int(person) % size) }
        for page in table.pages.indices.prefix((end + size - 1) / size) {
            let own = places[page] ?? []
            guard Destroyed.mark(of: own.sorted()) != table.pages[page].destroyed else { continue }
            let records = try FoundPage(page, self).records.prefix(end - page * size)
            if records.indices.contains(where: { records[$0] == .destroyed && !own.contains($0) }) { return true }
        }
        return false
    }

    /// Gives other keys to everybody numbered from `first` on, who are nobody: what was sealed for them stands in a write that
    /// was never acknowledged, and the next one to come under their number is somebody else.
    func renewKeys(from first: Int) throws(KeyRingError) {
        guard first < table.people else { return }
        try changing { () throws(KeyRingError) in
            var rewriting = Rewriting(self)
            let (page, place) = (first / table.peopleAPage, first % table.peopleAPage)
            rewriting.drop(from: place == 0 ? page : page + 1)
            if place > 0 {
                let isNobody = { (other: Int, _: KeyRecord) in other >= place }
                _ = try rewriting.rewrite(page, whoever: isNobody, becoming: .key)
            }
            try finish(rewriting, keepsRoot: true)
        }
    }

    /// Gives other keys to those numbered from `first` on whose key cannot be opened. They are nobody, so nothing that anybody has
    /// was sealed with them; who comes under such a number would stop whoever writes. A key that can be opened stays as it is.
    ///
    /// - Returns: how many were made.
    func mendKeys(from first: Int) throws(KeyRingError) -> Int {
        let size = table.peopleAPage
        var broken: [Int] = []
        for page in table.pages.indices.dropFirst(first / size)
        where try !isSound(page, from: max(0, first - page * size)) { broken.append(page) }
        guard !broken.isEmpty else { return 0 }
        return try changing { () throws(KeyRingError) in
            var rewriting = Rewriting(self)
            var count = 0
            for page in broken {
                let start = max(0, first - page * size)
                let isBroken = { (place: Int, found: KeyRecord) in place >= start && found == .lost }
                count += try rewriting.rewrite(page, whoever: isBroken, becoming: .key, isNobodys: start == 0)
            }
            if count > 0 { try finish(rewriting, keepsRoot: true) }
            return count
        }
    }

    /// Whether everybody from a place of a page on has a key, or had one.
    private func isSound(_ page: Int, from place: Int) throws(KeyRingError) -> Bool {
        let slot = table.pages[page].slot
        if holds(try pages.here(slot), page, from: place) { return true }
        guard pages.tables != nil else { return false }
        // A copy may be old, or none.
        return holds(try pages.read(slot), page, from: place)
    }

    private func holds(_ records: [UInt8], _ page: Int, from place: Int) -> Bool {
        guard records.count == pages.pageSize else { return false }
        let key = SecretBytes(zeros: SIVCipher.keyBytes)
        use(page)
        return records.withUnsafeBytes { records in
            key.withMutableBytes { key in
                (place..<table.peopleAPage).allSatisfy { place in
                    let record = records.piece(place * KeyPages.recordSize, KeyPages.recordSize)
                    let found = open(record, of: UInt32(page * table.peopleAPage + place), into: key)
                    return found != nil && found != .lost
                }
            }
        }
    }

    /// Reads the master key again, and writes the root under the newest. Whoever has only an older one then opens nothing.
    ///
    /// - Returns: whether there was a newer one. The root is another then, and what was under the one before, such as
    ///   snapshots, is opened no more.
    func rotateMaster() throws(KeyRingError) -> Bool {
        if case .given = source.kind {
            keep(try source.keys(for: place))
            guard masters.newest.mark(for: table.identity) != table.masterMark else { return false }
        }
        try changing { () throws(KeyRingError) in try finish(Rewriting(self)) }
        return true
    }

    /// Writes the table of what was written anew, under a new root and the newest master key. One that is the program's own
    /// is replaced with it.
    ///
    /// - Parameter keepsRoot: whether the root stays where the keys lie in a database. Nobody's key is gone then, and snapshots of
    ///   the log, which whoever takes it over begins with, are under the root as well.
    func finish(
        _ rewriting: Rewriting, destroyed: Int = 0, keepsRoot: Bool = false
    ) throws(KeyRingError) {
        if rewriting.hasWritten { try pages.sync() }
        let newRoot = keepsRoot && place.tables != nil ? root : SecretBytes(random: SIVCipher.keyBytes)
        switch source.kind {
        case .given:
            try commit(
                rewriting.table, rewriting.keys, rewriting.textKeys, newRoot: newRoot, newMaster: masters.newest,
                destroyed: destroyed)
        case .own:
            // Until the new table is there both are needed, whichever a crash leaves.
            let (own, new) = (OwnMasterKey(in: directory, on: disk), MasterKey.random())
            try onDisk { () throws(DiskError) in try own.write([new, master]) }
            try commit(rewriting.table, rewriting.keys, rewriting.textKeys, newRoot: newRoot, newMaster: new)
            try onDisk { () throws(DiskError) in try own.write([new]) }
            keep(MasterKeys([new]))
        }
        forgetKeys()
    }

}

extension KeyPages {
    /// A page's records: everybody's key, sealed with that of the page.
    ///
    /// - Parameters:
    ///   - keys: end to end.
    ///   - cipher: under the key of the page.
    func records(_ keys: SecretBytes, _ page: Int, by cipher: SIVCipher) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: pageSize) { buffer, count in
            let records = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: pageSize)
            keys.withBytes { keys in
                for place in 0..<peopleAPage {
                    cipher.seal(
                        keys.piece(place * SIVCipher.keyBytes, SIVCipher.keyBytes),
                        recordBinding(UInt32(page * peopleAPage + place)),
                        into: records.piece(place * Self.recordSize, Self.recordSize))
                }
            }
            count = pageSize
        }
    }
}

/// Pages being written anew into slots that nobody refers to.
struct Rewriting {
    private let open: OpenKeys
    private(set) var table: KeyTable
    private(set) var keys: [SecretBytes]
    private(set) var textKeys: [SecretBytes]
    private var slots: FreeSlots
    private(set) var hasWritten = false

    init(_ open: OpenKeys) {
        (self.open, table, keys, textKeys) = (open, open.table, open.pageKeys, open.textKeys)
        slots = FreeSlots(of: open.table)
    }

    mutating func drop(from page: Int) {
        table.pages.removeLast(table.pages.count - page)
        keys.removeLast(keys.count - page)
    }

    /// Leaves out the keys of all weeks before one. Returns how many.
    mutating func dropTexts(before week: TextWeek) -> Int {
        let count = table.weeks.prefix { $0.week < week }.count
        table.weeks.removeFirst(count)
        textKeys.removeFirst(count)
        table.textsFrom = week
        return count
    }

    /// Writes a page under a new key. Everybody in it keeps their own, except whoever is meant.
    ///
    /// - Parameters:
    ///   - isMeant: a place, and what was found in it.
    ///   - change: what becomes of them: destroyed, or given another key.
    ///   - isNobodys: whether nobody has a key on it: then it may be lost as a whole.
    /// - Returns: how many were meant; without any the page stays as it is.
    mutating func rewrite(
        _ page: Int, whoever isMeant: (Int, KeyRecord) -> Bool, becoming change: KeyRecord, isNobodys: Bool = false
    ) throws(KeyRingError) -> Int {
        let found = try FoundPage(page, open, isNobodys: isNobodys)
        let meant = found.records.enumerated().filter { isMeant($0.offset, $0.element) }.map(\.offset)
        if meant.isEmpty { return 0 }
        var records = found.records
        for place in meant {
            found.put(change, at: place)
            records[place] = change
        }
        let (key, slot) = (SecretBytes(random: SIVCipher.keyBytes), slots.take())
        open.use(other: key)
        try open.pages.write(open.pages.records(found.keys, page, by: open.cipher), to: slot)
        let destroyed = records.enumerated().filter { $0.element == .destroyed }.map(\.offset)
        // Its key is wrapped with all others', under the new root.
        table.pages[page] = KeyTable.Page(
            slot: slot, destroyed: Destroyed.mark(of: destroyed), key: table.pages[page].key)
        keys[page] = key
        hasWritten = true
        return meant.count
    }
}

/// What the records of a page were opened to.
private struct FoundPage {
    /// What is in each place.
    let records: [KeyRecord]
    /// The bytes of it, end to end.
    let keys: SecretBytes

    init(_ page: Int, _ open: OpenKeys, isNobodys: Bool = false) throws(KeyRingError) {
        let bytes = try open.pages.read(open.table.pages[page].slot)
        let keys = SecretBytes(zeros: open.table.peopleAPage * SIVCipher.keyBytes)
        open.use(page)
        let found: [KeyRecord?] = keys.withMutableBytes { keys in
            bytes.withUnsafeBytes { bytes in
                (0..<open.table.peopleAPage).map { place in
                    let at = place * KeyPages.recordSize
                    guard at + KeyPages.recordSize <= bytes.count else { return nil }
                    return open.open(
                        bytes.piece(at, KeyPages.recordSize), of: UInt32(page * open.table.peopleAPage + place),
                        into: keys.piece(place * SIVCipher.keyBytes, SIVCipher.keyBytes))
                }
            }
        }
        // Where nothing can be opened this is not the page that the table means, and a backup can still set that right.
        guard isNobodys || found.contains(where: { $0 != nil }) else {
            let at = open.pages.whereabouts(open.table.pages[page].slot)
            throw open.judged(.damaged(file: at.file, offset: at.offset, people: open.table.people(of: page)))
        }
        // Whoever else is in the page must not keep this from being done; a backup has their key.
        records = found.map { $0 ?? .lost }
        self.keys = keys
        for place in found.indices where found[place] == nil { put(.lost, at: place) }
    }

    func put(_ change: KeyRecord, at place: Int) {
        keys.withMutableBytes { keys in
            let key = keys.piece(place * SIVCipher.keyBytes, SIVCipher.keyBytes)
            if let filler = change.filler {
                key.initializeMemory(as: UInt8.self, repeating: filler)
            } else {
                SecretBytes(random: SIVCipher.keyBytes).withBytes { key.copyMemory(from: $0) }
            }
        }
    }
}

/// The slots of `keys` that no page of the table in force lies in, lowest first.
struct FreeSlots {
    private let used: Set<UInt32>
    private var next: UInt32 = 0

    init(of table: KeyTable) { used = Set(table.pages.map(\.slot)) }

    mutating func take() -> UInt32 {
        while used.contains(next) { next += 1 }
        defer { next += 1 }
        return next
    }
}
