internal import CivilTime
internal import Notices

/// People who left: erased when the policy says so, and not before (E1).
extension Auditor {
    mutating func checkRetention(_ event: Event, _ person: Int) {
        let days = policy.peopleKeptDays
        let heard = people[person].heardAt
        let end = days.map { heard.advanced(byDays: Int64($0)) }
        guard case .personErased(let erased) = event.payload else {
            // A policy has a week to catch up with those who left before it was adopted.
            guard let end else { return }
            let latest = max(end, policySince.advanced(byDays: 7))
            return expect(
                .retention, event, event.at < latest,
                "something is decided about somebody of whom nothing was heard since \(heard)")
        }
        expect(
            .retention, event, end.map { $0 <= event.at } ?? false,
            "somebody heard of at \(heard) is erased, and the policy keeps people \(days.map { "for \($0) days" } ?? "for ever")"
        )
        expect(
            .retention, event, erased.afterDays == days,
            "somebody is erased after \(erased.afterDays.map { "\($0)" } ?? "no") days, and the policy says \(days.map { "\($0)" } ?? "none")"
        )
    }

    /// What people were told is erased a whole week at a time, when the policy keeps none of it any more.
    mutating func checkTexts(_ erased: TextsErased, _ event: Event) {
        let days = policy.textsKeptDays
        expect(
            .retention, event, erased.afterDays == days,
            "texts are erased after \(erased.afterDays) days, and the policy says \(days.map { "\($0)" } ?? "none")")
        expect(
            .retention, event, erased.before.advanced(byDays: Int64(erased.afterDays) + 1) <= event.at,
            "texts of before \(erased.before) are erased, which is not \(erased.afterDays) days and one more ago")
        expect(
            .retention, event, erased.before.milliseconds % (7 * 86_400_000) == 0,
            "texts of before \(erased.before) are erased, which is no week's beginning")
    }

    /// What others tell, such as providers of a job, is no sign of the person.
    mutating func noteSign(_ event: Event, _ person: Int) {
        switch event.payload {
        case .messageReceived, .noticeRequested, .analysisAnswered, .analysisFailed, .jobDelivered, .jobFailed,
            .deliveryReported, .jobRetryRequested, .runRequested, .subjectNamed, .deviceRemoved, .personErased,
            .policyAdopted:
            return
        // What is decided, or recorded of the log itself, nobody tells.
        case .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped, .jobEmitted, .analysisRequested,
            .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted, .partitionTaken, .policyApplied,
            .textsErased:
            return
        case .userEnrolled, .timezoneChanged, .consentGiven, .consentWithdrawn, .pushPermissionChanged,
            .preferencesChanged, .presetApplied, .preferencesReset, .deviceRegistered, .contactChanged,
            .phoneVerificationRequested, .phoneCodeEntered, .appOpened, .appClosed, .conversationOpened,
            .conversationClosed, .messagesRead, .messageSent, .sessionCompleted, .checkedIn, .pointsEarned,
            .goalStarted, .goalChanged, .goalEnded, .noticeOpened, .noticeDismissed, .noticeSnoozed, .feedbackGiven,
            .feedSeen, .historyCleared, .unsubscribed, .testRequested:
            people[person].heardAt = event.at
        }
    }
}
