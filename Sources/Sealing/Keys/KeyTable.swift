internal import Hashing
internal import Journal
internal import Notices

/// What `keys.table` holds: the root key under the master key, and every page's key under the root.
///
/// It is small, so that it can be written anew as a whole. The moment in which a new one takes the old one's name is the
/// moment in which keys are made, or are gone.
struct KeyTable: Equatable {
    /// One page of `keys`: where it lies, and what opens it.
    struct Page: Equatable {
        static let size = 16 + WrappedKey.size

        let slot: UInt32
        /// Tells which keys of the page are destroyed (`Destroyed`).
        let destroyed: UInt32
        let key: WrappedKey
    }

    static let magic: [UInt8] = [0xFF, 0x42, 0x45, 0x4C, 0x4B, 0x45, 0x59, 0x0A]
    /// The second has keys of weeks; whoever has none writes the first.
    static let versions: ClosedRange<UInt32> = 1...2
    static let headerSize = 152
    static let markBytes = 16

    let identity: LogIdentity
    /// How often a table has been written.
    var generation: UInt64 = 0
    let peopleAPage: Int
    /// Of the master key: tells it from others, and nothing of it.
    var masterMark: [UInt8] = []
    var root: WrappedKey?
    var pages: [Page] = []
    /// What texts need besides their person's key, by week, in order.
    var weeks: [TextKey] = []
    /// The texts of weeks before this one are erased.
    var textsFrom = TextWeek(number: 0)

    private var version: UInt32 { weeks.isEmpty && textsFrom.number == 0 ? 1 : 2 }

    init(_ identity: LogIdentity, peopleAPage: Int) {
        precondition(Self.mayBeAPage(peopleAPage), "a page holds a power of two of people")
        (self.identity, self.peopleAPage) = (identity, peopleAPage)
    }

    static func mayBeAPage(_ people: Int) -> Bool { people > 0 && people <= 1 << 16 && people & (people - 1) == 0 }

    /// How many people have a key, a destroyed one counted.
    var people: Int { pages.count * peopleAPage }

    func people(of page: Int) -> ClosedRange<UInt32> {
        UInt32(page * peopleAPage)...UInt32((page + 1) * peopleAPage - 1)
    }

    /// What the root key is bound to.
    var rootBinding: Binding { Binding(identity, generation, UInt32(peopleAPage), UInt32(pages.count)) }

    func pageBinding(_ page: Int, slot: UInt32, destroyed: UInt32) -> Binding {
        Binding(identity, UInt64(page), slot, destroyed)
    }

    func binding(_ page: Int) -> Binding {
        pageBinding(page, slot: pages[page].slot, destroyed: pages[page].destroyed)
    }
}

// MARK: Bytes

extension KeyTable {
    var bytes: [UInt8] {
        guard let root else { preconditionFailure("a table without a root") }
        var bytes = Self.magic
        bytes.reserveCapacity(Self.headerSize + pages.count * Page.size)
        bytes.append(number: version)
        bytes.append(number: UInt32(Self.headerSize))
        bytes.append(number: identity.words.0)
        bytes.append(number: identity.words.1)
        bytes.append(number: generation)
        bytes.append(number: UInt32(peopleAPage))
        bytes.append(number: UInt32(pages.count))
        bytes += masterMark
        bytes += root.bytes
        bytes.append(number: bytes.checksum)
        bytes.append(number: UInt32(0))
        for page in pages {
            var body: [UInt8] = []
            body.append(number: page.slot)
            body.append(number: page.destroyed)
            body.append(number: UInt32(0))
            body += page.key.bytes
            bytes.append(number: body.checksum)
            bytes += body
        }
        return version == 1 ? bytes : bytes + weekBytes
    }

