internal import CivilTime

/// The schedules a person has, and the slots they name (`C1`, `C2`, `C6`, `D1`, `D3`).
extension Person {
    /// `C2`: no check-in slots while they or everything is switched off. Other kinds keep theirs, and what cannot be
    /// sent is dropped with its reason.
    @inline(__always)
    func forEachStream(_ plan: Plan, _ body: (Stream) -> Void) {
        for scheduled in plan.scheduled {
            switch scheduled.form {
            case .checkIn:
                guard seenPreferences.isEnabled, seenPreferences.checkInsEnabled else { continue }
                body(scheduled)
            case .wall:
                body(scheduled)
            case .goal:
                guard hasDetails else { continue }
                for goal in details.goals.indices where !details.goals[goal].hasEnded {
                    var stream = scheduled
                    stream.goal = goal
                    body(stream)
                }
            }
        }
    }

    /// A stream's first slot strictly after an instant that was neither fired nor skipped.
    func nextSlot(_ stream: Stream, after instant: Instant, _ plan: Plan, _ almanac: Almanac?) -> Slot? {
        switch stream.form {
        case .checkIn:
            let preferences = seenPreferences
            return wallSlot(
                stream.kind, preferences.checkInTime, preferences.checkInDays, isOncePerDay: true, after: instant,
                almanac)
        case .wall(let time, let days):
            return wallSlot(stream.kind, time, days, isOncePerDay: false, after: instant, almanac)
        case .goal: return nextGoalSlot(stream, after: instant, plan, almanac)
        }
    }

    /// Of a schedule that is about nothing in particular.
    private func wallSlot(
        _ kind: Int, _ time: LocalTime, _ days: WeekdaySet, isOncePerDay: Bool, after instant: Instant,
        _ almanac: Almanac?
    ) -> Slot? {
        var from = instant
        // Ends with the first slot of which nothing is remembered.
        while let moment = wallMoment(time, days, after: from, almanac) {
            if !wasHandled(kind, nil, moment.local, isOncePerDay: isOncePerDay) {
                return Slot(kind: kind, subject: nil, local: moment.local, instant: moment.instant)
            }
            from = moment.instant
        }
        return nil
    }

    private func nextGoalSlot(
        _ stream: Stream, after instant: Instant, _ plan: Plan, _ almanac: Almanac?
    ) -> Slot? {
        guard let schedule = plan.kind(stream.kind).schedule else { return nil }
        let wall = nextTimeOfDay(stream, schedule, after: instant, almanac)
        // Where both come at once it is the reminder itself.
        guard let agreed = nextInstant(stream, schedule, after: instant),
            wall.map({ agreed.instant < $0.instant }) ?? true
        else { return wall }
        return agreed
    }

    private func nextTimeOfDay(
        _ stream: Stream, _ schedule: Schedule, after instant: Instant, _ almanac: Almanac?
    ) -> Slot? {
        guard let place = stream.goal else { return nil }
        let isOncePerDay = isOncePerDay(stream, schedule)
        var from = instant
        while let moment = timeOfDay(stream, schedule, after: from, almanac) {
            let subject = details.goals[place].subject
            if !wasHandled(stream.kind, subject, moment.local, isOncePerDay: isOncePerDay) {
                return Slot(kind: stream.kind, subject: subject, local: moment.local, instant: moment.instant)
            }
            from = moment.instant
        }
        return nil
    }

    private func nextInstant(_ stream: Stream, _ schedule: Schedule, after instant: Instant) -> Slot? {
        guard let place = stream.goal else { return nil }
        var from = instant
        while let next = agreedInstant(stream, schedule, after: from) {
            let subject = details.goals[place].subject
            if !wasHandled(stream.kind, subject, at: next) {
                return Slot(
                    kind: stream.kind, subject: subject, local: zone.local(at: next), instant: next, isAbsolute: true)
            }
            from = next
        }
        return nil
    }

    /// `T8`: check-ins come once a local date whatever the time, and so do a goal's reminders unless they repeat.
    private func isOncePerDay(_ stream: Stream, _ schedule: Schedule) -> Bool {
        guard case .goal = schedule, let goal = stream.goal else { return false }
        return (preferences.goals[details.goals[goal].id]?.repeats ?? .once) == .once
    }

    /// Of a goal's schedule, the times of day.
    private func timeOfDay(
        _ stream: Stream, _ schedule: Schedule, after instant: Instant, _ almanac: Almanac?
    ) -> SlotMoment? {
        switch schedule {
        case .goal(let time): beforeDeadline(reminderMoment(stream, time, after: instant, almanac), stream)
        case .missedCheckIn(let time): beforeDeadline(missedSlot(stream, time, after: instant, almanac), stream)
        case .deadline, .overdue, .checkIn, .daily, .weekly, .session, .travel, .message, .overload: nil
        }
    }

    /// Of a goal's schedule, the instants that hang on its deadline.
    private func agreedInstant(_ stream: Stream, _ schedule: Schedule, after instant: Instant) -> Instant? {
        guard let place = stream.goal, let deadline = details.goals[place].deadline, deadline > instant else {
            return nil
        }
        return switch schedule {
        case .goal: hourlyRepeat(of: details.goals[place], before: deadline, after: instant)
        case .deadline(let offsets): warning(stream, offsets, before: deadline, after: instant)
        case .overdue: deadline
        case .missedCheckIn, .checkIn, .daily, .weekly, .session, .travel, .message, .overload: nil
        }
    }

