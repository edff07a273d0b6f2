import CivilTime
import Foundation
import Hashing
import Journal
import Notices
import Simulation
import Testing

@testable import Sealing

/// What people are told needs two keys, theirs and its week's, and is gone with either.
@Suite("Keys of weeks")
struct TextKeysTests {
    private let disk = Sample.disk()
    private let ring: KeyRing
    private var table: String { Sample.path(KeyFile.table) }

    init() throws {
        ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 6)
        for week in 100..<103 { try ring.makeKey(of: TextWeek(number: UInt16(week))) }
    }

    private static func week(_ number: UInt16) -> TextWeek { TextWeek(number: number) }

    private func told(in week: UInt16, to person: UInt32 = 1) throws -> [UInt8] {
        try Sealer(ring).seal(Sample.text(of: person), of: person, at: Sample.place, in: Self.week(week))
    }

    @Test func `a text of a week is opened again, whatever its length, and says which week it is of`() throws {
        let sealer = Sealer(ring)
        for count in 0..<50 {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let value = try sealer.seal(plain, of: 3, at: Sample.place, in: Self.week(101))
            #expect(value.count == SealedForm.size(sealing: count, of: Self.week(101)))
            #expect(Array(value[..<3]) == [SealedForm.weekMark, 101, 0])
            #expect(try sealer.open(value, of: 3, at: Sample.place) == .opened(plain))
            // Between texts of other weeks and what belongs to none.
            _ = try sealer.seal(plain, of: 3, at: Sample.place, in: Self.week(102))
            _ = try sealer.seal(plain, of: 3, at: Sample.place)
        }
    }

    @Test func `the mark begins no text and no protobuf message`() {
        #expect(String(validating: [SealedForm.weekMark], as: UTF8.self) == nil)
        #expect(SealedForm.weekMark & 7 > 5)
    }

    @Test func `a text is bound to its person, its place and its week`() throws {
        let value = try told(in: 101)
        let sealer = Sealer(ring)
        #expect(throws: SealedFieldError.notOpened(person: 2, Sample.place)) {
            try sealer.open(value, of: 2, at: Sample.place)
        }
        let elsewhere = FieldPlace(sequence: 8, field: 2)
        #expect(throws: SealedFieldError.notOpened(person: 1, elsewhere)) {
            try sealer.open(value, of: 1, at: elsewhere)
        }
        var otherWeek = value
        otherWeek[1] = 102
        #expect(throws: SealedFieldError.notOpened(person: 1, Sample.place)) {
            try sealer.open(otherWeek, of: 1, at: Sample.place)
        }
        #expect(throws: SealedFieldError.malformed(person: 1, Sample.place)) {
            try sealer.open(Array(value.dropLast()), of: 1, at: Sample.place)
        }
    }

    @Test func `a week's texts go with its key, and no other's`() throws {
        let values = try (UInt16(100)..<103).map { try told(in: $0) }
        let forEver = try ring.values(of: 1..<2)[1]
        let sealer = Sealer(ring)
        #expect(try sealer.open(values[0], of: 1, at: Sample.place) == .opened(Sample.text(of: 1)))
        #expect(try ring.destroyKeys(before: Self.week(102)) == 2)
        #expect(ring.firstTextWeek == Self.week(102))
        for ring in [ring, try Sample.open(on: disk.restarted())] {
            #expect(try ring.says(values[0], of: 1) == .erased)
            #expect(try ring.says(values[1], of: 1) == .erased)
            #expect(try ring.says(values[2], of: 1) == .opened(Sample.text(of: 1)))
            #expect(try ring.says(forEver, of: 1) == .opened(Sample.text(of: 1)))
        }
        // Whoever had set the key goes on with it no more.
        #expect(try sealer.open(values[0], of: 1, at: Sample.place) == .erased)
    }

    @Test func `a person's texts go with the person`() throws {
        let values = try (UInt32(0)..<6).map { try told(in: 101, to: $0) }
        try ring.destroy([4])
        for person: UInt32 in 0..<6 {
            let said = try ring.says(values[Int(person)], of: person)
            #expect(said == (person == 4 ? .erased : .opened(Sample.text(of: person))))
        }
    }

    @Test func `whoever has the disk and the master key opens nothing of a week that is gone`() throws {
        for source in [MasterKeySource.own, Sample.given()] {
            let disk = Sample.disk()
            let ring = try Sample.begin(on: disk, source)
            try ring.makeKeys(below: 3)
            for week: UInt16 in 7..<10 { try ring.makeKey(of: Self.week(week)) }
            let values = try (UInt16(7)..<10).map {
                try Sealer(ring).seal(Sample.text(of: 2), of: 2, at: Sample.place, in: Self.week($0))
            }
            for gone in 0...3 {
                try ring.destroyKeys(before: Self.week(7 + UInt16(gone)))
                for (place, value) in values.enumerated() {
                    let isOpen = try Thief.opensText(value, of: 2, on: disk, masters: [Sample.master])
                    #expect(isOpen == (place >= gone), "\(source.name): week \(7 + place) with \(gone) gone")
                }
            }
        }
    }

    /// `E3`
    @Test func `a backup of the keys brings no text back`() throws {
        let values = try (UInt16(100)..<103).map { try told(in: $0) }
        let backup = [KeyFile.keys, KeyFile.table].map { ($0, disk.contents(Sample.path($0)) ?? []) }
        try ring.destroyKeys(before: Self.week(102))
        let restored = disk.restarted()
        for (name, bytes) in backup { restored.setContents(Sample.path(name), bytes) }
        let again = try Sample.open(on: restored)
        #expect(try again.says(values[0], of: 1) == .opened(Sample.text(of: 1)))
        #expect(try again.destroyKeys(before: Self.week(102)) == 2)
        #expect(try again.says(values[0], of: 1) == .erased)
        #expect(try again.destroyKeys(before: Self.week(102)) == 0)
        #expect(try again.destroyKeys(before: Self.week(50)) == 0)
    }

    @Test func `keys that are older than the log are told, with the week`() throws {
        let old = disk.restarted()
        try ring.makeKey(of: Self.week(103))
        let value = try told(in: 103)
        let behind = try Sample.open(on: old)
        #expect(throws: SealedFieldError.keys(.textsBehind(file: table, week: Self.week(103)))) {
            try Sealer(behind).open(value, of: 1, at: Sample.place)
        }
        #expect(throws: KeyRingError.textsBehind(file: table, week: Self.week(103))) {
            try behind.expectKey(of: Self.week(103))
        }
        let words = "\(KeyRingError.textsBehind(file: table, week: Self.week(2956)))"
        #expect(words.contains("from 2026-08-27T00:00:00.000Z to 2026-09-03T00:00:00.000Z has no key"), "\(words)")
        // Whoever reads beside the writer looks again.
        let reader = try Sample.open(on: disk, isWriter: false)
        try ring.makeKey(of: Self.week(104))
        #expect(try Sealer(reader).open(told(in: 104), of: 1, at: Sample.place) == .opened(Sample.text(of: 1)))
    }

    @Test func `a week has one key, however often it is asked for, and none once it is gone`() throws {
        let before = disk.contents(table)
        try ring.makeKey(of: Self.week(101))
        #expect(disk.contents(table) == before)
        try ring.destroyKeys(before: Self.week(102))
        // A clock was ahead: what comes now goes with the first week that is left.
        #expect(try ring.makeKey(of: Self.week(101)) == Self.week(102))
        #expect(!ring.hasKey(of: Self.week(101)))
        try ring.expectKey(of: Self.week(101))
        try ring.destroyKeys(before: Self.week(110))
        #expect(try ring.makeKey(of: Self.week(104)) == Self.week(110))
        #expect(ring.hasKey(of: Self.week(110)))
    }

    /// An older Belfry opens what nothing of this is in.
    @Test func `a table without weeks is of the first version, and one with weeks of the second`() throws {
        let plain = Sample.disk()
        _ = try Sample.begin(on: plain)
        #expect(plain.contents(table)?[8] == 1)
        #expect(disk.contents(table)?[8] == 2)
        try ring.destroyKeys(before: Self.week(200))
        #expect(disk.contents(table)?[8] == 2, "which weeks are gone is known from it")
    }

    @Test func `what else changes the keys leaves those of weeks`() throws {
        let value = try told(in: 101, to: 2)
        try ring.makeKeys(below: 20)
        try ring.destroy([1])
        try ring.renewKeys(beyond: 18)
        #expect(try ring.says(value, of: 2) == .opened(Sample.text(of: 2)))
        #expect(
            try Sample.open(on: disk.restarted()).says(value, of: 2) == .opened(Sample.text(of: 2)))
        let own = Sample.disk()
        let other = try Sample.begin(on: own, .own)
        try other.makeKeys(below: 1)
        try other.makeKey(of: Self.week(9))
        let text = try Sealer(other).seal([7], of: 0, at: Sample.place, in: Self.week(9))
        try other.rotateMaster()
        #expect(try Sample.open(on: own.restarted(), .own).says(text, of: 0) == .opened([7]))
    }

    @Test func `the table cut off anywhere, or with one bit flipped, is told`() throws {
        let whole = try #require(disk.contents(table))
        for count in whole.count - 350..<whole.count {
            let left = disk.restarted()
            left.setContents(table, Array(whole.prefix(count)))
            let error = #expect(throws: KeyRingError.self, "\(count) bytes") { try Sample.open(on: left) }
            if case .truncated(table, count, _)? = error { continue }
            Issue.record("\(count) bytes: \(error.map { "\($0)" } ?? "opened")")
        }
        for bit in (whole.count - 304) * 8..<whole.count * 8 {
            let left = disk.restarted()
            left.flipBit(path: table, bit: bit)
            #expect(throws: KeyRingError.self, "bit \(bit)") { try Sample.open(on: left) }
        }
    }

    @Test func `keys of weeks in a database are as those in files, and go into one and out of it`() throws {
        let value = try told(in: 101)
        let tables = MemoryTables()
        try ring.carry(into: tables, master: Sample.given())
        func opened(isWriter: Bool) throws -> KeyRing {
            try KeyRing(
                Sample.directory, of: Sample.identity, on: Sample.disk(), master: Sample.given(), tables: tables,
                isWriter: isWriter)
        }
        let (owner, reader) = (try opened(isWriter: true), try opened(isWriter: false))
        #expect(try owner.says(value, of: 1) == .opened(Sample.text(of: 1)))
        try owner.makeKey(of: Self.week(103))
        let late = try Sealer(owner).seal(Sample.text(of: 1), of: 1, at: Sample.place, in: Self.week(103))
        #expect(try reader.says(late, of: 1) == .opened(Sample.text(of: 1)))
        // Which snapshots are under goes with it.
        let before = owner.snapshotKey?.withBytes { Array($0) }
        try owner.destroyKeys(before: Self.week(103))
        #expect(owner.snapshotKey?.withBytes { Array($0) } != before)
        #expect(tables.destroyed == 0, "nobody was erased")
        #expect(try owner.says(value, of: 1) == .erased)
        #expect(try opened(isWriter: false).says(value, of: 1) == .erased)
        let files = Sample.disk()
        let copied = try KeyRing.copy(tables, of: Sample.identity, to: Sample.directory, on: files)
        #expect(copied != nil)
        let copy = try Sample.open(on: files, isWriter: false)
        #expect(try copy.says(value, of: 1) == .erased)
        #expect(try copy.says(late, of: 1) == .opened(Sample.text(of: 1)))
    }

    @Test(.enabled(if: SealingOracle.isInstalled))
    func `a script that knows the format alone opens a text`() throws {
        try Sample.withFiles(people: 20) { ring, folder in
            for week: UInt16 in 2950..<2953 { try ring.makeKey(of: Self.week(week)) }
            let sealer = Sealer(ring)
            let values = try (UInt16(2950)..<2953).map { week in
                let text = Sample.text(of: 11)
                return (UInt32(11), try sealer.seal(text, of: 11, at: Sample.place, in: Self.week(week)))
            }
            try ring.destroyKeys(before: Self.week(2951))
            let text = Hexadecimal.text(Sample.text(of: 11))
            #expect(try SealingOracle.open(values, at: Sample.place, in: folder) == [nil, text, text])
        }
    }
}

@Suite("Weeks of texts")
struct TextWeekTests {
    @Test func `every instant is in one week, which begins on a Thursday in UTC`() throws {
        let thursday = try Instant(rfc3339: "2026-03-05T00:00:00Z")
        let week = TextWeek(of: thursday)
        #expect(week.start == thursday)
        #expect(week.end == thursday.advanced(byDays: 7))
        #expect(TextWeek(of: thursday.advanced(byMilliseconds: -1)).number == week.number - 1)
        #expect(TextWeek(of: week.end.advanced(byMilliseconds: -1)) == week)
        #expect(TextWeek(of: .distantPast).number == 0 && TextWeek(of: .distantFuture).number == .max)
    }

    @Test func `a week's texts end a day after the last of them was kept as long as the policy says`() throws {
        let week = TextWeek(of: try Instant(rfc3339: "2026-03-05T00:00:00Z"))
        #expect(
            RetentionRule(textsAfterDays: 30).end(ofTextsIn: week) == (try Instant(rfc3339: "2026-04-12T00:00:00Z")))
        #expect(RetentionRule(peopleAfterDays: 30).end(ofTextsIn: week) == nil)
    }
}
