@testable import belfry
import CivilTime
import Console
import Delivery
import Dispatch
import Journal
import Shared
import SimulatedShared
import Simulation
import Synchronization
import Testing

/// What a worker does about erasures at another: it is told, or was told of one that came to nothing, or was not told.
@Suite("Others' erasures")
struct OthersErasuresTests {
    /// The file of revoked tokens, which outlives the worker.
    private final class File: Sendable {
        private let written = Mutex<[[UInt8]]>([])
        private let draft = Mutex<[UInt8]>([])

        func write(_ what: RevokedTokens.Write) {
            switch what {
            case .whole(let bytes): written.withLock { $0.append(bytes) }
            case .line(let line, let end): written.withLock { $0.append(($0.last ?? []).prefix(end) + line) }
            case .draft(let bytes): draft.withLock { $0 = bytes }
            case .draftInPlace(let lines):
                let all = draft.withLock { $0 } + lines
                written.withLock { $0.append(all) }
            }
        }
        var last: [UInt8]? { written.withLock { $0.last } }
        var writes: Int { written.withLock { $0.count } }
        var text: String { String(decoding: last ?? [], as: UTF8.self) }
    }

    private let file = File()
    private static let marks = ["anna": "0123456789abcdef", "bert": "fedcba9876543210"]

