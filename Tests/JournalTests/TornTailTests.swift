@testable import Journal
import Notices
import Simulation
import Testing

@Suite("G3, a torn tail")
struct TornTailTests {
    /// As a power cut may leave it: the note of what was acknowledged is gone as well.
    @Test(arguments: [1 << 20, 700])
    func `a file cut at any byte is cut back to its last whole commit, and the rest is kept`(
        segmentBytesMax: Int
    ) throws {
        let log = try KeptLog(segmentBytesMax: segmentBytesMax)
        let (path, bytes, first) = try log.lastSegment()
        for cut in 0..<bytes.count {
            let disk = try log.changed { disk in
                disk.setContents(path, Array(bytes[..<cut]))
                try disk.remove(SimulatedDisk.witness)
            }
            try under("cut at \(cut) of \(bytes.count)") {
                let hasHeader = cut >= SegmentHeader.size
                let commits = log.commits(before: hasHeader ? first + UInt64(cut - SegmentHeader.size) : first)
                let ends = log.whole.positions + [log.whole.head.position]
                let boundary = hasHeader ? Int(ends[commits] - first) + SegmentHeader.size : 0
                try expectCut(log, disk, path, from: boundary, bytes: Array(bytes[boundary..<cut]), commits: commits)
            }
        }
    }

    private func expectCut(
        _ log: KeptLog, _ disk: SimulatedDisk, _ path: String, from boundary: Int, bytes: [UInt8], commits: Int
    ) throws {
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe", options: log.scribe.options)
        let found = try WholeLog(Scribe.directory, on: disk)
        guard found.commits == Array(log.whole.commits.prefix(commits)), found.tail == .whole else {
            throw Broken("\(found.commits.count) commits are left of \(commits)")
        }
        let torn = try disk.tornFiles
        if bytes.isEmpty {
            guard torn.isEmpty else { throw Broken("\(torn) for nothing") }
        } else {
            guard torn == ["\(DiskPath.name(of: path))-\(boundary).torn"],
                disk.contents(DiskPath.join(Scribe.directory, torn[0])) == bytes
            else { throw Broken("\(torn) is not what was cut off") }
            guard journal.recoveredTail == .torn(file: path, offset: boundary, bytes: bytes.count) else {
                throw Broken("said to be \(journal.recoveredTail)")
            }
        }
        try journal.close()
    }

    /// Many commits of the log that it is copied from are written at once: those behind a hole say that the hole was durable there.
    @Test(arguments: [false, true])
    func `a hole that a power cut left in a copy is cut off with what is behind it, and in a log is damage`(
        isCopy: Bool
    ) throws {
        let log = try KeptLog()
        let (path, bytes, first) = try log.lastSegment()
        let hole = Int(log.whole.positions[2] - first) + SegmentHeader.size
        let disk = try log.changed { disk in
            var holed = bytes
            for place in hole..<hole + 64 { holed[place] = 0 }
            disk.setContents(path, holed)
            try disk.remove(SimulatedDisk.witness)
        }
        var options = log.scribe.options
        options.isCopy = isCopy
        guard isCopy else {
            try log.expectDamage(on: disk, "a hole")
            return
        }
        let journal = try Journal(Scribe.directory, on: disk, holder: "a copy", options: options)
        #expect(journal.head.position == log.whole.positions[2])
        #expect(journal.recoveredTail == .torn(file: path, offset: hole, bytes: bytes.count - hole))
        try journal.close()
    }

    @Test(arguments: [1 << 20, 700], [false, true])
    func `a file cut where commits were acknowledged is damage, and nothing is touched`(
        segmentBytesMax: Int, hasSnapshot: Bool
    ) throws {
        let log = try KeptLog(segmentBytesMax: segmentBytesMax, hasSnapshot: hasSnapshot)
        let (path, bytes, _) = try log.lastSegment()
        for cut in 0..<bytes.count {
            let disk = log.changed { $0.setContents(path, Array(bytes[..<cut])) }
            try log.expectDamage(on: disk, "cut at \(cut) of \(bytes.count)")
        }
    }

