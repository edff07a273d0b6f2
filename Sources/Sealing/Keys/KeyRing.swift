internal import Dispatch
public import Hashing
public import Journal
public import Notices
internal import Synchronization

/// The keys of everybody in a log, one a person, numbered as the log numbers its people (SPEC §19).
///
/// They lie outside the log, in `keys` and `keys.table` or in tables of a database (FORMAT.md), under a master key. A person's key is made, durably,
/// before the commit that first names them is written: people without a key could never be read again, keys without people
/// harm nobody. A key that was destroyed is gone with everything that it sealed (`E1`).
///
/// May be used from any thread. One process writes; others may read beside it.
public final class KeyRing: Sendable {
    public let identity: LogIdentity
    private let keys: Mutex<Held>
    private let changes = Atomic<UInt64>(0)
    /// One change after the other. Whoever has both has this one first.
    private let changing = Mutex(())
    /// Whether pages are being made ahead.
    private let isAhead = Atomic(false)
    /// Whether the keys lie in a database.
    private let isShared: Bool

    /// Handed from thread to thread under the lock, and never seen without it.
    private struct Held: @unchecked Sendable { let open: OpenKeys }

    /// How many people have their keys on one page: so many are written anew for one who is erased.
    public static let peopleAPage = 4096
    /// Of how many people the keys are kept in memory: half a MiB.
    public static let cacheCapacity = 8192

    private init(_ open: OpenKeys) {
        identity = open.table.identity
        isShared = open.place.tables != nil
        keys = Mutex(Held(open: open))
    }

    /// Whether a log has keys, whatever state they are in.
    public static func isThere(
        in directory: String, on disk: any Disk, tables: (any KeyTables)? = nil
    ) throws(KeyRingError) -> Bool {
        try KeyPlace(directory: directory, disk: disk, tables: tables).isThere
    }

    /// Which log the keys were made for; `nil` where there are none, where what is there is no table, and where somebody's key was
    /// destroyed: such a log had commits, and whoever began it anew would go on with its keys.
    public static func begun(
        in directory: String, on disk: any Disk, tables: (any KeyTables)? = nil
    ) throws(KeyRingError) -> LogIdentity? {
        let place = KeyPlace(directory: directory, disk: disk, tables: tables)
        guard try place.isThere else { return nil }
        let bytes = try place.readTable()
        guard let identity = identity(ofTable: bytes),
            let table = try? KeyTable(bytes, of: identity, file: place.tableName),
            table.pages.allSatisfy({ $0.destroyed == 0 }), table.textsFrom.number == 0
        else { return nil }
        return identity
    }

    /// Makes the keys of a log that has no sealed fields yet. There are none in it before `makeKeys`.
    ///
    /// What an earlier try left is made anew: without a table nothing can have been sealed.
    public static func begin(
        _ directory: String, of identity: LogIdentity, on disk: any Disk, master source: MasterKeySource,
        tables: (any KeyTables)? = nil, peopleAPage: Int = peopleAPage, cacheCapacity: Int = cacheCapacity
    ) throws(KeyRingError) -> KeyRing {
        let place = KeyPlace(directory: directory, disk: disk, tables: tables)
        guard try !place.isThere else { throw .alreadyThere(file: place.tableName) }
        let master: MasterKey
        switch source.kind {
        case .given: master = try source.keys(for: place).newest
        case .own where tables != nil: throw .noCommonMaster
        case .own:
            master = .random()
            try onDisk { () throws(DiskError) in try OwnMasterKey(in: directory, on: disk).write([master]) }
        }
        if tables == nil {
            try onDisk { () throws(DiskError) in try KeyPages.make(place.pagesPath, identity, on: disk) }
        }
        try place.put(KeyTable(identity, peopleAPage: peopleAPage, under: master), replacing: nil, destroyed: 0)
        return try KeyRing(
            directory, of: identity, on: disk, master: source, tables: tables, cacheCapacity: cacheCapacity)
    }

    /// Opens the keys of a log.
    ///
    /// - Parameters:
    ///   - tables: where they lie; `nil` for the files beside the log.
    ///   - isWriter: whether this process holds the log's lock, and so may change them.
    public convenience init(
        _ directory: String, of identity: LogIdentity, on disk: any Disk, master source: MasterKeySource,
        tables: (any KeyTables)? = nil, isWriter: Bool = true, cacheCapacity: Int = cacheCapacity
    ) throws(KeyRingError) {
        self.init(
            try OpenKeys(
                KeyPlace(directory: directory, disk: disk, tables: tables), of: identity, source, isWriter: isWriter,
                cacheCapacity: cacheCapacity))
    }
}

// MARK: Asking

