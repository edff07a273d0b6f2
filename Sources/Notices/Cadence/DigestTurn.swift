public import CivilTime

/// Which digests are asked in their turn of `P18` whether they have something to say (`D1`), though the decider may come late.
///
/// What is gathered at an instant may still come to a digest, however late both are decided. So one that has nothing to say as things
/// stand, and may have by its turn, is asked then; one whose time was before anything was due was silent, and has passed.
extension Person {
    /// Each stream's first slot that has come since they were settled, but for digests that have nothing to say as things stand
    /// (`slot(ofSilent:)`).
    ///
    /// Gives since when something has been due of what is decided at `now` and may be gathered. Only what leaves a trace counts, the
    /// ends of holds and slots. Of a wake in which nothing was decided the log knows nothing, so that the person's own `nextWake`
    /// and `settledThrough` need not be the same in a replay (`G1`).
    @inline(__always)
    func forEachDueSlot(
        at now: Instant, _ plan: Plan, _ almanac: Almanac?, _ body: (Stream, Slot) -> Void
    ) -> Instant {
        var since = now
        forEachStream(plan) { stream in
            guard !isSilent(stream, plan), let slot = nextSlot(stream, after: settledThrough, plan, almanac),
                slot.instant <= now
            else { return }
            if stream.digest == nil, !wasAsked(slot, plan) { since = min(since, slot.instant) }
            body(stream, slot)
        }
        guard hasDetails else { return since }
        for waiting in lookedAt { if let until = waiting.heldUntil { since = min(since, until) } }
        for notice in details.raised { since = min(since, notice.raisedAt) }
        return since
    }

    /// Of a digest that has nothing to say as things stand, the slot that is asked in its turn all the same (`isAsked`): the last that
    /// has come, where what may be gathered was due no later. None before it was missed.
    ///
    /// It is looked for where it may be and nowhere else: everybody who wakes is asked, and most have none there.
    func slot(
        ofSilent digest: Stream, since gathering: Instant, at now: Instant, _ plan: Plan, _ almanac: Almanac?
    ) -> Slot? {
        guard plan.mayGather(digest.digest), isSilent(digest, plan) else { return nil }
        let first = max(gathering, now.advanced(byMilliseconds: -plan.catchUp))
        var from = max(settledThrough, first.advanced(byMilliseconds: -1))
        var last: Slot?
        while from < now, let next = nextSlot(digest, after: from, plan, almanac), next.instant <= now {
            (last, from) = (next, next.instant)
        }
        return last
    }

    /// Whether a slot that has come is asked in its turn: it has something to say, or is a digest's that may have by then.
    ///
    /// - Parameter gathering: since when something has been due that may be gathered.
    func isAsked(_ slot: Slot, of stream: Stream, since gathering: Instant, at now: Instant, _ plan: Plan) -> Bool {
        hasSomethingToSay(stream, at: slot, now, plan)
            || plan.mayGather(stream.digest) && slot.instant >= gathering && plan.isInTime(slot, at: now)
    }

    /// A digest slot with nothing to say leaves no trace (`C5`), nor does one that the app has come before.
    func hasSomethingToSay(_ stream: Stream, at slot: Slot, _ now: Instant, _ plan: Plan) -> Bool {
        switch stream.digest {
        case nil: !wasAsked(slot, plan)
        case .daily: hasSomethingForDigest(plan)
        case .weekly: hasSomethingForWeek(plan, stream.kind, slot, at: now)
        }
    }

    /// The day's digest whose slot is considered in a wake at `now`, as things stand before it; `nil` where there is none. One
    /// that is held is known by its hold.
    public func digestDue(at now: Instant, user: String, _ plan: Plan) -> Notice? {
        guard let stream = plan.scheduled.first(where: { $0.kind == plan.dailyDigest }),
            let slot = slots(of: stream, after: settledThrough, through: now, plan, nil).last,
            plan.isInTime(slot, at: now)
        else { return nil }
        let gathering = forEachDueSlot(at: now, plan, nil) { _, _ in }
        guard isAsked(slot, of: stream, since: gathering, at: now, plan) else { return nil }
        return scheduled(slot, at: now, user: user, plan: plan, nil)
    }
}

extension Plan {
    /// `C5`.
    func isInTime(_ slot: Slot, at now: Instant) -> Bool { now.milliseconds(since: slot.instant) <= catchUp }
}
