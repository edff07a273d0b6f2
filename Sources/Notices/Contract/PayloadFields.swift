extension Payload {
    /// Shows a visitor the fields of whatever type this is.
    @inline(__always)
    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        switch self {
        case .policyAdopted(var record):
            try record.fields(&visitor)
            self = .policyAdopted(record)
        case .userEnrolled(var record):
            try record.fields(&visitor)
            self = .userEnrolled(record)
        case .timezoneChanged(var record):
            try record.fields(&visitor)
            self = .timezoneChanged(record)
        case .consentGiven(var record):
            try record.fields(&visitor)
            self = .consentGiven(record)
        case .consentWithdrawn(var record):
            try record.fields(&visitor)
            self = .consentWithdrawn(record)
        case .pushPermissionChanged(var record):
            try record.fields(&visitor)
            self = .pushPermissionChanged(record)
        case .preferencesChanged(var record):
            try record.fields(&visitor)
            self = .preferencesChanged(record)
        case .presetApplied(var record):
            try record.fields(&visitor)
            self = .presetApplied(record)
        case .preferencesReset(var record):
            try record.fields(&visitor)
            self = .preferencesReset(record)
        case .deviceRegistered(var record):
            try record.fields(&visitor)
            self = .deviceRegistered(record)
        case .deviceRemoved(var record):
            try record.fields(&visitor)
            self = .deviceRemoved(record)
        case .phoneVerificationRequested(var record):
            try record.fields(&visitor)
            self = .phoneVerificationRequested(record)
        case .phoneCodeEntered(var record):
            try record.fields(&visitor)
            self = .phoneCodeEntered(record)
        case .appOpened(var record):
            try record.fields(&visitor)
            self = .appOpened(record)
        case .appClosed(var record):
            try record.fields(&visitor)
            self = .appClosed(record)
        case .conversationOpened(var record):
            try record.fields(&visitor)
            self = .conversationOpened(record)
        case .conversationClosed(var record):
            try record.fields(&visitor)
            self = .conversationClosed(record)
        case .messagesRead(var record):
            try record.fields(&visitor)
            self = .messagesRead(record)
        case .messageReceived(var record):
            try record.fields(&visitor)
            self = .messageReceived(record)
        case .messageSent(var record):
            try record.fields(&visitor)
            self = .messageSent(record)
        case .sessionCompleted(var record):
            try record.fields(&visitor)
            self = .sessionCompleted(record)
        case .checkedIn(var record):
            try record.fields(&visitor)
            self = .checkedIn(record)
        case .pointsEarned(var record):
            try record.fields(&visitor)
            self = .pointsEarned(record)
        case .goalStarted(var record):
            try record.fields(&visitor)
            self = .goalStarted(record)
        case .goalChanged(var record):
            try record.fields(&visitor)
            self = .goalChanged(record)
        case .goalEnded(var record):
            try record.fields(&visitor)
            self = .goalEnded(record)
        case .noticeRequested(var record):
            try record.fields(&visitor)
            self = .noticeRequested(record)
        case .analysisAnswered(var record):
            try record.fields(&visitor)
            self = .analysisAnswered(record)
        case .analysisFailed(var record):
            try record.fields(&visitor)
            self = .analysisFailed(record)
        case .jobDelivered(var record):
            try record.fields(&visitor)
            self = .jobDelivered(record)
        case .jobFailed(var record):
            try record.fields(&visitor)
            self = .jobFailed(record)
        case .noticeOpened(var record):
            try record.fields(&visitor)
            self = .noticeOpened(record)
        case .noticeDismissed(var record):
            try record.fields(&visitor)
            self = .noticeDismissed(record)
        case .noticeSnoozed(var record):
            try record.fields(&visitor)
            self = .noticeSnoozed(record)
        case .feedbackGiven(var record):
            try record.fields(&visitor)
            self = .feedbackGiven(record)
        case .historyCleared(var record):
            try record.fields(&visitor)
            self = .historyCleared(record)
        case .runRequested(var record):
            try record.fields(&visitor)
            self = .runRequested(record)
        case .deliveryReported(var record):
            try record.fields(&visitor)
            self = .deliveryReported(record)
        case .jobRetryRequested(var record):
            try record.fields(&visitor)
            self = .jobRetryRequested(record)
        case .testRequested(var record):
            try record.fields(&visitor)
            self = .testRequested(record)
        case .unsubscribed(var record):
            try record.fields(&visitor)
            self = .unsubscribed(record)
        case .feedSeen(var record):
            try record.fields(&visitor)
            self = .feedSeen(record)
        case .subjectNamed(var record):
            try record.fields(&visitor)
            self = .subjectNamed(record)
        case .contactChanged(var record):
            try record.fields(&visitor)
            self = .contactChanged(record)
        case .personErased(var record):
            try record.fields(&visitor)
            self = .personErased(record)
        case .noticeHeld(var record):
            try record.fields(&visitor)
            self = .noticeHeld(record)
        case .noticeGathered(var record):
            try record.fields(&visitor)
            self = .noticeGathered(record)
        case .noticeDropped(var record):
            try record.fields(&visitor)
            self = .noticeDropped(record)
        case .slotsSkipped(var record):
            try record.fields(&visitor)
            self = .slotsSkipped(record)
        case .jobEmitted(var record):
            try record.fields(&visitor)
            self = .jobEmitted(record)
        case .analysisRequested(var record):
            try record.fields(&visitor)
            self = .analysisRequested(record)
        case .analysisConcluded(var record):
            try record.fields(&visitor)
            self = .analysisConcluded(record)
        case .phoneVerified(var record):
            try record.fields(&visitor)
            self = .phoneVerified(record)
        case .phoneLocked(var record):
            try record.fields(&visitor)
            self = .phoneLocked(record)
        case .workerStarted(var record):
            try record.fields(&visitor)
            self = .workerStarted(record)
        case .partitionTaken(var record):
            try record.fields(&visitor)
            self = .partitionTaken(record)
        case .policyApplied(var record):
            try record.fields(&visitor)
            self = .policyApplied(record)
        case .textsErased(var record):
            try record.fields(&visitor)
            self = .textsErased(record)
        }
    }
}
