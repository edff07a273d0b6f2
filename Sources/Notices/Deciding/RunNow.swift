internal import CivilTime

/// A recorded "run now" (SPEC §13): with a kind its next slot comes now; with `force` only P1–P7 are asked.
extension Desk {
    mutating func run(_ request: RunRequested) {
        let isForced = request.force == true
        guard let name = request.kind?.text else {
            if isForced { forceHeld() }
            return
        }
        guard let kind = plan.rules.place(of: name) else { return }
        let person = person
        var next: [(Stream, Slot)] = []
        person.forEachStream(plan) { stream in
            guard stream.kind == kind, let slot = person.nextSlot(stream, after: now) else { return }
            next.append((stream, slot))
        }
        for (stream, slot) in next {
            if plan.kind(kind).digest == .weekly, person.week(before: slot.local.date, at: now).isEmpty { continue }
            supersede(kind, slot.subject)
            if stream.schedule == .checkIn, !isForced, wasActiveToday {
                skip([slot], .alreadyActiveToday)
                continue
            }
            var notice = person.scheduled(slot, at: now, user: user, plan: plan)
            if isForced { notice.origin = .forced }
            enqueue(notice)
        }
    }

    private mutating func forceHeld() {
        guard person.hasDetails else { return }
        for waiting in person.details.waiting where waiting.heldUntil != nil {
            var notice = waiting.notice
            notice.origin = .forced
            enqueue(notice)
        }
    }
}