    @Test(arguments: [1, 7, 8, 71, 72, 512, 5000])
    func `zeros that a file had grown over are cut off`(count: Int) throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        let zeros = [UInt8](repeating: 0, count: count)
        let disk = log.changed { $0.setContents(path, bytes + zeros) }
        try expectCut(log, disk, path, from: bytes.count, bytes: zeros, commits: log.whole.commits.count)
    }

    @Test(arguments: 0..<64) func `whatever else stands behind the last commit is cut off`(seed: UInt64) throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        var random = SeededRandom(seed: seed)
        // Random bytes, or a piece of the log itself where it does not belong.
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let tail =
            seed % 2 == 0
            ? (0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            : Array(bytes[start...].prefix(600))
        let disk = log.changed { $0.setContents(path, bytes + tail) }
        try expectCut(log, disk, path, from: bytes.count, bytes: tail, commits: log.whole.commits.count)
    }

    /// The disk wrote the batch in its own order. That its later commits are whole does not make it damage: none of
    /// them says that the lost one had ever been durable.
    @Test func `a hole in a batch that was never acknowledged is a torn tail`() throws {
        let log = try KeptLog { scribe in
            try scribe.append(2)
            try scribe.commit()
            for _ in 0..<4 { try scribe.append(3) }
        }
        let (path, bytes, _) = try log.lastSegment()
        let ends = (log.whole.positions + [log.whole.head.position]).map { Int($0) + SegmentHeader.size }
        for hole in 1...3 {
            let disk = try log.changed { disk in
                let zeros = [UInt8](repeating: 0, count: ends[hole + 1] - ends[hole])
                disk.setContents(path, Array(bytes[..<ends[hole]]) + zeros + Array(bytes[ends[hole + 1]...]))
                try disk.remove(SimulatedDisk.witness)
            }
            let tail = Array(disk.contents(path)?[ends[hole]...] ?? [])
            try expectCut(log, disk, path, from: ends[hole], bytes: tail, commits: hole)
        }
    }

    @Test func `tails cut off at the same place are all kept`() throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        let disk = log.disk.copy()
        for tail in [[1, 2, 3], [4], [4]] as [[UInt8]] {
            disk.setContents(path, bytes + tail)
            let scribe = log.scribe.onto(disk)
            try scribe.comeBack()
            try scribe.close()
        }
        let kept = try disk.tornFiles.map { disk.contents(DiskPath.join(Scribe.directory, $0)) }
        #expect(kept.contains([1, 2, 3]) && kept.contains([4]))
    }

    /// A crash while a segment was begun leaves any part of its header. No commit was in it yet.
    @Test(arguments: [false, true])
    func `any beginning of a next segment reopens cleanly`(hasSnapshot: Bool) throws {
        let log = try KeptLog(segmentBytesMax: 700, hasSnapshot: hasSnapshot)
        let (path, bytes) = try log.nextSegment()
        for size in 0...bytes.count {
            for isWritten in [true, false] {
                let disk = log.changed { disk in
                    disk.setContents(path, isWritten ? Array(bytes[..<size]) : [UInt8](repeating: 0, count: size))
                }
                try under("\(size) bytes of a header") {
                    try log.scribe.onto(disk).comeBackAndGoOn()
                    let torn = try disk.tornFiles
                    let isLeft = size > 0 && (size < bytes.count || !isWritten)
                    guard torn.count == (isLeft ? 1 : 0) else { throw Broken("kept as torn: \(torn)") }
                    try log.scribe.onto(disk.recovered(.lost, seed: 0)).checkWholeIsLonger(than: log)
                }
            }
        }
    }
}

extension Scribe {
    fileprivate func checkWholeIsLonger(than log: KeptLog) throws {
        let found = try WholeLog(Self.directory, on: disk)
        guard found.commits.count == log.whole.commits.count + 2 else { throw Broken("what followed is gone") }
    }
}
