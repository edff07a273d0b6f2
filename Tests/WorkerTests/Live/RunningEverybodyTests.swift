import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// A "run now" is many small commits between which facts are taken, also where a fact asks for it (SPEC §2, §13).
@Suite("Everybody is run in pieces")
struct RunningEverybodyTests {
    private let answers = Hearing<[FactReceipt]>()
    private let reader = FactReader(zoneProblem: { ShippedPlans.zones.problem(with: $0) })

    private func enrolled(_ user: String) throws -> Fact {
        try reader.read(#"{"type":"user_enrolled","user":"\#(user)","data":{"timezone":"Europe/Paris"}}"#)
    }

    private func run(_ id: String, kind: String = "check_in") throws -> Fact {
        try reader.read(#"{"type":"run_requested","id":"\#(id)","data":{"kind":"\#(kind)"}}"#)
    }

    private var adoption: Fact {
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: "messageai") ?? "")
        return Fact(id: "policy", payload: .policyAdopted(adoption))
    }

    /// On a Monday noon, when nobody is due.
    private func machine(
        people: Int, factsPerTurn: Int = 2, wakesPerTurn: Int = 2048, unwrittenMax: Int = 4 << 20
    ) throws -> SimulatedMachine {
        var limits = WorkerCore.Limits()
        limits.factsPerTurn = factsPerTurn
        limits.wakesPerTurn = wakesPerTurn
        limits.unwrittenBytesMax = unwrittenMax
        let machine = SimulatedMachine(
            ShippedPlans["standard"], at: try Instant(rfc3339: "2026-03-02T12:00:00Z"), limits: limits, seed: 1)
        machine.start()
        machine.core?.ask(facts: try (0..<people).map { try enrolled("u\($0)") }) { _ in }
        machine.settle()
        return machine
    }

    private func runs(in commits: [[Event]]) -> [[Event]] {
        commits.map { $0.filter { if case .runRequested = $0.payload { true } else { false } } }.filter { !$0.isEmpty }
    }

    // MARK: A fact asks for it

    @Test func `a fact that asks for it becomes a fact a person, behind which one about nobody has its key`() throws {
        let machine = try machine(people: 5)
        machine.core?.ask(facts: [try run("r")], answers.hear)
        machine.settle()
        let runs = runs(in: try machine.commits())
        #expect(runs.map(\.count) == [2, 2, 2])
        #expect(runs.joined().compactMap(\.user) == (0..<5).map { "u\($0)" })
        #expect(runs.joined().map(\.id) == [nil, nil, nil, nil, nil, "r"])
        let end = try #require(runs.joined().last)
        #expect(end.user == nil && end.payload == .runRequested(RunRequested()))
        let last = end.seq
        #expect(answers.all == [.success([.recorded(seq: last, warnings: [])])])
        #expect(machine.handedOver.count == 5)
        machine.core?.ask(facts: [try run("r")], answers.hear)
        machine.settle()
        #expect(answers.all.last == .success([.duplicate(of: last)]))
        #expect(machine.handedOver.count == 5)
    }

    @Test func `of two with one key at once the second does nothing`() throws {
        let machine = try machine(people: 5)
        machine.core?.ask(facts: [try run("r"), try run("r")], answers.hear)
        machine.core?.ask(facts: [try run("r")], answers.hear)
        machine.settle()
        #expect(machine.handedOver.count == 5)
        let last = try #require(runs(in: try machine.commits()).joined().last?.seq)
        #expect(answers.all.contains(.success([.recorded(seq: last, warnings: []), .duplicate(of: last)])))
        #expect(answers.all.contains(.success([.duplicate(of: last)])))
    }

