import Hashing
import Journal
import Simulation
import Testing

@testable import Sealing

/// Whatever lies in the place of the keys: it is told with the file and the backup that is needed, and never taken for keys
/// or for an erasure.
@Suite("E2, keys that are no good")
struct BadKeysTests {
    private let disk = Sample.disk()
    private let values: [UInt32: [UInt8]]
    private let keys = Sample.path(KeyFile.keys)
    private let table = Sample.path(KeyFile.table)

    init() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 12)
        values = try ring.values(of: 0..<12)
        try ring.destroy([6])
    }

    @Test func `a file is missing`() throws {
        for (name, source) in [
            (KeyFile.keys, Sample.given()), (KeyFile.table, Sample.given()), (KeyFile.master, .own),
        ] {
            let left = disk.restarted()
            if name != KeyFile.master { try left.remove(Sample.path(name)) }
            let error = #expect(throws: KeyRingError.self) { try Sample.open(on: left, source) }
            #expect(error == .missing(file: Sample.path(name)))
        }
        #expect("\(KeyRingError.missing(file: "/log/keys"))".contains("from the newest backup of the keys of this log"))
    }

    @Test func `keys under another master key`() {
        #expect(throws: KeyRingError.wrongMaster(file: table, master: "/run/master")) {
            try Sample.open(on: disk.restarted(), Sample.given(Sample.newMaster))
        }
    }

    @Test func `keys of another log`() throws {
        #expect(throws: KeyRingError.otherLog(file: table)) {
            try Sample.open(on: disk.restarted(), of: Sample.otherIdentity)
        }
        let other = Sample.disk()
        _ = try KeyRing.begin(Sample.directory, of: Sample.otherIdentity, on: other, master: Sample.given())
        let left = disk.restarted()
        left.setContents(keys, try #require(other.contents(keys)))
        #expect(throws: KeyRingError.otherLog(file: keys)) { try Sample.open(on: left) }
    }

    @Test func `a file that is something else`() throws {
        for path in [keys, table] {
            let left = disk.restarted()
            left.setContents(path, [UInt8](repeating: 65, count: 5000))
            #expect(throws: KeyRingError.notKeys(file: path)) { try Sample.open(on: left) }
        }
    }

    @Test func `a file that is cut off anywhere`() throws {
        for path in [keys, table] {
            let whole = try #require(disk.contents(path))
            for count in stride(from: 0, to: whole.count, by: 7) {
                let left = disk.restarted()
                left.setContents(path, Array(whole.prefix(count)))
                do {
                    // Slots that nobody refers to may be missing.
                    let ring = try Sample.open(on: left)
                    guard path == keys else { throw Broken("a table of \(count) bytes was opened") }
                    try expectAll(of: ring, besides: [])
                } catch let error as KeyRingError {
                    switch error {
                    case .truncated(path, count, let people):
                        #expect(path == keys ? people != nil || count < KeyPages.headerSize : true)
                    case .damaged(path, _, _):
                        break
                    default: throw Broken("\(path) of \(count) bytes: \(error)")
                    }
                }
            }
        }
    }

    /// The keys are of yesterday: people have come since then, and are named.
    @Test func `keys that are older than the log`() throws {
        let ring = try Sample.open(on: disk.restarted())
        #expect(throws: Never.self) { try ring.check(people: 12) }
        #expect(throws: KeyRingError.behind(file: table, people: 12...19)) { try ring.check(people: 20) }
        #expect("\(KeyRingError.behind(file: "t", people: 12...19))".contains("persons 12 to 19 have no key"))
    }

    @Test func `one file of today beside one of yesterday`() throws {
        let old = disk.restarted()
        let ring = try Sample.open(on: disk)
        try ring.destroy([1])
        try ring.makeKeys(below: 30)
        for path in [keys, table] {
            let left = disk.restarted()
            left.setContents(path, try #require(old.contents(path)))
            do {
                let mixed = try Sample.open(on: left)
                for (person, value) in values {
                    // It is opened, or told; it is never somebody else's, nor taken for erased.
                    do throws(SealedFieldError) {
                        let said = try Sealer(mixed).open(value, of: person, at: Sample.place)
                        #expect(said == .opened(Sample.text(of: person)) || person == 6 || person == 1)
                    } catch {
                        guard case .keys(.damaged(keys, _, person...person)) = error else {
                            throw Broken("person \(person): \(error)")
                        }
                    }
                }
            } catch let error as KeyRingError {
                guard case .truncated(keys, _, _) = error else { throw error }
            }
        }
    }

    @Test func `one bit of the table flipped`() throws {
        let whole = try #require(disk.contents(table))
        for bit in stride(from: 0, to: whole.count * 8, by: 3) {
            let left = disk.restarted()
            left.flipBit(path: table, bit: bit)
            let error = #expect(throws: KeyRingError.self, "bit \(bit)") { try Sample.open(on: left) }
            guard bit / 8 >= KeyTable.headerSize else { continue }
            let page = (bit / 8 - KeyTable.headerSize) / KeyTable.Page.size
            let people = UInt32(page * 4)...UInt32(page * 4 + 3)
            let at = KeyTable.headerSize + page * KeyTable.Page.size
            #expect(error == .damaged(file: table, offset: at, people: people), "bit \(bit)")
        }
    }

    /// One person's key is lost with it, and theirs alone.
    @Test func `one bit of the keys flipped`() throws {
        let whole = try #require(disk.contents(keys))
        var damaged = 0
        for at in stride(from: KeyPages.headerSize, to: whole.count, by: 7) {
            let left = disk.restarted()
            left.flipBit(path: keys, bit: at * 8 + at % 8)
            let lost = try expectAll(of: Sample.open(on: left), besides: [])
            #expect(lost.count <= 1)
            damaged += lost.count
        }
        #expect(damaged > 100)
        for at in 0..<36 {
            let left = disk.restarted()
            left.flipBit(path: keys, bit: at * 8)
            #expect(throws: KeyRingError.self) { try Sample.open(on: left) }
        }
    }

    /// Sectors that a disk lost read as zeros, and a key that is lost is not one that was destroyed.
    @Test func `zeros in the place of keys are damage and no erasure`() throws {
        let whole = try #require(disk.contents(keys))
        let left = disk.restarted()
        left.setContents(
            keys, Array(whole.prefix(KeyPages.headerSize)) + [UInt8](repeating: 0, count: whole.count - 4096))
        let ring = try Sample.open(on: left)
        let lost = try expectAll(of: ring, besides: [6])
        #expect(lost.count == 11)
        #expect(throws: KeyRingError.self, "a page in which nothing can be opened is left as it is") {
            try ring.destroy([1])
        }
    }

    @Test func `an erasure does not wait for a neighbour's key to be mended, nor lose it silently`() throws {
        let left = disk.restarted()
        let place = try #require(try lostPlace(of: 1))
        left.flipBit(path: keys, bit: place * 8)
        let ring = try Sample.open(on: left)
        #expect(try ring.destroy([2]) == 1)
        for ring in [ring, try Sample.open(on: left.restarted())] {
            #expect(try expectAll(of: ring, besides: [2]) == [1])
        }
        #expect(try ring.destroy([1]) == 1)
        #expect(try expectAll(of: ring, besides: [1, 2]) == [])
    }

    /// Of twelve keys the last three are nobody's: the log knows nine people.
    @Test func `a key that nobody has is made anew where it cannot be opened, and no other key is touched`() throws {
        let whole = try #require(disk.contents(keys))
        var made = 0
        for at in stride(from: KeyPages.headerSize, to: whole.count, by: KeyPages.recordSize) {
            let left = disk.restarted()
            left.flipBit(path: keys, bit: at * 8 + 5)
            let mended = try Sample.open(on: left)
            let count = try mended.mendKeys(beyond: 9)
            made += count
            for ring in [mended, try Sample.open(on: left.restarted())] {
                let sealer = Sealer(ring)
                let lost = values.filter { (try? sealer.open($0.value, of: $0.key, at: Sample.place)) == nil }.map(
                    \.key)
                #expect(lost.count <= 1 && lost.filter { $0 >= 9 }.count == count, "byte \(at): \(lost)")
                // Whoever comes next has a key.
                _ = try ring.values(of: 9..<12)
                #expect(try ring.mendKeys(beyond: 9) == 0)
            }
        }
        #expect(made == 3)
    }

    /// Persons 8 and 9 are on one page, and 9 is nobody.
    @Test func `beside a key that nobody has somebody's is left as it is found, for a backup to mend`() throws {
        let left = disk.restarted()
        for person: UInt32 in [8, 9] { left.flipBit(path: keys, bit: try #require(try lostPlace(of: person)) * 8) }
        let ring = try Sample.open(on: left)
        #expect(try ring.mendKeys(beyond: 9) == 1)
        // Still broken.
        #expect(try ring.mendKeys(beyond: 8) == 1)
    }

    @Test func `a page that is lost as a whole is made anew only where nobody has a key on it`() throws {
        let whole = try #require(disk.contents(keys))
        for (count, isMade) in [(8, true), (9, false)] {
            let left = disk.restarted()
            left.setContents(
                keys, Array(whole.prefix(KeyPages.headerSize)) + [UInt8](repeating: 0, count: whole.count - 4096))
            let ring = try Sample.open(on: left)
            if isMade {
                #expect(try ring.mendKeys(beyond: count) == 4)
                _ = try ring.values(of: 8..<12)
            } else {
                #expect(throws: KeyRingError.self) { try ring.mendKeys(beyond: count) }
            }
        }
    }

    /// Where a person's record begins.
    private func lostPlace(of person: UInt32) throws -> Int? {
        for at in stride(from: KeyPages.headerSize, to: disk.contents(keys)?.count ?? 0, by: KeyPages.recordSize) {
            let left = disk.restarted()
            left.flipBit(path: keys, bit: at * 8)
            if try expectAll(of: Sample.open(on: left), besides: []) == [person] { return at }
        }
        return nil
    }

    /// That everybody's field is opened, or their key is told to be damaged: those come back. Person 6 is erased.
    @discardableResult
    private func expectAll(of ring: KeyRing, besides erased: Set<UInt32>) throws -> Set<UInt32> {
        var lost: Set<UInt32> = []
        let sealer = Sealer(ring)
        for (person, value) in values {
            do throws(SealedFieldError) {
                let said = try sealer.open(value, of: person, at: Sample.place)
                let isErased = person == 6 || erased.contains(person)
                #expect(said == (isErased ? .erased : .opened(Sample.text(of: person))), "person \(person)")
            } catch {
                guard case .keys(.damaged(keys, _, person...person)) = error else {
                    throw Broken("person \(person): \(error)")
                }
                lost.insert(person)
            }
        }
        return lost.subtracting(erased)
    }
}
