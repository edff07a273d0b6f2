public import CivilTime

/// What is decided about a person, with the notices it is about.
///
/// It is made at a desk, or resolved from what a log recorded; either way `Person.evolve` does it, so that a replay ends in
/// the same state by construction (`G1`).
public enum Decision {
    case hold(Notice, until: Instant, Reason)
    /// Into the digest or the summary of this name.
    case gather(Notice, into: String, Reason)
    case drop(Notice, Reason)
    case skip(SkippedSlots)
    /// One job for a notice, after which it is named, and for others with it.
    case emit(JobEmitted, Notice, with: [Notice])
    /// The n-th repeat of a job (`S1`).
    case emitAgain(JobEmitted, base: String, number: Int)
    /// A sample (`N8`).
    case emitSample(JobEmitted)
    case requestAnalysis(AnalysisRequested)
    case concludeAnalysis(AnalysisConcluded)
    case acceptPhone(PhoneVerified)
    case lockPhone(PhoneLocked)
    /// A session that Belfry concluded from messages (`S3`).
    case completeSession(SessionCompleted)
    /// The policy keeps nobody for so long (`E1`).
    case erase(PersonErased)
}

/// Slots of one kind and subject, at one time of the day, that raise nothing.
public struct SkippedSlots {
    let kind: Int
    let subject: String?
    let reason: Reason
    let first: SlotWord
    let last: SlotWord
    let count: Int
}

// MARK: What is written down

extension Decision {
    /// As the log records it.
    consuming func payload(_ plan: Plan) -> Payload {
        switch consume self {
        case .hold(let notice, let until, let reason):
            var held = NoticeHeld()
            (held.notice, held.kind, held.subject) = notice.recorded(plan)
            held.until = until
            held.reason = reason
            return .noticeHeld(held)
        case .gather(let notice, let into, let reason):
            var gathered = NoticeGathered()
            (gathered.notice, gathered.kind, gathered.subject) = notice.recorded(plan)
            gathered.into = NoticeName(into)
            gathered.reason = reason
            return .noticeGathered(gathered)
        case .drop(let notice, let reason):
            var dropped = NoticeDropped()
            (dropped.notice, dropped.kind, dropped.subject) = notice.recorded(plan)
            dropped.reason = reason
            return .noticeDropped(dropped)
        case .skip(let slots): return .slotsSkipped(slots.recorded(plan))
        case .emit(let job, _, _), .emitAgain(let job, _, _), .emitSample(let job): return .jobEmitted(job)
        case .requestAnalysis(let request): return .analysisRequested(request)
        case .concludeAnalysis(let conclusion): return .analysisConcluded(conclusion)
        case .acceptPhone(let phone): return .phoneVerified(phone)
        case .lockPhone(let phone): return .phoneLocked(phone)
        case .completeSession(let session): return .sessionCompleted(session)
        case .erase(let erased): return .personErased(erased)
        }
    }
}

extension Notice {
    fileprivate func recorded(_ plan: Plan) -> (NoticeName, Identifier, Identifier?) {
        (NoticeName(name), plan.kind(kind).name, subject.map { Identifier($0) })
    }
}

extension SkippedSlots {
    fileprivate func recorded(_ plan: Plan) -> SlotsSkipped {
        var skipped = SlotsSkipped()
        skipped.kind = plan.kind(kind).name
        skipped.subject = subject.map { Identifier($0) }
        skipped.reason = reason
        skipped.first = LocalSlot(first.description)
        skipped.last = LocalSlot(last.description)
        skipped.count = count
        return skipped
    }
}

// MARK: What was written down

