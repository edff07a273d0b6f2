import Audit
import CivilTime
import Delivery
import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// Everything at once: the power goes again and again, the clock is set an hour on and back, the disk is full, and the sinks
/// fail. Decided from a seed, so that what goes wrong goes wrong again.
@Suite("A live worker's hard life")
struct HardLifeTests {
    private static let seeds = (LongRun.isAskedFor ? 0..<40 : 0..<2 as Range<UInt64>)

    @Test(arguments: ShippedPolicies.names.flatMap { policy in Self.seeds.map { (policy, $0) } })
    func `no notice is lost, none comes twice, and every job has its end (G3, G5, P20)`(
        policy: String, seed: UInt64
    ) throws {
        var life = HardLife(policy: policy, seed: seed)
        try life.live()
        let problems = try life.problems()
        #expect(problems == [], "\(policy), seed \(seed)")
        #expect(life.machine.crashes >= HardLife.crashesLeast && life.fullDisks > 0 && life.clockSteps > 10)
        // In the other policies a person may have nothing to be rung for.
        #expect(policy != "standard" || life.sinks.failures > 0 && life.sinks.taken.count > 10)
    }
}

/// Two sinks that fail and hang, and the plan of what goes to them. The plan dies with its worker; the sinks do not.
private struct HardSinks {
    private(set) var taken: [String: Set<[UInt8]>] = [:]
    private(set) var failures = 0
    var areHealed = false
    private var plan = Self.freshPlan
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static var freshPlan: DeliveryPlan {
        DeliveryPlan(sinks: [.init(name: "spool", window: 4), .init(name: "webhook", window: 8)])
    }

    var unfinished: Int { plan.unfinished }
    var nextWake: Instant? { plan.nextWake }

    mutating func begin(with places: [EventPlace]) {
        plan = Self.freshPlan
        handOver(places)
    }

    mutating func handOver(_ places: some Sequence<EventPlace>) {
        plan.handOver(places.map { JobPlace(position: $0.position, seq: $0.seq) })
    }

    /// Hands out what may go now. One that hangs has no answer before the worker dies.
    mutating func deliver(from disk: SimulatedDisk, at now: Instant) throws {
        let log = JobReader(SimulatedMachine.directory, on: disk)
        while let attempt = plan.nextAttempt(at: now) {
            let jobs = try log.jobs(at: attempt.place.position)
            guard let order = jobs.first(where: { $0.seq == attempt.place.seq }).flatMap({ Order($0) }) else {
                preconditionFailure("no job at \(attempt.place)")
            }
            guard plan.maySend(attempt, order, at: now) else { continue }
            taken[order.id, default: []].insert(order.line)
            let mood = areHealed ? 9 : Int.random(in: 0..<10, using: &random)
            if mood < 4 { failures += 1 }
            switch mood {
            case 0: break
            case 1...2: plan.settle(attempt, order, .retry(after: nil, reason: "answered 500"), at: now)
            case 3: plan.settle(attempt, order, .refused(reason: "answered 410"), at: now)
            default: plan.settle(attempt, order, SinkOutcome.taken(providerID: nil), at: now)
            }
        }
    }

    mutating func offer(at now: Instant) -> [Fact]? { plan.offer(at: now) }
    mutating func offered(isRecorded: Bool, at now: Instant) { plan.offered(isRecorded: isRecorded, at: now) }
}

private struct HardLife {
    static let crashesLeast = 200

    let machine: SimulatedMachine
    private(set) var sinks: HardSinks
    private(set) var fullDisks = 0
    private(set) var clockSteps = 0
    private let history: RandomHistory
    private let beginning: Beginning
    private let acknowledged = Receipts()
    private var random: SeededRandom
    private let seed: UInt64
    /// How many of the jobs that the machine handed over have gone to the plan.
    private var handedOver = 0

    /// Safe to share: behind a lock.
    private final class Receipts: Sendable {
        let seqs = Mutex<[String: UInt64]>([:])
        let isRecorded = Mutex(false)
    }

    init(policy: String, seed: UInt64) {
        self.seed = seed
        var recipe = RandomHistory.Recipe(seed: seed &+ 50_000, policy: policy)
        recipe.factsMax = 300
        recipe.peopleMax = 4
        history = RandomHistory(recipe)
        random = SeededRandom(seed: seed &+ 1)
        sinks = HardSinks(seed: seed &+ 2)
        beginning = Beginning(
            history.plan, policy: ShippedPolicies.text(of: policy) ?? "", tzdb: ShippedPlans.zones.version)
        let first = history.facts.first?.at ?? .distantPast
        machine = SimulatedMachine(history.plan, at: first.advanced(byMinutes: -1), seed: seed)
    }

