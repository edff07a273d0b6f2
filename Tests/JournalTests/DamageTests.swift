import CivilTime
@testable import Journal
import Notices
import Simulation
import Testing

@Suite("G3, damage is an error and never a cut")
struct DamageTests {
    /// Every bit of every file, one at a time. Whatever it hits, it is either noticed or without consequence.
    @Test(arguments: [false, true]) func `any flipped bit is found, or harmless`(hasSnapshot: Bool) throws {
        let log = try KeptLog(segmentBytesMax: 500, hasSnapshot: hasSnapshot) { scribe in
            for count in [1, 2, 1] {
                try scribe.append(count)
                try scribe.commit()
            }
        }
        try #require(log.segments.count > 1)
        for (name, bytes) in log.files {
            let isSegment = LogFile.firstPosition(name) != nil
            // Nearly all of a snapshot is an empty table.
            for bit in stride(from: 0, to: bytes.count * 8, by: isSegment ? 1 : max(1, bytes.count / 60)) {
                let disk = log.changed { $0.flipBit(path: DiskPath.join(Scribe.directory, name), bit: bit) }
                try under("bit \(bit % 8) of byte \(bit / 8) of \(name)") {
                    try isSegment ? expectFound(log, disk) : expectHarmless(log, disk)
                }
            }
        }
    }

    /// Verification finds it; opening for writing, which reads the tail only, finds it or is not concerned by it.
    private func expectFound(_ log: KeptLog, _ disk: SimulatedDisk) throws {
        let verified = try journalError { _ = try LogVerifier(LogReader(Scribe.directory, on: disk)).run() }
        guard let verified, verified.isDamage else {
            throw Broken("verification found \(verified.map { "\($0)" } ?? "nothing")")
        }
        let before = try disk.files(in: Scribe.directory)
        let scribe = log.scribe.onto(disk)
        if let error = try journalError({ try scribe.open() }) {
            guard error.isDamage else { throw error }
            guard try disk.files(in: Scribe.directory) == before else { throw Broken("damage, and yet changed") }
            return
        }
        guard try disk.tornFiles.isEmpty, try scribe.running.head.position == log.whole.head.position else {
            throw Broken("the log was opened and is shorter")
        }
    }

    private func expectHarmless(_ log: KeptLog, _ disk: SimulatedDisk) throws {
        try log.scribe.onto(disk).comeBackAndGoOn()
        guard try disk.tornFiles.isEmpty else { throw Broken("something was cut off") }
    }

