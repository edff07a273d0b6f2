@testable import Journal
import Simulation
import Testing

@Suite("Opening a log")
struct OpeningTests {
    private let directory = Scribe.directory
    private static let lock = DiskPath.join(Scribe.directory, LogFile.lock)

    private func open(_ disk: any Disk, holder: String = "belfry run, process 7") throws -> Journal {
        try Journal(directory, on: disk, holder: holder)
    }

    @Test func `a directory that is missing is made, with those above it`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal("/a/b/c/log", on: disk, holder: "scribe")
        _ = try journal.append([Sample.entry(1)], at: Sample.start)
        try journal.commit()
        #expect(try WholeLog("/a/b/c/log", on: disk.recovered(.lost, seed: 0)).commits.count == 1)
    }

    @Test(arguments: ["log", "./log", "events/log", "events/log/"])
    func `a relative path is as good`(path: String) throws {
        let disk = SimulatedDisk()
        let journal = try Journal(path, on: disk, holder: "scribe")
        _ = try journal.append([Sample.entry(1)], at: Sample.start)
        try journal.close()
        #expect(try WholeLog(path, on: disk.recovered(.lost, seed: 0)).commits.count == 1)
    }

    @Test func `an empty log stays empty, and reads as one`() throws {
        let disk = SimulatedDisk()
        for _ in 0..<2 {
            let journal = try open(disk)
            #expect(journal.head == .start)
            #expect(!journal.hasUnwritten)
            try journal.close()
        }
        #expect(try LogVerifier(LogReader(directory, on: disk)).run() == LogVerifier.Report())
    }

    @Test(arguments: ["notes.txt", "000.segment", "00000000000000000000.segment.bak", "lock.old", ".git"])
    func `a directory of something else is refused and left alone`(stranger: String) throws {
        let disk = SimulatedDisk()
        disk.setContents(DiskPath.join(directory, stranger), [1])
        let error = try journalError { _ = try open(disk) }
        #expect(error == .notALog(directory: directory, found: "it holds \"\(stranger)\""))
        #expect(try disk.list(directory) == [stranger])
    }

    @Test func `beside a log other files are no harm`() throws {
        let log = try KeptLog()
        let disk = log.changed { $0.setContents(DiskPath.join(directory, "notes.txt"), [1]) }
        try log.scribe.onto(disk).comeBackAndGoOn()
    }

    @Test func `what only a log leaves is a log that was begun`() throws {
        for name in [LogFile.lock, "a.tmp", "x.torn", "belfry.sock"] {
            let disk = SimulatedDisk()
            disk.setContents(DiskPath.join(directory, name), [1])
            try open(disk).close()
        }
    }

    @Test func `a file is no directory`() throws {
        let disk = SimulatedDisk()
        disk.setContents(directory, [1])
        let error = try journalError { _ = try open(disk) }
        #expect(error == .notALog(directory: directory, found: "it is a file"))
    }

    @Test func `a reader is told where there is no log`() throws {
        let error = try journalError { _ = try LogReader(directory, on: SimulatedDisk()) }
        #expect(error == .noLog(directory: directory))
    }

    @Test func `another user's directory is refused and left alone`() throws {
        let log = try KeptLog()
        let disk = log.changed { $0.setOwner(of: directory, to: 33) }
        #expect(try journalError { _ = try open(disk) } == .notMine(directory: directory, owner: 33))
        #expect(disk.contents(Self.lock) == log.disk.contents(Self.lock))
        #expect(disk.operations == 0)
    }

    @Test func `a second writer is refused in the words of the first`() throws {
        let disk = SimulatedDisk()
        let first = try open(disk, holder: "belfry run, process 7")
        _ = try first.append([Sample.entry(1)], at: Sample.start)
        try first.commit()
        let before = try disk.files(in: directory)
        let error = try journalError { _ = try open(disk, holder: "belfry append") }
        #expect(error == .inUse(directory: directory, holder: "belfry run, process 7"))
        #expect(error?.description.contains("being written by belfry run, process 7") == true)
        #expect(try disk.files(in: directory) == before)
        _ = try first.append([Sample.entry(2)], at: Sample.start)
        try first.close()
        #expect(try open(disk, holder: "belfry append").head == first.head)
        #expect(disk.contents(Self.lock) == Array("belfry append".utf8))
    }

    /// Counts how often somebody tried for a lock, and lets go of it before one of the tries.
    private final class Holder: @unchecked Sendable {  // Used on one thread: the opening waits in it.
        var journal: Journal?
        var tries = 0

        func patience(lettingGoAt last: Int?, triesMost: Int) -> LockPatience {
            LockPatience { [self] holder in
                guard holder == "the first" else { return false }
                tries += 1
                if tries == last {
                    try? journal?.close()
                    journal = nil
                }
                return tries < triesMost
            }
        }
    }

    @Test func `a lock that is let go of in time is waited for, and one that is not is told of`() throws {
        let disk = SimulatedDisk()
        let holder = Holder()
        holder.journal = try open(disk, holder: "the first")
        var options = JournalOptions()
        options.lockPatience = holder.patience(lettingGoAt: nil, triesMost: 5)
        let error = try journalError { _ = try Journal(directory, on: disk, holder: "the second", options: options) }
        #expect(error == .inUse(directory: directory, holder: "the first"))
        #expect(holder.tries == 5)
        options.lockPatience = holder.patience(lettingGoAt: 8, triesMost: 100)
        try Journal(directory, on: disk, holder: "the second", options: options).close()
        #expect(holder.tries == 8)
    }

    @Test func `a writer that was refused has not taken the lock along`() throws {
        let disk = SimulatedDisk()
        let first = try open(disk)
        for _ in 0..<3 { #expect(try journalError { _ = try open(disk) } != nil) }
        try first.close()
        try open(disk).close()
    }

    @Test func `a log that could not be opened is not locked`() throws {
        let log = try KeptLog()
        let path = try #require(try log.segments.first)
        let disk = log.changed { $0.flipBit(path: path, bit: 900) }
        for _ in 0..<2 { #expect(try journalError { _ = try open(disk) }?.isDamage == true) }
        disk.flipBit(path: path, bit: 900)
        try log.scribe.onto(disk).comeBackAndGoOn()
    }

    @Test func `the lock ends with the process`() throws {
        let disk = SimulatedDisk()
        let first = try open(disk)
        _ = try first.append([Sample.entry(1)], at: Sample.start)
        try first.commit()
        #expect(try open(disk.restarted()).head == first.head)
        #expect(try open(disk.recovered(.lost, seed: 0)).head == first.head)
    }

    @Test(arguments: [ErrorCode.readOnly, ErrorCode.accessDenied])
    func `a directory that may not be written is an environment that failed`(code: Int32) throws {
        let log = try KeptLog()
        let disk = log.disk.copy()
        disk.faults = [1: .error(code)]
        let error = try journalError { _ = try open(disk) }
        guard case .disk(let cause)? = error else {
            Issue.record("opening said \(error.map { "\($0)" } ?? "nothing")")
            return
        }
        #expect(cause.isNotAllowed && cause.path == Self.lock)
        #expect(try WholeLog(directory, on: disk).commits == log.whole.commits)
    }

    /// Reading needs no room: what is there can be read and verified.
    @Test func `a full disk is an environment that failed, and not damage`() throws {
        let log = try KeptLog()
        let (path, bytes, _) = try log.lastSegment()
        let disk = log.changed { $0.setContents(path, bytes + [1, 2, 3]) }
        disk.capacity = 0
        guard case .disk(let cause)? = try journalError({ _ = try open(disk) }) else {
            Issue.record("a full disk went unnoticed")
            return
        }
        #expect(cause.isOutOfSpace)
        #expect(disk.contents(path) == bytes + [1, 2, 3])
        #expect(try WholeLog(directory, on: disk).commits == log.whole.commits)
        disk.capacity = nil
        try log.scribe.onto(disk).comeBackAndGoOn()
    }

    @Test func `opening a whole log and closing it changes nothing`() throws {
        let log = try KeptLog(segmentBytesMax: 700)
        let disk = log.disk.copy()
        let scribe = log.scribe.onto(disk)
        try scribe.open()
        try scribe.close()
        #expect(try disk.files(in: directory) == log.files)
        #expect(disk.syncs.isEmpty)
    }

    @Test(arguments: DiskKind.allCases) func `a log on every disk`(kind: DiskKind) throws {
        try kind.withDirectory { disk, above in
            let directory = above + "/log"
            let options = JournalOptions(segmentBytesMax: 900, snapshotEveryBytes: 0)
            var lines: [Line] = []
            for round in 0..<3 {
                let journal = try Journal(directory, on: disk, holder: "round \(round)", options: options)
                let refused = try journalError { _ = try Journal(directory, on: disk, holder: "other") }
                #expect(refused == .inUse(directory: directory, holder: "round \(round)"))
                for number in round * 4..<round * 4 + 4 {
                    let entry = Sample.entry(number)
                    let outcome = try journal.append([entry], at: Sample.start)
                    lines.append(Line(entry, seq: UInt64(lines.count) + 1, at: Sample.start))
                    #expect(outcome == [.recorded(seq: UInt64(lines.count))])
                }
                try journal.close()
                #expect(try WholeLog(directory, on: disk).commits.flatMap { $0 } == lines)
            }
            #expect(try LogVerifier(LogReader(directory, on: disk)).run().segments > 1)
        }
    }
}
