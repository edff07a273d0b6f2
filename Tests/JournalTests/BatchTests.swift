@testable import Journal
import Notices
import Simulation
import Testing

@Suite("Batches: while one is synced the next collects")
struct BatchTests {
    private let disk = SimulatedDisk()

    private func journal(segmentBytesMax: Int = 1 << 20) throws -> Journal {
        try Journal(
            Scribe.directory, on: disk, holder: "scribe", options: JournalOptions(segmentBytesMax: segmentBytesMax))
    }

    private func append(_ numbers: Range<Int>, to journal: Journal) throws {
        for number in numbers { _ = try journal.append([Sample.entry(number)], at: Sample.start) }
    }

    @Test func `there is no batch when nothing waits`() throws {
        let journal = try journal()
        #expect(journal.takeBatch() == nil)
        #expect(!journal.hasUnwritten && journal.unwrittenBytes == 0)
        try append(0..<1, to: journal)
        try journal.commit()
        #expect(journal.takeBatch() == nil)
        #expect(!journal.hasUnwritten && journal.unwrittenBytes == 0)
    }

    @Test func `there is one batch at a time`() throws {
        let journal = try journal()
        try append(0..<2, to: journal)
        let first = try #require(journal.takeBatch())
        try append(2..<5, to: journal)
        #expect(journal.takeBatch() == nil)
        try journal.writer.write(first)
        #expect(journal.takeBatch() == nil)
        journal.finished(first, .success(()))
        let second = try #require(journal.takeBatch())
        #expect(second !== first)
        #expect(second.firstPosition == first.end.position)
        #expect(second.end == journal.head)
    }

    @Test func `a commit that is more than a frame holds stops the log, and says how large it was`() throws {
        var options = JournalOptions()
        options.commitBytesMax = 1000
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe", options: options)
        try append(0..<1, to: journal)
        try journal.commit()
        var told: JournalError?
        do { _ = try journal.append(Sample.entries(10..<200), at: Sample.start) } catch { told = error }
        guard case .tooLarge(let bytes)? = told, bytes > 1000 else {
            Issue.record("told \(told as Any)")
            return
        }
        #expect(throws: JournalError.tooLarge(bytes: bytes)) { try append(300..<301, to: journal) }
        #expect(journal.takeBatch() == nil)
        #expect(throws: JournalError.tooLarge(bytes: bytes)) { try journal.close() }
        #expect(try WholeLog(Scribe.directory, on: disk).commits.map(\.count) == [1])
    }

    @Test func `a batch that was taken does not change any more`() throws {
        let journal = try journal()
        try append(0..<2, to: journal)
        let batch = try #require(journal.takeBatch())
        let (bytes, end) = (Array(batch.bytes.bytes), batch.end)
        try append(2..<9, to: journal)
        #expect(Array(batch.bytes.bytes) == bytes && batch.end == end)
        #expect(journal.head.position > end.position)
    }

    @Test func `what is durable moves when the writer is done, and not before`() throws {
        let journal = try journal()
        try append(0..<2, to: journal)
        #expect(journal.durableHead == .start && journal.hasUnwritten)
        #expect(UInt64(journal.unwrittenBytes) == journal.head.position)
        let batch = try #require(journal.takeBatch())
        try append(2..<4, to: journal)
        #expect(journal.durableHead == .start)
        try journal.writer.write(batch)
        #expect(journal.durableHead == .start && journal.hasUnwritten)
        journal.finished(batch, .success(()))
        #expect(journal.durableHead == batch.end && journal.hasUnwritten)
        #expect(UInt64(journal.unwrittenBytes) == journal.head.position - batch.end.position)
        try journal.commit()
        #expect(journal.durableHead == journal.head && !journal.hasUnwritten)
    }

    /// When the writer says so, it is on the disk: bytes, file and name.
    @Test func `a batch that was written survives a power cut`() throws {
        let journal = try journal(segmentBytesMax: 500)
        try append(0..<12, to: journal)
        var commits = 0
        while let batch = journal.takeBatch() {
            try journal.writer.write(batch)
            journal.finished(batch, .success(()))
            let found = try WholeLog(Scribe.directory, on: disk.recovered(.lost, seed: 0))
            #expect(found.head == batch.end)
            #expect(found.commits.count > commits)
            commits = found.commits.count
        }
        #expect(commits == 12)
    }

