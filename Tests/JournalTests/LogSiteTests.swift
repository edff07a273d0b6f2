import Foundation
@testable import Journal
import Simulation
import Testing

/// A log that was taken away from under its writer: nothing may be acknowledged that nobody will find.
@Suite("Where the log lies")
struct LogSiteTests {
    private func withLog(_ kind: DiskKind, _ test: (any Disk, String, Journal) throws -> Void) throws {
        try kind.withDirectory { disk, above in
            let journal = try Journal(
                above + "/log", on: disk, holder: "scribe", options: JournalOptions(segmentBytesMax: 600))
            _ = try journal.append([Sample.entry(1)], at: Sample.start)
            try journal.commit()
            try #require(journal.site.displacement() == nil)
            try test(disk, above + "/log", journal)
            journal.abandon()
        }
    }

    private func expectGone(_ journal: Journal, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .displaced(let problem)? = journal.site.displacement() else {
            Issue.record("nobody noticed", sourceLocation: sourceLocation)
            return
        }
        #expect(problem.contains(name), "\(problem)", sourceLocation: sourceLocation)
    }

    @Test(arguments: DiskKind.allCases, ["lock", "durable", LogFile.segment(0)])
    func `a file that was removed, or replaced by its own copy, is missed`(kind: DiskKind, name: String) throws {
        try withLog(kind) { disk, directory, journal in
            let path = DiskPath.join(directory, name)
            let bytes = try disk.contents(of: path, limit: 1 << 20)
            try disk.remove(path)
            expectGone(journal, "\(name) is not there any more")
            try disk.writeAtomically(path, bytes)
            expectGone(journal, "\(name) is another file")
        }
    }

    @Test(arguments: DiskKind.allCases) func `after a removal no batch is durable`(kind: DiskKind) throws {
        try withLog(kind) { disk, directory, journal in
            try disk.remove(DiskPath.join(directory, LogFile.segment(0)))
            _ = try journal.append([Sample.entry(2)], at: Sample.start)
            let error = try journalError { try journal.commit() }
            guard case .stopped(let cause)? = error else {
                Issue.record("acknowledged: \(error.map { "\($0)" } ?? "no error")")
                return
            }
            #expect(cause.operation == .find && cause.isNotFound)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a segment that is done with is not looked for`(kind: DiskKind) throws {
        try withLog(kind) { disk, directory, journal in
            for number in 2..<30 {
                _ = try journal.append([Sample.entry(number)], at: Sample.start)
                try journal.commit()
            }
            #expect(journal.site.displacement() == nil)
            let segments = try disk.list(directory).filter { LogFile.firstPosition($0) != nil }
            try #require(segments.count > 2)
            try disk.remove(DiskPath.join(directory, segments[0]))
            #expect(journal.site.displacement() == nil)
            try disk.remove(DiskPath.join(directory, segments[segments.count - 1]))
            expectGone(journal, segments[segments.count - 1])
        }
    }

    @Test func `a directory that was moved away, also with another in its place, is missed`() throws {
        try withLog(.real) { disk, directory, journal in
            try FileManager.default.moveItem(atPath: directory, toPath: directory + "-moved")
            expectGone(journal, "/log is not there any more")
            try FileManager.default.copyItem(atPath: directory + "-moved", toPath: directory)
            expectGone(journal, "/log is another directory")
            try FileManager.default.removeItem(atPath: directory)
            try FileManager.default.moveItem(atPath: directory + "-moved", toPath: directory)
            #expect(journal.site.displacement() == nil)
        }
    }
}
