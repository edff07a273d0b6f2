import Audit
import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// However much one person accumulates, and whatever an older version left in the log, no turn of the worker looks at
/// more than is looked at in its time (`G11`). Counted, not timed: `ops/benchmarks/run --only people` has the milliseconds.
@Suite("G11, hostile people")
struct HostilePeopleTests {
    @Test(arguments: HostilePerson.withoutGoals(1_200))
    func `somebody who accumulates whatever they can keeps every turn short`(person: HostilePerson) throws {
        try live(person)
    }

    /// Of one more waits than one turn may look at, and all of it is due when the worker comes.
    @Test(
        arguments: [HostilePerson.heldOverAnOutage(17_000)] + HostilePerson.waitingInOlderLogs(3_000)
            + HostilePerson.ofOlderLogs(1_500))
    func `a log of an older version with far too much keeps every turn short`(person: HostilePerson) throws {
        try live(person)
    }

    /// In what is looked at: a share of facts, one of wakes and one of runs, and what was begun when those were over.
    private static let turnMax = 3 * shareWork + 4_000
    /// As much as eight milliseconds are taken for here.
    private static let shareWork = 4_000

    private func live(_ person: HostilePerson) throws {
        let life = try Life(person)
        try life.live()
        #expect((1...Self.turnMax).contains(life.longest), "\(person)")
        // What was too much is gone, with its record.
        let waiting = life.core.person(HostilePerson.user)?.details.waiting.count ?? 0
        #expect(waiting <= PersonLimits.waiting + 8, "\(person)")
        let commits = try life.commits()
        var replay = Replay(life.plan)
        for commit in commits { replay.take(commit) }
        // What an older version decided beyond the limits would be decided otherwise now.
        if person.recorded.allSatisfy(\.fact.isFact) {
            #expect(replay.differing == 0, "\(person): \(String(describing: replay.first))")
        }
        #expect(try life.foldedNames() == life.namesWaiting, "\(person)")
        let zones = ShippedPlans.zones
        var auditor = Auditor(
            policy: JSONDocument(
                trusted: person.policy == "goals" ? ShippedPlans.goals : ShippedPolicies.text(of: person.policy) ?? "")
        ) {
            try? zones.zone(named: $0)
        }
        for event in commits.joined() { auditor.take(event) }
        let violations = auditor.finish().violations
        #expect(violations.isEmpty, "\(person): \(violations.first?.sentence ?? "")")
    }

    /// One of them on a simulated disk, with a stopwatch that counts what is looked at.
    private final class Life {
        let core: WorkerCore
        let plan: Plan
        private let person: HostilePerson
        private let disk = SimulatedDisk(seed: 1)
        private var now: Instant
        private(set) var longest = 0

        /// The worker's own count, once there is a worker.
        private final class Watch {
            var core: WorkerCore?
            var elapsed: Duration { .milliseconds(8) * (core?.work ?? 0) / HostilePeopleTests.shareWork }
        }

        init(_ person: HostilePerson) throws {
            self.person = person
            plan = ShippedPlans[person.policy]
            let journal = try Journal("/log", on: disk, holder: "a test")
            var register = Register(plan)
            for (at, facts) in pieces(of: person.recorded) {
                let entries = facts.map { Entry(user: HostilePerson.user, payload: $0) }
                for (entry, outcome) in zip(entries, try journal.append(entries, at: at)) {
                    register.fold(Event(seq: outcome.seq, at: at, user: entry.user, payload: entry.payload))
                }
                try journal.commit()
            }
            for person in register.people { person.nextWake = person.earliestWake(plan) }
            let watch = Watch()
            core = WorkerCore(journal, register) { [unowned watch] in watch.elapsed }
            watch.core = core
            self.watch = watch
            now = person.recorded.last?.at.advanced(byHours: person.outageHours) ?? .distantPast
        }

        private let watch: Watch

        func live() throws {
            try work()
            for (at, facts) in pieces(of: person.told) {
                now = max(now, at)
                try tell(facts)
            }
            now = now.advanced(byHours: person.asleepHours)
            try work()
            for fact in person.then {
                now = now.advanced(bySeconds: 1)
                try tell([fact])
            }
            let end = now.advanced(byHours: 30)
            while let wake = core.nextWake, wake <= end {
                now = wake
                try work()
            }
        }

        private func tell(_ facts: [Payload]) throws {
            core.ask(facts: facts.map { Fact(user: HostilePerson.user, payload: $0) }) { _ in }
            try work()
        }

        private func work() throws {
            for _ in 0..<10_000 {
                let before = core.work
                let turn = core.turn(at: now)
                longest = max(longest, core.work - before)
                if let batch = turn.writes {
                    try core.writer.write(batch)
                    _ = core.finished(batch, .success(()))
                } else if !turn.again {
                    return
                }
            }
            Issue.record("\(person) does not come to rest")
        }

        var namesWaiting: [String] { core.person(HostilePerson.user)?.details.waiting.map(\.notice.name) ?? [] }

        /// What waits by the log alone.
        func foldedNames() throws -> [String] {
            var register = Register(plan)
            for event in try commits().joined() { register.fold(event) }
            guard let number = register.number(of: HostilePerson.user) else { return [] }
            return register[number].details.waiting.map(\.notice.name)
        }

        func commits() throws -> [[Event]] {
            _ = core.commit()
            let events = EventReader(try LogReader("/log", on: disk), checksHashes: true)
            var commits: [[Event]] = []
            while let commit = try events.nextCommit() { commits.append(commit) }
            return commits
        }
    }
}

/// Those of one instant, some at a time.
private func pieces(of facts: [(at: Instant, fact: Payload)]) -> [(at: Instant, facts: [Payload])] {
    var pieces: [(at: Instant, facts: [Payload])] = []
    for (at, fact) in facts {
        if let last = pieces.last, last.at == at, last.facts.count < 512 {
            pieces[pieces.count - 1].facts.append(fact)
        } else {
            pieces.append((at, [fact]))
        }
    }
    return pieces
}
