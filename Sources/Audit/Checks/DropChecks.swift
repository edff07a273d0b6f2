internal import CivilTime
internal import Notices

/// What is dropped is dropped for the first reason that there is (§6): the reason must hold, and no rule before it may have
/// stood against the notice.
///
/// Asked of a notice as if it went out, as its kind does. What the judge cannot know for sure it leaves alone.
extension JobMatter {
    /// - Parameter digestsDropped: for what its digest was dropped at this same instant, which takes along what it gathered (D2).
    func dropProblem(_ reason: Reason, of notice: LiveNotice, digestsDropped: Set<Reason>) -> String? {
        if let objection = objection(to: notice, before: reason) {
            return
                "\(notice.id.base) is dropped for \(reason.name), and what stood against it first was that \(objection)"
        }
        if notice.intoKind != nil, digestsDropped.contains(reason) { return nil }
        return mayHold(reason, for: notice)
            ? nil : "\(notice.id.base) is dropped for \(reason.name), and there was no such reason"
    }

    // MARK: What stood before

    /// What a rule before the reason's own says for sure.
    private func objection(to notice: LiveNotice, before reason: Reason) -> String? {
        guard let place = reason.ruleAsked else { return nil }
        for rule in 1..<place {
            // What was gathered is asked the first six once more (D4).
            if notice.intoKind != nil, rule > 6 { return nil }
            if let objection = objection(of: rule, to: notice) { return objection }
        }
        return nil
    }

    private func objection(of rule: Int, to notice: LiveNotice) -> String? {
        func broken(_ finding: Finding) -> String? { if case .broken(let sentence) = finding { sentence } else { nil } }
        switch rule {
        case 1: return end(of: notice).flatMap { $0 <= at ? "it had expired at \($0)" : nil }
        case 2: return settledProblem(notice)
        case 3: return broken(consentFinding)
        case 4: return broken(masterSwitchFinding)
        case 5: return kind.digest != nil || isLocked(notice) ? nil : kindProblem(notice)
        case 6: return isUnreachableForSure ? "no channel is both chosen and reaches the person" : nil
        case 7: return broken(viewingFinding)
        case 8: return broken(quietHoursFinding)
        case 9: return broken(scheduleFinding)
        case 10: return broken(digestModeFinding)
        case 11: return broken(cooldownFinding)
        default: return nil
        }
    }

    private var isUnreachableForSure: Bool { isUnreachable && person.presence.isOpen(at: at) == .no }

    private var isUnreachable: Bool {
        if isLocked { return !kind.requiredChannels.contains { reaches($0) } }
        return !chosen.contains { $0 == .inApp || wishes.channels.contains($0) && reaches($0) }
    }

    // MARK: Whether it may hold

    private func mayHold(_ reason: Reason, for notice: LiveNotice) -> Bool {
        switch reason {
        case .expired:
            // A warning ends with the deadline that it was raised for, which may have moved.
            return [expiry(of: notice), wordsEnd(notice)].contains { $0.map { $0 <= at } ?? false }
                || kind.cause == .deadline
        case .settled: return isGathering ? isHeld(notice) : maySettle(notice)
        case .noConsent:
            guard !isLocked(notice), let needed = person.consentNeeded(policy.consent) else { return false }
            return !person.consents.contains(needed)
        case .optedOut: return !isLocked(notice) && !policy.isSmart && !wishes.isEnabled
        case .kindOff: return !isLocked(notice) && mayBeOff(notice)
        case .noChannel: return isUnreachable && mayBeAskedAboutChannels
        case .viewing: return notice.conversation.map { person.presence.isLooking(at: $0, at: at) != .no } ?? false
        case .quietHours:
            guard kind.isDroppedInQuietHours, mayBeAskedLaterRules(notice), mayMindQuietHours(notice) else {
                return false
            }
            return wishes.quietHours?.window.contains(at, on: clock) ?? false
        case .dailyCap: return mayBeAskedLaterRules(notice) && isOverCap && kind.overCap == .drop
        case .superseded:
            return notice.id.isSlot && (isHeld(notice) || notice.intoKind != nil) && kind.cause?.hasSlots ?? true
        // Whether there was room is asked by itself.
        case .overload: return true
        case .analysisLimit, .aiUnavailable, .noRuleMatched, .suppressed: return kind.cause == .message
        // Nothing is dropped for these, which is said already.
        case .outsideSchedule, .digestMode, .cooldown, .alreadyActiveToday, .missed: return true
        }
    }

