import Foundation
@testable import Journal
import Simulation
import Testing

/// A log that ends before what lies beside it has lost acknowledged commits, whatever was removed along with them.
@Suite("G3, what shows how long the log was")
struct EvidenceTests {
    private static let state = DiskPath.join(Scribe.directory, LogFile.state)
    private static let index = SimulatedDisk.snapshot

    /// The log without its witness, cut to so many bytes of its last segment.
    private func cut(_ log: KeptLog, to size: Int) throws -> SimulatedDisk {
        let (path, bytes, _) = try log.lastSegment()
        let disk = log.disk.copy()
        try disk.remove(SimulatedDisk.witness)
        disk.setContents(path, Array(bytes[..<size]))
        return disk
    }

    private func problem(_ log: KeptLog, _ disk: SimulatedDisk, _ circumstances: String) throws -> String {
        let error = try log.expectDamage(on: disk, circumstances)
        let reader = try? LogReader(Scribe.directory, on: disk)
        let read = try journalError { if let reader { _ = try LogVerifier(reader).run() } }
        #expect(reader == nil || read?.isDamage == true, "\(circumstances): verification found nothing")
        return "\(error.map { "\($0)" } ?? "")"
    }

    @Test(arguments: [1 << 20, 700])
    func `a log that was cut anywhere in front of its index snapshot is damaged without the witness too`(
        segmentBytesMax: Int
    ) throws {
        let log = try KeptLog(segmentBytesMax: segmentBytesMax, hasSnapshot: true)
        let size = try log.lastSegment().bytes.count
        for cut in 0..<size {
            let words = try problem(log, try self.cut(log, to: cut), "cut to \(cut) of \(size)")
            if !words.contains(LogFile.index) { Issue.record("cut to \(cut): \(words)") }
        }
    }

    @Test func `every piece of evidence is enough by itself, and is named`() throws {
        let log = try KeptLog(hasSnapshot: true)
        let snapshot = try #require(log.disk.contents(Self.index))
        let boundary = Int(log.whole.positions[3]) + SegmentHeader.size
        let aside = "\(LogFile.segment(0))-\(Int(log.whole.head.position) + SegmentHeader.size).torn"
        let pieces = [LogFile.index, LogFile.state, LogFile.index + ".tmp", LogFile.state + ".beside.tmp", aside]
        for piece in pieces {
            let disk = try cut(log, to: boundary)
            try disk.remove(Self.index)
            disk.setContents(DiskPath.join(Scribe.directory, piece), piece == aside ? [1] : snapshot)
            let words = try problem(log, disk, piece)
            #expect(words.contains("up to position \(log.whole.head.position)") && words.contains(piece), "\(words)")
            #expect(words.contains("remove \(piece): what came after it is then lost"), "\(words)")
        }
        // And all of it together.
        let all = try cut(log, to: boundary)
        for piece in pieces { all.setContents(DiskPath.join(Scribe.directory, piece), snapshot) }
        let words = try problem(log, all, "all of it")
        for piece in pieces { #expect(words.contains(piece), "\(words)") }
    }

    @Test func `a snapshot without any segment shows that there was a log`() throws {
        let log = try KeptLog(hasSnapshot: true)
        let disk = log.disk.copy()
        for path in try log.segments { try disk.remove(path) }
        try disk.remove(SimulatedDisk.witness)
        let error = try log.expectDamage(on: disk)
        #expect("\(error.map { "\($0)" } ?? "")".contains(LogFile.index))
        #expect(try journalError { _ = try LogReader(Scribe.directory, on: disk) }?.isDamage == true)
    }

    @Test func `whoever reads a part of the log can ask for its length`() throws {
        let log = try KeptLog(hasSnapshot: true)
        try LogReader(Scribe.directory, on: log.disk).checkLength()
        let disk = try cut(log, to: Int(log.whole.positions[3]) + SegmentHeader.size)
        let reader = try LogReader(Scribe.directory, on: disk)
        #expect(try journalError { try reader.checkLength() }?.isDamage == true)
    }

    @Test func `what is of another log, or not whole, shows nothing`() throws {
        let log = try KeptLog(hasSnapshot: true)
        let other = try KeptLog(hasSnapshot: true)
        let foreign = try #require(other.disk.contents(Self.index))
        let own = try #require(log.disk.contents(Self.index))
        let boundary = Int(log.whole.positions[3]) + SegmentHeader.size
        for bytes in [foreign, [UInt8](own[..<60]), [UInt8](repeating: 0, count: own.count), own.map { ~$0 }, []] {
            let disk = try cut(log, to: boundary)
            disk.setContents(Self.index, bytes)
            let journal = try Journal(Scribe.directory, on: disk, holder: "scribe", options: log.scribe.options)
            #expect(journal.head.position == log.whole.positions[3])
            guard case .missing = journal.recoveredWitness else {
                Issue.record("the witness was \(journal.recoveredWitness)")
                continue
            }
        }
    }

    /// What a killed process leaves of four commits: three and a half can be read, and only the first was synced.
    private func leftByKilled(_ log: KeptLog) throws -> SimulatedDisk {
        let (path, bytes, _) = try log.lastSegment()
        let start = Int(log.whole.positions[1]) + SegmentHeader.size
        let disk = log.disk.copy()
        try disk.remove(SimulatedDisk.witness)
        // For good: a power cut must not bring back a witness of what this disk never had.
        try disk.syncDirectory(Scribe.directory)
        disk.setContents(path, Array(bytes[..<start]))
        let file = try disk.open(path, .write)
        defer { disk.close(file) }
        try disk.writeAll(file, Array(bytes[start..<(bytes.count - 20)]), at: start)
        return disk
    }

    /// What a tail was cut off from is durable before the tail is set aside under a name that says so.
    @Test func `what is set aside vouches for what was in front of it, whatever the power does`() throws {
        let log = try KeptLog { scribe in
            try scribe.append(2)
            try scribe.commit()
            for _ in 0..<3 { try scribe.append(2) }
        }
        let whole = try leftByKilled(log)
        let before = whole.operations
        try Journal(Scribe.directory, on: whole, holder: "scribe").abandon()
        for k in before...whole.operations {
            for fate in Fate.allCases {
                let disk = try leftByKilled(log)
                disk.crash(after: k, half: k % 2 == 0)
                let journal = try? Journal(Scribe.directory, on: disk, holder: "scribe")
                #expect(journal == nil || k == whole.operations, "opened after the power was gone at \(k)")
                journal?.abandon()
                try under("cut after \(k), \(fate)") {
                    try Journal(Scribe.directory, on: disk.recovered(fate, seed: UInt64(k)), holder: "scribe").close()
                }
            }
        }
    }
}

@Suite("G3, a witness that is none")
struct WitnessStateTests {
    private func state(_ bytes: [UInt8]?, _ log: KeptLog) throws -> WitnessState {
        let disk = log.disk.copy()
        if let bytes {
            disk.setContents(SimulatedDisk.witness, bytes)
        } else {
            try disk.remove(SimulatedDisk.witness)
        }
        return try LogReader(Scribe.directory, on: disk).witness
    }

