package import CivilTime
package import Notices

/// A history lived through under a virtual clock: facts carry their own instants, and everyone wakes exactly when
/// something of theirs is due. `simulate` and `import` are this, with another place for what it says.
package struct Chronicle {
    /// One cause and everything decided because of it.
    package typealias Commit = [Event]

    package private(set) var register: Register
    package private(set) var now = Instant.distantPast
    package private(set) var nextSequence: UInt64
    private var agenda = Agenda(startingAt: .distantPast)
    private let desk: Desk
    private var ids: [String: UInt64] = [:]
    private let tell: (Commit) -> Void

    /// `tell` is given each commit as it is made.
    package init(_ plan: Plan, firstSequence: UInt64 = 1, tell: @escaping (Commit) -> Void) {
        register = Register(plan)
        desk = Desk(register.someone, user: "", plan: plan, now: .distantPast, nextSequence: 0)
        nextSequence = firstSequence
        self.tell = tell
    }

    /// Goes on where a log ends that was folded into `register`; `ids` are the sender's keys it holds.
    package init(
        resuming register: Register, at now: Instant, nextSequence: UInt64, ids: [String: UInt64] = [:],
        tell: @escaping (Commit) -> Void
    ) {
        self.register = register
        desk = Desk(register.someone, user: "", plan: register.plan, now: now, nextSequence: 0)
        self.now = now
        self.nextSequence = nextSequence
        self.ids = ids
        self.tell = tell
        for number in register.people.indices {
            let wake = register[number].earliestWake(register.plan)
            register[number].nextWake = wake
            agenda.set(number, wake)
        }
    }

    /// What became of a fact.
    package enum Receipt: Equatable, Sendable {
        case recorded(seq: UInt64, warnings: [String])
        case duplicate(of: UInt64)
    }

    /// Takes the next fact of the history, with everything due until then.
    package mutating func take(_ fact: Fact) throws(FieldError) -> Receipt {
        if let id = fact.id, let seq = ids[id] { return .duplicate(of: seq) }
        guard let at = fact.at else {
            throw FieldError(path: "at", "is missing; a history's facts carry their own instants")
        }
        guard at >= now else { throw FieldError(path: "at", "\(at) is before \(now), which has passed already") }
        wind(to: at)
        if let problem = register.problem(with: fact.payload, about: fact.user, at: at) { throw problem }
        let payload = register.recordable(fact.payload, about: fact.user)
        let seq = nextSequence
        nextSequence += 1
        if let id = fact.id { ids[id] = seq }
        let event = Event(seq: seq, at: at, user: fact.user, id: fact.id, payload: payload)
        return .recorded(seq: seq, warnings: apply(event))
    }

    /// Takes a fact that a log holds, as it was recorded and under the number it has there, so that what is named after
    /// it has the name that the log knows.
    ///
    /// Decisions are numbered on from it, or from the last decision where the log has had fewer.
    package mutating func take(recorded fact: Event) throws(FieldError) {
        wind(to: fact.at)
        if let problem = register.problem(with: fact.payload, about: fact.user, at: fact.at) { throw problem }
        nextSequence = max(nextSequence, fact.seq + 1)
        _ = apply(fact)
    }

    /// Lets everything happen that is due up to an instant.
    package mutating func wind(to instant: Instant) {
        while let wake = agenda.next(through: instant) {
            now = max(now, wake.at)
            var commit: Commit = []
            settle(wake.person, into: &commit)
            precondition(
                register[wake.person].nextWake > now, "\(register.names[wake.person]) does not get past \(now)")
            if !commit.isEmpty { tell(commit) }
        }
        now = max(now, instant)
    }

    // MARK: Facts

    private mutating func apply(_ event: Event) -> [String] {
        var commit = [event]
        var warnings: [String] = []
        switch event.payload {
        case .policyAdopted(let adopted):
            if let policy = try? Policy(recorded: adopted.policy.text) { register.adopt(policy, at: now) }
            for number in register.people.indices { decide(number, event, into: &commit) }
        case .runRequested where event.user == nil:
            for number in register.people.indices { decide(number, event, into: &commit) }
        default:
            guard let user = event.user else { break }
            let number = register.number(enrolling: user, at: now)
            let before = event.payload.changesPreferences ? register[number].details.differences : .emptyObject
            decide(number, event, into: &commit)
            if event.payload.changesPreferences { warnings = register.warnings(of: number, before: before) }
            if case .phoneCodeEntered = event.payload, let answer = register.answer(toCodeOf: number) {
                warnings.append(answer)
            }
        }
        tell(commit)
        return warnings
    }

    private mutating func settle(_ number: Int, into commit: inout Commit) {
        begin(with: number)
        desk.settle()
        finish(number, into: &commit)
    }

    /// Several people's decisions may follow one fact: each is told the fact's number, and goes on from the last.
    private mutating func decide(_ number: Int, _ event: Event, into commit: inout Commit) {
        begin(with: number)
        desk.settle()
        desk.take(event.payload, sequence: event.seq)
        finish(number, into: &commit)
    }

    private func begin(with number: Int) {
        desk.begin(
            with: register[number], user: register.names[number], plan: register.plan, now: now,
            nextSequence: nextSequence)
    }

    private mutating func finish(_ number: Int, into commit: inout Commit) {
        desk.finish()
        agenda.set(number, desk.person.nextWake)
        let user = register.names[number]
        for decision in desk.decisions {
            commit.append(Event(seq: nextSequence, at: now, user: user, payload: decision))
            nextSequence += 1
        }
    }
}
