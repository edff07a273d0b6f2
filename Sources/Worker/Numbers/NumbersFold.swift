internal import CivilTime
internal import Journal
internal import Measuring
internal import Notices

/// What each event adds to the figures.
extension Numbers {
    /// The types that say anything; others are not even decoded.
    static let types: Set<Int> = [
        PolicyAdopted.type.number, UserEnrolled.type.number, TimezoneChanged.type.number,
        PushPermissionChanged.type.number, PreferencesChanged.type.number, PresetApplied.type.number,
        PreferencesReset.type.number, Unsubscribed.type.number, NoticeHeld.type.number, NoticeGathered.type.number,
        NoticeDropped.type.number, SlotsSkipped.type.number, JobEmitted.type.number, JobDelivered.type.number,
        JobFailed.type.number, DeliveryReported.type.number, NoticeOpened.type.number, NoticeDismissed.type.number,
        NoticeSnoozed.type.number, TestRequested.type.number, PersonErased.type.number, GoalStarted.type.number,
        GoalChanged.type.number, GoalEnded.type.number,
    ]

    /// Somebody whom the log meets.
    mutating func meet() { settings.add(SettingsInUse(under: plan.plan.policy), plan.plan.rules) }

    /// To be told of every event, whatever its type: with the first of a day the one before is over.
    mutating func begin(dayOf at: Instant) {
        let day = Self.day(at)
        guard day > figures.today else { return }
        if people > 0, figures.uses.last?.use != settings.use { figures.uses.append((figures.today, settings.use)) }
        figures.today = day
        forgetDeadlines(at: day)
    }

    /// Goals that nobody ends would be kept for ever. What is told of one later than this is late by days, and the seconds of its
    /// deadline make no difference. Forgotten as a day begins, so that a log that is read on gives what one read anew does.
    private mutating func forgetDeadlines(at day: Int32) {
        let oldest = Int64(day - Self.deadlineDays) * 86_400_000
        if deadlines.contains(where: { $0.value < oldest }) { deadlines = deadlines.filter { $0.value >= oldest } }
    }

    private static let deadlineDays: Int32 = 7

    static func day(_ at: Instant) -> Int32 {
        Int32(clamping: at.wholeSeconds >= 0 ? at.wholeSeconds / 86_400 : (at.wholeSeconds - 86_399) / 86_400)
    }

    mutating func take(_ payload: Payload, seq: UInt64, about person: UInt32?, at: Instant) {
        switch payload {
        case .testRequested: samples.insert(seq)
        case .policyAdopted(let adopted):
            if plan.adopt(adopted.policy.text) { settings.reread(plan.plan.rules) }
        case .noticeHeld(let held): hold(held, person)
        case .noticeGathered(let gathered): gather(gathered, person)
        case .noticeDropped(let dropped) where isSample(dropped.notice): break
        case .noticeDropped(let dropped):
            end(dropped.notice, of: person, as: dropped.kind.text)
            change(dropped.kind.text) {
                $0[.dropped] += 1
                $0.blocked[dropped.reason, default: 0] += 1
            }
        case .slotsSkipped(let skipped):
            change(skipped.kind.text) { $0.blocked[skipped.reason, default: 0] += skipped.count }
        case .jobEmitted(let job): emit(job, person, at)
        case .jobDelivered(let outcome): count(.sent, of: outcome.job, on: outcome.channel)
        case .jobFailed(let outcome) where outcome.isUntried == true: break
        case .jobFailed(let outcome): count(.failed, of: outcome.job, on: outcome.channel)
        case .deliveryReported(let report): take(report, person, at)
        case .noticeOpened(let answer): count(.opened, of: answer.job)
        case .noticeDismissed(let answer): count(.dismissed, of: answer.job)
        case .noticeSnoozed(let snooze): count(.snoozed, of: snooze.job)
        case .personErased: if let person { erase(person) }
        case .goalStarted(let fact): note(fact.deadline, of: fact.goal, person)
        case .goalChanged(let fact): if let deadline = fact.deadline { note(deadline, of: fact.goal, person) }
        case .goalEnded(let fact): note(nil, of: fact.goal, person)
        default: if SettingsInUse.hangs(on: payload) { change(payload, of: person, at) }
        }
    }

    // MARK: Settings

    private mutating func change(_ payload: Payload, of person: UInt32?, _ at: Instant) {
        guard let person = person.map({ Int($0) }), var own = settings.settings(of: person) else { return }
        own.fold(payload, at: at, plan.plan)
        settings.change(person, to: own, plan.plan.rules)
    }

    // MARK: Notices

    private mutating func hold(_ decision: NoticeHeld, _ person: UInt32?) {
        let name = key(decision.notice, person)
        let isNew = held[name] == nil
        let wasRaised = gathered.contains(name) || decision.notice.isRepeat
        if isNew, !wasRaised { change(decision.kind.text) { $0[.raised] += 1 } }
        if isNew { change(decision.kind.text) { $0[.held] += 1 } }
        held[name] = decision.until.milliseconds
    }

    private mutating func gather(_ decision: NoticeGathered, _ person: UInt32?) {
        let name = key(decision.notice, person)
        guard gathered.insert(name).inserted else { return }
        if held.removeValue(forKey: name) == nil { change(decision.kind.text) { $0[.raised] += 1 } }
        change(decision.kind.text) { $0[.gathered] += 1 }
    }