    @Test func `what comes behind it in its request is taken behind it, and facts of others meanwhile`() throws {
        let machine = try machine(people: 50)
        machine.core?.ask(facts: [try run("r"), try enrolled("zoe")], answers.hear)
        machine.turn()
        machine.finishWriting()
        let others = Hearing<[FactReceipt]>()
        machine.core?.ask(facts: [try enrolled("yve")], others.hear)
        for _ in 0..<2 {
            machine.turn()
            machine.finishWriting()
        }
        #expect(others.all.count == 1)
        #expect(answers.all.isEmpty, "the run is far from done")
        machine.settle()
        let events = try machine.commits().flatMap { $0 }
        let last = try #require(events.last { if case .runRequested = $0.payload { true } else { false } })
        #expect(last.user == nil)
        let users = runs(in: [events]).joined().compactMap(\.user)
        #expect(users == (0..<50).map { "u\($0)" }, "who is met while it goes on is not run")
        #expect(try #require(events.first { $0.user == "zoe" }).seq > last.seq)
        #expect(try #require(events.first { $0.user == "yve" }).seq < last.seq)
    }

    @Test func `one that is wrong is refused, and one that finds nobody is recorded`() throws {
        let machine = try machine(people: 0)
        machine.core?.ask(facts: [try run("r")], answers.hear)
        machine.settle()
        #expect(answers.all == [.success([.recorded(seq: 1, warnings: [])])])
        machine.core?.ask(facts: [try run("s", kind: "chek_in"), try enrolled("zoe")], answers.hear)
        machine.settle()
        guard case .success(let receipts)? = answers.all.last, case .refused(let problem)? = receipts.first else {
            Issue.record("answered \(answers.all)")
            return
        }
        #expect("\(problem)".contains("check_in"))
        #expect(receipts.last == .recorded(seq: 2, warnings: []))
    }

    @Test func `after a power cut its key is free, and it can be sent again`() throws {
        let machine = try machine(people: 6)
        machine.core?.ask(facts: [try run("r")], answers.hear)
        machine.turn()
        machine.finishWriting()
        machine.crash(.lost, seed: 1)
        machine.start()
        #expect(runs(in: try machine.commits()).joined().count == 2)
        machine.core?.ask(facts: [try run("r")], answers.hear)
        machine.settle()
        let runs = runs(in: try machine.commits()).joined()
        #expect(Set(runs.compactMap(\.user)).count == 6)
        #expect(runs.filter { $0.id == "r" }.map(\.seq) == [try #require(runs.last).seq])
        #expect(answers.all == [.success([.recorded(seq: try #require(runs.last).seq, warnings: [])])])
    }

    @Test func `whoever is due when it ends is woken behind it, also decided again (G1)`() throws {
        let machine = try machine(people: 5, wakesPerTurn: 1)
        machine.core?.ask(facts: [try run("r")], answers.hear)
        machine.turn()
        machine.finishWriting()
        machine.core?.ask(facts: [try enrolled("v"), try enrolled("w")]) { _ in }
        machine.turn()
        machine.finishWriting()
        machine.clock = try Instant(rfc3339: "2026-03-04T08:00:00Z")
        machine.settle()
        let commits = try machine.commits()
        let end = try #require(commits.joined().first { $0.id == "r" })
        #expect(commits.joined().contains { $0.seq > end.seq && ["v", "w"].contains($0.user) && !$0.isFact })
        var replay = Replay(ShippedPlans["standard"])
        for commit in commits { replay.take(commit) }
        #expect(replay.differing == 0, "\(String(describing: replay.first))")
    }

    // MARK: Beside other facts

    @Test func `a policy waits for the run that has begun, and the next run for the policy`() throws {
        let machine = try machine(people: 4)
        let orders = Hearing<RunReceipt>()
        machine.core?.ask(run: RunOrder(kind: "check_in"), orders.hear)
        machine.turn()
        machine.finishWriting()
        machine.core?.ask(facts: [adoption], answers.hear)
        machine.core?.ask(run: RunOrder(kind: "check_in"), orders.hear)
        machine.settle()
        let events = try machine.commits().flatMap { $0 }
        let adopted = try #require(events.first { $0.id == "policy" }).seq
        #expect(runs(in: [events]).joined().count == 4)
        #expect(runs(in: [events]).joined().allSatisfy { $0.seq < adopted })
        #expect(orders.all.count == 2)
        guard case .failure(.problem)? = orders.all.last else {
            Issue.record("a kind of no policy was run: \(orders.all)")
            return
        }
    }

