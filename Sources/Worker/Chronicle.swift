public import CivilTime
public import Notices

/// A history played under a virtual clock: facts carry their own instants, and everyone wakes exactly when
/// something of theirs is due. `simulate` and `import` use it, each with its own output.
public struct Chronicle {
    /// One cause and everything decided because of it.
    public typealias Commit = [Event]

    private var decider: Decider
    public private(set) var now = Instant.distantPast
    private var ids: [String: UInt64] = [:]
    private let tell: (Commit) -> Void

    /// `tell` is given each commit as it is made.
    public init(_ plan: Plan, tell: @escaping (Commit) -> Void) {
        self.init(living: Register(plan), nextSequence: 1, tell: tell)
    }

    /// With nobody in the register so far.
    init(living register: Register, nextSequence: UInt64, tell: @escaping (Commit) -> Void) {
        decider = Decider(register, nextSequence: nextSequence)
        self.tell = tell
    }

    /// Goes on where a log ends that was folded into `register`; `ids` are the sender's keys it holds.
    ///
    /// Nobody counts as due before that end: whoever seems so woke then and had nothing to say, which leaves no trace. They
    /// would come before those who are due at the end itself, and did not.
    public init(
        resuming register: Register, at now: Instant, nextSequence: UInt64, ids: [String: UInt64] = [:],
        tell: @escaping (Commit) -> Void
    ) {
        for person in register.people { person.nextWake = max(now, person.earliestWake(register.plan)) }
        decider = Decider(register, nextSequence: nextSequence)
        self.now = now
        self.ids = ids
        self.tell = tell
    }

    public var register: Register { decider.register }
    public var nextSequence: UInt64 { decider.nextSequence }

    /// Takes the next fact of the history, with everything due until then.
    public mutating func take(_ fact: Fact) -> FactReceipt {
        if let id = fact.id, let seq = ids[id] { return .duplicate(of: seq) }
        guard let at = fact.at else {
            return .refused(FieldError(path: "at", "is missing; a history's facts carry their own instants"))
        }
        guard at >= now else {
            return .refused(FieldError(path: "at", "\(at) is before \(now), which has passed already"))
        }
        wind(to: at)
        if let seq = register.duplicate(of: fact, at: at) { return .duplicate(of: seq) }
        var commit: Commit = []
        let seq = nextSequence
        // The clock of a history is what its facts say: there is no other to hold it against.
        let own = Fact(user: fact.user, id: fact.id, payload: fact.payload)
        let warnings: [Warning]
        do throws(FieldError) { warnings = try decider.take(own, at: at, into: &commit) } catch {
            return .refused(error)
        }
        if let id = fact.id { ids[id] = seq }
        tell(commit)
        return .recorded(seq: seq, warnings: warnings)
    }

    /// Takes a fact that a log holds, as it was recorded and under the number it has there, so that what is named after
    /// it has the name that the log knows.
    ///
    /// Decisions are numbered on from it, or from the last decision where the log has had fewer.
    public mutating func take(recorded fact: Event) throws(FieldError) {
        wind(to: fact.at)
        let number = fact.user.flatMap { register.number(of: $0) }
        let problem = register.problem(with: fact.payload, about: fact.user, number: number, at: fact.at)
        if let problem { throw problem }
        write(fact, about: number)
    }

    /// Takes such a fact without asking: the log is the proof that it was so.
    mutating func take(believed fact: Event) {
        wind(to: fact.at)
        write(fact, about: fact.user.flatMap { register.number(of: $0) })
    }

    private mutating func write(_ fact: Event, about number: Int?) {
        // Under this policy a fact has told of it already (`C7`).
        if register.duplicate(of: Fact(user: fact.user, payload: fact.payload), at: fact.at) != nil { return }
        decider.nextSequence = max(nextSequence, fact.seq + 1)
        var commit = [fact]
        _ = decider.apply(fact, about: number, into: &commit)
        tell(commit)
    }

    /// Lets everything happen that is due up to an instant.
    ///
    /// - Parameter isWanted: asked before each; where nobody wants more, the rest does not happen, and the chronicle is of no more use.
    public mutating func wind(to instant: Instant, while isWanted: () -> Bool = { true }) {
        var commit: Commit = []
        let start = now
        var latest = now
        while isWanted() {
            let waking = decider.wakeNext(
                through: instant,
                at: { due in
                    latest = max(start, due)
                    return latest
                }, into: &commit)
            if case .nobodyIsDue = waking { break }
            if !commit.isEmpty { tell(commit) }
            commit.removeAll(keepingCapacity: true)
        }
        now = max(latest, instant)
    }
}
