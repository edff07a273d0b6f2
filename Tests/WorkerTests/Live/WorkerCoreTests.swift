import CivilTime
import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// The live worker turn by turn, on a simulated disk and under a virtual clock.
@Suite("The live worker's core")
struct WorkerCoreTests {
    private static let noon = instant("2026-03-02T12:00:00Z")
    private let answers = Answers()

    private static func instant(_ text: String) -> Instant {
        guard let instant = try? Instant(rfc3339: text) else { preconditionFailure("\(text) is no instant") }
        return instant
    }

    private final class Answers: Sendable {
        let receipts = Mutex<[Result<[FactReceipt], WorkerRefusal>]>([])

        var all: [Result<[FactReceipt], WorkerRefusal>] { receipts.withLock { $0 } }
        var hear: Reply<[FactReceipt]> { { [self] result in receipts.withLock { $0.append(result) } } }
    }

    private func fact(_ line: String) throws -> Fact {
        try FactReader(zoneProblem: { ShippedPlans.zones.problem(with: $0) }).read(line)
    }

    private func enrolled(_ user: String, id: String? = nil) throws -> Fact {
        let key = id.map { "\"id\":\"\($0)\"," } ?? ""
        return try fact(
            "{\"type\":\"user_enrolled\",\"user\":\"\(user)\",\(key)\"data\":{\"timezone\":\"Europe/Paris\"}}")
    }

    private func machine(
        _ policy: String = "standard", at clock: Instant = noon, limits: WorkerCore.Limits = WorkerCore.Limits()
    ) -> SimulatedMachine {
        let machine = SimulatedMachine(ShippedPlans[policy], at: clock, limits: limits, seed: 1)
        machine.start()
        return machine
    }

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
        #expect(machine.core?.peopleCount == 1)
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
        #expect(machine.core?.peopleCount == 0)
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

    /// A thousand people whose check-in comes at the same moment.
    private func herd(_ limits: WorkerCore.Limits) throws -> SimulatedMachine {
        let machine = machine(at: Self.instant("2026-03-03T12:00:00Z"), limits: limits)
        machine.core?.ask(facts: try (0..<1000).map { try enrolled("u\($0)") }, answers.hear)
        machine.settle()
        machine.clock = Self.instant("2026-03-04T08:00:00Z")
        return machine
    }

