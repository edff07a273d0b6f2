import CivilTime
@testable import Journal
import Notices
import Simulation

/// Writes to a log, and remembers what the log must hold from then on: all that was acknowledged, and after that
/// nothing but what was appended next.
final class Scribe {
    static let directory = "/data/log"

    /// What there is to remember; it outlives disks and processes.
    struct Memory {
        /// Everything appended, commit after commit, as it must be read back.
        private(set) var commits: [[Line]] = []
        /// How many of the commits were acknowledged.
        var acknowledged = 0
        var made = 0
        var now = Sample.start
        private var known: [String: UInt64] = [:]
    }

    let disk: SimulatedDisk
    let options: JournalOptions
    private(set) var memory: Memory
    private(set) var journal: Journal?
    /// Where the commits of this opening end.
    private var ends: [UInt64] = []
    private var commitsBefore = 0

    init(on disk: SimulatedDisk, _ options: JournalOptions, _ memory: Memory = Memory()) {
        self.disk = disk
        self.options = options
        self.memory = memory
    }

    /// The same writer, come back to what is left.
    func onto(_ disk: SimulatedDisk) -> Scribe { Scribe(on: disk, options, memory) }

    var running: Journal {
        get throws {
            guard let journal else { throw Broken("the log is not open") }
            return journal
        }
    }
}

// MARK: - What a worker does

extension Scribe {
    func open() throws {
        journal = try Journal(Self.directory, on: disk, holder: "scribe 1", options: options)
        ends = []
        commitsBefore = memory.commits.count
    }

    /// Appends one commit of fresh entries, and of repeated ones: of those `again` numbers that have an id.
    func append(_ count: Int, again: [Int] = []) throws {
        let fresh = Sample.entries(memory.made..<memory.made + count)
        memory.made += count
        try append(again.map(Sample.entry) + fresh)
    }

    func append(_ entries: [Entry]) throws {
        // Now and then the clock goes back, and recorded time stands still (T7).
        memory.now = memory.now.advanced(byMilliseconds: memory.commits.count % 5 == 4 ? -700 : 400)
        let expected = memory.predict(entries)
        let outcomes = try running.append(entries, at: memory.now)
        guard outcomes == expected.outcomes else {
            throw Broken("append answered \(outcomes), not \(expected.outcomes)")
        }
        if expected.lines.isEmpty { return }
        memory.record(expected.lines)
        ends.append(try running.head.position)
    }

    func commit() throws {
        try running.commit()
        memory.acknowledged = memory.commits.count
    }

    /// Writes one batch, appending while it is on its way to the disk; acknowledges what is durable then.
    func writeBatch(appending count: Int) throws {
        let journal = try running
        guard let batch = journal.takeBatch() else { return }
        try append(count)
        let result: Result<Void, DiskError>
        do throws(DiskError) { result = .success(try journal.writer.write(batch)) } catch { result = .failure(error) }
        journal.finished(batch, result)
        let durable = journal.durableHead.position
        memory.acknowledged = max(memory.acknowledged, commitsBefore + (ends.firstIndex { $0 > durable } ?? ends.count))
    }

    func close() throws {
        defer { journal = nil }
        try running.close()
        memory.acknowledged = memory.commits.count
    }
}

extension Scribe.Memory {
    /// What appending these now must answer, and what it must add to the log.
    func predict(_ entries: [Entry]) -> (lines: [Line], outcomes: [Appended]) {
        let last = commits.last?.last?.event
        let at = max(now, last?.at ?? .distantPast)
        var next = (last?.seq ?? 0) + 1
        var lines: [Line] = []
        var fresh: [String: UInt64] = [:]
        let outcomes = entries.map { entry -> Appended in
            if let id = entry.id, let seq = known[id] ?? fresh[id] { return .duplicate(of: seq) }
            entry.id.map { fresh[$0] = next }
            lines.append(Line(entry, seq: next, at: at))
            defer { next += 1 }
            return .recorded(seq: next)
        }
        return (lines, outcomes)
    }

    mutating func record(_ lines: [Line]) {
        commits.append(lines)
        for line in lines { line.event.id.map { known[$0] = line.event.seq } }
    }

    /// What was not acknowledged and is not there any more might as well never have been appended.
    mutating func forget(after count: Int) {
        for line in commits[count...].joined() { line.event.id.map { known[$0] = nil } }
        commits.removeLast(commits.count - count)
        acknowledged = count
    }
}

// MARK: - Coming back after a crash

extension Scribe {
    /// Opens the log that is left and checks that it holds what G3 promises; what was lost with reason is forgotten.
    @discardableResult
    func comeBack() throws -> WholeLog {
        try open()
        let found = try WholeLog(Self.directory, on: disk)
        if let problem = memory.problem(with: found.commits) { throw Broken(problem) }
        guard found.tail == .whole else { throw Broken("the log was opened and its end is \(found.tail)") }
        guard try found.head == running.head else { throw Broken("it does not go on where the log ends") }
        memory.forget(after: found.commits.count)
        commitsBefore = memory.commits.count
        return found
    }

    /// Comes back, goes on (with known ids and new ones), and checks the whole once more.
    func comeBackAndGoOn() throws {
        try comeBack()
        try append(2, again: Array(max(0, memory.made - 6)..<memory.made))
        try commit()
        try append(1)
        try close()
        try checkWhole()
    }

    /// Reads everything again, with hashes, pointers and people.
    func checkWhole() throws {
        let found = try WholeLog(Self.directory, on: disk)
        guard found.commits == memory.commits else {
            throw Broken(memory.problem(with: found.commits) ?? "the log does not hold all that was acknowledged")
        }
        let report = try LogVerifier(LogReader(Self.directory, on: disk)).run()
        guard report.commits == found.commits.count, report.head == found.head, report.tail == .whole else {
            throw Broken("verification found \(report)")
        }
    }
}

extension Scribe.Memory {
    /// What breaks the promise, if anything: an acknowledged commit that is missing or changed, or one that is not
    /// what was appended there.
    func problem(with found: [[Line]]) -> String? {
        if found.count < acknowledged { return "\(acknowledged) commits were acknowledged, \(found.count) are there" }
        if found.count > commits.count { return "\(found.count) commits are there, \(commits.count) were appended" }
        for (number, (left, right)) in zip(found, commits).enumerated() where left != right {
            return "commit \(number) (of \(acknowledged) acknowledged) is \(left) and was \(right)"
        }
        return nil
    }
}
