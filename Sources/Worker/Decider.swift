public import CivilTime
public import Notices

/// Everyone's state, who is due when, and the desk where one after the other is decided about.
///
/// It has no clock and no disk: the live worker, an import and a simulation are this with another clock, and another
/// place for what it says (`G2`).
public struct Decider {
    public private(set) var register: Register
    /// The number the next event of the log gets.
    public var nextSequence: UInt64
    private var agenda: Agenda
    private let desk: Desk
    /// How much has been looked at to tell whether facts are right, and what of them is recorded.
    private var checked = 0
    /// Whether a policy is applied to one after the other (`applyToNext`), instead of to everybody in the commit that adopts it.
    var appliesInPieces = false

    /// - Parameter register: the fold of a log, with everyone's next wake worked out.
    public init(_ register: Register, nextSequence: UInt64) {
        self.register = register
        self.nextSequence = nextSequence
        desk = Desk(register.someone, user: "", plan: register.plan, now: .distantPast, nextSequence: 0)
        // From the beginning of time, so that what is overdue comes in the order in which it was due.
        // Safe: nobody changes anybody before this is done.
        nonisolated(unsafe) let people = register.people
        agenda = Agenda(startingAt: .distantPast, of: people.count) { people[$0].nextWake }
    }

    public var plan: Plan { register.plan }

    /// How much has been looked at so far (`Desk.work`), and for facts that were refused after all.
    public var work: Int { desk.work + checked }

    // MARK: Waking

    /// When somebody is due next. It may take the agenda a while to tell.
    public var nextWake: Instant? { mutating get { agenda.earliest() } }

    /// When somebody is due next, as far as a few steps of the agenda can tell: `.nothing(until:)` or `.more`.
    public mutating func soonest() -> Agenda.Step { agenda.next(through: .distantPast, budget: Self.agendaSteps) }

    /// How many of some people are due by an instant and have not been woken.
    func dueCount(among people: Range<Int>, by instant: Instant) -> Int {
        agenda.dueCount(among: people, by: instant)
    }

    public enum Waking {
        /// Somebody was woken; what was decided, if anything, has been written down.
        case woke
        case nobodyIsDue
        /// The agenda was busy sorting: ask again.
        case notYet
    }

    /// Wakes the next who is due by `limit`, and decides at `now(due)`.
    public mutating func wakeNext(
        through limit: Instant, at now: (_ due: Instant) -> Instant, into events: inout [Event]
    ) -> Waking {
        switch agenda.next(through: limit, budget: Self.agendaSteps) {
        case .nothing: return .nobodyIsDue
        case .more: return .notYet
        case .wake(let number, let due):
            let now = now(due)
            if register.isToBeApplied(to: number) {
                settleIfDue(number, at: now, into: &events)
            } else {
                settle(number, at: now, into: &events)
            }
            return .woke
        }
    }

    private static let agendaSteps = 256

    /// Decides what is due for one person, if anything is (`T10`).
    public mutating func settleIfDue(_ number: Int, at now: Instant, into events: inout [Event]) {
        if register.isToBeApplied(to: number) { apply(to: number, at: now, into: &events) }
        guard register[number].nextWake <= now else { return }
        settle(number, at: now, into: &events)
    }

    private mutating func settle(_ number: Int, at now: Instant, into events: inout [Event]) {
        let before = events.count
        begin(with: number, at: now, &events)
        desk.settle()
        finish(number, &events)
        let person = desk.person
        if person.isErased { register.forgetName(of: number) }
        // Whoever is due again at once has had a piece decided, and there is less of it.
        if events.count > before { register.noteTold(of: number) }
        precondition(
            person.nextWake > now || events.count > before,
            "\(register.names[number]) does not get past \(now)")
    }

    // MARK: A policy

    /// Applies the policy that was adopted to the next in turn; `false` when nobody is left.
    mutating func applyToNext(at now: Instant, into events: inout [Event]) -> Bool {
        guard let number = register.nextToApply() else { return false }
        apply(to: number, at: now, into: &events)
        return true
    }

    /// Whoever is looked at before their turn, since something of theirs comes first, is told of in the log, or has their turn
    /// still: of a look of which nothing came the log knows nothing.
    private mutating func apply(to number: Int, at now: Instant, into events: inout [Event]) {
        let before = events.count
        begin(with: number, at: now, &events)
        desk.apply()
        finish(number, &events)
        if events.count > before { register.noteTold(of: number) }
    }

    // MARK: Facts

