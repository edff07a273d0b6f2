internal import CivilTime
internal import Notices

/// Which notice a decision speaks of: one that waits, or one that begins with this very word (SPEC §12).
extension Auditor {
    /// Gives the notice's name, or `nil` after reporting why there is no such notice.
    mutating func notice(_ name: NoticeName, _ event: Event, _ person: Int, bundle: [String] = []) -> String? {
        let base = NoticeID.base(of: name.text)
        asked(.raised)
        asked(.endings)
        if people[person].notices[base] != nil { return base }
        if let end = endedNotices[mark(base, person)] {
            broken(.endings, event, "the notice \(base) had ended with event \(end)")
            return nil
        }
        guard let id = NoticeID(base) else {
            broken(.names, event, "\(name.text) is not the name of a notice")
            return nil
        }
        asked(.names)
        guard id.user == people[person].id else {
            broken(.names, event, "the notice \(base) is not one of \(people[person].id)'s")
            return nil
        }
        switch id.mark {
        case .slot, .instant: raise(id, event, person, bundle: bundle)
        case .raised(let seq):
            if let problem = raisingProblem(id, seq, event, person) {
                broken(.raised, event, problem)
                return nil
            }
        }
        countNotice()
        var notice = LiveNotice(
            id: id, raisedAt: event.at, seq: event.seq, priority: knownPriority(of: id, person, at: event.at),
            subtype: part(of: id, person))
        notice.hours = hours(of: notice, person)
        if case .instant(let own) = id.mark { notice.slotWall = clock(of: person).clock.wall(at: own) }
        people[person].notices[base] = notice
        return base
    }

    /// Notices that nobody asked for but that an event raised: a message, a session, a journey.
    private func raisingProblem(_ id: NoticeID, _ seq: UInt64, _ event: Event, _ person: Int) -> String? {
        guard seq < event.seq else { return "the notice \(id.base) names an event that had not happened" }
        if policy.kinds[id.kind]?.cause == .travel, people[person].whereabouts.lastReturn == seq {
            return "\(id.base) tells of being back in a zone that was left less than a day before (T9)"
        }
        guard let kind = policy.kindOfAny(id.kind) else {
            return hasPolicy ? "the notice \(id.base) was never raised" : nil
        }
        switch kind.cause {
        case .message:
            return people[person].messages.mayRaise(seq, about: id.subject)
                ? nil : "\(id.base) is raised by event \(seq), which is no message and no conclusion about its subject"
        case .session, .travel, .missedCheckIn, .overload: return nil
        case .checkIn, .daily, .weekly, .goal, .deadline, .overdue, nil: return "the notice \(id.base) was never raised"
        }
    }

    /// What a schedule raises has its kind's priority, and a digest is medium (P18). A warning near the deadline is critical
    /// unless it comes before its time, a message as pressing as what raised it. A summary's hangs on what it tells of.
    private mutating func knownPriority(of id: NoticeID, _ person: Int, at: Instant) -> Priority? {
        guard let kind = policy.kinds[id.kind] else { return nil }
        switch kind.cause {
        case .deadline:
            guard clock(of: person).isKnown, let warning = warning(of: id, kind, person) else { return nil }
            let isNear = warning.minutes <= kind.criticalMinutes && !isEarly(warning, of: id, person, at)
            return isNear ? .critical : kind.priority
        case .message:
            guard case .raised(let seq) = id.mark else { return nil }
            return people[person].messages.take(seq)
        case .daily, .weekly: return kind.digest == nil ? kind.priority : .medium
        case .checkIn, .goal, .session, .travel, .missedCheckIn, .overdue: return kind.priority
        case .overload, nil: return nil
        }
    }

    /// P2 asks what was done on the day of a notice about a goal, and since the day of a check-in began.
    mutating func hours(of notice: LiveNotice, _ person: Int) -> Range<Instant>? {
        guard notice.goal != nil || policy.kinds[notice.kind]?.cause == .checkIn else { return nil }
        let clock = clock(of: person).clock
        let date =
            switch notice.id.mark {
            case .slot(let slot): slot.date
            case .instant(let due): clock.date(at: due)
            case .raised: notice.day ?? clock.localDay(at: notice.raisedAt)
            }
        let (start, end) = (clock.start(of: date), clock.start(of: date.advanced(byDays: 1)))
        return start..<max(start, end)
    }

    mutating func end(_ base: String, _ event: Event, _ person: Int) {
        people[person].notices.end(base)
        endedNotices[mark(base, person)] = event.seq
    }

    /// That a decision says the same of a notice's kind and subject as the notice's name does.
    mutating func checkName(_ base: String, kind: Identifier, subject: Identifier?, _ event: Event, _ person: Int) {
        guard let id = people[person].notices[base]?.id else { return }
        expect(
            .names, event, id.kind == kind.text && id.subject == subject?.text,
            "the notice \(base) is said to be of the kind \(kind.text) about \(subject?.text ?? "nothing")")
    }
}
