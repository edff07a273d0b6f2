internal import CivilTime

/// A recorded "run now" (SPEC §13): with a kind its next slot comes now; with `force` only P1–P7 are asked.
extension Desk {
    func run(_ request: RunRequested) {
        let isForced = request.force == true
        // Without a kind there is nothing to raise, and what was due has been decided.
        guard let name = request.kind?.text, let kind = plan.rules.place(of: name) else { return }
        // That a deadline has passed cannot be told before it has (`C6`), and what has been told has no slot any more (`T8`).
        guard plan.kind(kind).schedule != .overdue else { return }
        let person = person
        var next: [(Stream, Slot)] = []
        person.forEachStream(plan) { stream in
            guard stream.kind == kind, let slot = person.nextSlot(stream, after: now, plan, almanac) else { return }
            next.append((stream, slot))
        }
        // The kind's next slot: of several subjects those whose turn comes first.
        guard let first = next.map(\.1.instant).min() else { return }
        for (stream, slot) in next where slot.instant == first && person.mayBringForward(slot, at: now) {
            var ahead = slot
            ahead.instant = now
            // One that has nothing to say takes the place of none: a review that is held still tells of its own week.
            if plan.kind(kind).digest == .weekly, !person.hasSomethingForWeek(plan, kind, ahead, at: now) { continue }
            supersede(kind, slot.subject)
            if stream.kind == plan.checkIn, !isForced, wasActiveToday {
                skip([slot], .alreadyActiveToday)
                continue
            }
            let notice = person.scheduled(slot, at: now, user: user, plan: plan, almanac)
            enqueue(isForced ? notice.with(origin: .forced) : notice)
        }
    }
}
