import Dispatch
@testable import Journal
import Notices
import Simulation
import Synchronization
import Testing

@Suite("Group commit: many callers, one sync")
struct GroupCommitTests {
    private let gate = GatedDisk()
    private let answers = Answers()
    /// Signalled for every commit that is built.
    private let built = DispatchSemaphore(value: 0)

    private func group(bytesMax: Int = 1 << 20) throws -> GroupCommit {
        let journal = try Journal(Scribe.directory, on: gate, holder: "scribe")
        return GroupCommit(journal, bytesMax: bytesMax) { [built] in
            built.signal()
            return Sample.start
        }
    }

    private func submit(_ name: String, _ entries: [Entry], bytes: Int = 100, to group: GroupCommit) -> Bool {
        group.submit(entries, bytes: bytes) { [answers] in answers.add(name, $0) } == .taken
    }

    private func commits() throws -> [[Line]] { try WholeLog(Scribe.directory, on: gate.disk).commits }

    @Test func `nobody is answered before the sync is done`() throws {
        let group = try group()
        gate.shut()
        #expect(submit("a", [Sample.entry(1)], to: group))
        #expect(gate.waitForArrival())
        #expect(answers.names.isEmpty)
        gate.open()
        #expect(answers.wait(for: 1))
        #expect(answers.outcomes("a") == [.recorded(seq: 1)])
        let found = try WholeLog(Scribe.directory, on: gate.disk.recovered(.lost, seed: 0)).commits
        #expect(found.map(\.count) == [1])
        try group.close()
    }

    @Test func `what comes in during a sync becomes one commit`() throws {
        let group = try group()
        #expect(try group.append([Sample.entry(100)], bytes: 100) == [.recorded(seq: 1)])
        gate.shut()
        #expect(submit("first", [Sample.entry(101)], to: group))
        #expect(gate.waitForArrival())
        for number in 0..<10 { #expect(submit("\(number)", Sample.entries(number * 2..<number * 2 + 2), to: group)) }
        gate.open()
        #expect(answers.wait(for: 11))
        #expect(answers.names == ["first"] + (0..<10).map { "\($0)" })
        for number in 0..<10 {
            let seq = UInt64(3 + number * 2)
            #expect(answers.outcomes("\(number)") == [.recorded(seq: seq), .recorded(seq: seq + 1)])
        }
        #expect(try commits().map(\.count) == [1, 1, 20])
        try group.close()
    }

    @Test func `a log that was closed takes nothing more, and says so`() throws {
        let group = try group()
        #expect(try group.append([Sample.entry(1)], bytes: 100) == [.recorded(seq: 1)])
        try group.close()
        #expect(group.submit([Sample.entry(2)], bytes: 100) { _ in Issue.record("answered") } == .closed)
        #expect(throws: JournalError.closed) { try group.append([Sample.entry(2)], bytes: 100) }
        #expect(try commits().map(\.count) == [1])
    }

    @Test func `callers that find the queue full get their turn while others go on`() throws {
        let group = try group(bytesMax: 300)
        let callers = 8
        DispatchQueue.concurrentPerform(iterations: callers) { caller in
            for round in 0..<50 {
                #expect(throws: Never.self) {
                    try group.append([Sample.entry(caller * 50 + round)], bytes: 100)
                }
            }
        }
        try group.close()
        #expect(try commits().flatMap { $0 }.count == callers * 50)
    }

    @Test func `a duplicate waits for the first to be durable`() throws {
        let group = try group()
        gate.shut()
        #expect(submit("first", [Sample.entry(1)], to: group))
        #expect(gate.waitForArrival())
        #expect(submit("again", [Sample.entry(1)], to: group))
        #expect(answers.names.isEmpty)
        gate.open()
        #expect(answers.wait(for: 2))
        #expect(answers.outcomes("again") == [.duplicate(of: 1)])
        try group.close()
    }

    @Test func `many callers at once are each told the truth`() throws {
        let group = try group()
        let told = Mutex<[Int: [Appended]]>([:])
        DispatchQueue.concurrentPerform(iterations: 6) { caller in
            for round in 0..<40 {
                // Every third is one that another caller gives as well.
                let number = round % 3 == 0 ? round * 100 + 1 : round * 100 + 10 + caller * 3
                guard let outcomes = try? group.append([Sample.points("p\(caller)", 1, id: "n\(number)")], bytes: 50)
                else { continue }
                told.withLock { $0[caller * 1000 + round] = outcomes }
            }
        }
        try group.close()
        let found = try WholeLog(Scribe.directory, on: gate.disk.recovered(.lost, seed: 0)).commits.joined()
        let seqs = Dictionary(uniqueKeysWithValues: found.map { ($0.event.id, $0.event.seq) })
        let answers = told.withLock { $0 }
        #expect(answers.count == 240 && found.count == 14 + 6 * 26)
        for (key, outcomes) in answers {
            let (caller, round) = (key / 1000, key % 1000)
            let number = round % 3 == 0 ? round * 100 + 1 : round * 100 + 10 + caller * 3
            #expect(outcomes.map(\.seq) == [seqs["n\(number)"]])
        }
    }