    @Test func `each says what it is`() throws {
        let log = try KeptLog()
        let whole = try #require(log.disk.contents(SimulatedDisk.witness))
        #expect(try state(whole, log).doubt == nil)
        #expect(try state(nil, log).doubt == "the file `durable` is missing")
        for blank in [[], [0], [UInt8](repeating: 0, count: whole.count)] {
            #expect(try state(blank, log).doubt == "the file `durable` is empty, as a power cut leaves it")
        }
        #expect(
            try state([UInt8](repeating: 7, count: 5000), log).doubt
                == "the file `durable` is damaged (it has 5000 bytes instead of 76)")
        #expect(
            try state(Array(whole[..<75]), log).doubt == "the file `durable` is damaged (it has 75 bytes instead of 76)"
        )
        #expect(
            try state([1] + whole.dropFirst(), log).doubt
                == "the file `durable` is damaged (its first 8 bytes are not a witness's)")
        for byte in 8..<whole.count {
            var flipped = whole
            flipped[byte] ^= 0x10
            #expect(try state(flipped, log).doubt == "the file `durable` is damaged (its checksum does not match)")
        }
    }

    /// Nor that nothing was.
    @Test func `one that is no whole one does not say how much was acknowledged`() throws {
        let log = try KeptLog()
        let whole = try #require(log.disk.contents(SimulatedDisk.witness))
        #expect(try LogReader(Scribe.directory, on: log.disk).durablePosition == log.whole.head.position)
        let none: [[UInt8]?] = [
            nil, [], [UInt8](repeating: 0, count: 76), Array(whole[..<75]), [1] + Array(whole[1...]),
        ]
        for bytes in none {
            let disk = log.disk.copy()
            if let bytes {
                disk.setContents(SimulatedDisk.witness, bytes)
            } else {
                try disk.remove(SimulatedDisk.witness)
            }
            let reader = try LogReader(Scribe.directory, on: disk)
            #expect(reader.durablePosition == nil, "\(reader.witness)")
            #expect(try reader.vouchedPosition() == log.whole.positions.last)
            #expect(try reader.acknowledged()?.position == log.whole.head.position)
        }
    }

    @Test func `beside one that is damaged an end that is cut off is damage`() throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        for cut in [1, 40, 71] {
            let disk = log.disk.copy()
            disk.setContents(path, Array(bytes.dropLast(cut)))
            disk.flipBit(path: SimulatedDisk.witness, bit: 300)
            let error = try log.expectDamage(on: disk, "cut by \(cut)")
            #expect(
                "\(error.map { "\($0)" } ?? "")".contains("the file `durable` is damaged (its checksum does not match)")
            )
        }
    }

    @Test(arguments: [76, 5000]) func `one that is damaged is told of and made anew, durably`(size: Int) throws {
        let log = try KeptLog()
        let disk = log.disk.copy()
        disk.setContents(SimulatedDisk.witness, [UInt8](repeating: 9, count: size))
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        guard case .damaged = journal.recoveredWitness else {
            Issue.record("it was taken for \(journal.recoveredWitness)")
            return
        }
        #expect(journal.head == log.whole.head)
        guard case .whole = try LogReader(Scribe.directory, on: disk.recovered(.lost, seed: 0)).witness else {
            Issue.record("a power cut brings the damaged one back")
            return
        }
    }

    @Test func `a new log needs none`() throws {
        guard case .whole = try Journal(Scribe.directory, on: SimulatedDisk(), holder: "scribe").recoveredWitness else {
            Issue.record("a new log misses its witness")
            return
        }
    }
}
