internal import CivilTime

/// P1 and P2: a notice that has expired or is settled reaches nobody, whatever its kind and whoever asked for it.
extension JobMatter {
    var expiredFinding: Finding {
        let limited = notices.filter { end(of: $0) != nil }
        guard !limited.isEmpty else { return .notAsked }
        let problems = limited.compactMap { notice -> String? in
            guard let end = end(of: notice), end <= at else { return nil }
            return "\(notice.id.base) had expired at \(end)"
        }
        return .unless(mayComeAgain ? nil : problems.first)
    }

    /// When it is of no use any more, or has no words.
    func end(of notice: LiveNotice) -> Instant? {
        [expiry(of: notice), notice.hasWords ? wordsEnd(notice) : nil].compactMap(\.self).min()
    }

    /// Its own end; a goal's reminders and offers end with its deadline (C6).
    func expiry(of notice: LiveNotice) -> Instant? {
        guard let cause = policy.kinds[notice.kind]?.cause, [.goal, .missedCheckIn, .deadline].contains(cause),
            let deadline = notice.goal.flatMap({ person.progress.deadlines[$0] })
        else { return notice.expiresAt }
        return min(notice.expiresAt ?? deadline, deadline)
    }

    /// When what a notice was given to say is kept no longer.
    func wordsEnd(_ notice: LiveNotice) -> Instant? {
        policy.textsKeptDays.map { notice.raisedAt.advanced(byDays: Int64($0)) }
    }

    var settledFinding: Finding {
        let asked = notices.filter { $0.goal != nil || $0.conversation != nil || isCheckIn($0) }
        guard !asked.isEmpty else { return .notAsked }
        let problems = asked.compactMap { settledProblem($0) }
        return .unless(mayComeAgain ? nil : problems.first)
    }

    /// Whether neither time, nor what was done, nor a switch (P1, P2, P5) stands against a notice.
    func isOpen(_ notice: LiveNotice) -> Bool {
        end(of: notice).map { $0 > at } ?? true && settledProblem(notice) == nil
            && (isLocked(notice) || kindProblem(notice) == nil)
    }

    /// A bundle that comes again comes for those of its notices that are still open (S1).
    var mayComeAgain: Bool { isSnooze && !openNotices.isEmpty }

    func isCheckIn(_ notice: LiveNotice) -> Bool { policy.kinds[notice.kind]?.cause == .checkIn }

    func settledProblem(_ notice: LiveNotice) -> String? {
        if isCheckIn(notice) {
            let here = clock.start(of: ownDay(of: notice))
            let there = notice.hours?.lowerBound ?? here
            // The repeat of a plain check-in is known by its date alone.
            let start = isSnooze ? max(here, there) : min(here, there)
            if let session = person.progress.lastSession, session >= start {
                return "\(notice.id.base) comes after the session completed at \(session), on its own day"
            }
            if let checkIn = person.progress.lastCheckIn, checkIn >= start {
                return "\(notice.id.base) comes after the check-in at \(checkIn), on its own day"
            }
        }
        if let conversation = notice.conversation, case .raised(let seq) = notice.id.mark,
            // Who asks to hear of it again after reading it wants it again.
            let read = person.conversations.reads[conversation], read > snoozedBy ?? seq
        {
            return "\(notice.id.base) is about the conversation \(conversation), which event \(read) says was read"
        }
        guard let goal = notice.goal else { return nil }
        let isSettledByGoal = policy.kinds[notice.kind]?.isSettledByGoal ?? true
        if isSettledByGoal || policy.kinds[notice.kind]?.tellsOfStart(notice) == true {
            if let end = person.progress.goalEnds[goal], settles(end, notice) {
                return "\(notice.id.base) is about the goal \(goal), which ended at \(end.at)"
            }
            if let end = person.progress.earlierEnds[goal], !notice.isForgotten, end.at > notice.raisedAt {
                return "\(notice.id.base) is about the goal \(goal), which ended at \(end.at) and was started again"
            }
        }
        guard isSettledByGoal else { return nil }
        if notice.isForgotten, case .raised = notice.id.mark { return nil }
        let day = ownDay(of: notice)
        let checkIn = person.progress.checkIns(on: goal).first {
            settles($0, notice) && (notice.hours?.contains($0.at) == true || clock.localDay(at: $0.at) == day)
        }
        return checkIn.map {
            "\(notice.id.base) is about the goal \(goal), checked in at \($0.at), on the notice's own day"
        }
    }

    /// What settles a notice that was asked for is what came after the asking: an app that says "your goal is
    /// complete" says it because the goal ended.
    private func settles(_ deed: Progress.Deed, _ notice: LiveNotice) -> Bool {
        if case .raised(let seq) = notice.id.mark { deed.seq > seq } else { true }
    }

    func ownDay(of notice: LiveNotice) -> LocalDate {
        switch notice.id.mark {
        case .slot(let slot): slot.date
        case .instant(let due): clock.date(at: due)
        case .raised: notice.day ?? clock.localDay(at: notice.raisedAt)
        }
    }
}
