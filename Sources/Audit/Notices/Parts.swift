internal import CivilTime
internal import Notices

/// What part of its kind a notice is of (P5, P14). It is never read from a notice's own data: that is sealed, and after an
/// erasure the same must be found as before (E2, E3).
extension NoticeRequested {
    /// As it was recorded beside the data; in a log of before it was, as the data says. A word that the kind does not know is
    /// the sender's own.
    func part(of kind: KindDocument?) -> String? {
        (subtype ?? data["subtype"]).flatMap { kind?.subtypes[$0.text] == nil ? nil : $0.text }
    }
}

extension Auditor {
    /// The part that a slot's notice is of, as the policy has it: a warning's is that of the offset whose time the slot is.
    mutating func part(of id: NoticeID, _ person: Int) -> String? {
        guard let kind = policy.kinds[id.kind] else { return nil }
        switch kind.cause {
        case .overdue: return kind.raisedBy.first { $0.on == .overdue }?.subtype
        case .deadline:
            guard let warning = warning(of: id, kind, person) else { return nil }
            let isOn = wishes(of: person).isOn(warning.subtype, of: kind, about: id.subject)
            return isOn ? warning.subtype : warning.escalation ?? warning.subtype
        case .checkIn, .daily, .weekly, .goal, .session, .travel, .missedCheckIn, .message, .overload, nil: return nil
        }
    }

    /// `nil` where the deadline has moved since, or the person.
    mutating func warning(of id: NoticeID, _ kind: KindDocument, _ person: Int) -> KindDocument.Warning? {
        guard let subject = id.subject, subject.hasPrefix("goal:"),
            let deadline = people[person].progress.deadlines[String(subject.dropFirst(5))]
        else { return nil }
        let clock = clock(of: person).clock
        return kind.warnings.first { id.mark.names(deadline.advanced(byMinutes: Int64(-$0.minutes)), on: clock) }
    }

    /// Whether it comes before the minute of its time.
    func isEarly(_ warning: KindDocument.Warning, of id: NoticeID, _ person: Int, _ at: Instant) -> Bool {
        guard let goal = id.goal, let deadline = people[person].progress.deadlines[goal] else { return false }
        let time = deadline.advanced(byMinutes: Int64(-warning.minutes)).milliseconds
        return at.milliseconds / 60_000 < time / 60_000
    }
}
