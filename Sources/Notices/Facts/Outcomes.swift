// What became of a job once it left.

package struct JobDelivered: Record {
    package static let type = RecordType.fact(45, "job_delivered")

    package var job = NoticeName.start
    package var channel = Channel.start
    package var providerID: Token?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "job", &job)
        try visitor.field(2, "channel", &channel)
        try visitor.field(3, "provider_id", &providerID)
    }
}

package struct JobFailed: Record {
    package static let type = RecordType.fact(46, "job_failed")

    package var job = NoticeName.start
    package var channel = Channel.start
    package var reason = Text.start
    package var isPermanent = Bool.start
    package var retryAfterSeconds: Int?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "job", &job)
        try visitor.field(2, "channel", &channel)
        try visitor.field(3, "reason", &reason)
        try visitor.field(4, "permanent", &isPermanent)
        try visitor.field(5, "retry_after_seconds", &retryAfterSeconds, .range(0, 2_592_000))
    }
}

package struct NoticeOpened: Record {
    package static let type = RecordType.fact(47, "notice_opened")

    package var job = NoticeName.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "job", &job)
    }
}

package struct NoticeDismissed: Record {
    package static let type = RecordType.fact(48, "notice_dismissed")

    package var job = NoticeName.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "job", &job)
    }
}

package struct NoticeSnoozed: Record {
    package static let type = RecordType.fact(49, "notice_snoozed")

    package var job = NoticeName.start
    package var minutes = Int.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "job", &job)
        try visitor.field(2, "minutes", &minutes, .oneOf(15, 60, 120))
    }
}

package struct FeedbackGiven: Record {
    package static let type = RecordType.fact(50, "feedback_given")

    package var job = NoticeName.start
    package var isHelpful = Bool.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "job", &job)
        try visitor.field(2, "helpful", &isHelpful)
    }
}

package struct HistoryCleared: Record {
    package static let type = RecordType.fact(51, "history_cleared")

    package init() {}
}
