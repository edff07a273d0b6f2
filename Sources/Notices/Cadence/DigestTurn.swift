public import CivilTime

/// Which digests are asked in their turn of `P18` whether they have something to say (`D1`), though the decider may come late.
extension Person {
    /// Since when something has been due of what is decided at `now` and may be gathered. A digest that has nothing to say as
    /// things stand, and whose slot came then or later, may have something by its turn.
    ///
    /// Only what leaves a trace counts, the ends of holds and slots. Of a wake in which nothing was decided the log knows
    /// nothing, so that the person's own `nextWake` and `settledThrough` need not be the same in a replay (`G1`).
    func gatheringSince(at now: Instant, _ plan: Plan, _ almanac: Almanac?) -> Instant {
        var since = now
        forEachStream(plan) { stream in
            guard stream.digest == nil, let slot = nextSlot(stream, after: settledThrough, plan, almanac),
                !wasAsked(slot, plan)
            else { return }
            since = min(since, slot.instant)
        }
        guard hasDetails else { return since }
        for waiting in lookedAt { if let until = waiting.heldUntil { since = min(since, until) } }
        for notice in details.raised { since = min(since, notice.raisedAt) }
        return since
    }

    /// The day's digest whose slot is considered in a wake at `now`, as things stand before it; `nil` where there is none. One
    /// that is held is known by its hold.
    public func digestDue(at now: Instant, user: String, _ plan: Plan) -> Notice? {
        guard let stream = plan.scheduled.first(where: { $0.kind == plan.dailyDigest }),
            let slot = slots(of: stream, after: settledThrough, through: now, plan, nil).last,
            now.milliseconds(since: slot.instant) <= plan.catchUp,
            hasSomethingForDigest(plan) || slot.instant >= gatheringSince(at: now, plan, nil)
        else { return nil }
        return scheduled(slot, at: now, user: user, plan: plan, nil)
    }

    /// `C7`: whether the app has asked for it itself on the slot's day.
    func wasAsked(_ slot: Slot, _ plan: Plan) -> Bool {
        guard plan.kind(slot.kind).schedule == .overdue else { return false }
        let raiser = plan.raisers.first { $0.kind == slot.kind && $0.cause == .goalOverdue }
        return wasAsked(slot.kind, slot.subject, raiser?.subtype, on: slot.local.date)
    }
}