    /// What becomes of a sample counts for nothing (`N8`), however late it is told: it is named after the fact that asked for it.
    private func isSample(_ name: NoticeName) -> Bool {
        !samples.isEmpty && name.cause.map { samples.contains($0) } ?? false
    }

    /// A notice has come to its end. One that nobody had heard of has been raised at the same time; a repeat has not.
    @discardableResult
    private mutating func end(_ notice: NoticeName, of person: UInt32?, as kind: String) -> Int64? {
        let name = key(notice, person)
        let until = held.removeValue(forKey: name)
        let wasGathered = gathered.remove(name) != nil
        if until == nil, !wasGathered, !notice.isRepeat { change(kind) { $0[.raised] += 1 } }
        return until
    }

    // MARK: Jobs

    private mutating func emit(_ job: JobEmitted, _ person: UInt32?, _ at: Instant) {
        if isSample(job.job) { return }
        var due: Instant?
        for notice in job.notices {
            let until = end(notice, of: person, as: notice.kind ?? job.kind.text)
            if notice == job.job { due = until.map { Instant(milliseconds: $0) } }
        }
        if due == nil { due = slot(of: job, person).map { toTheSecond($0, job, person, at) } }
        change(job.kind.text) {
            $0[.emitted] += 1
            // What was let go before its time, because something changed, is not late.
            if let due { $0.late.add(milliseconds: Double(at.milliseconds(since: due))) }
        }
        for channel in job.channels { change(job.kind.text, channel) { $0[.emitted] += 1 } }
    }

    /// When the slot was due that raised the job, where the person lives.
    private func slot(of job: JobEmitted, _ person: UInt32?) -> Instant? {
        if case .instant(let due)? = job.job.slot { return due }
        guard let local = job.slot.flatMap({ LocalDateTime($0.text) }), let person,
            let zone = settings.settings(of: Int(person)).flatMap({ plan.plan.zone($0.zone) })
        else { return nil }
        return zone.instant(of: local, occurrence: .first)
    }

    private mutating func note(_ deadline: Instant?, of goal: Identifier, _ person: UInt32?) {
        let milliseconds = deadline?.milliseconds ?? 0
        deadlines[key(goal: goal.text, person)] = milliseconds.isMultiple(of: 60_000) ? nil : milliseconds
    }

    /// When a slot was due whose minute is known, where it may hang on a goal's deadline (`C6`).
    private func toTheSecond(_ minute: Instant, _ job: JobEmitted, _ person: UInt32?, _ at: Instant) -> Instant {
        guard !deadlines.isEmpty, let subject = job.job.subject, subject.hasPrefix("goal:"),
            let deadline = deadlines[key(goal: String(subject.dropFirst(5)), person)],
            let kind = plan.plan.rules.place(of: job.kind.text)
        else { return minute }
        let due = minute.advanced(byMilliseconds: ((deadline % 60_000) + 60_000) % 60_000)
        switch plan.plan.rules.kinds[kind].schedule {
        case .deadline, .overdue: return due
        case .goal:
            // A reminder at its own time of day is due at the minute; one of those each hour before the deadline is not.
            let isHourly = (deadline - due.milliseconds).isMultiple(of: 3_600_000) && due <= at
            return isHourly ? due : minute
        case .checkIn, .daily, .weekly, .session, .travel, .missedCheckIn, .message, .overload, nil: return minute
        }
    }

    private mutating func count(_ figure: NumberCell.Figure, of job: NoticeName, on channel: Channel? = nil) {
        guard !isSample(job), let kind = job.kind else { return }
        change(kind, channel) { $0[figure] += 1 }
    }

    private mutating func take(_ report: DeliveryReported, _ person: UInt32?, _ at: Instant) {
        switch report.status {
        case .delivered: count(.delivered, of: report.job, on: report.channel)
        case .failed, .bounced, .expired: count(.failed, of: report.job, on: report.channel)
        case .complained:
            // Whoever calls a mail spam gets none any more, which makes a preset their own.
            var unsubscribed = Unsubscribed()
            unsubscribed.channel = .email
            if report.channel == .email { change(.unsubscribed(unsubscribed), of: person, at) }
        }
    }

    // MARK: Cells

    private mutating func change(_ kind: String, _ channel: Channel? = nil, _ change: (inout NumberCell) -> Void) {
        figures.change(kind, channel, change)
    }

    /// What stands for a notice: whose it is, and a hash of what follows the person in its name.
    private func key(_ notice: NoticeName, _ person: UInt32?) -> UInt64 {
        key(notice.text.drop { $0 != "/" }, person)
    }

    private func key(goal: String, _ person: UInt32?) -> UInt64 { key(goal[...], person) }

    private func key(_ name: Substring, _ person: UInt32?) -> UInt64 {
        var name = name
        let hash = name.withUTF8 { KeyHash(identity)(UnsafeRawBufferPointer($0)) }
        return UInt64(person ?? .max) << 32 | hash >> 32
    }

    /// Nothing of theirs waits any more, and they use nothing (`E1`). What was counted of them says of nobody who they were.
    private mutating func erase(_ person: UInt32) {
        held = held.filter { $0.key >> 32 != UInt64(person) }
        gathered = gathered.filter { $0 >> 32 != UInt64(person) }
        deadlines = deadlines.filter { $0.key >> 32 != UInt64(person) }
        settings.erase(Int(person))
    }
}
