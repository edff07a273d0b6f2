import CivilTime
import Foundation
import Journal
import Notices
import Simulation
import Worker

/// The longest turn of a worker that has to do with people who accumulate whatever they can, and with logs of an older
/// version that hold far more (`G11`).
struct PeopleRows {
    let workspace: Workspace
    let options: Options

    private static let turnMax = 0.050

    private var count: Int { options.isQuick ? 2_000 : 20_000 }

    func run(into table: inout Table) throws {
        say("hostile people")
        var longest = (seconds: 0.0, of: "")
        for person in HostilePerson.everyKind(count) {
            let life = try HostileLife(person, in: try workspace.fresh("people"))
            let found = try life.live()
            say(
                "  \(person): longest turn \(milliseconds(found.longest)) (\(found.during)), of the processor "
                    + "\(milliseconds(found.busiest)), \(found.turns) turns, read in \(milliseconds(found.fold))")
            if found.longest > longest.seconds { longest = (found.longest, person.description) }
        }
        table.add(
            "the longest turn of the worker, whatever one person has accumulated (\(grouped(Double(count))) of each)",
            "\(milliseconds(longest.seconds)): \(longest.of)", goal: "≤ 50 ms",
            isMet: longest.seconds <= Self.turnMax, ("seconds", longest.seconds))
    }
}

/// One of them, from the first fact to the day after the last.
private final class HostileLife {
    struct Found {
        var longest = 0.0
        var during = ""
        var busiest = 0.0
        var turns = 0
        /// How long it takes to fold what the log held.
        var fold = 0.0
    }

    private let person: HostilePerson
    private let core: WorkerCore
    private var now: Instant
    private var found = Found()

    init(_ person: HostilePerson, in directory: String) throws {
        self.person = person
        let zones = try ZoneDatabase()
        let named = person.policy == "goals" ? ShippedPlans.goals : ShippedPolicies.text(of: person.policy)
        guard let text = named else { preconditionFailure("no \(person.policy)") }
        let plan = Plan(Rulebook(try Policy(document: text)), zone: { try? zones.zone(named: $0) })
        let journal = try Journal(directory, on: logDisk, holder: "the benchmark")
        var register = Register(plan)
        var events: [Event] = []
        for (at, some) in person.recorded.pieces(of: 512) {
            let entries = some.map { Entry(user: HostilePerson.user, payload: $0) }
            for (entry, outcome) in zip(entries, try journal.append(entries, at: at)) {
                events.append(Event(seq: outcome.seq, at: at, user: entry.user, payload: entry.payload))
            }
        }
        try journal.commit()
        let start = seconds()
        for event in events { register.fold(event) }
        for person in register.people { person.nextWake = person.earliestWake(plan) }
        found.fold = seconds() - start
        core = WorkerCore(journal, register) { .nanoseconds(Int64(seconds() * 1e9)) }
        now = events.last?.at ?? .distantPast
    }

    func live() throws -> Found {
        try work("at the start")
        for (at, facts) in person.told.pieces(of: 512) { try tell(facts, at: at) }
        now = now.advanced(byHours: person.asleepHours)
        try work("after a sleep of \(person.asleepHours) hours")
        for (place, fact) in person.then.enumerated() {
            now = now.advanced(bySeconds: 1)
            try tell([fact], at: now, "\(fact.type.text) \(place)")
        }
        // What was held until the morning comes, and the day's slots.
        let end = now.advanced(byHours: 30)
        while let wake = core.nextWake, wake <= end {
            now = wake
            try work("at \(wake)")
        }
        _ = core.commit()
        try core.close()
        return found
    }

    private func tell(_ facts: [Payload], at: Instant, _ what: String = "while it was told") throws {
        now = max(now, at)
        core.ask(facts: facts.map { Fact(user: HostilePerson.user, payload: $0) }) { result in
            guard case .success = result else { preconditionFailure("\(result)") }
        }
        try work(what)
    }

    /// Turns until nothing is left to do at this instant.
    private func work(_ what: String) throws {
        while true {
            let (start, busy) = (seconds(), processorSeconds(CLOCK_THREAD_CPUTIME_ID))
            let turn = core.turn(at: now)
            let (lasted, worked) = (seconds() - start, processorSeconds(CLOCK_THREAD_CPUTIME_ID) - busy)
            found.turns += 1
            if lasted > found.longest { (found.longest, found.during) = (lasted, what) }
            found.busiest = max(found.busiest, worked)
            for answer in turn.answers { answer() }
            if let batch = turn.writes {
                try core.writer.write(batch)
                for answer in core.finished(batch, .success(())).answers { answer() }
            } else if !turn.again {
                return
            }
        }
    }
}

extension [(at: Instant, fact: Payload)] {
    /// Those of one instant, some at a time.
    fileprivate func pieces(of most: Int) -> [(Instant, [Payload])] {
        var pieces: [(Instant, [Payload])] = []
        for (at, payload) in self {
            if let last = pieces.last, last.0 == at, last.1.count < most {
                pieces[pieces.count - 1].1.append(payload)
            } else {
                pieces.append((at, [payload]))
            }
        }
        return pieces
    }
}
