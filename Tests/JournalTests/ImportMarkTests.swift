@testable import Journal
import Simulation
import Testing

@Suite("A log that is made of a history")
struct ImportMarkTests {
    private let directory = Scribe.directory
    private var half: JournalError { .halfImported(directory: directory) }

    private func open(_ disk: any Disk, isImport: Bool = false) throws -> Journal {
        var options = JournalOptions()
        options.isImport = isImport
        return try Journal(directory, on: disk, holder: "the test", options: options)
    }

    @Test func `one that was cut off is nobody's to go on with, another import included`() throws {
        let disk = SimulatedDisk()
        let journal = try open(disk, isImport: true)
        _ = try journal.append([Sample.entry(1)], at: Sample.start)
        try journal.commit()
        let left = disk.recovered(.lost, seed: 0)
        for isImport in [false, true] {
            let error = try journalError { _ = try open(left, isImport: isImport) }
            #expect(error == half, "an import: \(isImport)")
        }
        // What there is can be read.
        #expect(try LogReader(directory, on: left).isHalfImported())
        #expect(try WholeLog(directory, on: left).commits.count == 1)
    }

    @Test func `one that took nothing yet is begun again, and is a log as any once it has all`() throws {
        let disk = SimulatedDisk()
        try open(disk, isImport: true).abandon()
        // Nothing of a history is in it, so nothing of one is missing.
        let ordinary = SimulatedDisk()
        try open(ordinary, isImport: true).abandon()
        try open(ordinary).close()
        #expect(try !LogReader(directory, on: ordinary).isHalfImported())
        let journal = try open(disk, isImport: true)
        _ = try journal.append([Sample.entry(1)], at: Sample.start)
        try journal.commit()
        try journal.endImport()
        try journal.close()
        let whole = disk.recovered(.lost, seed: 0)
        #expect(try !LogReader(directory, on: whole).isHalfImported())
        // An import that finds a log leaves it as it is.
        for isImport in [true, false] { try open(whole, isImport: isImport).close() }
    }
}