    @Test func `a full queue takes nothing more, until it is answered`() throws {
        let group = try group(bytesMax: 250)
        gate.shut()
        #expect(submit("a", [Sample.entry(1)], to: group))
        #expect(gate.waitForArrival())
        #expect(submit("b", [Sample.entry(2)], to: group))
        #expect(!submit("c", [Sample.entry(4)], to: group))
        gate.open()
        #expect(answers.wait(for: 2))
        group.waitUntilIdle()
        #expect(submit("d", [Sample.entry(5)], to: group))
        #expect(answers.wait(for: 1))
        #expect(answers.names == ["a", "b", "d"])
        #expect(submit("larger than all the queue", [Sample.entry(7)], bytes: 1000, to: group))
        try group.close()
        #expect(try commits().joined().count == 4)
    }

    @Test func `after a failed sync all who wait are told, and all who come (G4)`() throws {
        let group = try group()
        #expect(try group.append([Sample.entry(1)], bytes: 100).count == 1)
        gate.shut()
        #expect(submit("a", [Sample.entry(2)], to: group))
        #expect(gate.waitForArrival())
        #expect(submit("b", [Sample.entry(4)], to: group))
        gate.disk.faults = [gate.disk.operations + 1: .error(ErrorCode.inputOutput)]
        gate.open()
        #expect(answers.wait(for: 2))
        #expect(submit("c", [Sample.entry(5)], to: group))
        #expect(answers.wait(for: 1))
        for name in ["a", "b", "c"] {
            guard case .stopped(let cause)? = answers.error(name) else {
                Issue.record("\(name) was told that all is well")
                continue
            }
            #expect(cause.code == ErrorCode.inputOutput)
        }
        let syncs = gate.disk.syncs.count
        #expect(throws: JournalError.self) { try group.close() }
        #expect(gate.disk.syncs.count == syncs)
    }

    /// A read that fails stops the log while commits are waiting that nobody will write now.
    @Test func `after a failed read all who wait are told`() throws {
        let group = try group()
        #expect(try group.append([Sample.entry(1)], bytes: 100).count == 1)
        gate.shut()
        #expect(submit("in the sync", [Sample.entry(2)], to: group))
        #expect(gate.waitForArrival())
        // Enough to be made a commit at once, the third after the two above.
        #expect(submit("waiting", Sample.entries(1000..<1600), to: group))
        for _ in 0..<3 { #expect(built.wait(timeout: .now() + 20) == .success) }
        gate.disk.countReads = true
        gate.disk.faults = Dictionary(
            uniqueKeysWithValues: (1...3).map { (gate.disk.operations + $0, .error(ErrorCode.inputOutput)) })
        #expect(submit("unreadable", [Sample.entry(1)] + Sample.entries(2000..<2600), to: group))
        #expect(answers.wait(for: 1))
        gate.disk.faults = [:]
        gate.open()
        #expect(answers.wait(for: 2), "only \(answers.names) were told")
        #expect(answers.outcomes("in the sync") == [.recorded(seq: 2)])
        #expect(answers.error("unreadable") != nil)
        #expect(answers.error("waiting") != nil)
    }

    private final class Token: Sendable {}

    @Test func `who has been answered is let go of while others wait`() throws {
        let group = try group()
        weak var caller: Token?
        do {
            let token = Token()
            caller = token
            #expect(group.submit([Sample.entry(1)], bytes: 1) { _ in withExtendedLifetime(token) {} } == .taken)
        }
        #expect(submit("behind", [Sample.entry(2)], to: group))
        #expect(answers.wait(for: 1))
        group.waitUntilIdle()
        gate.shut()
        #expect(submit("waiting", [Sample.entry(4)], to: group))
        #expect(gate.waitForArrival())
        #expect(caller == nil)
        gate.open()
        try group.close()
    }

    @Test func `closing makes durable what was taken`() throws {
        let group = try group()
        for number in 0..<20 { #expect(submit("\(number)", [Sample.entry(number)], to: group)) }
        try group.close()
        #expect(answers.names.count == 20)
        let found = try WholeLog(Scribe.directory, on: gate.disk.recovered(.lost, seed: 0)).commits
        #expect(found.joined().count == 20)
        try Journal(Scribe.directory, on: gate.disk, holder: "next").close()
    }
}

/// What callers were told, in the order they were.
private final class Answers: Sendable {
    private let given = Mutex<[(name: String, result: Result<[Appended], JournalError>)]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ name: String, _ result: Result<[Appended], JournalError>) {
        given.withLock { $0.append((name, result)) }
        arrived.signal()
    }

    /// Returns when so many more have been told; false when they never are.
    func wait(for count: Int) -> Bool {
        (0..<count).allSatisfy { _ in arrived.wait(timeout: .now() + 20) == .success }
    }

    var names: [String] { given.withLock { $0.map(\.name) } }

    func outcomes(_ name: String) -> [Appended]? {
        given.withLock { $0.first { $0.name == name } }.flatMap { try? $0.result.get() }
    }

    func error(_ name: String) -> JournalError? {
        guard case .failure(let error)? = given.withLock({ $0.first { $0.name == name }?.result }) else { return nil }
        return error
    }
}
