public import CivilTime

/// What comes of a kind by itself: a person's days are lived ahead, by the same decisions, until it is there. So what is held, was put
/// off (`S1`), gives way to a later slot (`C4`) or is about another goal needs no rule of its own.
extension Person {
    /// When a job tells of one of a kind, from a moment on; `nil` where none does as far as anybody plans.
    ///
    /// As they stand when all that was due before that moment has been decided.
    ///
    /// - Parameter subject: only what is about this; `nil` for whatever comes first.
    func next(
        of kind: Int, about subject: String?, from instant: Instant, user: String, plan: Plan, _ foresight: Foresight
    ) -> Instant? {
        // Only a deadline may lie further ahead than anything is held for.
        let planned = nextSlot(of: kind, about: subject, after: instant, user: user, plan: plan)?.0.instant
        let end = (planned ?? instant).advanced(byDays: Self.daysAhead)
        let name = plan.kind(kind).name.text
        let desk = Desk(copy(), user: user, plan: plan, now: instant, nextSequence: 0)
        desk.settle()
        repeat {
            if desk.hasTold(of: name, about: subject) { return desk.now }
        } while desk.liveOn(before: end, foresight)
        return nil
    }

    /// The next slot of a kind after a moment, though nothing names it yet: an offer of another time hangs on the reminder that
    /// comes before it (`C6`).
    ///
    /// - Parameters:
    ///   - subject: only slots about this; `nil` for whatever comes first.
    ///   - instant: what is due by then has been decided.
    public func slotAhead(
        of kind: Int, about subject: String? = nil, after instant: Instant, user: String, plan: Plan,
        _ foresight: Foresight
    ) -> SlotAhead {
        if let (slot, _) = nextSlot(of: kind, about: subject, after: instant, user: user, plan: plan) {
            return .planned(slot)
        }
        // All other schedules hang on facts alone, and it is offered once.
        guard case .missedCheckIn? = plan.kind(kind).schedule, !flags.contains(.timingOffered) else { return .none }
        let end = instant.advanced(byDays: Self.daysAhead)
        let desk = Desk(copy(), user: user, plan: plan, now: instant, nextSequence: 0)
        while desk.liveOn(before: end, foresight) {
            let then = desk.personToKeep
            if let (slot, _) = then.nextSlot(of: kind, about: subject, after: desk.now, user: user, plan: plan) {
                return .planned(slot)
            }
        }
        return foresight.isCutShort ? .unforeseen : .none
    }

    /// As long as anything is held for: further ahead nobody plans.
    static let daysAhead: Int64 = 40
}

/// What a kind's schedule has in store.
public enum SlotAhead: Sendable {
    case planned(Slot)
    case none
    /// None was found as far as may be foreseen, which is not far.
    case unforeseen

    public var slot: Slot? {
        guard case .planned(let slot) = self else { return nil }
        return slot
    }

    public var isUnforeseen: Bool {
        guard case .unforeseen = self else { return false }
        return true
    }
}

extension Desk {
    /// Whether a job of what was decided last tells of one of a kind.
    fileprivate func hasTold(of kind: String, about subject: String?) -> Bool {
        written.contains { event in
            guard case .jobEmitted(let job) = event.payload else { return false }
            return job.notices.contains { $0.kind == kind && (subject == nil || $0.subject == subject) }
        }
    }
}
