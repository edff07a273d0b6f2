public import CivilTime
public import Notices

/// Decides a log again, commit by commit, and compares with what was recorded (`G1`, SPEC §13).
///
/// Each commit says when it was made and what its cause was: a fact, or a wake-up of the people it decides about. So the
/// same people are asked at the same instants, whatever kept the worker from being in time.
public struct Replay {
    /// The first place where the recorded decisions and the new ones differ. What comes after follows from it.
    public struct Difference: Sendable {
        public let seq: UInt64
        public let at: Instant
        public let user: String?
        /// `nil` where nothing was recorded, or nothing would be decided.
        public let recorded: Payload?
        public let decided: Payload?
    }

    private var register: Register
    private let desk: Desk
    public private(set) var events = 0
    public private(set) var decisions = 0
    public private(set) var differing = 0
    /// Sealed fields of decisions that cannot be compared: the people they told something were erased.
    public private(set) var fieldsErased = 0
    public private(set) var first: Difference?

    private struct Decision: Equatable {
        var user: String?
        var payload: Payload
    }

    public init(_ plan: Plan) {
        register = Register(plan)
        desk = Desk(register.someone, user: "", plan: plan, now: .distantPast, nextSequence: 0)
    }

    public mutating func take(_ commit: [Event]) {
        events += commit.count
        var rest = commit[...]
        while let event = rest.first {
            let cause = event.isFact ? rest.popFirst() : nil
            let recorded = rest.prefix { !$0.isFact && (cause?.user == nil || $0.user == cause?.user) }
            rest = rest.dropFirst(recorded.count)
            // The worker's own notes are about nobody and follow from nothing.
            let told = recorded.filter { $0.user != nil }
            decisions += told.count
            let sequence = cause?.seq ?? event.seq
            compare(told, decide(cause, told, at: event.at, after: sequence), after: sequence)
        }
    }

    // MARK: Deciding

    private mutating func decide(
        _ cause: Event?, _ recorded: [Event], at: Instant, after sequence: UInt64
    ) -> [Decision] {
        guard let cause else {
            var decided: [Decision] = []
            var rest = recorded[...]
            while let user = rest.first?.user {
                let theirs = rest.prefix { $0.user == user }
                rest = rest.dropFirst(theirs.count)
                let number = register.number(enrolling: user, at: at)
                let end = decided.count + theirs.count
                // Whoever was due at once again was decided about in pieces, and may have been so in one commit.
                repeat {
                    let before = decided.count
                    decided += decide(number, nil, at: at, next: sequence + UInt64(decided.count))
                    if decided.count == before { break }
                } while decided.count < end && register[number].nextWake <= at
            }
            return decided
        }
        let numbers = people(of: cause)
        // A fact that was appended while no worker ran is decided when one comes.
        if recorded.isEmpty, let number = numbers.first, numbers.count == 1, wouldDecide(number, cause) {
            register.fold(cause)
            register[number].nextWake = register[number].earliestWake(register.plan)
            return []
        }
        var decided: [Decision] = []
        for number in numbers { decided += decide(number, cause, at: at, next: sequence + 1 + UInt64(decided.count)) }
        return decided
    }

    /// Whom a fact is about; a policy is adopted on the way.
    private mutating func people(of cause: Event) -> [Int] {
        if case .policyAdopted(let adopted) = cause.payload {
            if let policy = try? Policy(recorded: adopted.policy.text) { register.adopt(policy, at: cause.at) }
            return Array(register.people.indices)
        }
        guard let user = cause.user else { return Array(register.people.indices) }
        return [register.number(enrolling: user, at: cause.at)]
    }

    private func wouldDecide(_ number: Int, _ cause: Event) -> Bool {
        // What was raised before and not decided about would be decided about now.
        if !register[number].details.raised.isEmpty { return true }
        let trial = Desk(
            register[number].copy(), user: register.names[number], plan: register.plan, now: cause.at,
            nextSequence: cause.seq + 1)
        trial.hear(cause.payload, sequence: cause.seq)
        return !trial.written.isEmpty
    }

    private mutating func decide(_ number: Int, _ cause: Event?, at: Instant, next: UInt64) -> [Decision] {
        let user = register.names[number]
        desk.begin(with: register[number], user: user, plan: register.plan, now: at, nextSequence: next)
        if let cause { desk.hear(cause.payload, sequence: cause.seq) } else { desk.settle() }
        desk.finish()
        if register[number].isErased { register.forgetName(of: number) }
        defer { desk.written.removeAll(keepingCapacity: true) }
        return desk.written.map { Decision(user: user, payload: $0.payload) }
    }

    // MARK: Comparing

    /// Of somebody who was erased nobody can read what they were told: only that something was is compared (`E3`).
    private mutating func isSame(_ was: Event, _ now: Decision) -> Bool {
        guard was.user == now.user else { return false }
        guard let user = was.user, Erased.holds(user) else { return was.payload == now.payload }
        let (recorded, fields) = was.payload.veiled()
        fieldsErased += fields
        return recorded == now.payload.veiled().payload
    }

    private mutating func compare(_ recorded: [Event], _ decided: [Decision], after cause: UInt64) {
        for place in 0..<max(recorded.count, decided.count) {
            let was = place < recorded.count ? recorded[place] : nil
            let now = place < decided.count ? decided[place] : nil
            if let was, let now, isSame(was, now) { continue }
            differing += 1
            guard first == nil else { continue }
            first = Difference(
                seq: was?.seq ?? recorded.last?.seq ?? cause, at: was?.at ?? desk.now, user: was?.user ?? now?.user,
                recorded: was?.payload, decided: now?.payload)
        }
    }
}

extension Event {
    /// What came from outside. A session that Belfry concluded from messages is a decision (`S3`).
    public var isFact: Bool {
        if case .sessionCompleted(let session) = payload, session.isDerived == true { return false }
        return payload.type.side == .fact
    }
}
