import CivilTime
@testable import Journal
import Notices
import Simulation
import Testing

/// A second fact with an id is answered with the number of the first, and changes nothing, for as long as the log
/// lives (SPEC §2).
@Suite("§2, duplicates")
struct DuplicateTests {
    @Test func `inside one commit`() throws {
        let journal = try Journal(Scribe.directory, on: SimulatedDisk(), holder: "scribe")
        let entries = ["a", "b", "a", "b", "c", "a"].map { Sample.points("anna", 1, id: $0) }
        #expect(
            try journal.append(entries, at: Sample.start) == [
                .recorded(seq: 1), .recorded(seq: 2), .duplicate(of: 1), .duplicate(of: 2), .recorded(seq: 3),
                .duplicate(of: 1),
            ])
        #expect(journal.head.lastSeq == 3)
    }

    @Test func `the first one stands, whatever the second says`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        _ = try journal.append([Sample.points("anna", 1, id: "a")], at: Sample.start)
        let second = try journal.append([Sample.points("ben", 2, id: "a")], at: Sample.start)
        #expect(second == [.duplicate(of: 1)])
        try journal.close()
        let found = try WholeLog(Scribe.directory, on: disk).commits
        #expect(found == [[Line(Sample.points("anna", 1, id: "a"), seq: 1, at: Sample.start)]])
    }

    @Test func `facts without an id are never duplicates`() throws {
        let journal = try Journal(Scribe.directory, on: SimulatedDisk(), holder: "scribe")
        for seq in UInt64(1)...3 {
            #expect(try journal.append([Sample.points("anna", 1)], at: Sample.start) == [.recorded(seq: seq)])
        }
    }

    @Test func `duplicates alone make no commit`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        _ = try journal.append([Sample.points("anna", 1, id: "a")], at: Sample.start)
        try journal.commit()
        let head = journal.head
        let operations = disk.operations
        let again = try journal.append([Sample.points("anna", 1, id: "a")], at: Sample.start.advanced(bySeconds: 1))
        try journal.commit()
        #expect(again == [.duplicate(of: 1)])
        #expect(journal.head == head && !journal.hasUnwritten && disk.operations == operations)
    }

    /// Ids that a weak hash or a careless comparison would take for each other.
    @Test func `ids that are alike are not the same`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        var ids: [String] = []
        for length in 1...40 {
            ids.append(String(repeating: "a", count: length))
            ids.append(String(repeating: "a", count: length - 1) + "b")
            ids.append("b" + String(repeating: "a", count: length))
        }
        ids = ids.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        for (number, id) in ids.enumerated() {
            let outcome = try journal.append([Sample.points("anna", 1, id: id)], at: Sample.start)
            #expect(outcome == [.recorded(seq: UInt64(number) + 1)], "\(id)")
            if number % 9 == 0 { try journal.commit() }
        }
        for (number, id) in ids.enumerated() {
            let outcome = try journal.append([Sample.points("anna", 1, id: id)], at: Sample.start)
            #expect(outcome == [.duplicate(of: UInt64(number) + 1)], "\(id)")
        }
    }

    /// The index knows 36 bits of an id's hash; the log itself has the last word.
    @Test func `ids that the index cannot tell apart are not the same`() throws {
        let scribe = Scribe(on: SimulatedDisk(), JournalOptions())
        try scribe.open()
        try scribe.append(1)
        try scribe.commit()
        let identity = try #require(try LogDirectory(Scribe.directory, on: scribe.disk).identity)
        let hash = KeyHash(identity)
        var seen: [UInt64: Int] = [:]
        var number = 0
        var twin: Int?
        while twin == nil {
            number += 1
            twin = seen.updateValue(number, forKey: Array("\(number)".utf8).withUnsafeBytes { hash($0) >> 28 })
        }
        let ids = try ["\(number)", "\(#require(twin))"]
        var index = FactIDs(identity)
        Array(ids[0].utf8).withUnsafeBytes { index.insert($0, at: 8) }
        try #require(Array(ids[1].utf8).withUnsafeBytes { index.candidates($0) } == [8])
        for id in ids { try scribe.append([Sample.points("anna", 1, id: id)]) }
        try scribe.commit()
        try scribe.append(ids.map { Sample.points("ben", 2, id: $0) })
        try scribe.close()
        try scribe.checkWhole()
    }

    /// Each in a place of its own: durable in an older segment and in this one, with the writer, sealed, collecting.
    @Test func `wherever the first one has got to`() throws {
        let scribe = Scribe(
            on: SimulatedDisk(), JournalOptions(segmentBytesMax: 700, snapshotEveryBytes: 1 << 20))
        try scribe.open()
        for _ in 0..<4 {
            try scribe.append(3)
            try scribe.commit()
        }
        for _ in 0..<6 { try scribe.append(2) }
        let batch = try #require(try scribe.running.takeBatch())
        try scribe.append(1, again: Array(0..<scribe.memory.made))
        try scribe.append(1, again: Array(0..<scribe.memory.made))
        try scribe.running.writer.write(batch)
        try scribe.append(1, again: Array(0..<scribe.memory.made))
        try scribe.running.finished(batch, .success(()))
        try scribe.append(1, again: Array(0..<scribe.memory.made))
        try scribe.close()
        try scribe.checkWhole()
    }

    /// A lookup in the file while the writer is in the middle of a batch sees a part of it, and must not go by that.
    @Test func `when the file was looked at in the middle of a write`() throws {
        let scribe = Scribe(on: SimulatedDisk(), JournalOptions())
        try scribe.open()
        try scribe.append([Sample.points("anna", 1, id: "first")])
        try scribe.commit()
        for id in ["second", "third"] { try scribe.append([Sample.points("anna", 1, id: id)]) }
        let batch = try #require(try scribe.running.takeBatch())
        let path = try #require(try scribe.disk.segments(in: Scribe.directory).first)
        let file = try scribe.disk.open(path, .write)
        let half = Array(batch.bytes.bytes.dropLast(20))
        try scribe.disk.writeAll(file, half, at: SegmentHeader.size + Int(batch.firstPosition))
        try scribe.append([Sample.points("anna", 1, id: "first")])
        try scribe.running.writer.write(batch)
        try scribe.running.finished(batch, .success(()))
        try scribe.append(["third", "second", "first"].map { Sample.points("ben", 1, id: $0) })
        try scribe.close()
        try scribe.checkWhole()
    }

    @Test(arguments: [0, 1 << 20]) func `after the log was opened again`(snapshotEveryBytes: Int) throws {
        let scribe = Scribe(
            on: SimulatedDisk(), JournalOptions(segmentBytesMax: 700, snapshotEveryBytes: snapshotEveryBytes))
        for _ in 0..<4 {
            try scribe.open()
            try scribe.append(4, again: Array(0..<scribe.memory.made))
            try scribe.append(1)
            try scribe.close()
            #expect((scribe.disk.contents(SimulatedDisk.snapshot) != nil) == (snapshotEveryBytes == 0))
        }
        try scribe.checkWhole()
    }
}
