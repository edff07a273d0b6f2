internal import CivilTime

/// What decisions do to a person. The desk that makes them uses the same verbs, so that a replay ends in the same state.
extension Person {
    func foldDecision(
        _ event: Payload, _ sequence: UInt64, _ at: Instant, _ user: String, _ plan: Plan
    ) {
        switch event {
        case .noticeHeld(let held):
            guard let notice = notice(held.notice.text, held.kind.text, held.subject?.text, at, user, plan) else {
                return
            }
            wait(notice, .held(until: held.until), held.reason, at, plan)
        case .noticeGathered(let gathered):
            guard
                let notice = notice(gathered.notice.text, gathered.kind.text, gathered.subject?.text, at, user, plan)
            else { return }
            wait(notice, .gathered(into: gathered.into.text), gathered.reason, at, plan)
        case .noticeDropped(let dropped):
            guard let notice = notice(dropped.notice.text, dropped.kind.text, dropped.subject?.text, at, user, plan)
            else { return }
            drop(notice, dropped.reason, at, plan)
        case .slotsSkipped(let skipped):
            guard let kind = plan.rules.place(of: skipped.kind.text),
                let first = LocalDateTime(skipped.first.text), let last = LocalDateTime(skipped.last.text)
            else { return }
            skip(kind, skipped.subject?.text, first, last, at)
        case .jobEmitted(let job): foldJob(job, at, user, plan)
        case .analysisRequested(let request): beginAnalysis(of: request.conversation.text, at)
        case .analysisConcluded(let conclusion): conclude(conclusion, sequence, at, user, plan)
        case .phoneVerified: acceptPhone()
        case .phoneLocked: lockPhone(at)
        case .workerStarted, .policyAdopted, .userEnrolled, .timezoneChanged, .consentGiven, .consentWithdrawn,
            .pushPermissionChanged, .preferencesChanged, .presetApplied, .preferencesReset, .deviceRegistered,
            .deviceRemoved, .phoneVerificationRequested, .phoneCodeEntered, .appOpened, .appClosed,
            .conversationOpened, .conversationClosed, .messagesRead, .messageReceived, .messageSent,
            .sessionCompleted, .checkedIn, .pointsEarned, .goalStarted, .goalChanged, .goalEnded, .noticeRequested,
            .analysisAnswered, .analysisFailed, .jobDelivered, .jobFailed, .noticeOpened, .noticeDismissed,
            .noticeSnoozed, .feedbackGiven, .historyCleared, .runRequested, .deliveryReported, .jobRetryRequested,
            .testRequested, .unsubscribed, .feedSeen, .subjectNamed, .contactChanged:
            break
        }
        settledThrough = max(settledThrough, at)
    }

    /// The notice a decision is about: one that waits, one just raised, or the one its slot raises.
    func notice(
        _ name: String, _ kindName: String, _ subject: String?, _ at: Instant, _ user: String, _ plan: Plan
    ) -> Notice? {
        if hasDetails {
            if let waiting = details.waiting.entry(named: name) { return waiting.notice }
            if let raised = details.raised.entry(named: name) { return raised }
        }
        guard let kind = plan.rules.place(of: kindName) else { return nil }
        if kind == plan.summary { return summary(named: name, kind: kind, raisedAt: at) }
        if let slot = NoticeName(name).slot {
            return scheduled(kind, subject, slot, name: name, at: at, plan: plan)
        }
        return Notice(
            name: name, kind: kind, subject: subject, priority: plan.kind(kind).priority, raisedAt: at,
            date: zone.localDate(at: at))
    }

    // MARK: Verbs

    func wait(_ notice: Notice, _ state: Waiting.State, _ reason: Reason, _ at: Instant, _ plan: Plan) {
        var isForWeek = false
        if case .gathered(let into) = state { isForWeek = plan.isOfWeek(digestNamed: into) }
        if var waiting = details.waiting[notice] {
            waiting.state = state
            waiting.reason = reason
            waiting.isForWeek = isForWeek
            // Digests list what they gathered in the order of gathering.
            if waiting.gatheredInto != nil {
                details.waiting.remove(notice)
                details.waiting.append(waiting)
            } else {
                details.waiting.replace(with: waiting)
            }
            return
        }
        forgetRaised(notice)
        let notice = notice.isOrdinary ? notice : notice.with(origin: .ordinary)
        var waiting = Waiting(notice: notice, state: state, reason: reason)
        waiting.isForWeek = isForWeek
        details.waiting.append(waiting)
        remember(notice, at, plan)
    }

    func drop(_ notice: Notice, _ reason: Reason, _ at: Instant, _ plan: Plan) {
        if let (base, number) = notice.name.asRepeat { return repeated(base, number, nil, at, plan) }
        if !finish(notice) { remember(notice, at, plan) }
        // A test of its kind has no slot, and says nothing of what was earned (N8).
        if notice.kind == plan.dailyDigest, notice.slot != nil, reason.isPermanent { details.points = [] }
    }

    /// `T8`: a slot that was looked at does not come again.
    func skip(
        _ kind: Int, _ subject: String?, _ first: LocalDateTime, _ last: LocalDateTime, _ at: Instant
    ) {
        // Days further back no traveller comes to again.
        var date = max(first.date, last.date.advanced(byDays: -3))
        while date <= last.date {
            mark(kind, subject, LocalDateTime(date: date, time: last.time), at)
            date = date.advanced(byDays: 1)
        }
    }