    /// Takes a fact that happens now, with what was due for its person before and what follows from it (`T10`).
    ///
    /// Refused whole, or written down as one event with its decisions behind it. Returns what its sender should be
    /// warned of (SPEC §3).
    /// - Parameter isOwn: a fact of Belfry's own, such as what became of a job, of whose truth there is no doubt.
    public mutating func take(
        _ fact: Fact, at now: Instant, isOwn: Bool = false, into events: inout [Event]
    ) throws(FieldError) -> [Warning] {
        var number = fact.user.flatMap { register.number(of: $0) }
        // Whoever is to be erased first is nobody to this fact, which begins somebody new (`E4`).
        if let known = number, !fact.payload.isErasure, register[known].retentionEnds(plan).map({ $0 <= now }) ?? false
        {
            settleIfDue(known, at: now, into: &events)
            number = nil
        }
        if let addressee = fact.addressee, let user = fact.user {
            let problem = register.problem(with: addressee, number: number, about: user, at: now)
            if let problem { throw problem }
            if let nothing = register.problem(withChange: fact.payload, number: number) { throw nothing }
        }
        if isOwn, let old = register.problem(withReport: fact, number: number) { throw old }
        if !isOwn {
            checked += fact.payload.changesPreferences ? Desk.preferenceWork : 0
            if let number { checked += register[number].extent }
            let problem = register.problem(with: fact.payload, about: fact.user, number: number, at: now)
            if let problem { throw problem }
        }
        if let number, !fact.payload.isErasure { settleIfDue(number, at: now, into: &events) }
        checked += register.recordingWork(fact.payload, about: fact.user)
        let payload = register.recordable(fact.payload, about: fact.user)
        let event = Event(
            seq: nextSequence, at: now, user: fact.user, id: fact.id, occurredAt: fact.at, trace: fact.trace,
            payload: payload)
        nextSequence += 1
        events.append(event)
        return apply(event, about: number, into: &events)
    }

    /// Takes in a fact that has its number and is right.
    /// - Parameter known: the person's number, for whoever has looked it up.
    mutating func apply(_ event: Event, about known: Int?, into events: inout [Event]) -> [Warning] {
        switch event.payload {
        case .policyAdopted(let adopted):
            let policy = try? Policy(recorded: adopted.policy.text)
            if let policy, appliesInPieces {
                register.beginAdopting(policy, seq: event.seq, at: event.at)
                break
            }
            if let policy { register.adopt(policy, at: event.at) }
            for number in register.people.indices { decide(number, event, into: &events) }
        case .runRequested(let request) where event.user == nil:
            // Without a kind there is nothing to raise, and what was due has been decided.
            guard request.kind != nil else { break }
            for number in register.people.indices { decide(number, event, into: &events) }
        default:
            guard let user = event.user else { break }
            let number = register.number(enrolling: user, at: event.at, probably: known)
            let before = event.payload.changesPreferences ? register[number].preferences : nil
            decide(number, event, into: &events)
            register.noteTold(of: number)
            if register[number].isErased { register.forgetName(of: number) }
            if let before { return register.warnings(of: number, before: before) }
            if case .phoneCodeEntered = event.payload {
                return register.answer(toCodeOf: number).map { [Warning(.codeRefused, $0)] } ?? []
            }
            if case .deviceRegistered(let device) = event.payload { return device.warnings }
        }
        return []
    }

    /// Several people's decisions may follow one fact: each is told the fact's number, and goes on from the last.
    private mutating func decide(_ number: Int, _ event: Event, into events: inout [Event]) {
        begin(with: number, at: event.at, &events)
        desk.hear(event.payload, sequence: event.seq)
        finish(number, &events)
    }

    /// A decider about copies of these people, to try facts out on.
    func trial(about users: [String] = []) -> Decider {
        var trial = Decider(Register(plan), nextSequence: nextSequence)
        for user in users { trial.takeCopy(of: user, from: self) }
        return trial
    }

    /// Somebody more to try facts out on, before any was tried. Wakes are nothing to a trial.
    mutating func takeCopy(of user: String, from other: Decider) {
        register.takeCopy(of: user, from: other.register)
    }

    // MARK: The desk

    private func begin(with number: Int, at now: Instant, _ events: inout [Event]) {
        desk.begin(
            with: register[number], user: register.names[number], plan: register.plan, now: now,
            nextSequence: nextSequence)
        desk.exchange(&events)
    }

    private mutating func finish(_ number: Int, _ events: inout [Event]) {
        desk.finish()
        desk.exchange(&events)
        nextSequence = desk.nextSequence
        agenda.set(number, desk.person.nextWake)
    }
}
