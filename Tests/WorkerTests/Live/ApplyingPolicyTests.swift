import CivilTime
import Journal
import Notices
import Sealing
import Simulation
import Testing
import Worker

/// A policy is in force at once and is applied to people a piece at a time: nobody waits until it was applied to a million, and
/// each is considered under it once, before anything else of theirs (G1, G11, T10).
@Suite("A policy is applied in pieces")
struct ApplyingPolicyTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    private func adoption(of name: String, id: String? = nil) -> Fact {
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: name) ?? "")
        return Fact(id: id, payload: .policyAdopted(adoption))
    }

    /// At night, when a reminder waits for the morning for whoever asked for one.
    private func sleeping(_ people: Int, reminding: Bool = true, limits: WorkerCore.Limits) throws -> SimulatedMachine {
        let machine = machine(at: instant("2026-03-02T23:00:00Z"), limits: limits)
        let facts = try (0..<people).flatMap { number in
            [try enrolled("u\(number)")]
                + (reminding
                    ? [
                        try fact(
                            #"{"type":"notice_requested","user":"u\#(number)","data":{"kind":"reminder","title":"x"}}"#)
                    ] : [])
        }
        machine.core?.ask(facts: facts) { _ in }
        machine.settle()
        return machine
    }

    private func pieces(_ commits: [[Event]]) -> [PolicyApplied] {
        commits.joined().compactMap { if case .policyApplied(let applied) = $0.payload { applied } else { nil } }
    }

    /// The seq numbers that a notice is called by are others where there are notes in between.
    private func decisions(_ commits: [[Event]]) -> [String: [String]] {
        Dictionary(grouping: commits.joined().filter { !$0.isFact && $0.user != nil }) { $0.user ?? "" }
            .mapValues { $0.map { "\($0.at) \($0.payload.type.name)" } }
    }

    private func step(_ machine: SimulatedMachine) {
        machine.turn()
        machine.finishWriting()
    }

    @Test func `whoever asks for the policy behind one that was told is told of that one`() throws {
        let machine = machine()
        let places = Hearing<[UInt64]>()
        machine.core?.ask(facts: [try enrolled("anna")]) { _ in }
        machine.core?.ask(facts: [adoption(of: "coachme")], answers.hear)
        machine.core?.askGeneralCommits(places.hear)
        machine.settle()
        let answer = try #require(places.all.first).get()
        #expect(answer.count == 1, "the commit that adopted it, which was not written when this was asked")
    }

    @Test func `a turn looks at so many people and no more, and facts are taken in between`() throws {
        let people = 50_000
        var limits = WorkerCore.Limits()
        limits.appliedPerTurn = 2_000
        let machine = try sleeping(people, reminding: false, limits: limits)
        machine.core?.ask(facts: [adoption(of: "messageai")], answers.hear)
        step(machine)
        #expect(answers.all.count == 1, "it is in force, and whoever told it knows")
        #expect(machine.core?.policy.name.text == "messageai")
        let heard = Hearing<[FactReceipt]>()
        var turns = 0
        while machine.core?.isApplyingPolicy ?? false, turns < 1000 {
            turns += 1
            let work = machine.core?.work ?? 0
            machine.core?.ask(facts: [try enrolled("new\(turns)")], heard.hear)
            step(machine)
            #expect(heard.all.count == turns, "a fact waits for one turn and for the disk")
            #expect((machine.core?.work ?? 0) - work <= 3 * limits.appliedPerTurn)
        }
        let pieces = pieces(try machine.commits())
        #expect(pieces.map(\.people) == Array(stride(from: 2_000, through: people, by: 2_000)))
        #expect(pieces.allSatisfy { $0.of == people })
        #expect(turns == people / 2_000 - 2, "the first turn has a piece with the adoption and one of its own")
    }

    @Test func `few people have it applied in the commit that adopts it, and nothing is said of pieces`() throws {
        let machine = try sleeping(20, limits: WorkerCore.Limits())
        machine.core?.ask(facts: [adoption(of: "messageai")], answers.hear)
        machine.settle()
        let commits = try machine.commits()
        #expect(pieces(commits).isEmpty)
        let adopting = try #require(commits.last)
        #expect(Set(adopting.compactMap(\.user)).count == 20, "the kind of what waits is no more")
    }

    @Test func `however it is cut up, the same is decided of everybody (G2)`() throws {
        var expected: [String: [String]]?
        for size in [1, 3, 1000] {
            var limits = WorkerCore.Limits()
            limits.appliedPerTurn = size
            let machine = try sleeping(10, limits: limits)
            machine.core?.ask(facts: [adoption(of: "messageai"), adoption(of: "standard")], answers.hear)
            machine.settle()
            let commits = try machine.commits()
            #expect(LifeJudgement.problems(commits, acknowledged: [:], ShippedPlans["standard"]) == [])
            let decided = decisions(commits)
            #expect(decided.count == 10 && decided == expected ?? decided)
            expected = decided
        }
    }

    @Test func `a fact before somebody's turn finds the policy applied to them, once`() throws {
        var limits = WorkerCore.Limits()
        limits.appliedPerTurn = 2
        let machine = try sleeping(9, limits: limits)
        machine.core?.ask(facts: [adoption(of: "messageai")], answers.hear)
        step(machine)
        machine.clock = machine.clock.advanced(byMilliseconds: 7)
        machine.core?.ask(facts: [try fact(#"{"type":"app_opened","user":"u8","data":{}}"#)], answers.hear)
        step(machine)
        let commits = try machine.commits()
        let fact = try #require(
            commits.first { $0.contains { if case .appOpened = $0.payload { true } else { false } } })
        #expect(fact.map { $0.payload.type.text } == ["notice_dropped", "app_opened"], "before the fact (T10)")
        machine.settle()
        let all = try machine.commits()
        #expect(decisions(all).mapValues { $0.filter { $0.contains("dropped") }.count }.allSatisfy { $0.value == 1 })
        #expect(LifeJudgement.problems(all, acknowledged: [:], ShippedPlans["standard"]) == [])
    }

    @Test func `the next policy waits until the last was applied to everybody, and holds up nobody else`() throws {
        var limits = WorkerCore.Limits()
        limits.appliedPerTurn = 1
        let machine = try sleeping(6, limits: limits)
        let others = Hearing<[FactReceipt]>()
        machine.core?.ask(facts: [adoption(of: "messageai")], answers.hear)
        machine.core?.ask(facts: [adoption(of: "standard")], answers.hear)
        step(machine)
        machine.core?.ask(facts: [try enrolled("zoe")], others.hear)
        step(machine)
        #expect(others.all.count == 1 && answers.all.count == 1)
        machine.settle()
        let events = try machine.commits().flatMap { $0 }
        let adopted = events.filter { if case .policyAdopted = $0.payload { true } else { false } }
        let applied = pieces(try machine.commits())
        #expect(applied.filter { $0.policy == Int(adopted[0].seq) }.last?.people == 6)
        #expect(applied.filter { $0.policy == Int(adopted[1].seq) }.last?.people == 7)
        #expect(answers.all.count == 2)
    }

    @Test func `a crash in between loses nobody and looks at nobody twice`() throws {
        for operations in 0..<24 {
            var limits = WorkerCore.Limits()
            limits.appliedPerTurn = 2
            let machine = try sleeping(9, limits: limits)
            machine.disk.crash(after: machine.disk.operations + operations)
            machine.core?.ask(facts: [adoption(of: "messageai", id: "p")], answers.hear)
            machine.core?.ask(facts: [try fact(#"{"type":"app_opened","user":"u8","id":"o","data":{}}"#)], answers.hear)
            for _ in 0..<3 { step(machine) }
            machine.crash(Fate.allCases[operations % Fate.allCases.count], seed: UInt64(operations))
            machine.clock = machine.clock.advanced(byMilliseconds: 40)
            machine.start()
            machine.core?.ask(facts: [adoption(of: "messageai", id: "p")], answers.hear)
            machine.settle()
            let commits = try machine.commits()
            #expect(LifeJudgement.problems(commits, acknowledged: [:], ShippedPlans["standard"]) == [], "\(operations)")
            let dropped = decisions(commits).mapValues { $0.filter { $0.contains("dropped") }.count }
            #expect(dropped.count == 9 && dropped.allSatisfy { $0.value == 1 }, "after \(operations)")
        }
    }

    @Test func `a snapshot in between knows how far it has come, and who had it applied before their turn`() throws {
        var limits = WorkerCore.Limits()
        limits.appliedPerTurn = 2
        let machine = try sleeping(9, limits: limits)
        machine.core?.ask(facts: [adoption(of: "messageai")], answers.hear)
        machine.core?.ask(facts: [try fact(#"{"type":"app_opened","user":"u8","data":{}}"#)], answers.hear)
        step(machine)
        step(machine)
        let log = try LogReader(SimulatedMachine.directory, on: machine.disk)
        let beginning = Beginning(
            ShippedPlans["standard"], policy: ShippedPolicies.text(of: "standard") ?? "",
            tzdb: ShippedPlans.zones.version)
        let folded = try FoldedLog.load(log, beginning)
        let adoption = try #require(folded.register.adoption)
        #expect(adoption.through == 6 && adoption.count == 9 && adoption.except == [8])
        _ = try folded.write(to: SimulatedMachine.directory, on: machine.disk)
        let kept = try FoldedLog.load(log, beginning)
        #expect(kept.snapshot != nil && kept.register.adoption == adoption)
    }

    /// Every turn a person, the clock going on in between, the power going now and then.
    @Test(arguments: 0..<(LongRun.isAskedFor ? 200 : 8) as Range<UInt64>)
    func `in a random life the log decides the same again, by everybody and by shares`(batch: UInt64) throws {
        var seen = 0
        for seed in batch * 40..<(batch + 1) * 40 {
            let policy = ShippedPolicies.names[Int(seed) % ShippedPolicies.names.count]
            let history = RandomHistory(RandomHistory.Recipe(seed: seed &+ 70_000, policy: policy))
            guard history.adoptsPolicies else { continue }
            var random = SeededRandom(seed: seed)
            var limits = WorkerCore.Limits()
            limits.appliedPerTurn = 1
            let machine = SimulatedMachine(
                history.plan, at: Self.noon, limits: limits, seed: seed, keeper: { LogKeys(.own) })
            machine.clock = history.facts.first?.at ?? machine.clock
            machine.start()
            for told in history.facts {
                machine.clock = max(machine.clock, told.at ?? machine.clock)
                machine.core?.ask(facts: [told]) { _ in }
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    step(machine)
                    machine.clock = machine.clock.advanced(
                        byMilliseconds: Int.random(in: 0..<3, using: &random) == 0 ? 3_600_000 : 5)
                }
                guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
                machine.crash(Fate.allCases.randomElement(using: &random) ?? .torn, seed: seed)
                machine.start()
            }
            machine.settle()
            let commits = try machine.commits()
            seen += pieces(commits).count
            #expect(LifeJudgement.problems(commits, acknowledged: [:], history.plan) == [], "seed \(seed)")
            let log = try LogReader(SimulatedMachine.directory, on: machine.disk)
            for place in 0..<3 {
                var replay = Replay(history.plan, of: Share(place, of: 3))
                let events = EventReader(log, share: Share(place, of: 3))
                while let commit = try events.nextCommit() { replay.take(commit) }
                #expect(replay.differing == 0, "seed \(seed), share \(place): \(String(describing: replay.first))")
            }
        }
        #expect(seen > 0)
    }
}
