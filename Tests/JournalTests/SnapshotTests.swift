import CivilTime
@testable import Journal
import Simulation
import Testing

@Suite("The index snapshot is disposable")
struct SnapshotTests {
    /// Opens the log and tries every id it should know.
    private func expectAllKnown(_ log: KeptLog, _ disk: SimulatedDisk, _ circumstances: String) throws {
        try under(circumstances) {
            let scribe = log.scribe.onto(disk)
            try scribe.comeBack()
            try scribe.append(1, again: Array(0..<scribe.memory.made))
            try scribe.close()
            try scribe.checkWhole()
        }
    }

    @Test func `with one, only what follows it is read`() throws {
        let log = try KeptLog(segmentBytesMax: 700, hasSnapshot: true)
        let flipped = { (disk: SimulatedDisk) in disk.flipBit(path: try #require(try log.segments.first), bit: 2000) }
        try log.scribe.onto(log.changed(flipped)).open()
        let without = try log.changed { disk in
            try flipped(disk)
            try disk.remove(SimulatedDisk.snapshot)
        }
        try log.expectDamage(on: without)
    }

    @Test func `missing, cut or overwritten, it is passed over`() throws {
        let log = try KeptLog(segmentBytesMax: 700, hasSnapshot: true)
        let bytes = try #require(log.disk.contents(SimulatedDisk.snapshot))
        try expectAllKnown(log, try log.changed { try $0.remove(SimulatedDisk.snapshot) }, "removed")
        for cut in stride(from: 0, to: bytes.count, by: 97) {
            let disk = log.changed { $0.setContents(SimulatedDisk.snapshot, Array(bytes[..<cut])) }
            try expectAllKnown(log, disk, "cut at \(cut)")
        }
        let zeros = [UInt8](repeating: 0, count: bytes.count)
        try expectAllKnown(log, log.changed { $0.setContents(SimulatedDisk.snapshot, zeros) }, "zeros")
        try expectAllKnown(log, log.changed { $0.setContents(SimulatedDisk.snapshot, bytes + [1]) }, "longer")
    }

    @Test func `of an earlier time, it saves that much`() throws {
        let log = try KeptLog(segmentBytesMax: 700, hasSnapshot: true)
        let early = try #require(log.disk.contents(SimulatedDisk.snapshot))
        let scribe = log.scribe.onto(log.disk.copy())
        try scribe.open()
        try scribe.append(5)
        try scribe.close()
        scribe.disk.setContents(SimulatedDisk.snapshot, early)
        // What was before it is not read: a flipped bit there is found only without it.
        let flipped = scribe.disk.copy()
        flipped.flipBit(path: try #require(try log.segments.first), bit: 2000)
        try scribe.onto(flipped.copy()).open()
        try flipped.remove(SimulatedDisk.snapshot)
        try log.expectDamage(on: flipped)
        try scribe.comeBackAndGoOn()
    }

    /// A disk that a snapshot has filled up stops the worker.
    @Test(arguments: [
        (1_000, 300, true), (1_000, 600, false), (200 << 20, 120 << 20, true), (200 << 20, 140 << 20, false),
    ])
    func `none takes the room that the log needs`(free: Int, bytes: Int, hasRoom: Bool) throws {
        let disk = SimulatedDisk()
        try disk.makeDirectory("/log")
        disk.capacity = free
        let result = Result { () throws(DiskError) in
            let writer = try SnapshotWriter(
                .state(version: 1), at: .start, of: LogIdentity(words: (1, 2)), in: "/log", on: disk)
            try writer.section(1, [UInt8](repeating: 7, count: bytes))
            try writer.finish()
        }
        #expect(disk.contents("/log/state.snapshot.tmp") == nil)
        #expect((disk.contents("/log/state.snapshot") != nil) == hasRoom)
        guard case .failure(let error) = result else { return #expect(hasRoom) }
        #expect(!hasRoom && error.isOutOfSpace)
        #expect(try disk.freeSpace(at: "/log") == free)
    }

    @Test func `of another log, it is passed over`() throws {
        let log = try KeptLog(segmentBytesMax: 700, hasSnapshot: true)
        let other = try KeptLog(segmentBytesMax: 700, hasSnapshot: true)
        let foreign = try #require(other.disk.contents(SimulatedDisk.snapshot))
        try expectAllKnown(log, log.changed { $0.setContents(SimulatedDisk.snapshot, foreign) }, "foreign")
    }

    /// A log that was restored from a copy goes another way from there: the same identity, the same places, other
    /// commits. Only the chain tells them apart.
    @Test(arguments: [0, 1, 4], [false, true])
    func `of a history that was abandoned, it is passed over`(commitsAfter: Int, isAtSegmentStart: Bool) throws {
        let base = try KeptLog(segmentBytesMax: isAtSegmentStart ? 1 : 1 << 20)
        let abandoned = base.scribe.onto(base.disk.copy())
        let options = JournalOptions(segmentBytesMax: base.scribe.options.segmentBytesMax, snapshotEveryBytes: 0)
        let first = try Journal(Scribe.directory, on: abandoned.disk, holder: "scribe", options: options)
        _ = try first.append([Sample.points("someone", 1, id: "one")], at: Sample.start.advanced(byDays: 1))
        try first.close()
        let disk = base.disk.copy()
        let second = try Journal(Scribe.directory, on: disk, holder: "scribe", options: base.scribe.options)
        _ = try second.append([Sample.points("another", 1, id: "two")], at: Sample.start.advanced(byDays: 1))
        try #require(first.head.position == second.head.position)
        for number in 0..<commitsAfter {
            _ = try second.append([Sample.points("another", number + 2)], at: Sample.start.advanced(byDays: 1))
        }
        try second.close()
        disk.setContents(SimulatedDisk.snapshot, try #require(abandoned.disk.contents(SimulatedDisk.snapshot)))

        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        #expect(journal.head == second.head)
        #expect(journal.people.number(of: "someone") == nil)
        #expect(journal.people.number(of: "another") != nil)
        let outcomes = try journal.append(["one", "two"].map { Sample.points("anna", 1, id: $0) }, at: Sample.start)
        #expect(outcomes.map { if case .duplicate = $0 { true } else { false } } == [false, true])
    }

    /// Of a log that was longer: believing it would leave a hole behind the end of the file, and passing over it would
    /// hide that something is missing.
    @Test func `of a time that is gone, it shows that something is missing`() throws {
        let base = try KeptLog(segmentBytesMax: 700)
        let longer = base.scribe.onto(base.disk.copy())
        let options = JournalOptions(segmentBytesMax: 700, snapshotEveryBytes: 0)
        let journal = try Journal(Scribe.directory, on: longer.disk, holder: "scribe", options: options)
        _ = try journal.append([Sample.entry(77)], at: Sample.start)
        try journal.close()
        let snapshot = try #require(longer.disk.contents(SimulatedDisk.snapshot))
        try base.expectDamage(on: base.changed { $0.setContents(SimulatedDisk.snapshot, snapshot) })
        let both = base.changed { disk in
            disk.setContents(SimulatedDisk.snapshot, snapshot)
            disk.setContents(SimulatedDisk.witness, longer.disk.contents(SimulatedDisk.witness) ?? [])
        }
        try base.expectDamage(on: both)
    }
}
