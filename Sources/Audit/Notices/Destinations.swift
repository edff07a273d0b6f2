internal import CivilTime
internal import Notices

/// P10, P12, P13, D1: what is gathered waits for the digest that comes next, or for the summary that is being gathered for.
extension Auditor {
    mutating func checkDigest(
        named gathering: NoticeGathered, _ kind: KindDocument, _ event: Event, _ person: Int
    ) {
        let (clock, isKnown) = clock(of: person)
        // Of one that has ended it is said already.
        guard isKnown, endedNotices[mark(gathering.into.text, person)] == nil,
            let id = NoticeID(gathering.into.text)
        else { return }
        let isTheirs = id.user == people[person].id && id.subject == nil && id.repetition == nil
        asked(.waiting)
        guard isTheirs, mayCome(id, kind, event, person, clock) else {
            return broken(
                .waiting, event,
                "\(gathering.notice) is gathered into \(gathering.into), which is not the next of \(kind.name)")
        }
    }

    private mutating func mayCome(
        _ id: NoticeID, _ kind: KindDocument, _ event: Event, _ person: Int, _ clock: ZoneClock
    ) -> Bool {
        // One that is held comes before any slot.
        if let held = people[person].notices.waiting(of: kind.name) { return held == id.base }
        switch id.mark {
        case .raised(let seq):
            // A summary is named by what begins it, and tells of all that comes until it goes out.
            let begun = people[person].notices.gathers(intoSummary: id.base)
            return kind.cause == .overload && (begun || seq == event.seq)
        case .instant: return false
        case .slot(let slot):
            guard let time = kind.time else { return true }
            guard slot.time == time, kind.days.contains(slot.date.weekday), clock.has(slot.date) else { return false }
            guard slots[identity(of: slot, kind: kind.name, subject: nil, person)] == nil else { return false }
            // One that has come is asked in its turn of this very instant, be it late.
            let due = clock.first(showing: slot)
            if due <= event.at { return due >= event.at.advanced(byMinutes: Int64(-policy.catchUpMinutes)) }
            return isNext(slot, kind, event, person, clock)
        }
    }

    /// Whether no slot of the kind comes between now and this one that was not taken before its time.
    private mutating func isNext(
        _ slot: LocalDateTime, _ kind: KindDocument, _ event: Event, _ person: Int, _ clock: ZoneClock
    ) -> Bool {
        var date = clock.date(at: event.at).advanced(byDays: -1)
        // Nobody runs a year's digests before their time.
        guard slot.date.days(since: date) < 400 else { return false }
        while date < slot.date {
            defer { date = date.advanced(byDays: 1) }
            guard kind.days.contains(date.weekday), clock.has(date) else { continue }
            let before = LocalDateTime(date: date, time: slot.time)
            guard clock.first(showing: before) > event.at else { continue }
            if slots[identity(of: before, kind: kind.name, subject: nil, person)] == nil { return false }
        }
        return true
    }
}

extension NoticeLedger {
    /// The digest of a kind that is held.
    fileprivate func waiting(of kind: String) -> String? {
        live.first { entry in
            guard entry.value.kind == kind, case .held = entry.value.state else { return false }
            return true
        }?.key
    }
}
