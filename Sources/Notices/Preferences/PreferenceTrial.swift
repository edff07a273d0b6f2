public import CivilTime

/// A change of preferences that is tried out (SPEC §3): what it would lead to. Nothing is recorded.
public struct PreferenceTrial: Sendable {
    /// What would become of a notice that waits.
    public enum Fate: Sendable, Equatable {
        case dropped(Reason)
        /// It stays gathered, and when its digest goes out it is dropped (`D4`).
        case droppedFromDigest(Reason)
        case held(until: Instant, Reason)
        case gathered(into: String, Reason)
        case released([Channel])
    }

    public struct Waiting: Sendable {
        public let notice: String
        public let kind: String
        /// What people call its kind.
        public let label: String
        public let subject: String?
        public let title: String?
        public let raisedAt: Instant
        public let fate: Fate
    }

    /// The whole document that it would lead to.
    public let document: JSONValue
    public let changes: [Change]
    public let warnings: [Warning]
    /// What waits now and would be dropped, held otherwise or released.
    public let waiting: [Waiting]
    /// The zone in which the person would be.
    public let zone: ZoneRules
}

extension Register {
    /// What a change would do, decided by the same code that would decide it in earnest (`G2`).
    ///
    /// - Parameter change: a `preferences_changed`, `preset_applied` or `preferences_reset` as it would be recorded.
    public func trial(
        of change: Payload, about number: Int, user: String, at now: Instant
    ) throws(FieldError) -> PreferenceTrial {
        if let problem = problem(with: change, about: user, number: number, at: now) { throw problem }
        let (plan, person) = (plan, self[number].copy())
        let desk = Desk(person, user: user, plan: plan, now: now, nextSequence: 1)
        // What is due by now is decided before the change is taken (T10).
        person.nextWake = person.earliestWake(plan)
        desk.settle()
        let before = PersonBeforeTrial(person, at: desk)
        desk.written = []
        desk.take(change, sequence: 0)
        let saidYes = person.flags.contains(.saidYes)
        let document = plan.rules.document(
            differing: person.details.differences, saidYes: saidYes, timezone: person.zone.name)
        var changes = plan.rules.changes(
            from: before.differences, to: person.details.differences, saidYes: saidYes
        ) { person.knownName(ofSubject: $0) }
        if before.zone != person.zone { changes.insert(Change(from: before.zone, to: person.zone), at: 0) }
        let warnings = plan.rules.warnings(
            from: before.differences, to: person.details.differences, saidYes: saidYes,
            standing: PreferenceStanding(person, plan))
        return PreferenceTrial(
            document: document, changes: changes, warnings: warnings, waiting: before.fates(at: desk),
            zone: person.zone)
    }
}

extension Change {
    fileprivate init(from old: ZoneRules, to new: ZoneRules) {
        self.init(
            path: "timezone", from: .string(old.name), to: .string(new.name),
            sentence: "Times are those of \(new.name) instead of \(old.name)")
    }
}

/// What a person is before a change is tried.
private struct PersonBeforeTrial {
    let differences: JSONValue
    let zone: ZoneRules
    /// Those that wait, each with what the permanent rules say of it already. Of repeats, which are gathered nowhere, nobody asks that.
    let waiting: [(notice: Notice, objection: Reason?)]

    init(_ person: Person, at desk: Desk) {
        differences = person.hasDetails ? person.details.differences : .emptyObject
        zone = person.zone
        var waiting: [(notice: Notice, objection: Reason?)] = person.lookedAt.map {
            ($0.notice, desk.permanentObjection(to: $0.notice))
        }
        for snooze in person.heldRepeats() { waiting.append((snooze.notice, nil)) }
        self.waiting = waiting
    }

    func fates(at desk: Desk) -> [PreferenceTrial.Waiting] {
        var fates = decided(desk)
        for entry in desk.person.lookedAt where entry.gatheredInto != nil && fates[entry.notice.name] == nil {
            let before = waiting.first { $0.notice.isSame(as: entry.notice) }
            guard let before, before.objection == nil, let reason = desk.permanentObjection(to: entry.notice) else {
                continue
            }
            fates[entry.notice.name] = .droppedFromDigest(reason)
        }
        return waiting.compactMap { entry in
            guard let fate = fates[entry.notice.name] else { return nil }
            let notice = entry.notice
            return PreferenceTrial.Waiting(
                notice: notice.name, kind: desk.plan.kind(notice.kind).name.text,
                label: desk.plan.kind(notice.kind).label,
                subject: notice.subject, title: notice.content?.title, raisedAt: notice.raisedAt, fate: fate)
        }
    }

    /// By the notice's name.
    private func decided(_ desk: Desk) -> [String: PreferenceTrial.Fate] {
        var fates: [String: PreferenceTrial.Fate] = [:]
        for event in desk.written {
            switch event.payload {
            case .noticeDropped(let drop): fates[drop.notice.text] = .dropped(drop.reason)
            case .noticeHeld(let hold): fates[hold.notice.text] = .held(until: hold.until, hold.reason)
            case .noticeGathered(let gathering):
                fates[gathering.notice.text] = .gathered(into: gathering.into.text, gathering.reason)
            case .jobEmitted(let job): for notice in job.notices { fates[notice.text] = .released(job.channels) }
            case .policyAdopted, .userEnrolled, .timezoneChanged, .consentGiven, .consentWithdrawn,
                .pushPermissionChanged, .preferencesChanged, .presetApplied, .preferencesReset, .deviceRegistered,
                .deviceRemoved, .phoneVerificationRequested, .phoneCodeEntered, .appOpened, .appClosed,
                .conversationOpened, .conversationClosed, .messagesRead, .messageReceived, .messageSent,
                .sessionCompleted, .checkedIn, .pointsEarned, .goalStarted, .goalChanged, .goalEnded,
                .noticeRequested, .analysisAnswered, .analysisFailed, .jobDelivered, .jobFailed, .noticeOpened,
                .noticeDismissed, .noticeSnoozed, .feedbackGiven, .historyCleared, .runRequested, .deliveryReported,
                .jobRetryRequested, .testRequested, .unsubscribed, .feedSeen, .subjectNamed, .contactChanged,
                .personErased,
                .slotsSkipped, .analysisRequested, .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted,
                .partitionTaken, .policyApplied, .textsErased:
                break
            }
        }
        return fates
    }
}

extension Desk {
    /// What P1 to P6 say of a notice, whatever it waits for (`D4`).
    fileprivate func permanentObjection(to notice: Notice) -> Reason? {
        matter(notice).objection(of: .ofGathered)?.reason
    }
}