    /// Takes a notice out of what waits or was raised; `false` if it was not waiting.
    @discardableResult
    func finish(_ notice: Notice) -> Bool {
        guard hasDetails else { return false }
        forgetRaised(notice)
        return details.waiting.remove(notice) != nil
    }

    private func forgetRaised(_ notice: Notice) {
        if hasRaised { details.raised.remove(notice) }
    }

    /// Remembers that a notice's slot was looked at.
    private func remember(_ notice: Notice, _ at: Instant, _ plan: Plan) {
        if case .missedCheckIn? = plan.kind(notice.kind).schedule { flags.insert(.timingOffered) }
        guard let slot = notice.slot else { return }
        mark(notice.kind, notice.subject, slot, at)
    }

    private func mark(_ kind: Int, _ subject: String?, _ slot: LocalDateTime, _ at: Instant) {
        add(
            Mark(
                at: at, date: slot.date, minute: slot.time.minuteOfDay, kind: UInt8(kind), flags: .slot,
                memo: subject.map { Mark.Memo(subject: $0) }))
    }

    // MARK: Jobs

    private func foldJob(_ job: JobEmitted, _ at: Instant, _ user: String, _ plan: Plan) {
        guard let first = job.notices.first else { return }
        if job.isTest == true { return tested(job, at, plan) }
        if let (base, number) = first.text.asRepeat { return repeated(base, number, job, at, plan) }
        // What a digest lists keeps its own kind; slots of a bundle share the job's.
        let notices = job.notices.enumerated().compactMap { place, name in
            // A job for several subjects names none; each notice's own name does.
            let subject = place == 0 ? job.subject?.text ?? name.subject : name.subject
            return notice(name.text, job.kind.text, subject, at, user, plan)
        }
        emitted(job, notices, at, plan)
    }

    func emitted(_ job: JobEmitted, _ notices: [Notice], _ at: Instant, _ plan: Plan) {
        guard let first = notices.first else { return }
        emitted(job, first, with: Array(notices.dropFirst()), at, plan)
    }

    /// A job went out for a notice, after which it is named, and for others with it.
    func emitted(_ job: JobEmitted, _ first: Notice, with others: [Notice], _ at: Instant, _ plan: Plan) {
        let kind = plan.kind(first.kind)
        var flags = Mark.Flags(job: ChannelSet(job.channels), kind, job.priority)
        if job.notices.count > 1, job.weight(plan) > 1 { flags.insert(.several) }
        // A slot that waited has its mark already; one more does no harm and keeps the job's name.
        if first.slot != nil { flags.insert(.slot) }
        add(
            Mark(
                at: at, date: first.slot?.date ?? LocalDate(daysSince1970: 0),
                minute: first.slot?.time.minuteOfDay ?? 0, kind: UInt8(first.kind), flags: flags,
                memo: memo(of: job, first, others, plan)))
        finish(first)
        if case .missedCheckIn? = kind.schedule { self.flags.insert(.timingOffered) }
        noteReminder(first, plan)
        for notice in others {
            let waited = finish(notice)
            if !waited, !plan.isDigest(first.kind) { remember(notice, at, plan) }
            noteReminder(notice, plan)
        }
        if first.kind == plan.dailyDigest { details.points = [] }
        if first.kind == plan.prompt { self.flags.insert(.asked) }
    }

    /// A plain scheduled job can be named again from its slot; of others the words are kept.
    private func memo(of job: JobEmitted, _ first: Notice, _ others: [Notice], _ plan: Plan) -> Mark.Memo? {
        if first.slot != nil, others.isEmpty, first.subject == nil, first.content == nil,
            !plan.isDigest(first.kind)
        {
            return nil
        }
        let notices = [first] + others
        let subjects = plan.isDigest(first.kind) ? [] : notices.compactMap(\.subject)
        return Mark.Memo(
            subject: first.subject,
            job: JobMemo(
                name: job.job.text, raisedAt: first.raisedAt, date: first.date, subjects: subjects,
                priority: job.priority, title: job.title.text,
                body: job.body.text, data: job.data, expiresAt: notices.lastExpiry,
                subtype: first.content?.subtype, notAfter: job.notAfter, notices: job.weight(plan)))
    }

    /// The day a goal's reminder went out, until it is answered.
    private func noteReminder(_ notice: Notice, _ plan: Plan) {
        guard hasDetails, case .goal? = plan.kind(notice.kind).schedule, let slot = notice.slot,
            let place = notice.goal.flatMap({ details.goalPlace($0) }),
            details.goals[place].remindedOn == nil
        else { return }
        // What is missed is the day the reminder was for.
        let ahead = preferences.goals[details.goals[place].id]?.daysBefore ?? 0
        details.goals[place].remindedOn = slot.date.advanced(byDays: ahead)
    }
}

extension [Notice] {
    /// When the last of them has expired; `nil` while one never does.
    fileprivate var lastExpiry: Instant? {
        var last: Instant?
        for notice in self {
            guard let expiry = notice.content?.expiresAt else { return nil }
            last = Swift.max(last ?? expiry, expiry)
        }
        return last
    }
}

extension Reason {
    /// `P1` to `P7`: what can never be sent.
    var isPermanent: Bool { rawValue <= Reason.viewing.rawValue }
}
