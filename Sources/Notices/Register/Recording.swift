/// What of a fact is recorded, where that depends on the person.
extension Register {
    /// A message loses its text (`A1`), a phone code becomes whether it was right (SPEC §11).
    ///
    /// Under a virtual clock nobody was sent a code: there the last six digits of the number are taken for it.
    public func recordable(_ fact: Payload, about user: String?) -> Payload {
        switch fact {
        case .userEnrolled(var enrolled):
            enrolled.phoneIs = enrolled.phone.flatMap { known($0, of: user) }
            return .userEnrolled(enrolled)
        case .contactChanged(var change):
            if case .given(let phone) = change.phone { change.phoneIs = known(phone, of: user) }
            return .contactChanged(change)
        case .phoneVerificationRequested(var request):
            request.phoneIs = known(request.phone, of: user)
            return .phoneVerificationRequested(request)
        case .noticeRequested(var request):
            // A mail without a subject says nothing: what is blank is left out, and the kind's own words stand there.
            if let title = request.title, Plain.isBlank(title.text) { request.title = nil }
            if let body = request.body, Plain.isBlank(body.text) { request.body = nil }
            let kind = plan.rules.place(of: request.kind.text)
            request.subtype = kind.flatMap { plan.part(of: request, $0) }.map { Text($0) }
            return .noticeRequested(request)
        case .messageReceived(let message):
            return .messageReceived(message.reduced(keywords: keywords(of: user)))
        case .phoneCodeEntered(var entered):
            guard entered.isCorrect == nil else { return fact }
            let person = user.flatMap { number(of: $0) }.map { self[$0] }
            entered.isCorrect = person?.details.phone.asked.map { $0.suffix(6) == entered.code.text } ?? false
            entered.code = .start
            return .phoneCodeEntered(entered)
        case .policyAdopted, .timezoneChanged, .consentGiven, .consentWithdrawn, .pushPermissionChanged,
            .preferencesChanged, .presetApplied, .preferencesReset, .deviceRegistered, .deviceRemoved, .appOpened,
            .appClosed, .conversationOpened,
            .conversationClosed, .messagesRead, .messageSent, .sessionCompleted, .checkedIn, .pointsEarned,
            .goalStarted, .goalChanged, .goalEnded, .analysisAnswered, .analysisFailed,
            .jobDelivered, .jobFailed, .noticeOpened, .noticeDismissed, .noticeSnoozed, .feedbackGiven,
            .historyCleared, .runRequested, .deliveryReported, .jobRetryRequested, .testRequested, .unsubscribed,
            .feedSeen, .subjectNamed, .personErased, .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped,
            .jobEmitted, .analysisRequested, .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted,
            .partitionTaken, .policyApplied, .textsErased:
            return fact
        }
    }

    /// How much there is to look at for that, in what a desk counts by (`Desk.work`).
    public func recordingWork(_ fact: Payload, about user: String?) -> Int {
        guard case .messageReceived(let message) = fact, let text = message.messageText?.text else { return 0 }
        return KeywordSearch.work(in: text, for: keywords(of: user).count)
    }

    private func keywords(of user: String?) -> [String] {
        let person = user.flatMap { number(of: $0) }.map { self[$0] }
        return person?.preferences.priorityKeywords ?? standardKeywords
    }

    private func known(_ phone: PhoneNumber, of user: String?) -> KnownPhone? {
        user.flatMap { number(of: $0) }.flatMap { self[$0].known(phone) }
    }

    private var standardKeywords: [String] {
        plan.rules.preferences(differing: .emptyObject, saidYes: false).priorityKeywords
    }

    /// What a person should know of a change they made (SPEC §3).
    /// - Parameter before: what was in force for them.
    public func warnings(of number: Int, before: Preferences) -> [Warning] {
        let person = self[number]
        return plan.rules.warnings(
            from: before.origin.fields, to: person.preferences.origin.fields,
            standing: PreferenceStanding(person, plan))
    }
}

/// What a person is told of the phone code they entered (SPEC §11).
extension Register {
    public static let phoneLocked = "Too many attempts. Try again in \(Person.lockMinutes) minutes."

    /// `nil` for the right one.
    public func answer(toCodeOf number: Int) -> String? {
        let phone = self[number].details.phone
        // Asked for no more: it was right, or it was wrong once too often.
        guard phone.asked != nil else { return phone.wasCorrect ? nil : Self.phoneLocked }
        let left = Person.codeAttempts - phone.attempts
        return "Code is incorrect. Try again. (\(left) \(left == 1 ? "attempt" : "attempts") left)"
    }
}

extension Payload {
    public var changesPreferences: Bool {
        switch self {
        case .preferencesChanged, .presetApplied, .preferencesReset, .unsubscribed: true
        case .policyAdopted, .userEnrolled, .timezoneChanged, .consentGiven, .consentWithdrawn,
            .pushPermissionChanged, .deviceRegistered, .deviceRemoved, .phoneVerificationRequested,
            .phoneCodeEntered, .appOpened, .appClosed, .conversationOpened, .conversationClosed, .messagesRead,
            .messageReceived, .messageSent, .sessionCompleted, .checkedIn, .pointsEarned, .goalStarted,
            .goalChanged, .goalEnded, .noticeRequested, .analysisAnswered, .analysisFailed, .jobDelivered,
            .jobFailed, .noticeOpened, .noticeDismissed, .noticeSnoozed, .feedbackGiven, .historyCleared,
            .runRequested, .deliveryReported, .jobRetryRequested, .testRequested, .feedSeen, .subjectNamed,
            .contactChanged, .personErased, .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped, .jobEmitted,
            .analysisRequested, .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted,
            .partitionTaken, .policyApplied, .textsErased:
            false
        }
    }
}