    @Test func `while many are due a fact waits for one turn and the disk`() throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 10
        let machine = try herd(limits)
        machine.turn()
        machine.finishWriting()
        let late = Answers()
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
        let late = Answers()
        machine.core?.ask(facts: [try enrolled("zoe")], late.hear)
        machine.settle()
        #expect(late.all.count == 1)
        #expect(machine.handedOver.isEmpty)
        #expect(machine.core?.isIdle == true)
    }

    // MARK: Figures

    @Test func `a job is late against its own wake, and one that a fact led to against none (V7)`() throws {
        let machine = machine()
        let core = try #require(machine.core)
        core.ask(facts: [try enrolled("anna")], answers.hear)
        // For an hour nobody is due.
        for minute in 0...60 as ClosedRange<Int64> {
            _ = core.turn(at: Self.noon.advanced(byMinutes: minute), writing: false)
        }
        _ = core.commit()
        _ = core.turn(at: Self.noon.advanced(byMinutes: 61), writing: false)
        core.ask(
            facts: [try fact(#"{"type":"notice_requested","user":"anna","data":{"kind":"urgent"}}"#)], answers.hear)
        _ = core.turn(at: Self.noon.advanced(byMinutes: 120), writing: false)
        let asked = core.commit()
        #expect(asked.jobs.count == 1 && asked.due.isEmpty)
        let nine = Self.instant("2026-03-04T08:00:00Z")
        _ = core.turn(at: nine.advanced(byMilliseconds: -1), writing: false)
        _ = core.turn(at: nine.advanced(bySeconds: 2), writing: false)
        let woken = core.commit()
        #expect(woken.jobs.count == 1 && woken.due == [nine])
    }

    @Test func `a sample counts for nothing, sent or dropped (N8)`() throws {
        let machine = machine()
        let samples = ["", #","channel":"sms""#].map { channel in
            #"{"type":"test_requested","user":"anna","data":{"kind":"alert"\#(channel)}}"#
        }
        machine.core?.ask(facts: try [enrolled("anna")] + samples.map { try fact($0) }, answers.hear)
        machine.settle()
        #expect(try machine.commits().joined().filter { !$0.isFact }.count == 2)
        let figures = try #require(machine.core?.figures)
        #expect(figures.totals.decisions.isEmpty)
        let minute = figures.lastMinute(at: machine.clock)
        #expect((minute.facts, minute.decisions, minute.jobs, minute.dropped) == (3, 0, 0, 0))
    }

    @Test func `the last minute is one of the machine's clock, also while recorded time stands still (T7)`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        machine.clock = Self.noon.advanced(byMinutes: -60)
        machine.core?.ask(facts: [try enrolled("ben"), try enrolled("carl")], answers.hear)
        machine.settle()
        #expect(machine.core?.figures.lastMinute(at: machine.clock).facts == 2)
        #expect(machine.core?.figures.lastMinute(at: machine.clock.advanced(bySeconds: 60)).facts == 0)
    }

    // MARK: Clocks

    @Test func `when the clock is set back recorded time stands still until it has caught up (T7)`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        machine.clock = Self.noon.advanced(byMinutes: -60)
        machine.core?.ask(facts: [try enrolled("ben")], answers.hear)
        machine.settle()
        machine.clock = Self.noon.advanced(byMinutes: 1)
        machine.core?.ask(facts: [try enrolled("carl")], answers.hear)
        machine.settle()
        #expect(try machine.commits().joined().map(\.at) == [Self.noon, Self.noon, Self.noon.advanced(byMinutes: 1)])
    }

    /// Whatever is decided is decided at recorded time: by the machine's clock it would still be night.
    @Test func `when the clock is set back nothing is decided as of the time that has been (T7)`() throws {
        let machine = machine(at: Self.instant("2026-03-03T07:30:00Z"))
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        machine.clock = Self.instant("2026-03-03T06:30:00Z")
        let request = try fact("{\"type\":\"notice_requested\",\"user\":\"anna\",\"data\":{\"kind\":\"alert\"}}")
        machine.core?.ask(facts: [request], answers.hear)
        machine.settle()
        #expect(machine.handedOver.count == 1)
    }

    @Test func `when the clock jumps ahead what is late still fires, or is missed (C5)`() throws {
        let machine = machine(at: Self.instant("2026-03-03T12:00:00Z"))
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        // The check-in of Wednesday 09:00 in Paris, three hours late; that of Friday, five.
        machine.clock = Self.instant("2026-03-04T11:00:00Z")
        machine.settle()
        machine.clock = Self.instant("2026-03-06T13:00:00Z")
        machine.settle()
        let said = try machine.commits().joined().compactMap { event -> String? in
            switch event.payload {
            case .jobEmitted(let job): "job \(job.job.text) \(event.at)"
            case .slotsSkipped(let skipped): "skipped \(skipped.reason.name) \(event.at)"
            default: nil
            }
        }
        #expect(
            said == [
                "job anna/check_in/2026-03-04T09:00 2026-03-04T11:00:00.000Z",
                "skipped missed 2026-03-06T13:00:00.000Z",
            ])
    }

    // MARK: Everybody's facts

    @Test func `a policy is adopted after what was due, in a commit of its own (T10)`() throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 10
        let machine = try herd(limits)
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: "messageai") ?? "")
        machine.core?.ask(facts: [Fact(payload: .policyAdopted(adoption)), try enrolled("zoe")], answers.hear)
        machine.settle()
        #expect(machine.handedOver.count == 1000, "all check-ins of before")
        let commits = try machine.commits()
        let place = try #require(
            commits.firstIndex { if case .policyAdopted? = $0.first?.payload { true } else { false } })
        #expect(commits[place].allSatisfy { $0.user == nil || !$0.isFact })
        #expect(commits[(place + 1)...].joined().allSatisfy { $0.isFact }, "nothing was due behind it")
    }

    // MARK: Run now

    private func run(_ order: RunOrder, on machine: SimulatedMachine) -> Result<RunReceipt, WorkerRefusal>? {
        let box = Heard()
        machine.core?.ask(run: order) { result in box.result.withLock { $0 = result } }
        machine.settle()
        return box.result.withLock { $0 }
    }

    private final class Heard: Sendable {
        let result = Mutex<Result<RunReceipt, WorkerRefusal>?>(nil)
    }

    @Test func `run now raises the next slot of a kind for those it names`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna"), try enrolled("ben")], answers.hear)
        machine.settle()
        let receipt = run(RunOrder(users: ["ben"], kind: "check_in"), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 3, lastSeq: 4, jobs: 1)))
        #expect(try machine.commits().joined().last?.user == "ben")
    }

    @Test func `run now for everybody is one fact a person`() throws {
        let machine = machine()
        machine.core?.ask(facts: try (0..<5).map { try enrolled("u\($0)") }, answers.hear)
        machine.settle()
        let receipt = run(RunOrder(kind: "check_in"), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 6, lastSeq: 15, jobs: 5)))
    }

    @Test func `run now without a kind decides what is due and leaves no fact of its own`() throws {
        let machine = try herd(WorkerCore.Limits())
        let receipt = run(RunOrder(), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 1001, lastSeq: 2000, jobs: 1000)))
    }

    @Test(arguments: [false, true])
    func `run now is answered when everyone who is due has been woken, also by one who is about to stop`(
        isClosing: Bool
    ) throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 10
        let machine = try herd(limits)
        machine.core?.isClosing = isClosing
        let receipt = run(RunOrder(), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 1001, lastSeq: 2000, jobs: 1000)))
    }

    @Test func `run now for nobody known, or no kind of this policy, is refused and does nothing`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        for order in [RunOrder(users: ["anna", "zoe"], kind: "check_in"), RunOrder(kind: "chek_in")] {
            guard case .failure(.problem)? = run(order, on: machine) else {
                Issue.record("\(order) was not refused")
                continue
            }
        }
        #expect(try machine.commits().joined().count == 1)
    }
}
