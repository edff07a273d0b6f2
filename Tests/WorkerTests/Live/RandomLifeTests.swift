import Audit
import CivilTime
import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// A random history told to a live worker that is late, is killed, and whose clock is set: what must hold of its log.
@Suite("A live worker's random life")
struct RandomLifeTests {
    private static let isLong = LongRun.isAskedFor
    private static let seeds = (0..<(isLong ? 2_000 as UInt64 : 60)).flatMap { seed in
        ShippedPolicies.names.map { (seed, $0) }
    }

    @Test(arguments: 0..<(isLong ? 100 : 6))
    func `the log is whole, decides the same again, and the judge finds nothing`(batch: Int) throws {
        let size = Self.seeds.count / (Self.isLong ? 100 : 6)
        for (seed, policy) in Self.seeds[batch * size..<(batch + 1) * size] {
            let life = try RandomLife(seed: seed, policy: policy)
            let problems = try life.problems()
            guard problems.isEmpty else {
                Issue.record("\(policy), seed \(seed):\n\(problems.joined(separator: "\n"))")
                return
            }
        }
    }
}

/// One life: facts come in groups, some of them late; between them the power goes, the clock is set.
private struct RandomLife {
    let seed: UInt64
    let history: RandomHistory
    let machine: SimulatedMachine
    private let policy: String
    private var random: SeededRandom
    /// The keys of facts that were acknowledged, and under which number.
    private let acknowledged = Acknowledged()

    private final class Acknowledged: Sendable {
        /// 0 for those that were refused.
        let seqs = Mutex<[String: UInt64]>([:])
        let requests = Mutex(0)
    }
    /// Requests that were asked of a worker and not answered, although nothing had failed.
    private var unheard = 0
    /// Facts that nobody acknowledged or refused, however often they were sent.
    private var unsettled: [String] = []

    init(seed: UInt64, policy: String) throws {
        self.seed = seed
        self.policy = policy
        history = RandomHistory(RandomHistory.Recipe(seed: seed &+ 10_000, policy: policy))
        random = SeededRandom(seed: seed)
        let first = history.facts.first?.at ?? .distantPast
        var limits = WorkerCore.Limits()
        limits.factsPerTurn = Int.random(in: 1...4, using: &random)
        limits.wakesPerTurn = Int.random(in: 1...3, using: &random)
        limits.appliedPerTurn = Int.random(in: 1...3, using: &random)
        machine = SimulatedMachine(history.plan, at: first.advanced(byMinutes: -1), limits: limits, seed: seed)
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: policy) ?? "")
        try live([Fact(id: "policy", payload: .policyAdopted(adoption))] + history.facts)
    }

    private mutating func live(_ facts: [Fact]) throws {
        var rest = facts.enumerated().map { number, fact in
            var fact = fact
            // Everything has a key, so that it can be sent again when nobody knows whether it went in.
            fact.id = fact.id ?? "k\(number)"
            return fact
        }[...]
        var crashes = Int.random(in: 0...3, using: &random)
        machine.start()
        while !rest.isEmpty {
            let group = Array(rest.prefix(Int.random(in: 1...4, using: &random)))
            rest = rest.dropFirst(group.count)
            wait(until: group[0].at)
            if crashes > 0, Int.random(in: 0..<8, using: &random) == 0 {
                crashes -= 1
                machine.disk.crash(after: machine.disk.operations + Int.random(in: 0..<8, using: &random))
            }
            try tell(group)
        }
        wait(until: history.end)
        try tell([])
        // The power may have been meant to go within the operations of the stop.
        do { try machine.stop() } catch {
            guard !machine.disk.isPowered else { throw error }
            machine.crash(Fate.allCases.randomElement(using: &random) ?? .torn, seed: seed)
            machine.start()
            try machine.stop()
        }
    }

    /// The clock goes on in steps, now and then too far, now and then back.
    private mutating func wait(until at: Instant?) {
        let target = at ?? machine.clock
        while machine.clock < target {
            let wake = machine.core.flatMap { $0.failure == nil ? $0.nextWake : nil }
            var next = min(target, wake ?? target)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: next = next.advanced(byMinutes: Int64.random(in: 1..<400, using: &random))
            case 1: next = next.advanced(byMilliseconds: Int64.random(in: 0..<5, using: &random))
            default: break
            }
            machine.clock = max(next, machine.clock.advanced(byMilliseconds: 1))
            if machine.core != nil { machine.settle() }
        }
        if Int.random(in: 0..<20, using: &random) == 0 { machine.clock = machine.clock.advanced(byMinutes: -60) }
    }

    /// Sends facts until all are acknowledged or refused, however often the power goes.
    private mutating func tell(_ facts: [Fact]) throws {
        var open = facts
        for _ in 0..<20 {
            if machine.core == nil || machine.core?.failure != nil {
                machine.crash(Fate.allCases.randomElement(using: &random) ?? .torn, seed: seed)
                guard machine.start() else { continue }
            }
            let before = acknowledged.requests.withLock { $0 }
            ask(open)
            machine.settle()
            if machine.core?.failure == nil, acknowledged.requests.withLock({ $0 }) == before { unheard += 1 }
            open = acknowledged.seqs.withLock { seqs in facts.filter { seqs[$0.id ?? ""] == nil } }
            // The last request of all has no facts, and is to be heard all the same.
            if open.isEmpty, machine.core?.failure == nil { return }
        }
        unsettled += open.map { $0.id ?? "" }
    }

    private mutating func ask(_ facts: [Fact]) {
        // What is about everybody is not taken with others as all or nothing.
        let mayBeWhole = facts.count == 1 || facts.allSatisfy { $0.user != nil }
        let isAllOrNothing = Int.random(in: 0..<4, using: &random) == 0 && mayBeWhole
        machine.core?.ask(facts: facts, allOrNothing: isAllOrNothing) { [acknowledged] result in
            acknowledged.requests.withLock { $0 += 1 }
            guard case .success(let receipts) = result else { return }
            for (fact, receipt) in zip(facts, receipts) {
                switch receipt {
                case .recorded(let seq, _), .duplicate(of: let seq):
                    acknowledged.seqs.withLock { $0[fact.id ?? ""] = seq }
                case .refused: acknowledged.seqs.withLock { $0[fact.id ?? ""] = 0 }
                // Nothing is wrong with it: it is sent again.
                case .leftOut: break
                }
            }
        }
    }

    // MARK: What must hold

    func problems() throws -> [String] {
        var problems: [String] = []
        if unheard > 0 { problems.append("\(unheard) requests were never answered") }
        if !unsettled.isEmpty { problems.append("neither acknowledged nor refused: \(unsettled)") }
        let commits = try machine.commits()
        let events = Array(commits.joined())
        problems += LifeJudgement.problems(commits, acknowledged: acknowledged.seqs.withLock { $0 }, history.plan)
        let ledger = Ledger(commits)
        problems += ledger.problems
        let emitted = events.filter { if case .jobEmitted = $0.payload { true } else { false } }.map(\.seq)
        let lost = Set(emitted).subtracting(machine.handedOver.map(\.seq))
        // A job whose commit was durable when the power went is handed over by whoever reads the log next.
        if machine.crashes == 0, !lost.isEmpty { problems.append("never handed over: \(lost.sorted())") }
        return problems + audited(events)
    }

    private func audited(_ events: [Event]) -> [String] {
        var auditor = Auditor { try? ShippedPlans.zones.zone(named: $0) }
        for event in events { auditor.take(event) }
        return auditor.finish(.worked).violations
            .map { "audit: \($0)" }
    }
}
