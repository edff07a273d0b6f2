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
        return .unless(mayComeAgain ? nil : unlocked.lazy.compactMap { self.kindProblem($0) }.first)
    }

    /// Whether a digest says anything of its own: a day's its points, a week's its activity.
    private func tellsOwn(_ kind: KindDocument) -> Bool {
        kind.digest == .weekly ? job.summary["sessions"] != nil : (job.summary["points"] ?? 0) > 0
    }

    func offProblem(_ kind: KindDocument, _ wish: Wishes.KindWish?) -> String? {
        (wish?.isOn ?? kind.isOn) ? nil : "the kind \(kind.name) is off"
    }

    private func subjectProblem(_ subject: String, _ kind: KindDocument, _ notice: LiveNotice) -> String? {
        guard let own = wishes.subjects[subject]?[kind.name] else { return nil }
        return own.isOn == false ? "the kind \(kind.name) is off for \(subject)" : nil
    }

    func kindProblem(_ notice: LiveNotice) -> String? {
        guard let kind = policy.kinds[notice.kind] else { return nil }
        let wish = wishes.kinds[kind.name]
        // A digest that is off tells what was gathered all the same, and nothing of its own (D5).
        if kind.digest != nil {
            guard tellsOwn(kind), !isSnooze else { return nil }
            let points = policy.kinds[kind.pointsKind].flatMap { offProblem($0, wishes.kinds[$0.name]) }
            return offProblem(kind, wish) ?? points
        }
        // So does an overload's summary, which has nothing of its own.
        if kind.cause == .overload { return nil }
        if let problem = offProblem(kind, wish) { return problem }
        if kind.cause == .checkIn, !wishes.hasCheckIns { return "check-ins are off" }
        if let subtype = notice.subtype {
            let isOn = wishes.isOn(subtype, of: kind, about: notice.subject)
            if !isOn { return "the subtype \(subtype) of \(kind.name) is off for \(notice.subject ?? "all")" }
        }
        if let subject = notice.subject, let problem = subjectProblem(subject, kind, notice) { return problem }
        guard let goal = notice.goal, let forGoal = wishes.goals[goal]?[kind.name] else { return nil }
        return forGoal.isOn == false ? "the kind \(kind.name) is off for the goal \(goal)" : nil
    }
}