extension Decision {
    /// What a log recorded. `nil` for a fact, and for a decision about what this person's log cannot have: a kind that no
    /// policy of it knows, a slot that is no time.
    init?(_ recorded: Payload, about person: Person, on occasion: Occasion) {
        switch recorded {
        case .noticeHeld(let held):
            guard let notice = person.notice(held.notice, held.kind, held.subject?.text, on: occasion) else {
                return nil
            }
            self = .hold(notice, until: held.until, held.reason)
        case .noticeGathered(let gathered):
            guard let notice = person.notice(gathered.notice, gathered.kind, gathered.subject?.text, on: occasion)
            else { return nil }
            self = .gather(notice, into: gathered.into.text, gathered.reason)
        case .noticeDropped(let dropped):
            guard let notice = person.notice(dropped.notice, dropped.kind, dropped.subject?.text, on: occasion) else {
                return nil
            }
            self = .drop(notice, dropped.reason)
        case .slotsSkipped(let skipped):
            guard let slots = SkippedSlots(skipped, occasion.plan) else { return nil }
            self = .skip(slots)
        case .jobEmitted(let job):
            guard let decision = Self(job, about: person, on: occasion) else { return nil }
            self = decision
        case .analysisRequested(let request): self = .requestAnalysis(request)
        case .analysisConcluded(let conclusion): self = .concludeAnalysis(conclusion)
        case .phoneVerified(let phone): self = .acceptPhone(phone)
        case .phoneLocked(let phone): self = .lockPhone(phone)
        case .sessionCompleted(let session):
            guard session.isDerived == true else { return nil }
            self = .completeSession(session)
        case .personErased(let erased):
            guard erased.isDerived == true else { return nil }
            self = .erase(erased)
        case .workerStarted, .partitionTaken, .policyApplied, .textsErased, .policyAdopted, .userEnrolled,
            .timezoneChanged, .consentGiven,
            .consentWithdrawn,
            .pushPermissionChanged, .preferencesChanged, .presetApplied, .preferencesReset, .deviceRegistered,
            .deviceRemoved, .phoneVerificationRequested, .phoneCodeEntered, .appOpened, .appClosed,
            .conversationOpened, .conversationClosed, .messagesRead, .messageReceived, .messageSent, .checkedIn,
            .pointsEarned, .goalStarted, .goalChanged, .goalEnded, .noticeRequested, .analysisAnswered,
            .analysisFailed, .jobDelivered, .jobFailed, .noticeOpened, .noticeDismissed, .noticeSnoozed,
            .feedbackGiven, .historyCleared, .runRequested, .deliveryReported, .jobRetryRequested, .testRequested,
            .unsubscribed, .feedSeen, .subjectNamed, .contactChanged:
            return nil
        }
    }

    private init?(_ job: JobEmitted, about person: Person, on occasion: Occasion) {
        guard let first = job.notices.first else { return nil }
        if job.isTest == true {
            self = .emitSample(job)
        } else if let (base, number) = first.text.asRepeat {
            self = .emitAgain(job, base: base, number: number)
        } else {
            // What a digest lists keeps its own kind; slots of a bundle share the job's.
            var notices = job.notices.enumerated().compactMap { place, name in
                // A job for several subjects names none; each notice's own name does.
                let subject = place == 0 ? job.subject?.text ?? name.subject : name.subject
                return person.notice(name, job.kind, subject, on: occasion)
            }
            guard !notices.isEmpty else { return nil }
            let named = notices.removeFirst()
            self = .emit(job, named, with: notices)
        }
    }
}

extension SkippedSlots {
    fileprivate init?(_ skipped: SlotsSkipped, _ plan: Plan) {
        guard let kind = plan.rules.place(of: skipped.kind.text),
            let first = SlotWord(skipped.first.text), let last = SlotWord(skipped.last.text)
        else { return nil }
        self.init(
            kind: kind, subject: skipped.subject?.text, reason: skipped.reason, first: first, last: last,
            count: skipped.count)
    }
}

extension Person {
    /// The notice a decision is about: one that waits, one just raised, or the one its slot raises.
    func notice(
        _ recorded: NoticeName, _ kindName: Identifier, _ subject: String?, on occasion: Occasion
    ) -> Notice? {
        let (name, plan) = (recorded.text, occasion.plan)
        if hasDetails {
            if let waiting = details.waiting.entry(named: name) { return waiting.notice }
            if let raised = details.raised.entry(named: name) { return raised }
        }
        guard let kind = plan.rules.place(of: kindName.text) else { return nil }
        if kind == plan.summary { return summary(named: name, kind: kind, raisedAt: occasion.at) }
        if let slot = recorded.slot {
            return scheduled(kind, subject, slot, name: name, at: occasion.at, plan: plan)
        }
        return Notice(
            name: name, kind: kind, subject: subject, priority: plan.kind(kind).priority, raisedAt: occasion.at,
            date: zone.localDate(at: occasion.at))
    }
}
