import CivilTime
import Journal
import Notices
import Simulation
import Testing

@testable import Sealing

/// A worker lets go of a partition's keys while somebody still reads its copy (E1, M1).
@Suite("Keys that are let go under whoever reads")
struct LetGoTests {
    private let disk: SimulatedDisk
    private let log: LogReader
    private let limit: UInt64

    init() throws {
        let tables = MemoryTables()
        disk = SimulatedDisk(keeper: { LogKeys(Sample.given(), tables: { _ in tables }) })
        let journal = try Journal("/log", on: disk, holder: "a test")
        for user in ["ottilie", "rosalind"] {
            _ = try journal.append(
                [Entry(user: user, payload: .userEnrolled(UserEnrolled()))],
                at: Instant(milliseconds: 1_772_000_000_000))
        }
        try journal.close()
        log = try LogReader("/log", on: disk)
        limit = try #require(log.durablePosition)
        let keys = try #require(disk.keys as? LogKeys)
        keys.forget("/log")
        try #require(keys.opened(in: "/log") == nil)
    }

    @Test func `a reader has them for as long as it reads`() throws {
        #expect(try log.name(of: 0) == "ottilie")
    }

    @Test
    func `a tail goes on under those of its reader, and without any it does not take for erased what it cannot open`()
        throws
    {
        #expect(try log.openTail(through: limit).book[1] == "rosalind")
        let without = TailReader("/log", on: disk, from: log.tailPlace(at: .start))
        let error = #expect(throws: JournalError.self) { _ = try without.next(through: limit) }
        guard case .keys? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "it read on")")
            return
        }
        // They are opened again, by somebody else.
        _ = try LogReader("/log", on: disk)
        #expect(try without.next(through: limit) != nil)
    }

    @Test func `whoever reads already shows nothing of somebody who is erased meanwhile`() throws {
        _ = try LogReader("/log", on: disk)
        let tail = TailReader("/log", on: disk, from: log.tailPlace(at: .start))
        var met: [String] = []
        func pass(before seq: UInt64) throws {
            try tail.pass(
                through: limit, before: seq,
                meeting: { (person) throws(WireError) in
                    let id = try person.withID(as: UInt32(met.count)) { String(decoding: $0, as: UTF8.self) }
                    met.append(id)
                })
        }
        try pass(before: 2)
        try #require(disk.keys?.opened(in: "/log")).deny([1])
        try pass(before: .max)
        #expect(met == ["ottilie", Erased.person(1)])
    }

    @Test func `its snapshot is concealed under them`() throws {
        #expect(try log.writeIndex(through: .max, draftSuffix: ".beside") > 0)
        let index = try #require(disk.contents("/log/index.snapshot"))
        #expect(index[88..<96].contains { $0 != 0 }, "it lies in the clear")
        #expect(index.firstRange(of: Array("ottilie".utf8)) == nil)
        #expect(try LogReader("/log", on: disk).index().head == log.index().head)
    }

    @Test func `who has none writes no snapshot in the clear`() throws {
        let identity = try #require(log.identity)
        #expect(throws: DiskError(.write, "/log/state.snapshot", ErrorCode.noKey)) {
            _ = try SnapshotWriter(.state(version: 1), at: .start, of: identity, in: "/log", on: disk)
        }
        #expect(disk.contents("/log/state.snapshot.tmp") == nil)
    }
}