    @Test func `batches come in the order of the log, one for each segment`() throws {
        let journal = try journal(segmentBytesMax: 700)
        try append(0..<12, to: journal)
        var next: UInt64 = 0
        var segments = 0
        while let batch = journal.takeBatch() {
            #expect(batch.firstPosition == next)
            #expect(batch.opens?.firstPosition == next)
            try journal.writer.write(batch)
            journal.finished(batch, .success(()))
            next = batch.end.position
            segments += 1
        }
        #expect(next == journal.head.position && journal.durableHead == journal.head)
        #expect(try disk.segments(in: Scribe.directory).count == segments && segments > 2)
        for path in try disk.segments(in: Scribe.directory) {
            #expect(try #require(disk.contents(path)).count <= 700)
        }
    }

    @Test func `a commit that fits no segment has one to itself`() throws {
        let journal = try journal(segmentBytesMax: 500)
        for range in [0..<1, 1..<60, 60..<61, 61..<62] {
            _ = try journal.append(Sample.entries(range), at: Sample.start)
        }
        try journal.commit()
        let sizes = try disk.segments(in: Scribe.directory).map { disk.contents($0)?.count ?? 0 }
        #expect(sizes.count == 3 && sizes[1] > 2000)
        #expect(try WholeLog(Scribe.directory, on: disk).commits.map(\.count) == [1, 59, 1, 1])
    }

    @Test func `however many commits wait, they cost one sync`() throws {
        let journal = try journal()
        try append(0..<1, to: journal)
        try journal.commit()
        let before = disk.syncs.count
        try append(1..<100, to: journal)
        try journal.commit()
        #expect(disk.syncs.count == before + 1)
    }

    /// What a commit says was durable when it was written was so: recovery takes it at its word.
    @Test func `a commit vouches for nothing that was still on its way`() throws {
        let journal = try journal(segmentBytesMax: 900)
        var durable: [UInt64] = []
        let appendOne = { (number: Int) in
            durable.append(journal.durableHead.position)
            try append(number..<number + 1, to: journal)
        }
        try appendOne(0)
        for number in stride(from: 1, to: 40, by: 3) {
            let batch = try #require(journal.takeBatch())
            try appendOne(number)
            try journal.writer.write(batch)
            try appendOne(number + 1)
            journal.finished(batch, .success(()))
            try appendOne(number + 2)
        }
        try journal.commit()
        let found = try WholeLog(Scribe.directory, on: disk)
        #expect(found.durableBefore == durable)
        #expect(zip(found.durableBefore, found.positions).allSatisfy { $0 <= $1 })
    }

    @Test func `after a batch that failed there is no other`() throws {
        let journal = try journal()
        try append(0..<1, to: journal)
        try journal.commit()
        let durable = journal.durableHead
        try append(1..<3, to: journal)
        let batch = try #require(journal.takeBatch())
        try append(3..<5, to: journal)
        let error = DiskError(.syncData, "a", ErrorCode.inputOutput)
        journal.finished(batch, .failure(error))
        #expect(journal.takeBatch() == nil && journal.durableHead == durable)
        #expect(try journalError { try append(5..<6, to: journal) } == .stopped(error))
        #expect(try journalError { try journal.commit() } == .stopped(error))
    }

    /// The writer knows it by itself: it may have been handed the next batch before anyone heard of the failure.
    @Test func `a writer that failed writes nothing more`() throws {
        let journal = try journal()
        try append(0..<1, to: journal)
        try journal.commit()
        try append(1..<2, to: journal)
        let batch = try #require(journal.takeBatch())
        disk.faults = [disk.operations + 2: .error(ErrorCode.inputOutput)]
        #expect(diskErrorCode { try journal.writer.write(batch) } == ErrorCode.inputOutput)
        let operations = disk.operations
        #expect(diskErrorCode { try journal.writer.write(batch) } == ErrorCode.inputOutput)
        #expect(disk.operations == operations)
    }
}