    private func isHeld(_ notice: LiveNotice) -> Bool { if case .held = notice.state { true } else { false } }

    /// P14, P15: what is locked or critical passes P8 to P13, and who has the app open is not asked them.
    private func mayBeAskedLaterRules(_ notice: LiveNotice) -> Bool {
        !isLocked(notice) && notice.priority != .critical && mayBeAskedAboutChannels
    }

    private func mayMindQuietHours(_ notice: LiveNotice) -> Bool {
        notice.priority == nil ? wishes.quietHours?.exceptions.contains(kind.name) != true : mindsQuietHours
    }

    private var mayBeAskedAboutChannels: Bool { isLocked || person.presence.isOpen(at: at) != .yes }

    /// Whatever may have made it needless: a notice that was asked for is settled by what came before the asking as well.
    private func maySettle(_ notice: LiveNotice) -> Bool {
        if settledProblem(notice) != nil || isOfAnotherDeadline(notice) { return true }
        if kind.cause == .session { return person.reach.permission != nil }
        if let conversation = notice.conversation { return person.conversations.reads[conversation] != nil }
        guard let goal = notice.goal else { return false }
        // Of a job that is forgotten nobody knows what part of its kind it was.
        let mayBeStart = notice.isForgotten ? kind.raisedBy.contains { $0.on == .started } : kind.tellsOfStart(notice)
        let mayHaveEnded = person.progress.goalEnds[goal] != nil || person.progress.earlierEnds[goal] != nil
        if mayBeStart, mayHaveEnded { return true }
        guard kind.isSettledByGoal else { return false }
        let day = ownDay(of: notice)
        return mayHaveEnded
            || person.progress.checkIns(on: goal).contains {
                notice.hours?.contains($0.at) == true || clock.localDay(at: $0.at) == day
            }
    }

    /// C6: a slot that hung on a deadline has nothing to say any more where that has moved, as far as its name tells.
    private func isOfAnotherDeadline(_ notice: LiveNotice) -> Bool {
        guard let kind = policy.kinds[notice.kind], kind.hangsOnDeadline, let goal = notice.goal else { return false }
        guard let deadline = person.progress.deadlines[goal] else { return true }
        return !notice.id.mark.isBefore(deadline, by: kind.minutesBeforeDeadline, on: clock)
    }

    /// P5. A digest that waited and has nothing to tell of its own but what is off comes to its end so (D5).
    private func mayBeOff(_ notice: LiveNotice) -> Bool {
        if isGathering, isHeld(notice), tellsNothingOwn { return true }
        if kind.digest != nil { return false }
        // Which part a warning is of is not known any more where its deadline has moved.
        return kindProblem(notice) != nil || kind.cause == .deadline && notice.subtype == nil
    }

    private var tellsNothingOwn: Bool {
        let points = policy.kinds[kind.pointsKind].flatMap { offProblem($0, wishes.kinds[$0.name]) }
        return offProblem(kind, wishes.kinds[kind.name]) ?? points != nil
    }

    /// P13: as many jobs as there may be, or all but the place that a digest keeps which has something to say.
    private var isOverCap: Bool {
        guard let cap = policy.dailyCap else { return false }
        let count = person.jobs.counted(onDayOf: at, clock)
        let hasPoints = person.points.keys.contains { policy.tellsPoints(of: $0, wishes) }
        let mayKeepPlace = kind.digest != .daily && (hasPoints || person.notices.gatheredCount > 0)
        return count >= cap || count == cap - 1 && mayKeepPlace
    }
}

extension Reason {
    /// The number of the rule that says so in its turn; `nil` for what is dropped out of turn.
    fileprivate var ruleAsked: Int? {
        switch self {
        case .expired: 1
        case .settled: 2
        case .noConsent: 3
        case .optedOut: 4
        case .kindOff: 5
        case .noChannel: 6
        case .viewing: 7
        case .quietHours: 8
        case .dailyCap: 13
        case .outsideSchedule, .digestMode, .cooldown, .overload, .alreadyActiveToday, .superseded, .missed,
            .analysisLimit, .aiUnavailable, .noRuleMatched, .suppressed:
            nil
        }
    }
}
