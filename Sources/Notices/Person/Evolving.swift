internal import CivilTime

/// What decisions do to a person: the one way in which a decision takes effect, made now or read from a log.
extension Person {
    func evolve(_ decision: Decision, on occasion: Occasion) {
        switch decision {
        case .hold(let notice, let until, let reason): wait(notice, .held(until: until), reason, on: occasion)
        case .gather(let notice, let into, let reason): wait(notice, .gathered(into: into), reason, on: occasion)
        case .drop(let notice, let reason): drop(notice, reason, on: occasion)
        case .skip(let slots): skip(slots, occasion.at)
        case .emit(let job, let notice, let others): emitted(job, notice, with: others, on: occasion)
        case .emitAgain(let job, let base, let number): repeated(base, number, job, on: occasion)
        case .emitSample(let job): tested(job, on: occasion)
        case .requestAnalysis(let request): beginAnalysis(of: request.conversation.text, occasion.at)
        case .concludeAnalysis(let conclusion): conclude(conclusion, on: occasion)
        case .acceptPhone: acceptPhone(occasion.at)
        case .lockPhone: lockPhone(occasion.at)
        case .completeSession(let session): complete(session, on: occasion)
        case .erase: erase(occasion.plan)
        }
    }

    // MARK: Verbs

    private func wait(_ notice: Notice, _ state: Waiting.State, _ reason: Reason, on occasion: Occasion) {
        if case .held(let until) = state, let (base, number) = notice.name.asRepeat {
            return postpone(base, number, until: until, reason)
        }
        var isForWeek = false
        if case .gathered(let into) = state { isForWeek = occasion.plan.isOfWeek(digestNamed: into) }
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
        let asksForItsDay = notice.goal != nil || notice.kind == occasion.plan.checkIn
        let notice =
            notice.isOrdinary && !asksForItsDay
            ? notice : notice.with(day: asksForItsDay ? notice.ownDay(in: zone) : nil, origin: .ordinary)
        var waiting = Waiting(notice: notice, state: state, reason: reason)
        waiting.isForWeek = isForWeek
        details.waiting.append(waiting)
        // What was dropped at once was offered to nobody.
        if case .missedCheckIn? = occasion.plan.kind(notice.kind).schedule { flags.insert(.timingOffered) }
        remember(notice, on: occasion)
    }

    private func drop(_ notice: Notice, _ reason: Reason, on occasion: Occasion) {
        if let (base, number) = notice.name.asRepeat { return repeated(base, number, nil, on: occasion) }
        if !finish(notice) { remember(notice, on: occasion) }
        // A test of its kind has no slot, and says nothing of what was earned (N8).
        if notice.kind == occasion.plan.dailyDigest, notice.slot != nil, reason.isPermanent { details.points = [] }
    }

    /// `T8`: a slot that was looked at does not come again.
    private func skip(_ slots: SkippedSlots, _ at: Instant) {
        let (first, last) = (slots.first.local(in: zone), slots.last.local(in: zone))
        guard case .local = slots.last else {
            return mark(slots.kind, slots.subject, last, due: slots.last.instant(in: zone), at)
        }
        // Days further back no traveller comes to again.
        var date = max(first.date, last.date.advanced(byDays: -3))
        while date <= last.date {
            let local = LocalDateTime(date: date, time: last.time)
            mark(slots.kind, slots.subject, local, due: SlotWord.local(local).instant(in: zone), at)
            date = date.advanced(byDays: 1)
        }
    }

    /// Takes a notice out of what waits or was raised; `false` if it was not waiting.
    @discardableResult
    private func finish(_ notice: Notice) -> Bool {
        guard hasDetails else { return false }
        forgetRaised(notice)
        return details.waiting.remove(notice) != nil
    }

    private func forgetRaised(_ notice: Notice) {
        if hasRaised { details.raised.remove(notice) }
    }

    /// Remembers that a notice's slot was looked at.
    private func remember(_ notice: Notice, on occasion: Occasion) {
        guard let slot = notice.slot else { return }
        mark(notice.kind, notice.subject, slot, due: notice.due, occasion.at)
    }

    private func mark(_ kind: Int, _ subject: String?, _ slot: LocalDateTime, due: Instant?, _ at: Instant) {
        add(
            Mark(
                at: at, date: slot.date, minute: slot.time.minuteOfDay, channels: [], kind: UInt8(kind), flags: .slot,
                memo: subject.map { Mark.Memo(subject: $0, due: due) }))
    }

    // MARK: Jobs

    /// A job went out for a notice, after which it is named, and for others with it.
    private func emitted(_ job: JobEmitted, _ first: Notice, with others: [Notice], on occasion: Occasion) {
        let plan = occasion.plan
        let kind = plan.kind(first.kind)
        var flags = Mark.Flags(job: ChannelSet(job.channels), kind, job.priority)
        if job.notices.count > 1, job.told(plan) > 1 { flags.insert(.several) }
        // A slot that waited has its mark already; one more does no harm and keeps the job's name.
        if first.slot != nil { flags.insert(.slot) }
        add(
            Mark(
                at: occasion.at, date: first.slot?.date ?? LocalDate(daysSince1970: 0),
                minute: first.slot?.time.minuteOfDay ?? 0, channels: ChannelSet(job.channels),
                kind: UInt8(first.kind), flags: flags,
                memo: memo(of: job, first, others, plan)))
        finish(first)
        if case .missedCheckIn? = kind.schedule { self.flags.insert(.timingOffered) }
        noteReminder(first, plan)
        for notice in others {
            let waited = finish(notice)
            if !waited, !plan.isDigest(first.kind) { remember(notice, on: occasion) }
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
            subject: first.subject, due: first.due,
            job: JobMemo(
                name: job.job.text, raisedAt: first.raisedAt, date: first.date, subjects: subjects,
                priority: job.priority, title: job.title.text,
                body: job.body.text, data: job.data, expiresAt: notices.lastExpiry,
                subtype: first.content?.subtype, notAfter: job.notAfter, notices: job.told(plan),
                day: first.goal == nil ? nil : first.ownDay(in: zone),
                members: others.isEmpty || plan.isDigest(first.kind) ? [] : notices.map(member)))
    }

    private func member(_ notice: Notice) -> JobMember {
        JobMember(
            subject: notice.subject, priority: notice.priority, raisedAt: notice.raisedAt, date: notice.date,
            slot: notice.slot, due: notice.due, day: notice.goal == nil ? nil : notice.ownDay(in: zone),
            content: notice.content)
    }

    /// The day a goal's reminder went out, until it is answered.
    private func noteReminder(_ notice: Notice, _ plan: Plan) {
        guard hasDetails, case .goal? = plan.kind(notice.kind).schedule, let slot = notice.slot,
            let place = notice.goal.flatMap({ details.goalPlace($0) }),
            details.goals[place].remindedOn == nil
        else { return }
        // What is missed is the day the reminder was for. One that was held may come when they have checked in since it began.
        let ahead = preferences.goals[details.goals[place].id]?.daysBefore ?? 0
        let day = slot.date.advanced(byDays: ahead)
        if let start = zone.startOfDay(day), let last = details.goals[place].checkIns.last, last >= start { return }
        details.goals[place].remindedOn = day
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
