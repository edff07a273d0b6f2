import CivilTime
import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// Who is answered, and when.
@Suite("The live worker's core")
struct WorkerCoreTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    // MARK: Acknowledging

    @Test func `a fact is acknowledged when it is durable, and not before (G3)`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.turn()
        #expect(answers.all.isEmpty)
        machine.finishWriting()
        #expect(answers.all == [.success([.recorded(seq: 1, warnings: [])])])
    }

    @Test func `a job is handed over when it is durable, and not before`() throws {
        let machine = machine()
        let request = try fact("{\"type\":\"notice_requested\",\"user\":\"anna\",\"data\":{\"kind\":\"urgent\"}}")
        machine.core?.ask(facts: [request], answers.hear)
        machine.turn()
        #expect(machine.handedOver.isEmpty)
        machine.finishWriting()
        #expect(machine.handedOver == [EventPlace(position: 0, seq: 2)])
    }

    @Test func `after a failed write everyone hears of it and nothing more is taken (G4)`() throws {
        let machine = machine()
        machine.settle()
        machine.disk.failEverySyncAfter(machine.disk.operations)
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        machine.core?.ask(facts: [try enrolled("ben")], answers.hear)
        machine.turn()
        #expect(answers.all.count == 2)
        for answer in answers.all {
            guard case .failure(.journal) = answer else {
                Issue.record("answered \(answer)")
                continue
            }
        }
        #expect(machine.core?.failure != nil)
    }

    /// A read that fails leaves commits behind that nobody has written: their senders are told that they failed.
    @Test func `after a failed read nothing is written of which somebody was told that it failed`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna", id: "e")], answers.hear)
        machine.settle()
        machine.disk.countReads = true
        machine.disk.faults = Dictionary(
            uniqueKeysWithValues: (1...3).map { (machine.disk.operations + $0, .error(ErrorCode.inputOutput)) })
        machine.core?.ask(facts: [try enrolled("ben")], answers.hear)
        machine.core?.ask(facts: [try enrolled("carl", id: "e")], answers.hear)
        machine.turn()
        machine.disk.faults = [:]
        #expect(answers.all.count == 3)
        for answer in answers.all.dropFirst() {
            guard case .failure(.journal) = answer else {
                Issue.record("answered \(answer)")
                continue
            }
        }
        let writes = machine.core?.commit()
        #expect(writes?.answers.isEmpty == true)
        #expect(throws: JournalError.self) { try machine.stop() }
        #expect(try machine.commits().joined().compactMap(\.user) == ["anna"])
        // The lock was given up.
        try Journal(SimulatedMachine.directory, on: machine.disk, holder: "the next").close()
    }

    /// What ends it comes from outside, such as damage in what lies behind: the disk would take more.
    @Test func `when it is given up nothing is written of which somebody was told that it failed`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.turn()
        machine.core?.ask(facts: [try enrolled("ben")], answers.hear)
        machine.turn()
        for answer in machine.core?.giveUp(.lost("it is gone")).answers ?? [] { answer() }
        #expect(answers.all == [.failure(.journal(.lost("it is gone"))), .failure(.journal(.lost("it is gone")))])
        // Anna was with the disk by then.
        machine.finishWriting()
        #expect(throws: JournalError.self) { try machine.stop() }
        #expect(try machine.commits().joined().compactMap(\.user) == ["anna"])
    }

    // MARK: Keys, and all or nothing

    @Test func `a key that the log has is a duplicate, in one request and over several`() throws {
        let machine = machine()
        let twice = [try enrolled("anna", id: "e"), try enrolled("ben", id: "e")]
        machine.core?.ask(facts: twice, answers.hear)
        machine.settle()
        machine.core?.ask(facts: [try enrolled("carl", id: "e")], answers.hear)
        machine.settle()
        #expect(
            answers.all == [
                .success([.recorded(seq: 1, warnings: []), .duplicate(of: 1)]), .success([.duplicate(of: 1)]),
            ])
        #expect(machine.core?.knownCount == 1)
    }

    @Test func `when one of all or nothing is refused nothing has happened`() throws {
        let machine = machine()
        let bad = try fact("{\"type\":\"checked_in\",\"user\":\"ben\",\"data\":{\"goal\":\"g1\"}}")
        machine.core?.ask(facts: [try enrolled("anna"), bad], allOrNothing: true, answers.hear)
        machine.settle()
        guard case .success(let receipts)? = answers.all.first, receipts.count == 2 else {
            Issue.record("answered \(answers.all)")
            return
        }
        #expect(receipts[0] == .leftOut)
        guard case .refused(let problem) = receipts[1] else {
            Issue.record("the bad one was \(receipts[1])")
            return
        }
        #expect("\(problem)".contains("goal"))
        #expect(machine.core?.knownCount == 0)
        #expect(try machine.commits().isEmpty)
    }

    /// What is refused for no reason of its person's, such as words that stand in the place of erased ones.
    @Test func `whatever would be refused is refused before anything has happened`() throws {
        let machine = machine()
        let facts = [
            try enrolled("anna"),
            try fact(#"{"type":"notice_requested","user":"anna","data":{"kind":"alert","title":"[erased]"}}"#),
        ]
        machine.core?.ask(facts: facts, allOrNothing: true, answers.hear)
        machine.settle()
        guard case .success(let receipts)? = answers.all.first, receipts.first == .leftOut,
            case .refused? = receipts.last
        else {
            Issue.record("answered \(answers.all)")
            return
        }
        #expect(try machine.commits().isEmpty)
    }

    @Test func `what comes earlier in all or nothing counts for what comes later`() throws {
        let machine = machine("goals")
        let facts = [
            try fact("{\"type\":\"goal_started\",\"user\":\"anna\",\"data\":{\"goal\":\"g1\",\"title\":\"Run\"}}"),
            try fact("{\"type\":\"checked_in\",\"user\":\"anna\",\"data\":{\"goal\":\"g1\"}}"),
        ]
        machine.core?.ask(facts: facts, allOrNothing: true, answers.hear)
        machine.settle()
        #expect(answers.all.count == 1)
        #expect(try machine.commits().joined().filter(\.isFact).count == 2)
    }

    @Test func `all or nothing is tried and taken in pieces, a commit that nothing comes into and no crash parts`()
        throws
    {
        var limits = WorkerCore.Limits()
        limits.factsPerTurn = 2
        for fate in Fate.allCases.map(Optional.some) + [nil] {
            let machine = machine(at: instant("2026-03-03T12:00:00Z"), limits: limits)
            machine.core?.ask(facts: [try enrolled("zoe")], answers.hear)
            machine.settle()
            let due = instant("2026-03-04T08:00:00Z")
            machine.clock = due
            let whole = Hearing<[FactReceipt]>()
            let users = ["anna", "ben", "carl"]
            machine.core?.ask(facts: try users.map { try enrolled($0) }, allOrNothing: true, whole.hear)
            machine.core?.ask(facts: [try enrolled("dan")], answers.hear)
            // Two are tried; the third is, and one taken.
            for _ in 0..<2 {
                machine.turn()
                machine.finishWriting()
                machine.clock = machine.clock.advanced(byMilliseconds: 1)
                #expect(machine.core?.head.lastSeq == 1, "nothing else is recorded, also not what is due")
            }
            if let fate {
                machine.crash(fate, seed: 1)
                machine.start()
                #expect(machine.core?.knownCount == 1, "nothing of it, or all")
                continue
            }
            machine.settle()
            let receipts = [2, 3, 4].map { FactReceipt.recorded(seq: $0, warnings: []) }
            #expect(whole.all == [.success(receipts)])
            #expect(machine.handedOver.count == 1)
            let commit = try #require(try machine.commits().first { $0.contains { $0.user == "ben" } })
            #expect(commit.map { $0.user ?? "" } == users)
            #expect(commit.allSatisfy { $0.at == due }, "they happen at once")
        }
    }

    @Test func `one all or nothing behind the other leaves all else its share`() throws {
        var limits = WorkerCore.Limits()
        limits.factsPerTurn = 3
        let machine = machine(at: instant("2026-03-03T12:00:00Z"), limits: limits)
        machine.core?.ask(facts: [try enrolled("zoe")], answers.hear)
        machine.settle()
        machine.clock = instant("2026-03-04T08:00:00Z")
        let requests = (0..<3).map { number in ["a", "b", "c", "d"].map { "\($0)\(number)" } }
        for users in requests {
            machine.core?.ask(facts: try users.map { try enrolled($0) }, allOrNothing: true, answers.hear)
        }
        machine.settle()
        let commits = try machine.commits().map { commit in commit.map { $0.user ?? "" } }
        #expect(commits.contains(requests[2]))
        // The first is that she came.
        let woken = try #require(commits.lastIndex(of: ["zoe"]))
        #expect(try woken < #require(commits.firstIndex(of: requests[1])), "\(commits)")
    }

    /// A code is not asked for twice in half a minute: sent again under its key, that is no refusal.
    @Test func `a key that is told twice in one turn is a duplicate of all or nothing too`() throws {
        let machine = machine()
        let code = try fact(
            #"{"type":"phone_verification_requested","user":"anna","id":"e","data":{"phone":"+33612345678"}}"#)
        machine.core?.ask(facts: [code], answers.hear)
        machine.core?.ask(facts: [code, try enrolled("carl")], allOrNothing: true, answers.hear)
        machine.settle()
        #expect(
            answers.all == [
                .success([.recorded(seq: 1, warnings: [])]),
                .success([.duplicate(of: 1), .recorded(seq: 2, warnings: [])]),
            ])
    }

    // MARK: Many at once

    @Test func `what is asked in one turn is one commit, answered when it is durable and in its order (G3)`() throws {
        let machine = machine()
        for user in ["anna", "ben", "carl"] { machine.core?.ask(facts: [try enrolled(user)], answers.hear) }
        machine.core?.ask(facts: [], answers.hear)
        machine.turn()
        #expect(answers.all.isEmpty)
        machine.finishWriting()
        #expect(answers.all == (1...3).map { .success([.recorded(seq: $0, warnings: [])]) } + [.success([])])
        #expect(try machine.commits().map(\.count) == [3])
    }

    @Test func `a story that is asked for behind a fact tells of it`() throws {
        let machine = machine()
        let places = Mutex<[PersonPlace?]>([])
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.core?.ask(storyOf: "anna") { result in places.withLock { $0.append(try? result.get()) } }
        machine.settle()
        #expect(places.withLock { $0.map { $0?.head.lastSeq } } == [1])
    }

    // MARK: Many are due

    @Test func `while many are due a fact waits for one turn and the disk`() throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 10
        let machine = try herd(limits)
        machine.turn()
        machine.finishWriting()
        let late = Hearing<[FactReceipt]>()
        machine.core?.ask(facts: [try enrolled("zoe")], late.hear)
        // One batch may be under way already; the next one has the fact.
        for _ in 0..<2 {
            machine.turn()
            machine.finishWriting()
        }
        #expect(late.all.count == 1)
        #expect(machine.handedOver.count < 100, "the others are far from done")
        machine.settle()
        #expect(machine.handedOver.count == 1000)
    }

    @Test func `those who are due together share commits`() throws {
        let machine = try herd(WorkerCore.Limits())
        machine.settle()
        let commits = try machine.commits().filter { $0.contains { !$0.isFact } }
        #expect(commits.count == 4, "1,000 people, 256 a commit")
        #expect(commits.allSatisfy { Set($0.map(\.at)).count == 1 }, "one now a commit")
    }

    @Test func `who is about to stop wakes nobody any more, and answers all the same`() throws {
        let machine = try herd(WorkerCore.Limits())
        machine.core?.isClosing = true
        let late = Hearing<[FactReceipt]>()
        machine.core?.ask(facts: [try enrolled("zoe")], late.hear)
        machine.settle()
        #expect(late.all.count == 1)
        #expect(machine.handedOver.isEmpty)
        #expect(machine.core?.isIdle == true)
    }
}