    mutating func live() throws {
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: history.recipe.policy) ?? "")
        let facts = ([Fact(payload: .policyAdopted(adoption))] + history.facts).enumerated().map { number, fact in
            var fact = fact
            fact.id = fact.id ?? "k\(number)"
            return fact
        }
        let troublesEach = Self.crashesLeast / facts.count + 2
        for fact in facts {
            try wait(until: fact.at)
            for _ in 0..<troublesEach { try suffer(telling: fact) }
            try tell(fact)
        }
        try wait(until: history.end)
        sinks.areHealed = true
        // What hangs with a sink is given up with the worker that gave it.
        fall()
        try rise()
        for _ in 0..<20_000 where sinks.unfinished > 0 {
            machine.clock = max(machine.clock.advanced(byMilliseconds: 1), sinks.nextWake ?? machine.clock)
            try work()
        }
        try machine.stop()
    }

    // MARK: Troubles

    /// Something goes wrong while a fact is told; whether it went in, nobody knows.
    private mutating func suffer(telling fact: Fact) throws {
        try rise()
        let operations = machine.disk.operations
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            fullDisks += 1
            machine.disk.capacity = usedBytes + Int.random(in: 0...200, using: &random)
        default:
            machine.disk.crash(after: operations + Int.random(in: 0..<6, using: &random), half: .random(using: &random))
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            clockSteps += 1
            let isBack = Bool.random(using: &random)
            machine.clock = machine.clock.advanced(byMinutes: isBack ? -60 : 60)
        }
        ask(fact)
        try? work()
        fall()
    }

    private var usedBytes: Int { machine.disk.usedBytes }

    private mutating func fall() {
        machine.crash(Fate.allCases.randomElement(using: &random) ?? .torn, seed: random.next())
        machine.disk.capacity = nil
    }

    /// Starts the worker where it is down; it may die while it starts.
    private mutating func rise() throws {
        while machine.core == nil || machine.core?.failure != nil {
            if machine.core != nil || !machine.disk.isPowered { fall() }
            if Int.random(in: 0..<6, using: &random) == 0 {
                machine.disk.crash(after: machine.disk.operations + Int.random(in: 0..<6, using: &random))
            }
            guard machine.start() else { continue }
            handedOver = machine.handedOver.count
            let log = try? LogReader(SimulatedMachine.directory, on: machine.disk)
            sinks.begin(with: try log.map { try FoldedLog.load($0, beginning).outstanding.inOrder } ?? [])
        }
    }

    // MARK: Working

    private mutating func wait(until at: Instant?) throws {
        let target = at ?? machine.clock
        while machine.clock < target {
            try rise()
            let wake = machine.core?.nextWake ?? target
            machine.clock = min(target, max(wake, machine.clock.advanced(byMilliseconds: 1)))
            try? work()
        }
    }

    private mutating func tell(_ fact: Fact) throws {
        while acknowledged.seqs.withLock({ $0[fact.id ?? ""] == nil }) {
            try rise()
            ask(fact)
            try? work()
        }
    }

    private func ask(_ fact: Fact) {
        guard acknowledged.seqs.withLock({ $0[fact.id ?? ""] == nil }) else { return }
        machine.core?.ask(facts: [fact]) { [acknowledged] result in
            guard case .success(let receipts) = result else { return }
            switch receipts.first {
            case .recorded(let seq, _), .duplicate(of: let seq):
                acknowledged.seqs.withLock { $0[fact.id ?? ""] = seq }
            default: acknowledged.seqs.withLock { $0[fact.id ?? ""] = 0 }
            }
        }
    }

    /// What there is to do now, and what comes of handing out its jobs. Throws where the power goes meanwhile.
    private mutating func work() throws {
        machine.settle()
        sinks.handOver(machine.handedOver.dropFirst(handedOver))
        handedOver = machine.handedOver.count
        guard machine.core?.failure == nil, machine.disk.isPowered else { return }
        try sinks.deliver(from: machine.disk, at: machine.clock)
        while machine.core?.failure == nil, let outcomes = sinks.offer(at: machine.clock) {
            acknowledged.isRecorded.withLock { $0 = false }
            machine.core?.ask(facts: outcomes, isOwn: true) { [acknowledged] result in
                if case .success = result { acknowledged.isRecorded.withLock { $0 = true } }
            }
            machine.settle()
            sinks.offered(isRecorded: acknowledged.isRecorded.withLock { $0 }, at: machine.clock)
        }
    }

    // MARK: What must hold

    func problems() throws -> [String] {
        let commits = try machine.commits()
        let events = Array(commits.joined())
        var problems: [String] = []
        problems += LifeJudgement.problems(commits, acknowledged: acknowledged.seqs.withLock { $0 }, history.plan)
        let ledger = Ledger(commits)
        problems += ledger.problems + ledger.overslept(at: history.end).map { "\($0) overslept (P20)" }
        var outcomes: Set<String> = []
        for event in events {
            switch event.payload {
            case .jobDelivered(let outcome): outcomes.insert(outcome.job.text)
            case .jobFailed(let outcome): outcomes.insert(outcome.job.text)
            default: break
            }
        }
        for order in events.compactMap({ Order($0) }) {
            if !outcomes.contains(order.id) { problems.append("\(order.id) has no outcome") }
            if let lines = sinks.taken[order.id], lines != [order.line] {
                problems.append("\(order.id) was handed out with other contents")
            }
        }
        let phantoms = Set(sinks.taken.keys).subtracting(events.compactMap { Order($0)?.id })
        if !phantoms.isEmpty { problems.append("handed out and not in the log: \(phantoms.sorted())") }
        var auditor = Auditor { try? ShippedPlans.zones.zone(named: $0) }
        for event in events { auditor.take(event) }
        return problems
            + auditor.finish(.worked).violations
            .map { "audit: \($0)" }
    }
}
