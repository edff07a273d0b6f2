@testable import Journal
import Simulation
import Testing

/// What lies in front of a snapshot is read by nobody else.
@Suite("The log is checked in pieces")
struct LogCheckTests {
    private func check(_ disk: SimulatedDisk, through end: LogHead, bytes: Int) throws -> Int {
        let check = try LogCheck(Scribe.directory, on: disk, through: end)
        var steps = 1
        while try check.step(bytes: bytes) == .more { steps += 1 }
        return steps
    }

    @Test(arguments: [1, 300, 1 << 20]) func `a whole log is found whole, in as many pieces as are asked for`(
        bytes: Int
    )
        throws
    {
        let log = try KeptLog(segmentBytesMax: 700)
        let steps = try check(log.disk, through: log.whole.head, bytes: bytes)
        #expect(bytes > 1 || steps == log.whole.commits.count)
        #expect(bytes < 1 << 20 || steps == 1)
        #expect(try check(SimulatedDiskWithNothing.disk, through: .start, bytes: bytes) == 1)
    }

    @Test func `any flipped bit in any segment is found`() throws {
        let log = try KeptLog(segmentBytesMax: 700, hasSnapshot: true)
        for path in try log.segments {
            let size = log.disk.contents(path)?.count ?? 0
            for bit in stride(from: 0, to: size * 8, by: 5) {
                let disk = log.changed { $0.flipBit(path: path, bit: bit) }
                let error = try journalError { _ = try check(disk, through: log.whole.head, bytes: 200) }
                if error?.isDamage != true {
                    Issue.record("bit \(bit) of \(path): \(error.map { "\($0)" } ?? "whole")")
                }
            }
        }
    }

    @Test func `a log that is shorter than its worker knows is damaged, with no witness and no snapshot too`() throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        for cut in 1...200 {
            let disk = try log.changed { disk in
                disk.setContents(path, Array(bytes.dropLast(cut)))
                try disk.remove(SimulatedDisk.witness)
            }
            #expect(try journalError { _ = try check(disk, through: log.whole.head, bytes: 99) }?.isDamage == true)
        }
    }

    /// A log that somebody wrote anew, every checksum right.
    @Test func `a chain that comes to another hash than the worker's is damage`() throws {
        let log = try KeptLog()
        var other = log.whole.head
        other.hash = LogHead.start.hash
        #expect(try journalError { _ = try check(log.disk, through: other, bytes: 99) }?.isDamage == true)
        // Between two commits there is no place to have been durable up to.
        var between = log.whole.head
        between.position -= 8
        #expect(try journalError { _ = try check(log.disk, through: between, bytes: 99) }?.isDamage == true)
    }

    @Test func `what a writer adds meanwhile is none of its business`() throws {
        let log = try KeptLog(segmentBytesMax: 700)
        let disk = log.disk.copy()
        let check = try LogCheck(Scribe.directory, on: disk, through: log.whole.head)
        #expect(try check.step(bytes: 1) == .more)
        let scribe = log.scribe.onto(disk)
        try scribe.open()
        for _ in 0..<5 {
            try scribe.append(3)
            try scribe.commit()
        }
        while try check.step(bytes: 1) == .more {}
        #expect(check.position == log.whole.head.position)
    }

    private enum SimulatedDiskWithNothing {
        static var disk: SimulatedDisk {
            get throws {
                let disk = SimulatedDisk()
                try Journal(Scribe.directory, on: disk, holder: "scribe").close()
                return disk
            }
        }
    }
}