extension KeyRing {
    /// Which log a table of keys is of; `nil` where it is none.
    public static func identity(ofTable bytes: [UInt8]) -> LogIdentity? {
        guard bytes.count >= KeyTable.headerSize, bytes.starts(with: KeyTable.magic) else { return nil }
        return bytes.withUnsafeBytes { LogIdentity(words: ($0.number(16), $0.number(24))) }
    }
}

extension KeyRing {
    /// So many people have a key; they are numbered from 0.
    public var people: Int { keys.withLock { $0.open.table.people } }

    /// Rises whenever keys are destroyed, or are found to be others: what was learnt of a key before that is to be asked again.
    var epoch: UInt64 { changes.load(ordering: .acquiring) }

    /// That all whom the log knows have a key. Where some have none the keys are older than the log, and whoever went on
    /// would give them other ones.
    public func check(people count: Int) throws(KeyRingError) {
        try keys.withLock { (held) throws(KeyRingError) in
            let known = held.open.table.people
            guard count > known else { return }
            throw .behind(file: held.open.tablePath, people: UInt32(known)...UInt32(count - 1))
        }
    }

    /// Whether a person's key was destroyed.
    public func isDestroyed(_ person: UInt32) throws(KeyRingError) -> Bool {
        try !use(keyOf: person, in: SIVCipher())
    }

    /// Sets a person's key, or that of their texts of a week; `false` where it was destroyed.
    func use(
        keyOf person: UInt32, textsOf week: TextWeek? = nil, in cipher: SIVCipher
    ) throws(KeyRingError) -> Bool {
        try keys.withLock { (held) throws(KeyRingError) in
            guard let week else { return try held.open.use(keyOf: person, in: cipher) }
            return try held.open.use(keyOf: person, textsOf: week, in: cipher)
        }
    }

    /// The first week that has a key; `nil` where none has.
    public var firstTextWeek: TextWeek? { keys.withLock { $0.open.table.weeks.first?.week } }

    public func hasKey(of week: TextWeek) -> Bool { keys.withLock { $0.open.table.place(of: week) != nil } }

    /// That a week has a key. Where it has none the keys are older than the log.
    public func expectKey(of week: TextWeek) throws(KeyRingError) {
        try keys.withLock { (held) throws(KeyRingError) in
            let table = held.open.table
            guard week < table.textsFrom || table.place(of: week) != nil else {
                throw .textsBehind(file: held.open.tablePath, week: week)
            }
        }
    }
}

extension KeyRing {
    /// Where another process writes: takes over what it has written. Keys of numbers that nobody had are made anew by whoever takes
    /// the log over, and a copy of the old page opens still.
    ///
    /// - Returns: whether there was something newer.
    @discardableResult
    func lookAgain() throws(KeyRingError) -> Bool {
        let isNewer = try keys.withLock { (held) throws(KeyRingError) in try held.open.lookAgain() }
        if isNewer { changes.add(1, ordering: .acquiringAndReleasing) }
        return isNewer
    }
}

// MARK: Changing

extension KeyRing {
    /// Makes keys for everybody numbered below `count`, durably. To be called, for a whole batch at once, before the batch is
    /// written. They are made by the page, so most calls find them there.
    public func makeKeys(below count: Int) throws(KeyRingError) {
        guard isShared else {
            return try keys.withLock { (held) throws(KeyRingError) in try held.open.makeKeys(below: count) }
        }
        try changing.withLock { (_) throws(KeyRingError) in
            var draft = try keys.withLock { (held) throws(KeyRingError) in
                try held.open.changing { () throws(KeyRingError) in KeyDraft(held.open, below: count) }
            }
            do throws(KeyRingError) { try draft?.write() } catch {
                keys.withLock { $0.open.stop(after: error) }
                throw error
            }
            if let draft { keys.withLock { $0.open.install(draft) } }
        }
    }

