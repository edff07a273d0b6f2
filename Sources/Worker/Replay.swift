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

    /// - Parameter share: of whose people it is told.
    public init(_ plan: Plan, of share: Share = .whole) {
        register = Register(plan, of: share)
        desk = Desk(register.someone, user: "", plan: plan, now: .distantPast, nextSequence: 0)
    }

    /// The events of a commit that are about everyone, or about the people of this share.
    public mutating func take(_ commit: [Event]) {
        events += commit.count
        let applied = commit.last?.applied
        if let applied, commit.first?.isFact != true { return takePiece(commit, applied) }
        var rest = commit[...]
        while let event = rest.first {
            let cause = event.isFact ? rest.popFirst() : nil
            let recorded = Self.followers(of: cause, in: rest)
            rest = rest.dropFirst(recorded.count)
            // The worker's own notes are about nobody and follow from nothing.
            let told = recorded.filter { $0.user != nil }
            decisions += told.count
            if let cause {
                decide(cause, told, applied)
            } else {
                decideWoken(told)
            }
        }
    }

    /// The decisions that stand behind a fact, or by themselves. What follows from a fact about one person stands right
    /// behind it: where a number is left out, something else happened in between, to somebody of another share.
    private static func followers(of cause: Event?, in rest: ArraySlice<Event>) -> ArraySlice<Event> {
        var last = cause?.seq
        return rest.prefix { event in
            guard !event.isFact else { return false }
            if let cause, cause.user == nil { return true }
            defer { last = event.seq }
            return (cause == nil || event.user == cause?.user) && last.map { event.seq == $0 + 1 } ?? true
        }
    }

    // MARK: Deciding

    /// Those who were woken, each by themselves, from the number that their first decision has.
    private mutating func decideWoken(_ recorded: [Event]) {
        var rest = recorded[...]
        while let first = rest.first, let user = first.user {
            let theirs = rest.prefix { $0.user == user }
            rest = rest.dropFirst(theirs.count)
            let number = register.number(enrolling: user, at: first.at)
            var decided: [Decision] = []
            if register.isToBeApplied(to: number) {
                decided = apply(to: number, at: first.at, next: first.seq)
                register.noteTold(of: number)
                if decided.count >= theirs.count {
                    compare(theirs, decided, after: first.seq, at: first.at)
                    continue
                }
            }
            // Whoever was due at once again was decided about in pieces, and may have been so in one commit.
            repeat {
                let before = decided.count
                decided += decide(number, nil, at: first.at, next: first.seq + UInt64(before))
                if decided.count == before { break }
            } while decided.count < theirs.count && register[number].nextWake <= first.at
            compare(theirs, decided, after: first.seq, at: first.at)
        }
    }

    private mutating func decide(_ cause: Event, _ recorded: [Event], _ applied: PolicyApplied?) {
        guard let user = cause.user else { return decideForEveryone(cause, recorded, applied) }
        let number = register.number(enrolling: user, at: cause.at)
        if register.isToBeApplied(to: number) {
            // Before the fact, and nothing came of it: that would stand before the fact.
            compare([], apply(to: number, at: cause.at, next: cause.seq), after: cause.seq, at: cause.at)
            register.noteTold(of: number)
        }
        // What was raised before and not decided about would be decided about now.
        if recorded.isEmpty, !register[number].details.raised.isEmpty { return fold(cause, number) }
        let before = recorded.isEmpty ? register[number].copy() : nil
        let decided = decide(number, cause, at: cause.at, next: cause.seq + 1)
        if let before, !decided.isEmpty {
            register.restore(before, at: number)
            return fold(cause, number)
        }
        compare(recorded[...], decided, after: cause.seq, at: cause.at)
    }

    /// A fact that was appended while no worker ran is decided when one comes.
    private mutating func fold(_ fact: Event, _ number: Int) {
        register.fold(fact)
        register[number].nextWake = register[number].earliestWake(register.plan)
    }

    /// A policy is adopted, or everybody's notices of a kind are run.
    private mutating func decideForEveryone(_ cause: Event, _ recorded: [Event], _ applied: PolicyApplied?) {
        if case .policyAdopted(let adopted) = cause.payload, let policy = try? Policy(recorded: adopted.policy.text) {
            register.adopt(policy, at: cause.at)
            if let applied { return begin(applied, cause, recorded) }
        }
        var told = Dictionary(grouping: recorded) { $0.user }
        for number in register.people.indices {
            let theirs = (told.isEmpty ? nil : told.removeValue(forKey: register.names[number])) ?? []
            let decided = decide(number, cause, at: cause.at, next: theirs.first?.seq ?? cause.seq + 1)
            compare(theirs[...], decided, after: cause.seq, at: cause.at)
        }
        // Of people whom the log had not met.
        compare(recorded.filter { told[$0.user] != nil }[...], [], after: cause.seq, at: cause.at)
    }

    // MARK: A policy that was applied in pieces

    /// Nobody had it applied before the first of the pieces.
    private mutating func begin(_ applied: PolicyApplied, _ cause: Event, _ recorded: [Event]) {
        var none = applied
        none.people = 0
        register.fold(Event(seq: cause.seq, at: cause.at, user: nil, payload: .policyApplied(none)))
        decidePiece(recorded, applied, after: cause.seq, at: cause.at)
    }

    /// A commit of its own.
    private mutating func takePiece(_ commit: [Event], _ applied: PolicyApplied) {
        guard let first = commit.first else { return }
        let told = commit.filter { $0.user != nil }
        decisions += told.count
        decidePiece(told, applied, after: first.seq, at: first.at)
    }

    private mutating func decidePiece(
        _ recorded: [Event], _ applied: PolicyApplied, after seq: UInt64, at: Instant
    ) {
        var told = Dictionary(grouping: recorded) { $0.user }
        while let number = register.nextToApply(before: applied.people) {
            let theirs = (told.isEmpty ? nil : told.removeValue(forKey: register.names[number])) ?? []
            compare(theirs[...], apply(to: number, at: at, next: theirs.first?.seq ?? seq), after: seq, at: at)
        }
        compare(recorded.filter { told[$0.user] != nil }[...], [], after: seq, at: at)
        register.fold(Event(seq: seq, at: at, user: nil, payload: .policyApplied(applied)))
    }

    private mutating func apply(to number: Int, at: Instant, next: UInt64) -> [Decision] {
        decide(number, at: at, next: next) { $0.apply() }
    }

    // MARK: At the desk

    private mutating func decide(_ number: Int, _ cause: Event?, at: Instant, next: UInt64) -> [Decision] {
        decide(number, at: at, next: next) { desk in
            if let cause { desk.hear(cause.payload, sequence: cause.seq) } else { desk.settle() }
        }
    }

    private mutating func decide(
        _ number: Int, at: Instant, next: UInt64, _ deed: (Desk) -> Void
    ) -> [Decision] {
        let user = register.names[number]
        desk.begin(with: register[number], user: user, plan: register.plan, now: at, nextSequence: next)
        deed(desk)
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

    private mutating func compare(
        _ recorded: ArraySlice<Event>, _ decided: [Decision], after cause: UInt64, at: Instant
    ) {
        for place in 0..<max(recorded.count, decided.count) {
            let was = place < recorded.count ? recorded[recorded.startIndex + place] : nil
            let now = place < decided.count ? decided[place] : nil
            if let was, let now, isSame(was, now) { continue }
            differing += 1
            guard first == nil else { continue }
            first = Difference(
                seq: was?.seq ?? recorded.last?.seq ?? cause, at: was?.at ?? at, user: was?.user ?? now?.user,
                recorded: was?.payload, decided: now?.payload)
        }
    }
}

extension Event {
    /// How far a policy was applied with the commit that this event ends.
    fileprivate var applied: PolicyApplied? {
        if case .policyApplied(let applied) = payload { applied } else { nil }
    }

    /// What came from outside.
    public var isFact: Bool { payload.isFact }
}
