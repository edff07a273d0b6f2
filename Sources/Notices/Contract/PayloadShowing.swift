extension Payload {
    /// Shows the fields to a visitor that only looks: the record is neither copied nor put back.
    @inline(__always)
    func show<V: LookingVisitor>(_ visitor: inout V) throws(FieldError) {
        switch self {
        case .policyAdopted(let record): try record.show(&visitor)
        case .userEnrolled(let record): try record.show(&visitor)
        case .timezoneChanged(let record): try record.show(&visitor)
        case .consentGiven(let record): try record.show(&visitor)
        case .consentWithdrawn(let record): try record.show(&visitor)
        case .pushPermissionChanged(let record): try record.show(&visitor)
        case .preferencesChanged(let record): try record.show(&visitor)
        case .presetApplied(let record): try record.show(&visitor)
        case .preferencesReset(let record): try record.show(&visitor)
        case .deviceRegistered(let record): try record.show(&visitor)
        case .deviceRemoved(let record): try record.show(&visitor)
        case .phoneVerificationRequested(let record): try record.show(&visitor)
        case .phoneCodeEntered(let record): try record.show(&visitor)
        case .appOpened(let record): try record.show(&visitor)
        case .appClosed(let record): try record.show(&visitor)
        case .conversationOpened(let record): try record.show(&visitor)
        case .conversationClosed(let record): try record.show(&visitor)
        case .messagesRead(let record): try record.show(&visitor)
        case .messageReceived(let record): try record.show(&visitor)
        case .messageSent(let record): try record.show(&visitor)
        case .sessionCompleted(let record): try record.show(&visitor)
        case .checkedIn(let record): try record.show(&visitor)
        case .pointsEarned(let record): try record.show(&visitor)
        case .goalStarted(let record): try record.show(&visitor)
        case .goalChanged(let record): try record.show(&visitor)
        case .goalEnded(let record): try record.show(&visitor)
        case .noticeRequested(let record): try record.show(&visitor)
        case .analysisAnswered(let record): try record.show(&visitor)
        case .analysisFailed(let record): try record.show(&visitor)
        case .jobDelivered(let record): try record.show(&visitor)
        case .jobFailed(let record): try record.show(&visitor)
        case .noticeOpened(let record): try record.show(&visitor)
        case .noticeDismissed(let record): try record.show(&visitor)
        case .noticeSnoozed(let record): try record.show(&visitor)
        case .feedbackGiven(let record): try record.show(&visitor)
        case .historyCleared(let record): try record.show(&visitor)
        case .runRequested(let record): try record.show(&visitor)
        case .deliveryReported(let record): try record.show(&visitor)
        case .jobRetryRequested(let record): try record.show(&visitor)
        case .testRequested(let record): try record.show(&visitor)
        case .unsubscribed(let record): try record.show(&visitor)
        case .feedSeen(let record): try record.show(&visitor)
        case .subjectNamed(let record): try record.show(&visitor)
        case .contactChanged(let record): try record.show(&visitor)
        case .personErased(let record): try record.show(&visitor)
        case .noticeHeld(let record): try record.show(&visitor)
        case .noticeGathered(let record): try record.show(&visitor)
        case .noticeDropped(let record): try record.show(&visitor)
        case .slotsSkipped(let record): try record.show(&visitor)
        case .jobEmitted(let record): try record.show(&visitor)
        case .analysisRequested(let record): try record.show(&visitor)
        case .analysisConcluded(let record): try record.show(&visitor)
        case .phoneVerified(let record): try record.show(&visitor)
        case .phoneLocked(let record): try record.show(&visitor)
        case .workerStarted(let record): try record.show(&visitor)
        case .partitionTaken(let record): try record.show(&visitor)
        case .policyApplied(let record): try record.show(&visitor)
        case .textsErased(let record): try record.show(&visitor)
        }
    }
}

extension Record {
    /// - Precondition: the visitor changes no field, since the record is looked at where it lies.
    @inline(__always)
    fileprivate func show<V: LookingVisitor>(_ visitor: inout V) throws(FieldError) {
        try withUnsafePointer(to: self) { record throws(FieldError) in
            try UnsafeMutablePointer(mutating: record).pointee.fields(&visitor)
        }
    }
}