    /// Without the note of what was acknowledged, the commits vouch for those in front of them; only the last batch
    /// has nobody to vouch for it.
    @Test func `a flipped bit in front of the last commit is damage without the witness too`() throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        let last = Int(log.whole.positions[log.whole.positions.count - 1]) + SegmentHeader.size
        for bit in stride(from: 0, to: last * 8, by: 3) {
            let disk = try log.changed { disk in
                try disk.remove(SimulatedDisk.witness)
                disk.flipBit(path: path, bit: bit)
            }
            try log.expectDamage(on: disk, "bit \(bit) of \(bytes.count * 8)")
        }
    }

    /// A segment is begun only when all before it is durable, so that even an empty one proves it.
    @Test(arguments: [0, 50, SegmentHeader.size])
    func `a flipped bit in front of a segment that was begun is damage without the witness too`(size: Int) throws {
        let log = try KeptLog()
        let (next, header) = try log.nextSegment()
        let (path, bytes, _) = try log.lastSegment()
        for back in stride(from: 1, through: 200, by: 9) {
            let disk = try log.changed { disk in
                try disk.remove(SimulatedDisk.witness)
                disk.setContents(next, Array(header.prefix(size)))
                disk.flipBit(path: path, bit: bytes.count * 8 - back * 8)
            }
            try log.expectDamage(on: disk, "byte \(bytes.count - back)")
        }
        // And a cut between two commits, which nothing in the cut file itself shows.
        for position in log.whole.positions {
            let disk = try log.changed { disk in
                try disk.remove(SimulatedDisk.witness)
                disk.setContents(next, Array(header.prefix(size)))
                disk.setContents(path, Array(bytes[..<(Int(position) + SegmentHeader.size)]))
            }
            try log.expectDamage(on: disk, "cut to position \(position)")
        }
    }

    @Test(arguments: [false, true])
    func `a missing segment is damage, whichever it is`(hasSnapshot: Bool) throws {
        let log = try KeptLog(segmentBytesMax: 500, hasSnapshot: hasSnapshot)
        let segments = try log.segments
        try #require(segments.count >= 3)
        for path in segments {
            let disk = try log.changed { try $0.remove(path) }
            try log.expectDamage(on: disk, "without \(path)")
            try #require(try journalError { _ = try WholeLog(Scribe.directory, on: disk) }?.isDamage == true)
        }
        let none = try log.changed { disk in for path in segments { try disk.remove(path) } }
        try log.expectDamage(on: none, "without any segment")
    }

    @Test func `segments that changed places are damage`() throws {
        let log = try KeptLog(segmentBytesMax: 500)
        let segments = try log.segments
        for (left, right) in zip(segments, segments.dropFirst()) {
            let disk = log.changed { disk in
                let (first, second) = (disk.contents(left) ?? [], disk.contents(right) ?? [])
                disk.setContents(left, second)
                disk.setContents(right, first)
            }
            try log.expectDamage(on: disk, "\(left) and \(right)")
        }
    }

    @Test func `a renamed segment is damage`() throws {
        let log = try KeptLog(segmentBytesMax: 500)
        for path in try log.segments {
            for position in [log.whole.head.position, log.whole.head.position + 8, 8] {
                let other = DiskPath.join(Scribe.directory, LogFile.segment(position))
                let disk = try log.changed { try $0.rename(path, to: other) }
                try log.expectDamage(on: disk, "\(path) as \(other)")
            }
        }
    }

    /// A log of another identity that is alike in everything else.
    @Test func `a segment of another log is damage`() throws {
        let log = try KeptLog(segmentBytesMax: 500)
        let other = try KeptLog(segmentBytesMax: 500)
        try #require(try log.segments == other.segments)
        for path in try log.segments {
            let disk = log.changed { $0.setContents(path, other.disk.contents(path) ?? []) }
            try log.expectDamage(on: disk, "\(path) of another log")
        }
        let all = try log.changed { disk in
            for path in try log.segments { disk.setContents(path, other.disk.contents(path) ?? []) }
        }
        try log.expectDamage(on: all, "the segments of another log beside this one's witness")
    }

    @Test func `a newer format is refused by its number`() throws {
        let log = try KeptLog(segmentBytesMax: 500)
        for path in try log.segments {
            let disk = log.changed { disk in
                var bytes = disk.contents(path) ?? []
                bytes[8] = 7
                bytes.putChecksum(of: 0..<96, at: 96)
                disk.setContents(path, bytes)
            }
            let contents = try disk.list(Scribe.directory).map { disk.contents(DiskPath.join(Scribe.directory, $0)) }
            let error = try journalError { _ = try Journal(Scribe.directory, on: disk, holder: "scribe") }
            #expect(error == .newerFormat(file: path, version: 7))
            #expect(
                try disk.list(Scribe.directory).map { disk.contents(DiskPath.join(Scribe.directory, $0)) } == contents)
        }
    }

    @Test func `a segment's header says where the chain stands in front of it`() throws {
        let log = try KeptLog(segmentBytesMax: 500)
        for segment in try LogDirectory(Scribe.directory, on: log.disk).segments {
            let before = log.commits(before: segment.header.firstPosition)
            let events = log.whole.commits.prefix(before).joined().map(\.event)
            #expect(segment.header.firstSeq == UInt64(events.count) + 1)
            #expect(segment.header.previousAt == events.last?.at ?? .distantPast)
            #expect(segment.header.peopleBefore == UInt64(Set(events.compactMap(\.user)).count))
        }
    }

    /// Places, numbers and instants that readers begin by, each changed with the header's checksum made right.
    @Test(arguments: [32, 40, 56, 88]) func `a segment's header that lies about what is in front of it is damage`(
        field: Int
    ) throws {
        let log = try KeptLog(segmentBytesMax: 500)
        for path in try log.segments {
            let disk = log.changed { disk in
                var bytes = disk.contents(path) ?? []
                bytes[field] ^= 8
                bytes.putChecksum(of: 0..<96, at: 96)
                disk.setContents(path, bytes)
            }
            try log.expectDamage(on: disk, "\(path)")
        }
    }

    /// The chain is what finds a change made with care (G7): the commit's own checksum is right again.
    @Test func `a commit that was rewritten with its checksum breaks the chain`() throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        for (number, position) in log.whole.positions.enumerated() {
            let start = Int(position) + SegmentHeader.size
            let length = try #require(bytes.withUnsafeBytes { FrameHeader($0.piece(start, 72)) }).frameLength
            let disk = log.changed { disk in
                var bytes = bytes
                // The last byte of the instant: the commit is a moment later.
                bytes[start + 32] ^= 1
                bytes.put(bytes.withUnsafeBytes { FrameHeader.checksum(of: $0.piece(start, length)) }, at: start + 8)
                disk.setContents(path, bytes)
            }
            let error = try journalError { _ = try LogVerifier(LogReader(Scribe.directory, on: disk)).run() }
            #expect(error?.isDamage == true, "commit \(number)")
        }
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ number: UInt32, at offset: Int) {
        for index in 0..<4 { self[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(index * 8)) }
    }

    fileprivate mutating func putChecksum(of range: Range<Int>, at offset: Int) {
        put(withUnsafeBytes { Checksum.of($0.piece(range.lowerBound, range.count)) }, at: offset)
    }
}
