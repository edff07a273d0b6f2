internal import CivilTime

/// The first of a stream's slots that have come.
private struct DueSlot {
    let stream: Stream
    let slot: Slot
}

/// Slots of a stream that nobody can be told of any more, and the notice that the last would have been.
struct MissedSlots {
    let notice: Notice
    fileprivate let stream: Stream
    fileprivate let slots: [Slot]
}

/// Slots that have come: what they raise, skip and supersede (`C3`–`C5`).
extension Desk {
    /// Every slot since the person was last settled, up to now.
    func raiseSlots() { look { person, plan in raiseSlots(of: person, plan) } }

    private func raiseSlots(of person: Person, _ plan: Plan) {
        var due: DueSlot?
        var others: [DueSlot] = []
        let gathering = person.forEachDueSlot(at: now, plan, almanac) { stream, slot in
            let next = DueSlot(stream: stream, slot: slot)
            if due == nil { due = next } else { others.append(next) }
        }
        // Asked before anything is superseded or skipped. Nothing waits that would give way to one of these (`isSilent`).
        for stream in plan.scheduled {
            if let slot = person.slot(ofSilent: stream, since: gathering, at: now, plan, almanac) { fire(slot) }
        }
        guard let due else { return }
        look(at: due.slot, andLaterOf: due.stream, gathering)
        for due in others { look(at: due.slot, andLaterOf: due.stream, gathering) }
    }

    /// - Parameter gathering: since when something has been due that may be gathered.
    private func look(at first: Slot, andLaterOf stream: Stream, _ gathering: Instant) {
        // Whoever was not away has one slot, and it is now.
        guard first.instant < now,
            let second = person.nextSlot(stream, after: first.instant, plan, almanac), second.instant <= now
        else { return look(at: first, of: stream, gathering) }
        let later = person.slots(of: stream, after: second.instant, through: now, plan, almanac)
        look(at: [first, second] + later, of: stream, gathering)
    }

    /// `T9`: after travel, the slots of today there that have passed and were neither fired nor skipped.
    func raiseSlotsOfToday() {
        let person = person
        let today = person.zone.day(containing: now)
        let date = person.zone.localDate(at: now)
        let from = today.lowerBound.advanced(byMilliseconds: -1)
        var due: [(Stream, [Slot])] = []
        person.forEachStream(plan) { stream in
            guard stream.isOnWallClock else { return }
            // Slots that a change brought are those after it, and all are after enrolment (`T10`).
            let since = max(from, person.since(stream), plan.slotsSince(of: stream.kind))
            let slots = person.slots(of: stream, after: since, through: now, plan, almanac).filter {
                // Of a goal's slots some are before its deadline and do not move with the zone.
                $0.local.date == date && !$0.isAbsolute
            }
            if !slots.isEmpty { due.append((stream, slots)) }
        }
        for (stream, slots) in due { lookBack(at: slots, of: stream) }
    }

    /// Of today's slots that have passed there the last may still come, and only then does what waits give way to it.
    /// What it finds to say, a digest is asked in its turn: what was held may be gathered before it.
    private func lookBack(at slots: [Slot], of stream: Stream) {
        var missed = slots
        var coming: Slot?
        if let last = slots.last, isInTime(last) { coming = missed.removeLast() }
        if let coming { supersede(stream.kind, coming.subject) }
        if let last = missed.last {
            enqueue(MissedSlots(notice: notice(of: last), stream: stream, slots: missed))
        }
        guard let coming else { return }
        if plan.mayGather(stream.digest) || hasSomethingToSay(stream, at: coming) { fire(coming) }
    }

    /// Their turn has come.
    func record(_ missed: MissedSlots) {
        let slots = missed.slots.filter { hasSomethingToSay(missed.stream, at: $0) }
        if !slots.isEmpty { skip(slots, .missed) }
    }

    private func notice(of slot: Slot) -> Notice {
        look { $0.scheduled(slot, at: now, user: user, plan: $1, almanac) }
    }

    /// `C5`.
    private func isInTime(_ slot: Slot) -> Bool { plan.isInTime(slot, at: now) }

    private func look(at slot: Slot, of stream: Stream, _ gathering: Instant) {
        supersede(stream.kind, slot.subject)
        guard isAsked(slot, of: stream, gathering) else { return }
        if isInTime(slot) { fire(slot) } else { skip([slot], .missed) }
    }

    private func fire(_ slot: Slot) {
        if slot.kind == plan.checkIn, wasActiveToday {
            skip([slot], .alreadyActiveToday)
        } else {
            enqueue(notice(of: slot))
        }
    }