    @Test func `facts without end keep no run from its end`() throws {
        let machine = try machine(people: 6)
        machine.core?.ask(facts: try (0..<200).map { try enrolled("v\($0)") }, answers.hear)
        machine.turn()
        let orders = Hearing<RunReceipt>()
        machine.core?.ask(run: RunOrder(users: ["u1", "u2"], kind: "check_in"), orders.hear)
        // A run that is asked for behind others is met when they have been taken.
        machine.core?.ask(facts: try (0..<200).map { try enrolled("w\($0)") }, answers.hear)
        var turns = 0
        while orders.all.isEmpty, turns < 110 {
            turns += 1
            machine.turn()
            machine.finishWriting()
        }
        #expect(orders.all.count == 1)
        #expect(answers.all.count == 1, "facts are still being taken")
    }

    @Test func `facts that leave no room on the disk keep nobody who is due from being woken`() throws {
        let machine = try machine(people: 6, unwrittenMax: 1)
        machine.clock = try Instant(rfc3339: "2026-03-04T08:00:00Z")
        machine.core?.ask(facts: try (0..<100).map { try enrolled("v\($0)") }, answers.hear)
        for _ in 0..<4 {
            machine.turn()
            machine.finishWriting()
        }
        #expect(machine.handedOver.count == 6)
        #expect(answers.all.isEmpty, "facts are still being taken")
    }

    // MARK: All or nothing

    @Test func `a fact about everybody is refused among others that are all or nothing`() throws {
        let machine = try machine(people: 2)
        for (fact, words) in [(adoption, "a request of its own"), (try run("r"), "even by itself")] {
            machine.core?.ask(facts: [try enrolled("zoe"), fact], allOrNothing: true, answers.hear)
            machine.settle()
            guard case .success(let receipts)? = answers.all.last, case .refused(let problem)? = receipts.last else {
                Issue.record("answered \(answers.all)")
                continue
            }
            #expect(receipts.first == .leftOut)
            #expect("\(problem)".contains(words))
        }
        #expect(try machine.commits().joined().count == 2)
        machine.core?.ask(facts: [adoption], allOrNothing: true, answers.hear)
        machine.settle()
        #expect(answers.all.last == .success([.recorded(seq: 3, warnings: [])]), "by itself it is one commit")
        machine.core?.ask(facts: [try enrolled("zoe"), adoption], allOrNothing: true, answers.hear)
        machine.settle()
        #expect(answers.all.last == .success([.recorded(seq: 4, warnings: []), .duplicate(of: 3)]))
    }

    @Test(arguments: ["{}", #"{"kind":"check_in"}"#])
    func `a run of everybody is refused by itself as well, whatever it brings`(data: String) throws {
        let machine = try machine(people: 2)
        let everybody = try reader.read(#"{"type":"run_requested","data":\#(data)}"#)
        machine.core?.ask(facts: [everybody], allOrNothing: true, answers.hear)
        machine.settle()
        guard case .success(let receipts)? = answers.all.last, case .refused(let problem)? = receipts.first else {
            Issue.record("answered \(answers.all)")
            return
        }
        #expect("\(problem)".contains("even by itself"))
        #expect(try machine.commits().joined().count == 2)
    }

    // MARK: What is kept

    private final class Token: Sendable {}

    @Test func `who has been answered is let go of, however many wait behind`() throws {
        let machine = try machine(people: 1)
        weak var sender: Token?
        weak var runner: Token?
        do {
            let (one, other) = (Token(), Token())
            (sender, runner) = (one, other)
            machine.core?.ask(facts: [try enrolled("zoe")]) { _ in withExtendedLifetime(one) {} }
            machine.core?.ask(run: RunOrder(kind: "check_in")) { _ in withExtendedLifetime(other) {} }
        }
        machine.turn()
        for number in 0..<3 {
            machine.core?.ask(facts: [try enrolled("v\(number)")], answers.hear)
            machine.core?.ask(run: RunOrder(kind: "check_in")) { _ in }
        }
        #expect(sender != nil && runner != nil)
        machine.finishWriting()
        machine.turn()
        machine.finishWriting()
        #expect(sender == nil)
        #expect(runner == nil)
    }
}
