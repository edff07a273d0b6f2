import Journal
import Simulation
import Testing
import Worker

@Suite("A crash while a snapshot is taken costs nothing")
struct SnapshotCrashTests {
    /// A log with a snapshot of an earlier time, and the state it comes to.
    private struct Prepared {
        let log: WrittenHistory
        let whole: Outcome
        let operations: Int

        init(seed: UInt64) throws {
            log = try WrittenHistory.standard(seed: seed)
            let count = log.history.commits.count
            try log.write(0..<count / 2)
            try log.take()
            try log.write(count / 2..<count)
            whole = Outcome(try log.load(usingSnapshot: false))
            let disk = log.disk.restarted()
            try log.take(on: disk)
            operations = disk.operations
        }

        /// The disk as the crash left it, with what had been done of the taking.
        func cut(after k: Int, half: Bool) throws -> SimulatedDisk {
            let disk = log.disk.restarted()
            disk.crash(after: k, half: half)
            do { try log.take(on: disk) } catch  where !disk.isPowered {}
            return disk
        }

        func expectWhole(on disk: SimulatedDisk, _ circumstances: String) throws {
            let folded = try log.load(on: disk)
            #expect(Outcome(folded) == whole, "\(circumstances)")
            #expect(folded.snapshot != nil, "\(circumstances): neither the old one nor the new one is there")
            // Whoever writes comes to the same log, and the next snapshot is whole.
            let journal = try Journal(WrittenHistory.directory, on: disk, holder: "the test")
            #expect(journal.head == whole.head, "\(circumstances)")
            try journal.close()
            try log.take(on: disk)
            let again = try log.load(on: disk)
            #expect(Outcome(again) == whole && again.eventsFolded == 0, "\(circumstances)")
            #expect(try disk.list(WrittenHistory.directory).allSatisfy { !$0.hasSuffix(".tmp") }, "\(circumstances)")
        }
    }

    @Test(arguments: Fate.allCases) func `the power goes at any operation`(fate: Fate) throws {
        let prepared = try Prepared(seed: 3)
        #expect(prepared.operations > 20)
        for k in 0...prepared.operations {
            for half in [false, true] {
                let disk = try prepared.cut(after: k, half: half).recovered(fate, seed: UInt64(k))
                try prepared.expectWhole(on: disk, "after operation \(k), half \(half)")
            }
        }
    }

    @Test func `the process dies at any operation`() throws {
        let prepared = try Prepared(seed: 4)
        for k in 0...prepared.operations {
            let disk = try prepared.cut(after: k, half: k % 2 == 1).restarted()
            try prepared.expectWhole(on: disk, "after operation \(k)")
        }
    }

    @Test func `a disk that fails at any operation leaves what was there`() throws {
        let prepared = try Prepared(seed: 5)
        for k in 1...prepared.operations {
            for code in [ErrorCode.noSpace, ErrorCode.inputOutput] {
                let disk = prepared.log.disk.restarted()
                disk.faults = [k: .error(code)]
                do { try prepared.log.take(on: disk) } catch let error as JournalError {
                    guard case .disk(let cause) = error, cause.code == code else { throw error }
                }
                disk.faults = [:]
                try prepared.expectWhole(on: disk, "operation \(k) failed with \(code)")
            }
        }
    }
}