    /// Of several the last may still fire; those before it, and one that is too late, are skipped.
    private func look(at slots: [Slot], of stream: Stream, _ gathering: Instant) {
        supersede(stream.kind, slots[0].subject)
        let last = slots[slots.count - 1]
        let slots = slots.filter {
            hasSomethingToSay(stream, at: $0) || $0.instant == last.instant && isAsked($0, of: stream, gathering)
        }
        guard !slots.isEmpty else { return }
        var missed = slots
        if let last = slots.last, isInTime(last) {
            missed.removeLast()
            if !missed.isEmpty { skip(missed, .missed) }
            fire(last)
        } else {
            skip(missed, .missed)
        }
    }

    /// `C3`: since their local day began. The day of the slot, should it be another, is `P2`'s to ask about.
    var wasActiveToday: Bool { seenPerson.look { $0.wasActive(onDayOf: now) } }

    private func hasSomethingToSay(_ stream: Stream, at slot: Slot) -> Bool {
        person.hasSomethingToSay(stream, at: slot, now, plan)
    }

    private func isAsked(_ slot: Slot, of stream: Stream, _ gathering: Instant) -> Bool {
        person.isAsked(slot, of: stream, since: gathering, at: now, plan)
    }

    /// `C4`: what still waits of the same kind and subject gives way to its next slot.
    func supersede(_ kind: Int, _ subject: String?, except: [Notice] = []) {
        guard person.hasDetails else { return }
        var waiting: [Notice] = []
        for entry in person.lookedAt {
            let notice = entry.notice
            guard notice.kind == kind, notice.slot != nil, notice.subject == subject,
                !except.contains(where: { $0.isSame(as: notice) })
            else { continue }
            waiting.append(notice)
        }
        // A repeat that comes when it was asked for is what the person wanted; one that an outage has kept is not.
        for snooze in person.details.snoozes
        where snooze.kind == kind && snooze.slot != nil && person.isLate(snooze, now) {
            let notice = snooze.notice
            if notice.subject == subject, snooze.job.members.isEmpty { waiting.append(notice) }
        }
        for notice in waiting { drop(notice, .superseded) }
    }

    /// One record for several of one kind; those at another time of the day are told apart by it, and one that its local time
    /// does not tell from others has a record of its own.
    func skip(_ slots: [Slot], _ reason: Reason) {
        var left = slots
        while let first = left.first {
            let word = person.word(for: first)
            left.removeFirst()
            var alike = [first]
            if case .local(let local) = word {
                alike += left.filter { $0.local.time == local.time && $0.isToldByItsTime(in: person) }
                left.removeAll { $0.local.time == local.time && $0.isToldByItsTime(in: person) }
            }
            decide(
                .skip(
                    SkippedSlots(
                        kind: first.kind, subject: first.subject, reason: reason, first: word,
                        last: alike.last.map { person.word(for: $0) } ?? word, count: alike.count)))
        }
    }
}

extension Slot {
    fileprivate func isToldByItsTime(in person: Person) -> Bool {
        if case .local = person.word(for: self) { true } else { false }
    }
}

extension Person {
    /// `C3`: so far as is known, since the local day of a moment began.
    func wasActive(onDayOf instant: Instant) -> Bool {
        lastActiveAt != .distantPast
            && lastActiveAt >= lookAtZone { $0.day(containing: instant).lowerBound }
    }

    /// When a stream's slots began to be what they are.
    fileprivate func since(_ stream: Stream) -> Instant {
        if let goal = stream.goal { return max(enrolledAt, details.goals[goal].since) }
        if case .checkIn = stream.form { return max(enrolledAt, details.checkInsSince) }
        return enrolledAt
    }

    /// A stream's slots after an instant, up to another, that were neither fired nor skipped.
    func slots(of stream: Stream, after: Instant, through: Instant, _ plan: Plan, _ almanac: Almanac?) -> [Slot] {
        var slots: [Slot] = []
        var from = after
        while let slot = nextSlot(stream, after: from, plan, almanac), slot.instant <= through {
            slots.append(slot)
            from = slot.instant
        }
        return slots
    }

    /// `D1`, `D5`: what was gathered for the daily digest, or the points that are its own.
    func hasSomethingForDigest(_ plan: Plan) -> Bool {
        guard hasDetails else { return false }
        return details.points.contains { preferences.tellsPoints(of: $0.subject, plan) }
            || lookedAt.contains { $0.isGathered(for: .daily) }
    }

