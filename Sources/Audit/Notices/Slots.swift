internal import CivilTime
internal import Notices

/// T8, C4, C5: a slot fires or is skipped once, at its time or a little late.
extension Auditor {
    mutating func raise(_ slot: LocalDateTime, _ id: NoticeID, _ event: Event, _ person: Int, bundle: [String]) {
        use(slot, kind: id.kind, subject: id.subject, event, person)
        note(person, event) { $0.raised.insert(Journey.Theme(kind: id.kind, subject: id.subject)) }
        checkTime(of: slot, id, event, person, inBundle: !bundle.isEmpty)
        // Only what a schedule raises is superseded by its next; a forced run may bring that before its time.
        guard policy.kinds[id.kind]?.cause?.hasSlots ?? true else { return }
        guard !isRun(event, person, kind: id.kind, withForce: false) else { return }
        asked(.superseded)
        let waiting = people[person].notices.live.values.first { notice in
            // Pulled forward into the job that ends the one before, a slot finds nothing waiting (P19).
            guard case .slot = notice.id.mark, case .held = notice.state, !bundle.contains(notice.id.base) else {
                return false
            }
            return notice.kind == id.kind && notice.subject == id.subject
        }
        if let waiting { broken(.superseded, event, "\(id.base) came while \(waiting.id.base) was still held") }
    }

    /// Cadence kinds have one slot a day, whatever its time; travel cannot repeat it (T8).
    private mutating func use(
        _ slot: LocalDateTime, kind: String, subject: String?, _ event: Event, _ person: Int
    ) {
        let identity = identity(of: slot, kind: kind, subject: subject, person)
        let first = slots.updateValueUnlessKnown(event.seq, for: identity)
        expect(
            .slots, event, first == nil,
            "the slot \(slot) of \(kind)\(subject.map { " about \($0)" } ?? "") was taken by event \(first ?? 0)")
    }

    func identity(of slot: LocalDateTime, kind: String, subject: String?, _ person: Int) -> Fingerprint {
        let time = policy.kinds[kind]?.isCadence == true ? "" : "\(slot.time)"
        return Fingerprint(people[person].id, kind, subject ?? "", "\(slot.date)", time)
    }

    private mutating func checkTime(
        of slot: LocalDateTime, _ id: NoticeID, _ event: Event, _ person: Int, inBundle: Bool
    ) {
        guard let cause = policy.kinds[id.kind]?.cause, cause.hasSlots, cause != .missedCheckIn else { return }
        guard !isRun(event, person, kind: id.kind, withForce: false) else { return }
        let due = clock(of: person).clock.first(showing: slot)
        let early = inBundle ? policy.bundleMinutes : 0
        expect(
            .slotTimes, event, event.at >= due.advanced(byMinutes: Int64(-early)),
            "the slot \(slot) is not until \(due)")
        let late = policy.catchUpMinutes
        expect(
            .slotTimes, event, event.at <= due.advanced(byMinutes: Int64(late)),
            "the slot \(slot) was due at \(due), more than \(late) minutes before")
    }

    mutating func takeSkip(_ skip: SlotsSkipped, _ event: Event, _ person: Int) {
        checkWord(skip.reason, among: [.alreadyActiveToday, .missed], event)
        guard let first = LocalDateTime(skip.first.text), let last = LocalDateTime(skip.last.text) else {
            return expect(.skips, event, false, "\(skip.first) and \(skip.last) are not both slots")
        }
        if skip.reason == .missed {
            note(person, event) {
                $0.missed.insert(Journey.Theme(kind: skip.kind.text, subject: skip.subject?.text))
            }
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
            use(slot, kind: skip.kind.text, subject: skip.subject?.text, event, person)
        }
        if kind?.isGathering == true { people[person].notices.lastTrace[skip.kind.text] = event.at }
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
