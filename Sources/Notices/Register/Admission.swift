public import CivilTime

/// What a fact must be for this person under this policy, beyond its form (SPEC §2): refused whole otherwise.
extension Register {
    /// - Parameter number: the person's, who is looked up only once for a fact; `nil` for nobody who is known.
    public func problem(with fact: Payload, about user: String?, number: Int?, at: Instant) -> FieldError? {
        do throws(FieldError) {
            try check(fact, user ?? "", number.map { self[$0] }, at)
            return nil
        } catch {
            // Whom a fact is about stands beside its data; a run may say it in either place.
            return error.path == "user" && !fact.saysUserInData ? error : error.under("data")
        }
    }

    private func check(_ fact: Payload, _ user: String, _ person: Person?, _ at: Instant) throws(FieldError) {
        switch fact {
        case .policyAdopted(let adopted): try checkPolicy(adopted.policy.text)
        case .preferencesChanged(let change):
            try checkSize(of: change)
            guard let patch = JSONValue(parsing: change.patch.document.text) else { return }
            let stored = person?.stored ?? .nothing
            if let problem = plan.rules.problem(withPatch: patch, on: stored, inForce: person?.preferences) {
                throw problem.under("patch")
            }
        case .unsubscribed(let unsubscribed): try check(unsubscribed)
        case .presetApplied(let applied): try checkPreset(applied.preset.text)
        case .noticeRequested(let request): try check(request)
        case .goalStarted(let start): try checkRoom(for: start, person)
        case .subjectNamed(let named): try checkRoom(for: named, person)
        case .deviceRegistered(let registered):
            try checkRoom(for: registered, person)
            try check(registered)
        case .userEnrolled(let enrolled): try check(email: enrolled.email)
        case .contactChanged(let change): try check(change, person)
        case .deliveryReported(let report): try checkJob(report.job.text, user, person, at)
        case .messageReceived(let message): try checkRoom(forMessageIn: message.conversation.text, person)
        case .messageSent(let message): try checkRoom(forMessageIn: message.conversation.text, person)
        case .goalChanged(let change): try checkGoal(change.goal.text, person)
        case .goalEnded(let end): try checkGoal(end.goal.text, person)
        case .checkedIn(let done): if let goal = done.goal { try checkGoal(goal.text, person) }
        case .jobDelivered(let outcome): try checkJob(outcome.job.text, user, person, at)
        case .jobFailed(let outcome): try checkJob(outcome.job.text, user, person, at)
        case .jobRetryRequested(let request): try check(request, user, person, at)
        case .noticeOpened(let answer): try checkJob(answer.job.text, user, person, at)
        case .noticeDismissed(let answer): try checkJob(answer.job.text, user, person, at)
        case .feedbackGiven(let answer): try checkJob(answer.job.text, user, person, at)
        case .noticeSnoozed(let snooze): try check(snooze, user, person, at)
        case .phoneVerificationRequested: try checkAskingForCode(person, at)
        case .phoneCodeEntered: try checkCode(person, at)
        case .runRequested(let request): try check(request, user, person)
        case .testRequested(let request): try check(request, user, person)
        case .analysisAnswered(let said):
            if said.shouldNotify, Plain.isBlank(said.noticeText.text) {
                throw FieldError(
                    path: "text", "is empty, and a notice needs words; analysis_failed leaves it to the fallback")
            }
        case .personErased:
            if person?.isErased ?? true { throw FieldError(path: "user", "\(quoted(user)) is nobody known here") }
        case .timezoneChanged, .consentGiven, .consentWithdrawn, .pushPermissionChanged,
            .preferencesReset, .deviceRemoved, .appOpened, .appClosed, .conversationOpened, .conversationClosed,
            .messagesRead, .sessionCompleted, .pointsEarned, .analysisFailed, .historyCleared,
            .feedSeen, .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped, .jobEmitted,
            .analysisRequested,
            .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted,
            .partitionTaken, .policyApplied, .textsErased:
            return
        }
    }

    // MARK: Names

    private func nearest(_ name: String, among names: [String]) -> String {
        NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
    }

