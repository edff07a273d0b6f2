internal import CivilTime
internal import Notices

/// T8, C4, C5: a slot fires or is skipped once, at its time or a little late.
extension Auditor {
    mutating func raise(_ id: NoticeID, _ event: Event, _ person: Int, bundle: [String]) {
        use(id.mark, kind: id.kind, subject: id.subject, event, person)
        note(person, event) { $0.raised.insert(Journey.Theme(kind: id.kind, subject: id.subject)) }
        checkTime(of: id, event, person, inBundle: !bundle.isEmpty)
        checkSchedule(of: id, event, person)
        // Only what a schedule raises is superseded by its next; a forced run may bring that before its time.
        guard policy.kinds[id.kind]?.cause?.hasSlots ?? true else { return }
        guard !isRun(event, person, kind: id.kind, withForce: false) else { return }
        asked(.superseded)
        let waiting = people[person].notices.live.values.first { notice in
            // Pulled forward into the job that ends the one before, a slot finds nothing waiting (P19).
            guard notice.id.isSlot, case .held = notice.state, !bundle.contains(notice.id.base) else {
                return false
            }
            return notice.kind == id.kind && notice.subject == id.subject
        }
        if let waiting { broken(.superseded, event, "\(id.base) came while \(waiting.id.base) was still held") }
    }

    /// Cadence kinds have one slot a day, whatever its time; travel cannot repeat it (T8). A slot that hangs on a deadline is
    /// the instant it was due at, whatever clocks showed then.
    private mutating func use(
        _ slot: NoticeID.Mark, kind: String, subject: String?, _ event: Event, _ person: Int
    ) {
        let due = due(slot, person)
        let identity: Fingerprint
        if case .slot(let local) = slot, policy.kinds[kind]?.hangsOnDeadline != true {
            identity = self.identity(of: local, kind: kind, subject: subject, person)
        } else {
            identity = Fingerprint(people[person].idOfLife, kind, subject ?? "", "at", "\(due)")
        }
        let first = slots.updateValueUnlessKnown(event.seq, for: identity)
        expect(
            .slots, event, first == nil,
            "the slot due at \(due) of \(kind)\(subject.map { " about \($0)" } ?? "") was taken by event \(first ?? 0)")
    }

    func identity(of slot: LocalDateTime, kind: String, subject: String?, _ person: Int) -> Fingerprint {
        let time = policy.kinds[kind]?.isCadence == true ? "" : "\(slot.time)"
        return Fingerprint(people[person].idOfLife, kind, subject ?? "", "\(slot.date)", time)
    }

    /// When a slot is due, where the person is now.
    private mutating func due(_ slot: NoticeID.Mark, _ person: Int) -> Instant {
        switch slot {
        case .slot(let local): clock(of: person).clock.first(showing: local)
        case .instant(let instant): instant
        case .raised: .distantPast
        }
    }

    private mutating func checkTime(of id: NoticeID, _ event: Event, _ person: Int, inBundle: Bool) {
        guard let cause = policy.kinds[id.kind]?.cause, cause.hasSlots, cause != .missedCheckIn else { return }
        guard !isRun(event, person, kind: id.kind, withForce: false) else { return }
        let dues = dues(of: id, cause, person)
        let (due, last) = (dues.lowerBound, dues.upperBound)
        let early = inBundle ? policy.bundleMinutes : 0
        expect(
            .slotTimes, event, event.at >= due.advanced(byMinutes: Int64(-early)),
            "the slot of \(id.base) is not until \(due)")
        let late = policy.catchUpMinutes
        expect(
            .slotTimes, event, event.at <= last.advanced(byMinutes: Int64(late)),
            "the slot of \(id.base) was due at \(last), more than \(late) minutes before")
    }

