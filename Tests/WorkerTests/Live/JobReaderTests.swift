import CivilTime
import Notices
import Simulation
import Testing
import Worker

@testable import Journal

/// Reading by places, beside whoever writes the log: what a log of years must not make dearer.
@Suite("Jobs that are read back as they come")
struct JobReaderTests {
    private static let start = Instant(local: "2026-03-02T12:00Z")
    private let disk = SimulatedDisk()
    private let journal: Journal

    init() throws {
        journal = try Journal(
            "/data/log", on: disk, holder: "test", options: JournalOptions(segmentBytesMax: 500))
        disk.countReads = true
    }

    /// Writes a commit with a job; where it begins.
    private func write(_ number: Int) throws -> UInt64 {
        let position = journal.head.position
        var job = JobEmitted()
        job.job = NoticeName("anna/urgent/#\(number)")
        var fact = Entry(user: "anna", payload: .jobEmitted(job))
        fact.id = "fact-\(number)"
        _ = try journal.append([fact], at: Self.start)
        try journal.commit()
        return position
    }

    /// How many segments are opened for each of many commits, each read as soon as it is durable.
    private func segmentsOpened(_ read: (_ position: UInt64, _ number: Int) throws -> Void) throws -> [Int] {
        try (1...60).map { number in
            let position = try write(number)
            let before = disk.operations
            try read(position, number)
            return disk.log.dropFirst(before).count { $0.contains(" open ") && $0.hasSuffix(".segment") }
        }
    }

    private func expectFew(_ opened: [Int]) throws {
        #expect(try LogReader("/data/log", on: disk).segmentCount > 10)
        // The one that was the last, the next one where it is begun, and that of the commit.
        #expect((1...4).contains(opened.max() ?? 0), "\(opened)")
    }

    @Test func `a job opens as many segments in a long log as in a short one`() throws {
        let reader = JobReader("/data/log", on: disk)
        try expectFew(
            segmentsOpened { position, number in
                let jobs = try reader.jobs(at: position)
                #expect(jobs.map(\.seq) == [UInt64(number)])
            })
    }

    @Test func `so does what is to be sent once more`() throws {
        let places = FailedJobPlaces("/data/log", on: disk)
        try expectFew(
            segmentsOpened { position, number in
                let found = try places.find(EventPlace(position: position, seq: UInt64(number)))
                #expect(found == .nothing)
            })
    }

    @Test func `so does a fact that is told twice`() throws {
        try expectFew(
            segmentsOpened { _, number in
                let seq = try journal.seq(ofFact: "fact-\(number)")
                #expect(seq == UInt64(number))
            })
    }
}