    /// Has the next page made, on a thread of its own, where so many people have used up half of the last: of keys in a
    /// database. What becomes of it is seen by whoever needs it.
    public func makeAhead(of count: Int) {
        guard isShared else { return }
        let (known, aPage) = keys.withLock { ($0.open.table.people, $0.open.table.peopleAPage) }
        guard known - count < aPage / 2 else { return }
        guard isAhead.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            try? makeKeys(below: known + 1)
            isAhead.store(false, ordering: .releasing)
        }
    }

    /// Destroys keys. To be called once the log says durably that these people are erased, and again at every start with
    /// everybody whom the log erased: so it goes on to its end where it was cut off, and a backup of the keys that was restored
    /// brings nobody back (`E3`). Costs nothing where all of them are gone.
    ///
    /// When it returns they are gone from the disk. Thousands of people on as many pages take a while, in which the keys
    /// cannot be used; whoever erases so many does it in pieces.
    ///
    /// - Returns: how many were destroyed by this call.
    @discardableResult
    public func destroy(_ people: some Sequence<UInt32>) throws(KeyRingError) -> Int {
        try changing { (open) throws(KeyRingError) in try open.destroy(people) }
    }

    /// So many pages are written anew at once: some 20 ms, in which a worker answers nobody (`G11`).
    static let pagesAtOnce = 8

    /// Those of some people whose keys may be destroyed at once, and the others.
    func piece(of people: [UInt32]) -> (piece: [UInt32], rest: [UInt32]) {
        let aPage = UInt32(keys.withLock { $0.open.table.peopleAPage })
        let sorted = people.sorted()
        var (count, pages) = (0, 0)
        while count < sorted.count {
            if count == 0 || sorted[count] / aPage != sorted[count - 1] / aPage { pages += 1 }
            guard pages <= Self.pagesAtOnce else { break }
            count += 1
        }
        return (Array(sorted[..<count]), Array(sorted[count...]))
    }

    /// Makes a key for a week, durably, unless it has one: to be called before anything is sealed that belongs to it.
    ///
    /// - Returns: the week whose key it is: the first that is not erased, where that is later.
    @discardableResult
    public func makeKey(of week: TextWeek) throws(KeyRingError) -> TextWeek {
        let wanted = max(week, keys.withLock { $0.open.table.textsFrom })
        if hasKey(of: wanted) { return wanted }
        return try changing { (open) throws(KeyRingError) in try open.makeKey(of: week) }
    }

    /// Destroys the keys of all weeks before one, for ever. To be called once the log says durably that their texts are erased, and
    /// again at every start. Costs nothing where they are gone.
    ///
    /// - Returns: how many were destroyed by this call.
    @discardableResult
    public func destroyKeys(before week: TextWeek) throws(KeyRingError) -> Int {
        try changing { (open) throws(KeyRingError) in try open.destroyKeys(before: week) }
    }

    /// Gives other keys to everybody numbered from `count` on, after a start: the log ends before them, so what was sealed with
    /// these keys stands in a write that was cut off and kept aside. Whoever comes next gets the number, and when they are
    /// erased nothing of that write may be readable.
    public func renewKeys(beyond count: Int) throws(KeyRingError) {
        try changing { (open) throws(KeyRingError) in try open.renewKeys(from: count) }
    }

    /// Makes other keys in the place of those numbered from `count` on that cannot be opened: they are nobody's, and nothing that
    /// the log has was sealed with them.
    ///
    /// - Returns: how many were made.
    @discardableResult
    public func mendKeys(beyond count: Int) throws(KeyRingError) -> Int {
        try changing { (open) throws(KeyRingError) in try open.mendKeys(from: count) }
    }

    /// Whether keys are destroyed of numbers from `count` on, which nobody of the log has: it is a copy of before, and they were
    /// of people who came after it and are erased.
    public func hasDestroyed(beyond count: Int, besides erased: [UInt32]) throws(KeyRingError) -> Bool {
        try reading { (open) throws(KeyRingError) in open.hasDestroyed(from: count, besides: erased) }
    }

    /// Whether anybody's key is destroyed who is numbered below `count`, besides those of `erased`.
    public func hasDestroyed(below count: Int, besides erased: [UInt32]) throws(KeyRingError) -> Bool {
        try reading { (open) throws(KeyRingError) in try open.hasDestroyed(below: count, besides: erased) }
    }

    /// Takes the newest master key that is given into use, or makes a new one where the program has its own.
    ///
    /// - Returns: whether there was a newer one, so that snapshots are to be taken anew.
    @discardableResult
    public func rotateMaster() throws(KeyRingError) -> Bool {
        try changing { (open) throws(KeyRingError) in try open.rotateMaster() }
    }

    /// What is read while nothing is changed.
    func reading<Result: Sendable>(
        _ work: (OpenKeys) throws(KeyRingError) -> Result
    ) throws(KeyRingError) -> Result {
        try keys.withLock { (held) throws(KeyRingError) in try work(held.open) }
    }

    private func changing<Result: Sendable>(
        _ work: (OpenKeys) throws(KeyRingError) -> Result
    ) throws(KeyRingError) -> Result {
        try changing.withLock { (_) throws(KeyRingError) in
            try keys.withLock { (held) throws(KeyRingError) in
                defer { changes.add(1, ordering: .acquiringAndReleasing) }
                return try work(held.open)
            }
        }
    }
}

// MARK: Snapshots

extension KeyRing {
    /// What conceals snapshots of a log whose keys lie in a database, on whichever disk they are: an erasure makes another one,
    /// and then nobody reads those of before (`E1`). `nil` where the keys are files: snapshots beside them are written anew.
    public var snapshotKey: SecretBytes? {
        guard isShared else { return nil }
        return keys.withLock { held in
            let code = held.open.root.withBytes { root in
                Array("belfry snapshots".utf8).withUnsafeBytes { Authentication.hmacSHA256($0, key: root) }
            }
            return code.withUnsafeBytes { SecretBytes(copying: $0) }
        }
    }
}
