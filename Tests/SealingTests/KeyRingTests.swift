import Foundation
import Hashing
import Journal
import Simulation
import Testing

@testable import Sealing

@Suite("E1 to E4, keys")
struct KeyRingTests {
    private let disk = Sample.disk()

    @Test func `keys are kept, and are everybody's own`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 10)
        let values = try ring.values(of: 0..<10)
        #expect(Set(values.values).count == 10)
        let again = try Sample.open(on: disk.restarted())
        for person in UInt32(0)..<10 {
            #expect(try again.says(values[person], of: person) == .opened(Sample.text(of: person)))
        }
        #expect(try again.values(of: 0..<10) == values)
    }

    @Test func `keys are made by the page, and once`() throws {
        let ring = try Sample.begin(on: disk)
        #expect(ring.people == 0)
        try ring.makeKeys(below: 1)
        #expect(ring.people == 4)
        let before = disk.operations
        try ring.makeKeys(below: 4)
        #expect(disk.operations == before, "keys that are there were made again")
        try ring.makeKeys(below: 13)
        #expect(ring.people == 16)
    }

    /// Each page is written anew, and nobody uses the keys meanwhile (G11).
    @Test func `of many who are erased at once so many go as lie on eight pages`() throws {
        let ring = try Sample.begin(on: disk)
        let everyFourth = stride(from: UInt32(0), to: 80, by: 4).reversed() + [1, 33]
        let (piece, rest) = ring.piece(of: Array(everyFourth))
        #expect(piece == [0, 1, 4, 8, 12, 16, 20, 24, 28])
        #expect(rest == [32, 33] + stride(from: 36, to: 80, by: 4))
        #expect(ring.piece(of: rest).piece.first == 32)
        #expect(ring.piece(of: [7]) == ([7], []))
    }

    @Test func `who was erased is erased, and nobody else`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 12)
        let values = try ring.values(of: 0..<12)
        #expect(try ring.destroy([1, 2, 9, 200]) == 3)
        for ring in [ring, try Sample.open(on: disk.restarted())] {
            for person in UInt32(0)..<12 {
                let expected: Sealed = [1, 2, 9].contains(person) ? .erased : .opened(Sample.text(of: person))
                #expect(try ring.says(values[person], of: person) == expected, "person \(person)")
                #expect(try ring.isDestroyed(person) == (expected == .erased))
            }
        }
    }

    /// Whoever has the disk and the master key has no key of theirs, also not in what was left behind.
    @Test(arguments: [MasterKeySource.own, Sample.given()])
    func `nothing on the disk opens what was an erased person's`(source: MasterKeySource) throws {
        let ring = try Sample.begin(on: disk, source)
        try ring.makeKeys(below: 12)
        let values = try ring.values(of: 0..<12)
        var erased: Set<UInt32> = []
        for person: UInt32 in [5, 1, 6, 11, 4, 7] {
            try ring.destroy([person])
            erased.insert(person)
            let keys = try Thief.keys(on: disk, masters: [Sample.master])
            for (person, value) in values {
                #expect(Thief.opens(value, keys[person]) != erased.contains(person), "person \(person)")
            }
        }
    }

    /// `E3`: at every start everybody whom the log erased is destroyed again.
    @Test func `a backup of the keys brings nobody back`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 12)
        let values = try ring.values(of: 0..<12)
        try ring.destroy([3])
        let backup = [KeyFile.keys, KeyFile.table].map { ($0, disk.contents(Sample.path($0)) ?? []) }
        try ring.destroy([5, 9])
        let restored = disk.restarted()
        for (name, bytes) in backup { restored.setContents(Sample.path(name), bytes) }
        let again = try Sample.open(on: restored)
        #expect(try again.says(values[5], of: 5) == .opened(Sample.text(of: 5)))
        #expect(try again.destroy([3, 5, 9]) == 2)
        for person: UInt32 in [3, 5, 9] { #expect(try again.says(values[person], of: person) == .erased) }
        #expect(try again.says(values[4], of: 4) == .opened(Sample.text(of: 4)))
    }

    @Test func `to destroy again what is gone costs nothing`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 12)
        try ring.destroy([3, 5, 9])
        let again = try Sample.open(on: disk.restarted())
        let table = disk.contents(Sample.path(KeyFile.table))
        #expect(try again.destroy([9, 5, 3]) == 0)
        #expect(try again.destroy([3]) == 0)
        #expect(try again.destroy([]) == 0)
        #expect(disk.contents(Sample.path(KeyFile.table)) == table)
    }

    /// `E4`: who comes back is somebody new, with another number.
    @Test func `whoever comes after an erasure has a key of their own`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 4)
        let value = try ring.values(of: 2..<3)[2]
        try ring.destroy([2])
        try ring.makeKeys(below: 5)
        #expect(try ring.says(ring.values(of: 4..<5)[4], of: 4) == .opened(Sample.text(of: 4)))
        #expect(try ring.says(value, of: 2) == .erased)
    }

    @Test func `numbers that a torn write had used get other keys`() throws {
        let ring = try Sample.begin(on: disk, .own)
        try ring.makeKeys(below: 16)
        let values = try ring.values(of: 0..<16)
        for count in [12, 6, 4] {
            let again = try Sample.open(on: disk, .own)
            try again.renewKeys(beyond: count)
            #expect(again.people == (count + 3) / 4 * 4)
            try again.makeKeys(below: 16)
            let (now, keys) = (try again.values(of: 0..<16), try Thief.keys(on: disk))
            for person in UInt32(0)..<16 {
                #expect((now[person] == values[person]) == (person < count), "person \(person), \(count) are known")
                #expect(Thief.opens(values[person] ?? [], keys[person]) == (person < count))
            }
        }
    }

    @Test func `the file does not grow with erasures`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 12)
        for person in UInt32(0)..<12 { try ring.destroy([person]) }
        let size = disk.contents(Sample.path(KeyFile.keys))?.count ?? 0
        #expect(size <= KeyPages.headerSize + 4 * 4 * KeyPages.recordSize)
    }

    @Test func `only as many keys are kept in memory as the cache has room for`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 64)
        let values = try ring.values(of: 0..<64)
        for person in (UInt32(0)..<64).reversed() {
            #expect(try ring.says(values[person], of: person) == .opened(Sample.text(of: person)))
        }
        // Whoever is not in memory any more needs their record, and those are damaged now.
        let path = Sample.path(KeyFile.keys)
        let size = disk.contents(path)?.count ?? 0
        for start in stride(from: KeyPages.headerSize, to: size, by: KeyPages.recordSize) {
            disk.flipBit(path: path, bit: 8 * start)
        }
        let kept = (UInt32(0)..<64).filter { person in
            (try? ring.says(values[person], of: person)) == .opened(Sample.text(of: person))
        }
        // The cache, and the records of at most one page that were read ahead.
        #expect(kept.starts(with: 0..<8) && kept.count <= 8 + Sample.peopleAPage, "\(kept)")
    }

    @Test func `another process reads beside the writer`() throws {
        let ring = try Sample.begin(on: disk, .own)
        try ring.makeKeys(below: 8)
        let values = try ring.values(of: 0..<8)
        let reader = try Sample.open(on: disk, .own, isWriter: false)
        #expect(try reader.says(values[0], of: 0) == .opened(Sample.text(of: 0)))
        for person: UInt32 in [1, 2, 5] { try ring.destroy([person]) }
        try ring.makeKeys(below: 24)
        for person in UInt32(3)..<5 {
            #expect(try reader.says(values[person], of: person) == .opened(Sample.text(of: person)))
        }
        #expect(try reader.says(values[5], of: 5) == .erased)
        #expect(try reader.says(ring.values(of: 20..<21)[20], of: 20) == .opened(Sample.text(of: 20)))
    }

    @Test func `keys are begun once`() throws {
        #expect(try !KeyRing.isThere(in: Sample.directory, on: disk))
        _ = try Sample.begin(on: disk)
        #expect(try KeyRing.isThere(in: Sample.directory, on: disk))
        #expect(throws: KeyRingError.alreadyThere(file: "/log/keys.table")) { try Sample.begin(on: disk) }
    }

    @Test(.enabled(if: SealingOracle.isInstalled))
    func `a script that knows the format alone opens a field`() throws {
        try Sample.withFiles(people: 20) { ring, folder in
            let sealer = Sealer(ring)
            let texts = (UInt32(0)..<20).map { String(repeating: "Läuft. ", count: Int($0)) }
            let place = FieldPlace(sequence: 1 << 40, field: 9, item: 3)
            let values = try texts.enumerated().map { person, text in
                (UInt32(person), try sealer.seal(Array(text.utf8), of: UInt32(person), at: place))
            }
            try ring.destroy([3, 17])
            for (person, answer) in try SealingOracle.open(values, at: place, in: folder).enumerated() {
                #expect(answer == ([3, 17].contains(person) ? nil : Hexadecimal.text(texts[person].utf8)))
            }
        }
    }

    /// A herd's keys are read many at a time.
    @Test func `keys that are read ahead are those that are read one by one`() throws {
        let disk = Sample.disk()
        let ring = try KeyRing.begin(
            Sample.directory, of: Sample.identity, on: disk, master: Sample.given(), peopleAPage: 512, cacheCapacity: 8)
        try ring.makeKeys(below: 1000)
        let values = try ring.values(of: 0..<1000)
        try ring.destroy([130, 700])
        let again = try KeyRing(
            Sample.directory, of: Sample.identity, on: disk.restarted(), master: Sample.given(), cacheCapacity: 8)
        let (inOrder, fromTheEnd) = (Sealer(again), Sealer(again))
        for person: UInt32 in 0..<1000 {
            let (first, last) = (person, 999 - person)
            for (sealer, person) in [(inOrder, first), (fromTheEnd, last)] {
                let said = try sealer.open(#require(values[person]), of: person, at: Sample.place)
                let isGone = person == 130 || person == 700
                #expect(said == (isGone ? .erased : .opened(Sample.text(of: person))), "person \(person)")
            }
        }
        // One after the other, as in a herd, with nobody else in between.
        for person: UInt32 in 0..<1000 where person != 130 && person != 700 {
            #expect(try inOrder.open(#require(values[person]), of: person, at: Sample.place) != .erased)
        }
    }

    @Test func `the files are their owner's alone`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ring = try KeyRing.begin(folder.path, of: Sample.identity, on: RealDisk(), master: .own, peopleAPage: 8)
        try ring.makeKeys(below: 1)
        let value = try ring.values(of: 0..<1)
        try ring.destroy([5])
        for name in [KeyFile.keys, KeyFile.table, KeyFile.master] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        let again = try KeyRing(folder.path, of: Sample.identity, on: RealDisk(), master: .own)
        #expect(try again.says(value[0], of: 0) == .opened(Sample.text(of: 0)))
    }
}
