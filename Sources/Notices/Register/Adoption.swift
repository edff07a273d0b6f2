public import CivilTime

/// A policy that is in force and has not been applied to everybody: what waits for them is considered again under it.
///
/// A fold of the log. A `policy_applied` says how far it has come, and whoever has any event after it was adopted was looked at
/// before that.
public struct Adoption: Sendable, Equatable {
    /// The number of the fact.
    public let seq: Int
    /// It has been applied to everybody with a number of the log below this one.
    public internal(set) var through: Int
    /// How many people there were. Who came later came under this policy.
    public internal(set) var count: Int
    /// Those from `through` on to whom it was applied out of their turn.
    public internal(set) var except: Set<Int>

    public init(of seq: Int, through: Int, count: Int, except: Set<Int> = []) {
        (self.seq, self.through, self.count, self.except) = (seq, through, count, except)
    }
}

/// What another policy does to a person by itself: what is remembered of kinds gets their places in the new rulebook.
struct Moving {
    var places: [Int]
    var at: Instant
}

extension Register {
    /// Puts a policy in force that is applied to people one after the other (`nextToApply`). To move millions of people takes
    /// long, so each is moved when they are looked at next, and nobody is seen who was not.
    public mutating func beginAdopting(_ policy: Policy, seq: UInt64, at: Instant) {
        precondition(adoption == nil, "a policy is adopted before the last one was applied to everybody")
        moving = putInForce(policy, at)
        isTurned.toggle()
        adoption = Adoption(of: Int(seq), through: 0, count: people.count)
        endIfApplied()
    }

    func moveAlong(_ person: Person) {
        guard let moving, person.flags.contains(.turned) != isTurned else { return }
        person.move(moving, plan)
        person.flags.formSymmetricDifference(.turned)
    }

    /// Whether what waits for somebody is to be considered under the policy before anything else of theirs is.
    public func isToBeApplied(to number: Int) -> Bool {
        guard let adoption else { return false }
        return (adoption.through..<adoption.count).contains(names.person(number)) && !adoption.except.contains(number)
    }

    /// Somebody had the policy applied to them out of their turn, and the log tells of it by telling of them.
    public mutating func noteTold(of number: Int) {
        guard isToBeApplied(to: number) else { return }
        adoption?.except.insert(number)
    }

    /// The next to apply the policy to, who has it applied from here on; `nil` behind the last.
    /// - Parameter end: a number of the log that stands behind the last who is asked for.
    public mutating func nextToApply(before end: Int = .max) -> Int? {
        while let adoption, adoption.through < min(end, adoption.count) {
            let number = names.own(from: adoption.through)
            // Of a share the next may be anywhere.
            guard number < names.count, names.person(number) < min(end, adoption.count) else { break }
            self.adoption?.through = names.person(number) + 1
            let isLeft = adoption.except.isEmpty || self.adoption?.except.remove(number) == nil
            endIfApplied()
            if isLeft { return number }
        }
        return nil
    }

    mutating func fold(_ applied: PolicyApplied) {
        if adoption?.seq == applied.policy {
            adoption?.through = applied.people
        } else {
            adoption = Adoption(of: applied.policy, through: applied.people, count: applied.of)
        }
        if let adoption, !adoption.except.isEmpty {
            self.adoption?.except = adoption.except.filter { names.person($0) >= applied.people }
        }
        endIfApplied()
    }

    private mutating func endIfApplied() {
        guard let adoption, adoption.through >= adoption.count else { return }
        self.adoption = nil
    }
}
