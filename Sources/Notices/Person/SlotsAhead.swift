internal import CivilTime

/// Slots that were taken before their time: a recorded run brings a kind's next slot forward, however far away it is.
///
/// What is remembered of the last days forgets them before their dates come, and then they would fire once more (`T8`).
extension Person {
    /// The most a person has: more than anybody runs by hand, and few enough to be looked through with every slot.
    static let slotsAheadMax = 100

    /// Each is kept by its name alone; the words of its job are needed no longer than those of others.
    func rememberAhead(_ mark: Mark) {
        details.ahead.removeAll { $0.hasPassed(at: mark.at) }
        var kept = mark
        kept.flags = .slot
        if kept.memo?.job != nil { kept.memo = mark.memo?.subject.map { Mark.Memo(subject: $0, due: mark.memo?.due) } }
        details.ahead.append(kept)
    }

    /// Whether a slot may be brought forward: those far ahead are remembered for long, so they are limited.
    func mayBringForward(_ slot: Slot, at now: Instant) -> Bool {
        let mark = Mark(
            at: now, date: slot.local.date, minute: slot.local.time.minuteOfDay, channels: [], kind: UInt8(slot.kind),
            flags: .slot)
        guard mark.isFarAhead, hasDetails else { return true }
        return details.ahead.count { !$0.hasPassed(at: now) } < Self.slotsAheadMax
    }
}
