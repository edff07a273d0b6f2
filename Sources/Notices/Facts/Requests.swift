package import CivilTime

// What the app asked Belfry to do.

package struct NoticeRequested: Record {
    package static let type = RecordType.fact(42, "notice_requested")

    package var kind = Identifier.start
    package var subject: Identifier?
    package var title: Text?
    package var body: Text?
    package var priority: Priority?
    package var expiresAt: Instant?
    package var data = FlatMap<Text>.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "kind", &kind)
        try visitor.field(2, "subject", &subject)
        try visitor.field(3, "title", &title)
        try visitor.field(4, "body", &body)
        try visitor.field(5, "priority", &priority)
        try visitor.field(6, "expires_at", &expiresAt)
        try visitor.field(7, "data", &data)
    }
}

/// A recorded "run now"; without a user it is for everyone.
package struct RunRequested: Record {
    package static let type = RecordType.fact(52, "run_requested", isAboutPerson: false)

    package var user: Identifier?
    package var kind: Identifier?
    package var force: Bool?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "user", &user)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "force", &force)
    }
}

package struct AnalysisAnswered: Record {
    package static let type = RecordType.fact(43, "analysis_answered")

    package var conversation = Identifier.start
    package var shouldNotify = Bool.start
    package var priority = Priority.start
    package var reason = Text.start
    package var noticeText = Text.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "should_notify", &shouldNotify)
        try visitor.field(3, "priority", &priority)
        try visitor.field(4, "reason", &reason)
        try visitor.field(5, "text", &noticeText)
    }
}

package struct AnalysisFailed: Record {
    package static let type = RecordType.fact(44, "analysis_failed")

    package var conversation = Identifier.start
    package var reason = Text.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "reason", &reason)
    }
}