    /// Reads a table of this log. Whether its keys can be opened is another question.
    init(_ bytes: [UInt8], of identity: LogIdentity, file: String) throws(KeyRingError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(KeyRingError) in
            try KeyTable(reading: UnsafeRawBufferPointer(bytes), of: identity, file: file)
        }
    }

    private init(reading bytes: UnsafeRawBufferPointer, of identity: LogIdentity, file: String) throws(KeyRingError) {
        guard bytes.count >= 12 else { throw .truncated(file: file, bytes: bytes.count, people: nil) }
        guard bytes.starts(with: Self.magic) else { throw .notKeys(file: file) }
        let version: UInt32 = bytes.number(8)
        guard bytes.count >= Self.headerSize else { throw .truncated(file: file, bytes: bytes.count, people: nil) }
        guard Self.versions.contains(version) else {
            // Which version it is can be believed only as far as the checksum, which keeps its place in all of them.
            guard Self.headerHolds(bytes) else { throw .damaged(file: file, offset: 0, people: nil) }
            throw .newerFormat(file: file, version: version)
        }
        guard Self.headerHolds(bytes), bytes.number(12, as: UInt32.self) == UInt32(Self.headerSize),
            Self.mayBeAPage(Int(bytes.number(40, as: UInt32.self)))
        else { throw .damaged(file: file, offset: 0, people: nil) }
        guard LogIdentity(words: (bytes.number(16), bytes.number(24))) == identity else { throw .otherLog(file: file) }
        self.init(identity, peopleAPage: Int(bytes.number(40, as: UInt32.self)))
        generation = bytes.number(32)
        masterMark = Array(bytes.piece(48, Self.markBytes))
        root = WrappedKey(bytes, at: 64)
        let end = try readPages(bytes, Int(bytes.number(44, as: UInt32.self)), file)
        if version > 1 {
            try readWeeks(bytes, from: end, file)
        } else if bytes.count != end {
            throw .damaged(file: file, offset: end, people: nil)
        }
    }

    private static func headerHolds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.piece(0, 144).checksum == bytes.number(144, as: UInt32.self) && bytes.number(148, as: UInt32.self) == 0
    }

    /// Returns where they end.
    private mutating func readPages(
        _ bytes: UnsafeRawBufferPointer, _ count: Int, _ file: String
    ) throws(KeyRingError) -> Int {
        guard count * peopleAPage <= 1 << 32 else { throw .damaged(file: file, offset: 44, people: nil) }
        for page in 0..<count {
            let at = Self.headerSize + page * Page.size
            guard at + Page.size <= bytes.count else {
                let people = people(of: page).lowerBound...people(of: count - 1).upperBound
                throw .truncated(file: file, bytes: bytes.count, people: people)
            }
            let entry = bytes.piece(at, Page.size)
            guard entry.piece(4, Page.size - 4).checksum == entry.number(0, as: UInt32.self),
                entry.number(12, as: UInt32.self) == 0
            else { throw .damaged(file: file, offset: at, people: people(of: page)) }
            pages.append(
                Page(slot: entry.number(4), destroyed: entry.number(8), key: WrappedKey(entry, at: 16)))
        }
        return Self.headerSize + count * Page.size
    }
}

/// Which keys of a page are destroyed, as a number that tells one such set from another: so that a start need not look at
/// every person whom the log erased.
enum Destroyed {
    static let none = mark(of: [])

    /// - Parameter places: where in the page, in order.
    static func mark(of places: some Collection<Int>) -> UInt32 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(places.count * 4)
        for place in places { bytes.append(number: UInt32(place)) }
        return bytes.checksum
    }
}

extension KeyTable {
    /// The first table of a log, without a page, under a root key of its own.
    init(_ identity: LogIdentity, peopleAPage: Int, under master: MasterKey) {
        self.init(identity, peopleAPage: peopleAPage)
        seal(SecretBytes(random: SIVCipher.keyBytes), under: master, by: SIVCipher())
    }

    /// Puts a root key into it.
    mutating func seal(_ root: SecretBytes, under master: MasterKey, by cipher: SIVCipher) {
        cipher.use(master.key)
        masterMark = master.mark(for: identity)
        self.root = WrappedKey(root, rootBinding, by: cipher)
    }
}