    private func check(_ request: NoticeRequested) throws(FieldError) {
        let own = plan.rules.kinds.prefix(plan.rules.ownKinds)
        var known: String {
            let names = own.filter(\.isOnRequest).map(\.name.text)
            return names.isEmpty
                ? "no kind of this policy can be requested" : "on request: " + names.joined(separator: ", ")
        }
        guard let place = plan.rules.place(of: request.kind.text), !plan.rules.isRetired(place),
            case let kind = plan.rules.kinds[place]
        else {
            throw FieldError(
                path: "kind",
                "\(quoted(request.kind.text)) is not a kind of this policy (\(known))"
                    + nearest(request.kind.text, among: own.map(\.name.text)))
        }
        guard kind.isOnRequest else {
            throw FieldError(path: "kind", "\(quoted(kind.name.text)) is not sent on request (\(known))")
        }
        guard !kind.subtypes.isEmpty, let subtype = request.saidSubtype else { return }
        let subtypes = kind.subtypes.map(\.name.text)
        guard subtypes.contains(subtype) else {
            throw FieldError(
                path: "data.subtype",
                "\(quoted(subtype)) is not a subtype of \(kind.name) (known here: \(subtypes.joined(separator: ", ")))"
                    + nearest(subtype, among: subtypes))
        }
    }

    /// A link never expires, so a kind that the policy had once is as good as one that it has.
    private func check(_ unsubscribed: Unsubscribed) throws(FieldError) {
        if unsubscribed.channel == .inApp {
            throw FieldError(path: "channel", "in_app is not a person's to switch off (allowed: push, email, sms)")
        }
        guard let kind = unsubscribed.kind?.text, plan.rules.place(of: kind) == nil else { return }
        let names = plan.rules.kinds.prefix(plan.rules.ownKinds).map(\.name.text)
        throw FieldError(
            path: "kind", "\(quoted(kind)) is not a kind of this policy" + nearest(kind, among: names))
    }

    /// In an unknown default zone nobody's nights would be known (`G6`).
    private func checkPolicy(_ text: String) throws(FieldError) {
        let policy: Policy
        do throws(Refusal) { policy = try Policy(document: text) } catch {
            guard case .field(let problem) = error else { throw FieldError(path: "policy", "\(error)") }
            throw problem.under("policy")
        }
        let zone = policy.defaultZone.text
        guard plan.zone(zone) == nil else { return }
        throw FieldError(path: "policy.default_timezone", "\(quoted(zone)) is not a zone of this tz database")
    }

    private func checkPreset(_ name: String) throws(FieldError) {
        let names = plan.policy.presets.map(\.name.text)
        guard !names.contains(name) else { return }
        let known = names.isEmpty ? "this policy has none" : "known here: " + names.joined(separator: ", ")
        throw FieldError(path: "preset", "\(quoted(name)) is not a preset (\(known))" + nearest(name, among: names))
    }

    private static let comparedMax = 50

    private func checkGoal(_ id: String, _ person: Person?) throws(FieldError) {
        if let person, person.details.goalPlace(id) != nil { return }
        // To compare with all takes long where there are many, and there a guess helps little.
        let goals = person?.details.goals.prefix(Self.comparedMax).map(\.id) ?? []
        throw FieldError(
            path: "goal",
            "\(quoted(id)) is not a goal of this person; goal_started makes one" + nearest(id, among: goals))
    }

    // MARK: Jobs

    private func checkJob(
        _ name: String, _ user: String, _ person: Person?, _ at: Instant
    ) throws(FieldError) {
        guard person?.job(named: name, on: Occasion(0, at, user: user, plan)) == nil else { return }
        throw FieldError(
            path: "job", "\(quoted(name)) is not a job that was emitted for this person in the last 7 days")
    }

    /// `N7`: only what failed, and only while it may still be sent.
    private func check(
        _ request: JobRetryRequested, _ user: String, _ person: Person?, _ at: Instant
    ) throws(FieldError) {
        let name = request.job.text
        try checkJob(name, user, person, at)
        let problem: String
        switch person?.retryStanding(of: name, on: Occasion(0, at, user: user, plan)) {
        case .possible, .forgotten, nil: return
        case .hasNotFailed where person?.hasForgottenFailures == true:
            problem =
                "is not among the latest \(PersonLimits.failedJobs) that failed, and no more are kept to be sent again"
        case .hasNotFailed: problem = "has not failed: there is nothing to send again"
        case .underWay: problem = "is being sent again already"
        case .reached: problem = "was delivered since it failed"
        case .tooLate(let last): problem = "could be sent until \(last), which has passed"
        case .stopped(let why): problem = "is not sent again: \(why) since"
        }
        throw FieldError(path: "job", "\(quoted(name)) \(problem)")
    }

