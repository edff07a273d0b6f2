internal import CivilTime
internal import Journal
internal import Notices
internal import Queueing

/// A policy that was adopted is applied to people a piece at a time, as a herd is woken: each piece is a commit of its own that
/// ends with how far it has come (`policy_applied`).
///
/// The policy is in force from its adoption on. Whoever has a fact or is due before their turn has it applied first, in the
/// same commit; the log tells of them, so that they have no second turn, also not behind a crash.
extension WorkerCore {
    /// Whether the policy in force has not been applied to everybody yet.
    public var isApplyingPolicy: Bool { decider.register.adoption != nil }

    /// Applies it to some. Returns whether there are more.
    func goOnApplying(at now: Instant) throws(JournalError) -> Bool {
        guard isApplyingPolicy else { return false }
        applySome(at: now, ofCommitThatAdopts: false)
        try append(at: now)
        if !isApplyingPolicy { while let facts = behindPolicy.popFirst() { resumed.append(facts) } }
        return isApplyingPolicy || !resumed.isEmpty
    }

    /// - Parameter isFirst: where everybody comes into the commit with the adoption, nothing needs to be said of it.
    func applySome(at now: Instant, ofCommitThatAdopts isFirst: Bool) {
        guard let adoption = decider.register.adoption else { return }
        var left = limits.appliedPerTurn
        // The first piece belongs to the share of the facts.
        if !isFirst { beginShare() }
        while left > 0, !isShareOver, decider.applyToNext(at: now, into: &draft.events) { left -= 1 }
        if isFirst, !isApplyingPolicy { return }
        var applied = PolicyApplied()
        applied.policy = adoption.seq
        applied.people = decider.register.adoption?.through ?? adoption.count
        applied.of = adoption.count
        draft.events.append(Event(seq: decider.nextSequence, at: now, user: nil, payload: .policyApplied(applied)))
        decider.nextSequence += 1
    }
}
