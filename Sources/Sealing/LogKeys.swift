internal import Hashing
public import Journal
internal import Notices
internal import Synchronization

/// The keys of the logs that this program opens, under one master key.
public final class LogKeys: KeyKeeper {
    private let source: MasterKeySource
    /// Where the keys of the log in a directory lie, if not beside it.
    private let tables: @Sendable (_ directory: String) -> (any KeyTables)?
    /// By the path of the log's directory.
    private let rings: Mutex<[String: LogKeyRing]> = Mutex([:])

    public init(
        _ source: MasterKeySource, tables: @escaping @Sendable (_ directory: String) -> (any KeyTables)? = { _ in nil }
    ) {
        (self.source, self.tables) = (source, tables)
    }

    public func begun(in directory: String, on disk: any Disk) throws(JournalError) -> LogIdentity? {
        let tables = tables(directory)
        return try readable { () throws(KeyRingError) in
            try KeyRing.begun(in: directory, on: disk, tables: tables)
        }
    }

    public func begin(
        _ identity: LogIdentity, in directory: String, on disk: any Disk
    ) throws(JournalError) -> any LogSeals {
        // Keys that are there were made by a try that did not come as far as the log's first commit.
        let tables = tables(directory)
        let isThere = try readable { () throws(KeyRingError) in
            try KeyRing.isThere(in: directory, on: disk, tables: tables)
        }
        if isThere { return try open(identity, in: directory, on: disk, forWriting: true) }
        let ring = try readable { () throws(KeyRingError) in
            try KeyRing.begin(directory, of: identity, on: disk, master: source, tables: tables)
        }
        return keep(ring, directory, tables)
    }

    public func open(
        _ identity: LogIdentity, in directory: String, on disk: any Disk, forWriting: Bool
    ) throws(JournalError) -> any LogSeals {
        let tables = tables(directory)
        let ring = try readable { () throws(KeyRingError) in
            try KeyRing(directory, of: identity, on: disk, master: source, tables: tables, isWriter: forWriting)
        }
        // Whoever writes reads as well: their keys are the newest.
        if !forWriting, let known = rings.withLock({ $0[directory] }) {
            try readable { () throws(KeyRingError) in _ = try known.ring.lookAgain() }
            return known
        }
        return keep(ring, directory, tables)
    }

    public func opened(in directory: String) -> (any LogSeals)? { rings.withLock { $0[directory] } }

    /// The log in a directory is another's now, or is read no more: nothing of its keys stays in memory, but
    /// for whoever is still reading.
    public func forget(_ directory: String) { rings.withLock { _ = $0.removeValue(forKey: directory) } }

    /// Whether the master key is somebody else's to change.
    public var isGiven: Bool { if case .given = source.kind { true } else { false } }

    /// Takes the newest master key that is given into use for a log that this process writes.
    ///
    /// - Returns: whether there was a newer one: the log's snapshots are opened no more.
    public func rotateMaster(in directory: String) throws(KeyRingError) -> Bool {
        try rings.withLock { $0[directory] }?.ring.rotateMaster() ?? false
    }

    private func keep(_ ring: KeyRing, _ directory: String, _ tables: (any KeyTables)?) -> LogKeyRing {
        let seals = LogKeyRing(ring, isInDoubt: tables?.isInDoubt ?? false)
        rings.withLock { $0[directory] = seals }
        return seals
    }
}

/// One log's keys, as its journal knows them.
final class LogKeyRing: LogSeals {
    let ring: KeyRing
    private let lent = Mutex<LogNames?>(nil)
    private let denied = Mutex(Denied())
    /// The last week that was seen to have a key.
    private let known = Mutex<TextWeek?>(nil)

    private let isInDoubt: Bool

    /// - Parameter isInDoubt: whether an owner before may have named people of whom nobody knows.
    init(_ ring: KeyRing, isInDoubt: Bool) { (self.ring, self.isInDoubt) = (ring, isInDoubt) }

    var snapshotKey: SecretBytes? { ring.snapshotKey }

    var names: LogNames? { lent.withLock { $0 } }

    func lend(_ names: LogNames) { lent.withLock { $0 = names } }

    func sealer() -> any FieldSealer { LogSealer(self) }

