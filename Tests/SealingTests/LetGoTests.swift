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

    init() throws {
        let tables = MemoryTables()
        disk = SimulatedDisk(keeper: { LogKeys(Sample.given(), tables: { _ in tables }) })
        let journal = try Journal("/log", on: disk, holder: "a test")
        _ = try journal.append(
            [Entry(user: "ottilie", payload: .userEnrolled(UserEnrolled()))],
            at: Instant(milliseconds: 1_772_000_000_000))
        try journal.close()
        log = try LogReader("/log", on: disk)
        let keys = try #require(disk.keys as? LogKeys)
        keys.forget("/log")
        try #require(keys.opened(in: "/log") == nil)
    }

    @Test func `a reader has them for as long as it reads`() throws {
        #expect(try log.name(of: 0) == "ottilie")
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