    /// `D3`, `D7`: the week's activity, where its kind is on (`D5`), or what was gathered.
    func hasSomethingForWeek(_ plan: Plan, _ kind: Int, _ slot: Slot, at now: Instant) -> Bool {
        preferences.kinds[kind].isEnabled && !week(of: slot.local.date, before: slot.instant, at: now).isEmpty
            || hasGatheredForWeek(plan, kind)
    }

    func hasGatheredForWeek(_ plan: Plan, _ kind: Int) -> Bool {
        guard hasDetails, kind == plan.weeklyDigest else { return false }
        return lookedAt.contains { $0.isGathered(for: .weekly) }
    }

    /// `D5`: what is switched off, altogether or for a subject, is not told.
    func ownPoints(_ plan: Plan) -> [PointsEntry] {
        details.points.filter { preferences.tellsPoints(of: $0.subject, plan) }
    }

    /// `D3`: what was done from the Monday of a slot's local week to its own instant. Of one that comes now, that is everything
    /// known by now; of one that is raised late, nothing of its own minute: what is known of that came after it.
    func week(of date: LocalDate, before instant: Instant, at now: Instant) -> WeekActivity {
        guard hasDetails, !details.week.isEmpty else { return WeekActivity() }
        let monday = date.advanced(byDays: 1 - date.weekday.rawValue)
        // Should the zone have skipped that date, the week begins with the day after it.
        let start = zone.startOfDay(monday) ?? zone.startOfDay(monday.advanced(byDays: 1)) ?? instant
        return details.week.sum(from: start, before: instant < now ? instant : now.advanced(byMinutes: 1))
    }

    /// The notice a slot raises.
    func scheduled(_ slot: Slot, at now: Instant, user: String, plan: Plan, _ almanac: Almanac?) -> Notice {
        let word = word(for: slot)
        let text =
            switch word {
            case .local(let local): almanac?.text(of: local) ?? local.description
            case .instant: word.description
            }
        let name = Notice.name(user, plan.kind(slot.kind).name.text, slot.subject, text)
        return scheduled(slot.kind, slot.subject, word, name: name, at: now, plan: plan)
    }

    /// As a decision names it: whoever reads the log comes to the same notice as who wrote it.
    func scheduled(
        _ kind: Int, _ subject: String?, _ word: SlotWord, name: String, at now: Instant, plan: Plan
    ) -> Notice {
        let rule = plan.kind(kind)
        let local = word.local(in: zone)
        // What is about nothing in particular has no deadline.
        let due = subject.map { _ in word.instant(in: zone) }
        var priority = rule.priority
        var content: NoticeContent?
        if rule.digest == .weekly {
            let instant = zone.instant(of: local, occurrence: .first)
            content = NoticeContent(week: week(of: local.date, before: instant, at: now))
        }
        if rule.isDeadlineWarning, case .deadline(let offsets)? = rule.schedule, let due,
            let warning = warning(kind, subject, at: due, offsets, now)
        {
            content = warning.content
            if warning.isCritical { priority = .critical }
        }
        if rule.schedule == .overdue,
            let raiser = plan.raisers.first(where: { $0.kind == kind && $0.cause == .goalOverdue })
        {
            content = raiser.content(values(about: subject, count: 1, at: now))
        }
        return Notice(
            name: name, kind: kind, subject: subject, priority: priority, raisedAt: now, date: local.date,
            slot: local, due: due, content: content)
    }

    /// A deadline warning is of the part that is switched on, critical when the deadline is near, and no use after it. One that comes
    /// before its time, by a run or with others, is as pressing as its kind: the deadline is not near yet.
    private func warning(
        _ kind: Int, _ subject: String?, at due: Instant, _ offsets: DeadlineOffsets, _ now: Instant
    ) -> (content: NoticeContent, isCritical: Bool)? {
        guard hasDetails, let goal = subject.flatMap({ details.goal(ofSubject: $0) }),
            let deadline = goal.deadline,
            let offset = offsets.offsets.first(where: {
                deadline.advanced(byMinutes: Int64(-$0.minutes)).minuteBegun == due
            })
        else { return nil }
        let isOn = preferences.isOn(offset.subtype, of: kind, about: goal.subject)
        let content = NoticeContent(
            expiresAt: deadline, subtype: isOn ? offset.subtype : offset.escalation ?? offset.subtype)
        return (content, offset.minutes <= offsets.criticalMinutes && now >= due)
    }
}