    /// The instant that a slot's name tells, to the minute. What lies at or before a deadline is an instant (C6): it is the
    /// deadline's own, or, where that has moved since, anywhere in the minute.
    private mutating func dues(
        of id: NoticeID, _ cause: KindDocument.Cause, _ person: Int
    ) -> ClosedRange<Instant> {
        let clock = clock(of: person).clock
        let named = due(id.mark, person)
        let offsets: [Int]
        switch cause {
        case .overdue, .deadline: offsets = policy.kinds[id.kind]?.minutesBeforeDeadline ?? []
        // Some repeats of a reminder are counted from the deadline.
        case .goal: offsets = (1...6).map { $0 * 60 }
        case .checkIn, .daily, .weekly, .session, .travel, .missedCheckIn, .message, .overload: return named...named
        }
        let exact = id.goal.flatMap { people[person].progress.deadlines[$0] }.flatMap { deadline in
            offsets.lazy.map { deadline.advanced(byMinutes: Int64(-$0)) }.first { id.mark.names($0, on: clock) }
        }
        guard let exact else {
            return cause == .goal ? named...named : named...named.advanced(byMilliseconds: 59_999)
        }
        return cause == .goal ? min(named, exact)...max(named, exact) : exact...exact
    }

    mutating func takeSkip(_ skip: SlotsSkipped, _ event: Event, _ person: Int) {
        checkWord(skip.reason, among: [.alreadyActiveToday, .missed], event)
        if skip.reason == .missed {
            note(person, event) {
                $0.missed.insert(Journey.Theme(kind: skip.kind.text, subject: skip.subject?.text))
            }
        }
        if case .instant? = NoticeID.Mark(slot: skip.first.text) { return takeSkippedInstant(skip, event, person) }
        guard let first = LocalDateTime(skip.first.text), let last = LocalDateTime(skip.last.text) else {
            return expect(.skips, event, false, "\(skip.first) and \(skip.last) are not both slots")
        }
        let kind = policy.kinds[skip.kind.text]
        expect(.skips, event, first <= last, "the first skipped slot \(first) is behind the last, \(last)")
        expect(.skips, event, skip.count >= 1, "\(skip.count) slots are said to be skipped")
        guard first <= last, skip.count >= 1 else { return }
        expect(
            .skips, event, first == last || skip.count >= 2,
            "\(skip.count) slot is said to be skipped, from \(first) to \(last)")
        let oncePerDay = kind?.cause == .checkIn || kind?.cause == .daily || kind?.cause == .weekly
        let days = last.date.days(since: first.date) + 1
        if oncePerDay {
            expect(.skips, event, skip.count <= days, "\(skip.count) slots are said to be skipped in \(days) days")
        }
        for slot in skipped(first, last, skip, oncePerDay ? kind : nil, person) {
            use(.slot(slot), kind: skip.kind.text, subject: skip.subject?.text, event, person)
        }
        if kind?.isGathering == true { people[person].notices.lastTrace[skip.kind.text] = event.at }
    }

    /// One that its local time does not tell from another stands alone in its record.
    private mutating func takeSkippedInstant(_ skip: SlotsSkipped, _ event: Event, _ person: Int) {
        expect(
            .skips, event, skip.first == skip.last && skip.count == 1,
            "\(skip.count) slots are said to be skipped, from \(skip.first) to \(skip.last)")
        guard let slot = NoticeID.Mark(slot: skip.first.text) else { return }
        use(slot, kind: skip.kind.text, subject: skip.subject?.text, event, person)
    }

    /// The slots that were skipped for sure: the ends, and those between where the days of the kind are as many.
    private mutating func skipped(
        _ first: LocalDateTime, _ last: LocalDateTime, _ skip: SlotsSkipped, _ kind: KindDocument?, _ person: Int
    ) -> [LocalDateTime] {
        let ends = first == last ? [first] : [first, last]
        guard let kind, first.time == last.time else { return ends }
        let days = kind.cause == .checkIn ? wishes(of: person).checkInDays : kind.days
        let all = (0...last.date.days(since: first.date)).map { first.date.advanced(byDays: $0) }
            .filter { days.contains($0.weekday) }
            .map { LocalDateTime(date: $0, time: first.time) }
        return all.count == skip.count && all.first == first && all.last == last ? all : ends
    }
}

extension NoticeID.Mark {
    /// Whether it is the name of the slot at an instant: to the minute.
    func names(_ instant: Instant, on clock: ZoneClock) -> Bool {
        switch self {
        case .slot(let local): clock.local(at: instant) == local
        case .instant(let named): named <= instant && instant < named.advanced(byMinutes: 1)
        case .raised: false
        }
    }
}
