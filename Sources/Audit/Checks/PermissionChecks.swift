internal import Notices

/// P3, P4 and P5: whoever did not agree, or said no, is not reached. Locked kinds pass (P14).
extension JobMatter {
    private var unlocked: [LiveNotice] { notices.filter { !isLocked($0) } }

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
        return .unless(unlocked.lazy.compactMap { kindProblem($0) }.first)
    }

    private var tellsPoints: Bool { (job.summary["points"] ?? 0) > 0 }

    private func offProblem(_ kind: KindDocument, _ wish: Wishes.KindWish?) -> String? {
        (wish?.isOn ?? kind.isOn) ? nil : "the kind \(kind.name) is off"
    }

    private func kindProblem(_ notice: LiveNotice) -> String? {
        guard let kind = policy.kinds[notice.kind] else { return nil }
        let wish = wishes.kinds[kind.name]
        // A daily digest that is off tells what was gathered all the same, and nothing of its own (D5).
        if kind.digest == .daily { return tellsPoints ? offProblem(kind, wish) : nil }
        if let problem = offProblem(kind, wish) { return problem }
        if kind.cause == .checkIn, !wishes.hasCheckIns { return "check-ins are off" }
        if let subtype = notice.subtype {
            let isOn = wish?.subtypes[subtype] ?? kind.subtypes[subtype]?.isOn ?? true
            if !isOn { return "the subtype \(subtype) of \(kind.name) is off" }
        }
        guard let goal = notice.goal, let forGoal = wishes.goals[goal]?[kind.name] else { return nil }
        if forGoal.isOn == false { return "the kind \(kind.name) is off for the goal \(goal)" }
        if let subtype = notice.subtype, forGoal.subtypes[subtype] == false {
            return "the subtype \(subtype) of \(kind.name) is off for the goal \(goal)"
        }
        return nil
    }
}