    private func check(
        _ snooze: NoticeSnoozed, _ user: String, _ person: Person?, _ at: Instant
    ) throws(FieldError) {
        try checkJob(snooze.job.text, user, person, at)
        if person?.isTest(snooze.job.text, on: Occasion(0, at, user: user, plan)) ?? false {
            throw FieldError(path: "job", "\(quoted(snooze.job.text)) is a test, which does not come again")
        }
        let rule = plan.policy.snoozes
        guard rule.minutes.contains(snooze.minutes) else {
            let allowed = rule.minutes.map(String.init).joined(separator: ", ")
            throw FieldError(path: "minutes", "\(snooze.minutes) is not one of \(allowed)")
        }
        let base = snooze.job.text.asRepeat?.base ?? snooze.job.text
        guard (person?.snoozes(of: snooze.job.text) ?? 0) < rule.times else {
            throw FieldError(
                path: "job", "\(quoted(base)) was snoozed \(rule.times) times, which is as often as it may be")
        }
        if let person { try checkRoom(forSnoozeOf: base, person) }
    }

    // MARK: Phones (SPEC §11)

    private func checkAskingForCode(_ person: Person?, _ at: Instant) throws(FieldError) {
        guard let phone = person?.details.phone else { return }
        if at < phone.lockedUntil { throw FieldError(path: "phone", Self.phoneLocked) }
        let next = phone.askedAt.advanced(bySeconds: Person.resendSeconds)
        if phone.asked != nil, at < next {
            throw FieldError(
                path: "phone", "a code was asked for less than 30 seconds ago; ask again at \(next)", opens: next)
        }
    }

    private func checkCode(_ person: Person?, _ at: Instant) throws(FieldError) {
        let phone = person?.details.phone ?? PhoneState()
        if at < phone.lockedUntil { throw FieldError(path: "code", Self.phoneLocked) }
        guard phone.asked != nil else {
            throw FieldError(path: "code", "no code is waited for; phone_verification_requested sends one")
        }
        if at >= phone.askedAt.advanced(byMinutes: Person.codeLifetimeMinutes) {
            throw FieldError(path: "code", "the code was good for 10 minutes; ask for a new one")
        }
    }

    // MARK: Tests and runs

    private func check(_ request: TestRequested, _ user: String, _ person: Person?) throws(FieldError) {
        if person == nil { throw FieldError(path: "user", "\(quoted(user)) is nobody known here") }
        let names = plan.rules.kinds.prefix(plan.rules.ownKinds).map(\.name.text)
        if let place = plan.rules.place(of: request.kind.text), names.contains(request.kind.text) {
            let kind = plan.rules.kinds[place]
            if kind.isToldInDigest, kind.raisedBy.isEmpty {
                throw FieldError(
                    path: "kind", "\(request.kind.text) is only told in a digest: of its own there is nothing to send")
            }
            return
        }
        throw FieldError(
            path: "kind",
            "\(quoted(request.kind.text)) is not a kind of this policy (known here: \(names.joined(separator: ", ")))"
                + nearest(request.kind.text, among: names))
    }

    private func check(_ request: RunRequested, _ user: String, _ person: Person?) throws(FieldError) {
        if !user.isEmpty, person?.isErased ?? true {
            throw FieldError(path: "user", "\(quoted(user)) is nobody known here")
        }
        guard let kind = request.kind else { return }
        let scheduled = plan.scheduled.map { plan.kind($0.place).name.text }
        guard !scheduled.contains(kind.text) else { return }
        let known =
            scheduled.isEmpty ? "this policy has none" : "those are: " + scheduled.joined(separator: ", ")
        let isOwn = plan.rules.kinds.prefix(plan.rules.ownKinds).contains { $0.name == kind }
        let what = isOwn ? "comes when something happens, and not at a time" : "is not a kind of this policy"
        throw FieldError(
            path: "kind",
            "\(quoted(kind.text)) \(what); a run brings kinds that come at a time (\(known))"
                + nearest(kind.text, among: scheduled))
    }
}

extension Payload {
    fileprivate var saysUserInData: Bool {
        if case .runRequested(let request) = self { request.user != nil } else { false }
    }
}