    /// A start of the worker.
    private func start(
        _ spools: [SpoolSink] = [], _ connect: @escaping @Sendable () -> SpoolSweep.OpenedLog? = { nil }
    ) throws -> (erasures: OthersErasures, persons: PersonTokenDesk) {
        let persons = PersonTokenDesk(
            PersonTokens(secrets: [Array("a secret of the worker's own, of more than 32 letters".utf8)], log: (1, 2)),
            revoked: try file.last.map { try RevokedTokens($0) } ?? RevokedTokens(), number: { _ in nil },
            clock: { .exampleStart }, later: { $0() },
            write: { [file] what in
                file.write(what)
                return nil
            })
        let cluster = try SimulatedSharedLog().create(ClusterPlan(id: .random(), partitions: 8))
        let disk = SimulatedDisk(seed: 1)
        let cache = ClusterCache(
            try DataDirectory.copy("/copy", of: cluster, on: disk), of: cluster.id, on: disk, keys: nil)
        let courier = Courier(
            sinks: [], clock: { .exampleStart }, read: { _ in [] }, record: { _, done in done(true) },
            log: { _, _, _ in })
        let memories = Eraser.Memories(courier: courier, analyst: nil, codes: nil, whatIfs: WhatIfRuns("/log"))
        let log = RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: -1)
        let surroundings = OthersErasures.Surroundings(persons: persons, memories: memories, spools: { spools })
        return (OthersErasures(surroundings, cache, log, connect: connect), persons)
    }

    /// - Parameter erased: how many the log has erased with them.
    private func order(_ stage: EraseStage, erased: Int? = nil, _ users: String...) -> EraseOrder {
        EraseOrder(stage, users.map { EraseOrder.Person($0, marked: Self.marks[$0]) }, in: 3, erased: erased)
    }

    /// A look at the database, of which everything has come when it returns.
    private func look(_ erasures: OthersErasures, _ counts: [Int: Int], after time: Duration) {
        erasures.see(counts, owned: [3], at: BootInstant(nanoseconds: 0) + time)
        OthersErasures.queue.sync {}
    }

    @Test func `whom retention erased elsewhere lose their tokens by one word and one write, and nobody else does`()
        throws
    {
        let (erasures, persons) = try start()
        #expect(erasures.hear(order(.left, "anna", "bert")).problem == nil)
        #expect(persons.missed(of: [3: 2]) == [:] && persons.missed(of: [3: 3]) == [3: 3])
        #expect(file.writes == 1)
        for mark in Self.marks.values { #expect(file.text.contains("mark \(mark) ")) }
        #expect(!file.text.contains("everybody"))
        // Tokens are made for whoever has their ids next.
        #expect(erasures.hear(order(.begin, "anna")).problem == nil)
        #expect(erasures.hear(order(.refused, "anna")).problem == nil)
        #expect(persons.missed(of: [3: 2]) == [:] && persons.missed(of: [3: 3]) == [3: 3])
    }

    @Test func `a word that was lost stays missed, whoever leaves after that`() throws {
        let (erasures, persons) = try start()
        look(erasures, [3: 1], after: .zero)
        #expect(erasures.hear(order(.left, erased: 2, "anna")).problem == nil)
        look(erasures, [3: 2], after: .seconds(6))
        #expect(erasures.hear(order(.left, erased: 3, "bert")).problem == nil)
        // They lose their tokens all the same.
        for mark in Self.marks.values { #expect(file.text.contains("mark \(mark) ")) }
        #expect(!file.text.contains("everybody"))
        look(erasures, [3: 3], after: MissedErasures.patience)
        #expect(file.text.contains("everybody") && persons.missed(of: [3: 3]) == [:])
    }

    @Test func `a word that comes twice, or late, counts once`() throws {
        let (erasures, persons) = try start()
        for _ in 0..<2 { #expect(erasures.hear(order(.left, erased: 1, "anna")).problem == nil) }
        #expect(persons.missed(of: [3: 1]) == [:] && persons.missed(of: [3: 2]) == [3: 2])
        erasures.begin(with: [3: 2])
        #expect(erasures.hear(order(.left, erased: 2, "bert")).problem == nil)
        #expect(persons.missed(of: [3: 2]) == [:] && persons.missed(of: [3: 3]) == [3: 3])
    }

    @Test(arguments: [1, 2]) func `who is being erased at the same time counts besides, whoever was first`(
        erased: Int
    ) throws {
        let (erasures, persons) = try start()
        #expect(erasures.hear(order(.begin, "anna")).problem == nil)
        #expect(erasures.hear(order(.left, erased: erased, "bert")).problem == nil)
        #expect(persons.missed(of: [3: 2]) == [:] && persons.missed(of: [3: 3]) == [3: 3])
    }

    @Test func `an erasure that came to nothing hides none that is missed after a while`() throws {
        #expect(try start().erasures.hear(order(.begin, "anna")).problem == nil)
        let (erasures, persons) = try start()
        erasures.begin(with: [3: 0, 4: 0])
        look(erasures, [3: 0, 4: 0], after: .zero)
        #expect(persons.missed(of: [3: 1]) == [:])
        look(erasures, [3: 0, 4: 0], after: EmptyErasures.patience)
        #expect(persons.missed(of: [3: 1]) == [3: 1])
        #expect(!file.text.contains("everybody"))
    }

    @Test func `an erasure that the end of a worker cut off ends nobody else's tokens when it is done`() throws {
        #expect(try start().erasures.hear(order(.begin, "anna")).problem == nil)
        let (erasures, persons) = try start()
        erasures.begin(with: [3: 0])
        look(erasures, [3: 0], after: .zero)
        look(erasures, [3: 1], after: .seconds(10))
        look(erasures, [3: 1], after: .seconds(10) + MissedErasures.patience)
        #expect(persons.missed(of: [3: 1]) == [:] && !file.text.contains("everybody"))
    }

    @Test func `what was erased before a start ends the tokens of everybody at once`() throws {
        let (erasures, persons) = try start()
        erasures.begin(with: [3: 2])
        #expect(file.text.contains("everybody") && persons.missed(of: [3: 2]) == [:])
        // Once a start: later the word of it may be on its way.
        erasures.begin(with: [3: 3])
        #expect(persons.missed(of: [3: 3]) == [3: 3])
    }

    @Test func `where the counts cannot be asked at the start, words on their way are waited for as ever`() throws {
        let (erasures, persons) = try start()
        erasures.begin(with: nil)
        erasures.begin(with: [3: 1])
        #expect(persons.missed(of: [3: 1]) == [3: 1] && !file.text.contains("everybody"))
    }

    @Test func `an erasure of which a worker is told before it has looked counts`() throws {
        let (erasures, persons) = try start()
        #expect(erasures.hear(order(.begin, "anna")).problem == nil)
        erasures.begin(with: [3: 0, 4: 0])
        #expect(persons.missed(of: [3: 1]) == [:] && !file.text.contains("everybody"))
    }
}

/// A log that knows nobody.
private let emptyLog = SpoolSweep.Forgotten(
    arrival: { _ throws(JournalError) in nil }, textsErased: { _ throws(JournalError) in nil })

extension OthersErasuresTests {
    /// What it was erasing then was cut off, and it is told nothing of that any more.
    @Test func `what a lost partition has erased leaves the spools once it is taken again, and that of no other does`()
        throws
    {
        let shell = Shell()
        try shell.makeDirectory("spool")
        let own = Partition.of("anna", among: 8)
        let other = try #require((1...50).map { "u\($0)" }.first { Partition.of($0, among: 8) != own })
        for user in ["anna", other] {
            let job = #"{"type":"job","user":"\#(user)","at":"\#(Instant.exampleStart)"}"#
            try shell.write(job + "\n", to: "spool/\(user).json")
        }
        let isAway = Mutex(true)
        let spool = try SpoolSink(directory: shell.path("spool"))
        let (erasures, _) = try start([spool]) {
            if isAway.withLock({ $0 }) { return nil }
            return { _ in emptyLog }
        }
        func left(taken epoch: Int64) -> [String] {
            erasures.see(epochs: [own: epoch])
            OthersErasures.queue.sync {}
            return shell.names(in: "spool").filter { $0.hasSuffix(".json") }.sorted()
        }
        let both = ["anna.json", "\(other).json"].sorted()
        erasures.wasLost(own, epoch: 4)
        // It is asked for once more where nothing can be said.
        #expect(left(taken: 5) == both)
        isAway.withLock { $0 = false }
        #expect(left(taken: 4) == both)
        #expect(left(taken: 5) == ["\(other).json"])
    }
}

@Suite("Counts of erasures that are not known yet")
struct MissedErasuresTests {
    /// A worker that looks, and what it knows.
    private struct Worker {
        var missed = MissedErasures()
        var known: [Int: Int] = [:]

        mutating func look(_ counts: [Int: Int], after seconds: Int) -> [Int: Int] {
            let known = known
            return missed.missed(of: counts, at: BootInstant(nanoseconds: 0) + .seconds(seconds)) { counts in
                counts.filter { $0.value > known[$0.key, default: 0] }
            }
        }
    }

    @Test func `a count that rose waits for the word of it`() {
        var worker = Worker()
        #expect(worker.look([1: 1, 2: 0], after: 0) == [:])
        #expect(worker.look([1: 1, 2: 0], after: 11) == [:])
        worker.known[1] = 1
        #expect(worker.look([1: 1, 2: 0], after: 60) == [:])
        // The next has as much time.
        #expect(worker.look([1: 2, 2: 0], after: 62) == [:])
        #expect(worker.look([1: 2, 2: 0], after: 73) == [:])
    }

    @Test func `one of which no word came is missed`() {
        var worker = Worker()
        #expect(worker.look([1: 1, 2: 1], after: 0) == [:])
        worker.known[2] = 1
        #expect(worker.look([1: 2, 2: 1], after: 12) == [1: 2])
        worker.known[1] = 2
        #expect(worker.look([1: 2, 2: 1], after: 14) == [:])
        #expect(worker.look([1: 3, 2: 1], after: 16) == [:])
        #expect(worker.look([1: 3, 2: 1], after: 28) == [1: 3])
    }

    @Test func `where people leave all the time, and each is told of some seconds later, none is missed`() {
        var worker = Worker()
        for second in 0..<100 {
            worker.known[1] = max(0, second - 5)
            #expect(worker.look([1: second], after: second) == [:])
        }
    }
}

@Suite("Counts of erasures that came to nothing")
struct EmptyErasuresTests {
    /// A worker that looks, and what it knows.
    private struct Worker {
        var empty = EmptyErasures()
        var known: [Int: Int] = [:]

        mutating func look(_ counts: [Int: Int], after seconds: Int) -> [Int: Int] {
            let beyond = known.filter { log, count in counts[log].map { $0 < count } ?? false }
            return empty.found(in: counts, beyond, at: BootInstant(nanoseconds: 0) + .seconds(seconds))
        }
    }

    @Test func `what the database does not reach came to nothing`() {
        var worker = Worker(known: [1: 5, 2: 1])
        #expect(worker.look([1: 3, 2: 1], after: 0) == [:])
        #expect(worker.look([1: 3, 2: 1], after: 89) == [:])
        #expect(worker.look([1: 4, 2: 1], after: 90) == [1: 1])
        worker.known[1] = 4
        #expect(worker.look([1: 4, 2: 1], after: 200) == [:])
    }

    @Test func `what it reaches did not, and the next has as much time`() {
        var worker = Worker(known: [1: 4])
        #expect(worker.look([1: 3], after: 0) == [:])
        worker.known[1] = 5
        #expect(worker.look([1: 4], after: 89) == [:])
        #expect(worker.look([1: 4], after: 178) == [:])
        #expect(worker.look([1: 4], after: 179) == [1: 1])
    }

    @Test func `where people leave all the time, none came to nothing`() {
        var worker = Worker()
        for second in 0..<300 {
            worker.known[1] = second + 5
            #expect(worker.look([1: second], after: second) == [:])
        }
    }

    @Test func `the time in which a partition has no owner does not count`() {
        var worker = Worker(known: [1: 4])
        #expect(worker.look([1: 3], after: 0) == [:])
        #expect(worker.look([:], after: 60) == [:])
        #expect(worker.look([1: 3], after: 120) == [:])
        #expect(worker.look([1: 3], after: 209) == [:])
        #expect(worker.look([1: 3], after: 210) == [1: 1])
    }
}