    /// Whether something is not opened any more, by anybody who reads: some have for long what they read with.
    func denies(_ person: UInt32, _ sealed: UnsafeRawBufferPointer) -> Bool {
        denied.withLock { denied in
            if denied.people.contains(person) { return true }
            guard denied.texts.number > 0, let week = SealedForm.parts(of: sealed)?.week else { return false }
            return week < denied.texts
        }
    }

    func deny(_ people: [UInt32]) { denied.withLock { $0.people.formUnion(people) } }

    func denyTexts(before week: TextWeek) { denied.withLock { $0.texts = max($0.texts, week) } }

    // MARK: Weeks of texts

    var firstTextWeek: TextWeek? { ring.firstTextWeek }

    func expectKey(of week: TextWeek) throws(JournalError) {
        try readable { () throws(KeyRingError) in try ring.expectKey(of: week) }
    }

    /// Asked for every commit.
    func makeKey(of week: TextWeek) throws(JournalError) -> TextWeek {
        if known.withLock({ $0 == week }) { return week }
        let made = try readable { () throws(KeyRingError) in try ring.makeKey(of: week) }
        known.withLock { $0 = made }
        return made
    }

    func destroyKeys(before week: TextWeek) throws(JournalError) {
        try readable { () throws(KeyRingError) in _ = try ring.destroyKeys(before: week) }
    }

    func makeKeys(below count: Int) throws(JournalError) {
        if count > ring.people { try readable { () throws(KeyRingError) in try ring.makeKeys(below: count) } }
        ring.makeAhead(of: count)
    }

    func hasDestroyed(below count: Int, besides erased: [UInt32]) throws(JournalError) -> Bool {
        try readable { () throws(KeyRingError) in try ring.hasDestroyed(below: count, besides: erased) }
    }

    func settle(people count: Int, erased: [UInt32], isTorn: Bool) throws(JournalError) {
        try readable { () throws(KeyRingError) in
            try ring.check(people: count)
            try ring.destroy(erased)
            // Nobody could be recorded under a number whose key is gone.
            let isOlder = try ring.hasDestroyed(beyond: count, besides: erased)
            if isTorn || isInDoubt || isOlder {
                try ring.renewKeys(beyond: count)
            }
            // Whoever comes next must find one.
            try ring.mendKeys(beyond: count)
        }
    }

    func destroy(_ people: [UInt32]) throws(JournalError) -> [UInt32] {
        let (piece, rest) = ring.piece(of: people)
        try readable { () throws(KeyRingError) in _ = try ring.destroy(piece) }
        return rest
    }
}

/// What whoever only reads opens no more, whether or not the keys are gone.
private struct Denied {
    var people: Set<UInt32> = []
    /// Of weeks before this one.
    var texts = TextWeek(number: 0)
}

private func readable<Result>(_ body: () throws(KeyRingError) -> Result) throws(JournalError) -> Result {
    do { return try body() } catch {
        switch error {
        case .disk(let problem): throw .disk(problem)
        case .lost(let words): throw .lost(words)
        default: throw .keys("\(error)")
        }
    }
}

/// A sealer, as the journal knows it.
private final class LogSealer: FieldSealer {
    private let sealer: Sealer
    private let keys: LogKeyRing
    private(set) var failure: String?

    init(_ keys: LogKeyRing) {
        sealer = Sealer(keys.ring)
        self.keys = keys
    }

    func seal(
        _ plain: UnsafeRawBufferPointer, at place: SealedPlace, of week: TextWeek?
    ) throws(FieldError) -> UnsafeRawBufferPointer {
        do throws(KeyRingError) {
            return try sealer.seal(plain, of: place.person, at: FieldPlace(place), in: week)
        } catch {
            failure = "\(error)"
            throw FieldError("\(error)")
        }
    }

    func open(_ sealed: UnsafeRawBufferPointer, at place: SealedPlace) throws(FieldError) -> UnsafeRawBufferPointer? {
        if keys.denies(place.person, sealed) { return nil }
        do throws(SealedFieldError) {
            return try sealer.opened(sealed, of: place.person, at: FieldPlace(place))
        } catch {
            // What does not fit its key is the log's damage as likely as the key's.
            if case .keys = error { failure = "\(error)" }
            throw FieldError("\(error)")
        }
    }
}

extension FieldPlace {
    fileprivate init(_ place: SealedPlace) {
        let field = UInt32(place.field)
        self =
            place.isAround
            ? .around(sequence: place.sequence, field: field) : FieldPlace(sequence: place.sequence, field: field)
    }
}
