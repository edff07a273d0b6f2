internal import Notices

/// P3, P4 and P5: whoever did not agree, or said no, is not reached. Locked kinds pass (P14).
extension JobMatter {
    var consentFinding: Finding {
        guard !unlocked.isEmpty, let needed = person.consentNeeded(policy.consent) else { return .notAsked }
        // Without smart mode every message is told at once (A6), so there is nothing to agree to.
        if policy.isSmart, kind.cause == .message { return .notAsked }
        return person.consents.contains(needed) ? .kept : .broken("there is no consent of the \(needed.name)")
    }

    var masterSwitchFinding: Finding {
        guard !unlocked.isEmpty, !policy.isSmart else { return .notAsked }
        return wishes.isEnabled ? .kept : .broken("the person has switched notices off")
    }

    var kindSwitchFinding: Finding {
        guard !unlocked.isEmpty else { return .notAsked }
        return .unless(unlocked.lazy.compactMap { self.kindProblem($0) }.first)
    }

    /// Whether a digest says anything of its own: a day's its points, a week's its activity.
    private func tellsOwn(_ kind: KindDocument) -> Bool {
        kind.digest == .weekly ? job.summary["sessions"] != nil : (job.summary["points"] ?? 0) > 0
    }

    private func offProblem(_ kind: KindDocument, _ wish: Wishes.KindWish?) -> String? {
        (wish?.isOn ?? kind.isOn) ? nil : "the kind \(kind.name) is off"
    }

    /// A part may be switched on for one goal or subject alone.
    private func isOnForIt(_ notice: LiveNotice, _ kind: KindDocument, _ subtype: String) -> Bool {
        let forGoal = notice.goal.flatMap { wishes.goals[$0]?[kind.name]?.subtypes[subtype] }
        let forSubject = notice.subject.flatMap { wishes.subjects[$0]?[kind.name]?.subtypes[subtype] }
        return forGoal == true || forSubject == true
    }

    private func subjectProblem(_ subject: String, _ kind: KindDocument, _ notice: LiveNotice) -> String? {
        guard let own = wishes.subjects[subject]?[kind.name] else { return nil }
        if own.isOn == false { return "the kind \(kind.name) is off for \(subject)" }
        guard let subtype = notice.subtype, own.subtypes[subtype] == false else { return nil }
        return "the subtype \(subtype) of \(kind.name) is off for \(subject)"
    }

    private func kindProblem(_ notice: LiveNotice) -> String? {
        guard let kind = policy.kinds[notice.kind] else { return nil }
        let wish = wishes.kinds[kind.name]
        // A digest that is off tells what was gathered all the same, and nothing of its own (D5).
        if kind.digest != nil {
            guard tellsOwn(kind), !isSnooze else { return nil }
            let points = policy.kinds[kind.pointsKind].flatMap { offProblem($0, wishes.kinds[$0.name]) }
            return offProblem(kind, wish) ?? points
        }
        if let problem = offProblem(kind, wish) { return problem }
        if kind.cause == .checkIn, !wishes.hasCheckIns { return "check-ins are off" }
        if let subtype = notice.subtype {
            let isOn = wish?.subtypes[subtype] ?? kind.subtypes[subtype]?.isOn ?? true
            if !isOn, !isOnForIt(notice, kind, subtype) { return "the subtype \(subtype) of \(kind.name) is off" }
        }
        if let subject = notice.subject, let problem = subjectProblem(subject, kind, notice) { return problem }
        guard let goal = notice.goal, let forGoal = wishes.goals[goal]?[kind.name] else { return nil }
        if forGoal.isOn == false { return "the kind \(kind.name) is off for the goal \(goal)" }
        if let subtype = notice.subtype, forGoal.subtypes[subtype] == false {
            return "the subtype \(subtype) of \(kind.name) is off for the goal \(goal)"
        }
        return nil
    }
}
