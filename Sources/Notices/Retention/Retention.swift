public import CivilTime

/// How long a policy keeps people who left, and what people were told. At least one of the two is said.
public struct RetentionRule: Sendable, Equatable {
    /// Of whom nothing was heard for so many days, that person is erased (`E1`).
    public var peopleAfterDays: Int?
    /// The texts of notices are erased after so many days, a week of them at a time.
    public var textsAfterDays: Int?

    public init(peopleAfterDays: Int? = nil, textsAfterDays: Int? = nil) {
        (self.peopleAfterDays, self.textsAfterDays) = (peopleAfterDays, textsAfterDays)
    }

    /// Below a month somebody on a journey would be taken for somebody who left.
    static let days = Limit.range(30, 36_500)
}

/// Retention under a policy in force: people who left are erased by a decision, at a wake of their own.
extension Person {
    /// When the policy has the person erased if nothing is heard of them until then; `nil` where it keeps people for ever.
    ///
    /// Whoever left long before the policy was adopted is given a moment within its first days. Else all of them would be
    /// due at once, and every other wake would stand behind them.
    public func retentionEnds(_ plan: Plan) -> Instant? {
        guard let days = plan.policy.retention?.peopleAfterDays, !isErased else { return nil }
        let end = lastHeardAt.advanced(byDays: Int64(days))
        guard end < plan.adoptedAt else { return end }
        return plan.adoptedAt.advanced(byMilliseconds: Self.place(of: lastHeardAt, within: Self.catchingUp))
    }

    /// The first days of a policy, in which it catches up with who left before.
    private static let catchingUp: Int64 = 7 * 86_400_000

    /// Spreads instants evenly, those that lie close together too.
    private static func place(of instant: Instant, within span: Int64) -> Int64 {
        var mixed = UInt64(bitPattern: instant.milliseconds) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return Int64((mixed ^ (mixed >> 32)) % UInt64(span))
    }
}

extension Desk {
    /// Whether the person is erased now, because they left long enough ago. Nothing else is decided about them then.
    func eraseIfRetentionEnded() -> Bool {
        guard let days = plan.policy.retention?.peopleAfterDays, let end = person.retentionEnds(plan), end <= now
        else { return false }
        var erased = PersonErased()
        erased.isDerived = true
        erased.afterDays = days
        decide(.erase(erased))
        return true
    }
}

extension Payload {
    /// Whether a fact comes from the person or from what their app saw of them. What others, providers or Belfry itself tell goes
    /// on after somebody has left.
    var isHeardFromPerson: Bool {
        switch self {
        case .userEnrolled, .timezoneChanged, .consentGiven, .consentWithdrawn, .pushPermissionChanged,
            .preferencesChanged, .presetApplied, .preferencesReset, .deviceRegistered, .phoneVerificationRequested,
            .phoneCodeEntered, .appOpened, .appClosed, .conversationOpened, .conversationClosed, .messagesRead,
            .messageSent, .checkedIn, .pointsEarned, .goalStarted, .goalChanged, .goalEnded, .noticeOpened,
            .noticeDismissed, .noticeSnoozed, .feedbackGiven, .historyCleared, .unsubscribed, .feedSeen,
            .contactChanged, .testRequested:
            true
        case .sessionCompleted(let session): session.isDerived != true
        case .policyAdopted, .deviceRemoved, .messageReceived, .noticeRequested, .analysisAnswered, .analysisFailed,
            .jobDelivered, .jobFailed, .deliveryReported, .jobRetryRequested, .runRequested, .subjectNamed,
            .personErased, .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped, .jobEmitted,
            .analysisRequested, .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted, .partitionTaken,
            .policyApplied, .textsErased:
            false
        }
    }
}