    /// `C6`: with its deadline a goal's reminders and offers end.
    private func beforeDeadline(_ moment: SlotMoment?, _ stream: Stream) -> SlotMoment? {
        guard let moment, let goal = stream.goal, let deadline = details.goals[goal].deadline else { return moment }
        return moment.instant < deadline ? moment : nil
    }

    private func wallMoment(
        _ time: LocalTime, _ days: WeekdaySet, after instant: Instant, _ almanac: Almanac?
    ) -> SlotMoment? {
        lookAtZone { zone in
            almanac?.nextSlot(zone, time: time, days: days, strictlyAfter: instant)
                ?? zone.nextSlot(time: time, days: days, strictlyAfter: instant)
        }
    }

    /// At the goal's reminder time on its days, and every two hours after it where the person chose so.
    private func reminderMoment(
        _ stream: Stream, _ usual: LocalTime, after instant: Instant, _ almanac: Almanac?
    ) -> SlotMoment? {
        guard let place = stream.goal else { return nil }
        let goal = details.goals[place]
        let choice = preferences.goals[goal.id] ?? GoalPreference()
        let time = choice.reminderTime ?? goal.reminderTime ?? preferences.reminderTime ?? usual
        let days = goal.reminderDays(choice)
        var next = wallMoment(time, days, after: instant, almanac)
        switch choice.repeats {
        case .once, .hourlyBeforeDeadline: break
        case .everyTwoHours:
            for minute in stride(from: Int(time.minuteOfDay) + 120, to: 1440, by: 120) {
                guard let again = LocalTime(minuteOfDay: minute) else { continue }
                next = .earlier(next, wallMoment(again, days, after: instant, almanac))
            }
        }
        return next
    }

    private func hourlyRepeat(of goal: Goal, before deadline: Instant, after instant: Instant) -> Instant? {
        guard preferences.goals[goal.id]?.repeats == .hourlyBeforeDeadline else { return nil }
        return (1...6).lazy.map { deadline.advanced(byHours: Int64(-$0)) }.filter { $0 > instant }.min()
    }

    private func warning(
        _ stream: Stream, _ offsets: DeadlineOffsets, before deadline: Instant, after instant: Instant
    ) -> Instant? {
        guard let place = stream.goal else { return nil }
        let subject = details.goals[place].subject
        var next: Instant?
        for offset in offsets.offsets {
            let at = deadline.advanced(byMinutes: Int64(-offset.minutes))
            guard at > instant,
                next.map({ at < $0 }) ?? true, isChosen(offset, kind: stream.kind, subject)
            else { continue }
            next = at
        }
        return next
    }

    private func isChosen(_ offset: DeadlineOffsets.Offset, kind: Int, _ subject: String) -> Bool {
        preferences.isOn(offset.subtype, of: kind, about: subject)
            || offset.escalation.map { preferences.isOn($0, of: kind, about: subject) } ?? false
    }

    /// The day after a reminder that nobody answered; offered once, ever.
    private func missedSlot(
        _ stream: Stream, _ time: LocalTime, after instant: Instant, _ almanac: Almanac?
    ) -> SlotMoment? {
        guard !flags.contains(.timingOffered), let place = stream.goal,
            let reminded = details.goals[place].remindedOn
        else { return nil }
        let end = zone.day(containing: zone.startOfDay(reminded) ?? instant).upperBound
        let from = max(instant, end.advanced(byMilliseconds: -1))
        guard let moment = wallMoment(time, .all, after: from, almanac),
            moment.local.date <= reminded.advanced(byDays: 2)
        else { return nil }
        return moment
    }
}

extension SlotMoment? {
    fileprivate static func earlier(_ left: SlotMoment?, _ right: SlotMoment?) -> SlotMoment? {
        guard let left else { return right }
        guard let right else { return left }
        return right.instant < left.instant ? right : left
    }
}

extension Preferences {
    /// Whether a part of a kind is on, for one goal or subject or in general. Of two that were switched for the same goal,
    /// as a goal and as a subject, none may be off.
    func isOn(_ subtype: String, of kind: Int, about subject: String?) -> Bool {
        guard let subject, !goals.isEmpty || !subjects.isEmpty else {
            return !kinds[kind].subtypesOff.contains(subtype)
        }
        let goal = subject.hasPrefix("goal:") ? goals[String(subject.dropFirst("goal:".count))] : nil
        let own = [goal?.kinds[kind]?.subtypes[subtype], subjects[subject]?[kind]?.subtypes[subtype]].compactMap(\.self)
        return own.isEmpty ? !kinds[kind].subtypesOff.contains(subtype) : !own.contains(false)
    }
}

extension WeekdaySet {
    /// Each day moved along the week.
    func shifted(byDays days: Int) -> WeekdaySet {
        let turns = ((days % 7) + 7) % 7
        let bits = Int(rawValue) << turns
        return WeekdaySet(rawValue: UInt8((bits | bits >> 7) & 0x7F))
    }
}
