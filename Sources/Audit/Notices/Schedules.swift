internal import CivilTime
internal import Notices

/// C1, C6, D1, D3: a slot is one that its schedule names.
extension Auditor {
    mutating func checkSchedule(of id: NoticeID, _ event: Event, _ person: Int) {
        guard let kind = policy.kinds[id.kind] else { return }
        switch kind.cause {
        case .checkIn, .daily, .weekly: checkDay(of: id, kind, event, person)
        case .goal, .deadline, .overdue, .missedCheckIn: checkGoal(of: id, kind, event, person)
        case nil where kind.hasOtherSchedule: break
        case .session, .travel, .message, .overload, nil:
            expect(.slotDays, event, false, "\(id.base) is named after a slot, and \(kind.name) has none")
        }
    }

    /// On a day and at the time that are configured. Not asked of what a run brings forward, and not around a change of what the
    /// slot hangs on.
    private mutating func checkDay(of id: NoticeID, _ kind: KindDocument, _ event: Event, _ person: Int) {
        guard case .slot(let slot) = id.mark, id.subject == nil else {
            return expect(
                .slotDays, event, false, "\(id.base) is not named by a local time alone, as slots of \(kind.name) are")
        }
        let (clock, isKnown) = clock(of: person)
        guard isKnown, !isRun(event, person, kind: kind.name, withForce: false),
            isSteady(person, before: clock.first(showing: slot))
        else { return }
        let own: Wishes? = kind.cause == .checkIn ? wishes(of: person) : nil
        let days = own?.checkInDays ?? kind.days
        guard let time = own?.checkInTime ?? kind.time else { return }
        expect(
            .slotDays, event, slot.time == time && days.contains(slot.date.weekday),
            "\(id.base) is on a \(slot.date.weekday.name) at \(slot.time), and \(kind.name) comes on \(days) at \(time)"
        )
    }

    /// Longer than any local day: no slot of the day of a change is judged, nor one of the day after.
    private static let steadyHours: Int64 = 48

    /// Whether nothing has changed lately that the person's slots hang on. What was so when they were first heard of is no
    /// change: their slots are those after that (T10).
    private func isSteady(_ person: Int, before due: Instant) -> Bool {
        let known = people[person].knownSince
        guard due > known else { return false }
        let changes = [people[person].wishesSince, people[person].zoneSince, policySince]
        return changes.allSatisfy { $0 <= known || $0.advanced(byHours: Self.steadyHours) <= due }
    }

    /// About a goal that was started and has not ended. What hangs on its deadline is as long before it as the kind says.
    private mutating func checkGoal(of id: NoticeID, _ kind: KindDocument, _ event: Event, _ person: Int) {
        guard let goal = id.goal, people[person].progress.underway.contains(goal) else {
            return expect(.goalSlots, event, false, "\(id.base) is about no goal that is under way")
        }
        let (clock, isKnown) = clock(of: person)
        let minutes = kind.minutesBeforeDeadline
        var isOnTime = true
        if kind.hangsOnDeadline, isKnown, !minutes.isEmpty {
            let deadline = people[person].progress.deadlines[goal]
            isOnTime = deadline.map { id.mark.isBefore($0, by: minutes, on: clock) } ?? false
        }
        expect(.goalSlots, event, isOnTime, "\(id.base) is at no time that \(kind.name) names before the deadline")
    }
}

extension NoticeID.Mark {
    /// Whether it is the slot so many minutes before a deadline, or so many others.
    func isBefore(_ deadline: Instant, by minutes: [Int], on clock: ZoneClock) -> Bool {
        minutes.contains { names(deadline.advanced(byMinutes: Int64(-$0)), on: clock) }
    }
}
