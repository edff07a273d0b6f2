import CivilTime
import Delivery
import Foundation
import Journal
import Testing

@testable import belfry

/// What a worker of a cluster takes out of its spools of what others have erased (`E1`, `E4`).
@Suite("Spools in a cluster")
struct SpoolSweepTests {
    private let shell = Shell()
    private static let came = Instant.exampleStart
    private static let erased = came.advanced(byDays: 30)

    private func spool(_ jobs: (name: String, user: String, at: Instant)...) throws -> SpoolSink {
        for job in jobs {
            try shell.write(
                #"{"type":"job","user":"\#(job.user)","at":"\#(job.at)"}"# + "\n", to: "spool/\(job.name).json")
        }
        return try SpoolSink(directory: shell.path("spool"))
    }

    /// A log that knows anna, and has erased texts.
    private static let log = SpoolSweep.Forgotten(
        arrival: { (user) throws(JournalError) in user == "anna" ? came : nil },
        textsErased: { (since) throws(JournalError) in since <= erased ? erased : nil })

    private var left: [String] { shell.names(in: "spool").filter { $0.hasSuffix(".json") }.sorted() }

    init() throws { try shell.makeDirectory("spool") }

    @Test func `jobs of whom nobody knows go, those of before they came, and those whose texts are erased`() throws {
        let spool = try spool(
            ("1", "bob", Self.erased), ("2", "anna", Self.came.advanced(byDays: -1)),
            ("3", "anna", Self.erased.advanced(byMilliseconds: -1)), ("4", "anna", Self.erased))
        let (count, isDone) = SpoolSweep(partitions: 1).sweep([spool]) { { _ in Self.log } }
        #expect(count == 3 && isDone && left == ["4.json"])
    }

    @Test func `where no texts are erased, all since they came stay`() throws {
        let log = SpoolSweep.Forgotten(arrival: Self.log.arrival, textsErased: { _ throws(JournalError) in nil })
        let spool = try spool(("1", "anna", Self.came.advanced(byMilliseconds: -1)), ("2", "anna", Self.came))
        let (count, isDone) = SpoolSweep(partitions: 1).sweep([spool]) { { _ in log } }
        #expect(count == 1 && isDone && left == ["2.json"])
    }

    @Test func `of whom nothing can be said the jobs stay, and it is done once more`() throws {
        let spool = try spool(("1", "anna", Self.came), ("2", "bob", Self.came))
        let own = LogName(of: "anna", among: 64).number
        #expect(own != LogName(of: "bob", among: 64).number)
        let (count, isDone) = SpoolSweep(partitions: 64).sweep([spool]) { { $0 == own ? nil : Self.log } }
        #expect(count == 1 && !isDone && left == ["1.json"])
        let away = SpoolSweep(partitions: 64).sweep([spool]) { nil }
        #expect(away.count == 0 && !away.isDone && left == ["1.json"])
        let failing = SpoolSweep.Forgotten(
            arrival: Self.log.arrival, textsErased: { _ throws(JournalError) in throw .noLog(directory: "") })
        let unread = SpoolSweep(partitions: 64).sweep([spool]) { { _ in failing } }
        #expect(unread.count == 0 && !unread.isDone && left == ["1.json"])
    }

    @Test func `an empty spool asks nobody`() throws {
        let spool = try spool()
        let (count, isDone) = SpoolSweep(partitions: 1).sweep([spool]) {
            Issue.record("somebody was asked")
            return nil
        }
        #expect(count == 0 && isDone)
    }
}
