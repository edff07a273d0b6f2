public import CivilTime

// What the app asked Belfry to do.

public struct NoticeRequested: Record {
    public static let type = RecordType.fact(42, "notice_requested", version: 2)

    public var kind = Identifier.start
    public var subject: Identifier?
    public var title: Text?
    public var body: Text?
    public var priority: Priority?
    public var expiresAt: Instant?
    public var data = FlatMap<Text>.start
    /// What the data says of it, where the kind has such: a decision hangs on it, and none may hang on what is sealed (`E2`).
    public var subtype: Text?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "kind", &kind)
        try visitor.field(2, "subject", &subject)
        try visitor.sealed(3, "title", &title, .told)
        try visitor.sealed(4, "body", &body, .told)
        try visitor.field(5, "priority", &priority)
        try visitor.field(6, "expires_at", &expiresAt)
        try visitor.sealed(7, "data", &data, .told)
        try visitor.derived(8, "subtype", &subtype)
    }
}

extension NoticeRequested {
    /// As it was recorded; of a fact that was not, and in a log of before it was, as the data says.
    var saidSubtype: String? { (subtype ?? data["subtype"])?.text }
}

/// A recorded "run now"; without a user it is for everyone.
public struct RunRequested: Record {
    public static let type = RecordType.fact(52, "run_requested", isAboutPerson: false)

    public var user: Identifier?
    public var kind: Identifier?
    public var force: Bool?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "user", &user)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "force", &force)
    }
}

/// What failed is to be sent once more, as the same job (`N7`).
public struct JobRetryRequested: Record {
    public static let type = RecordType.fact(54, "job_retry_requested")

    public var job = NoticeName.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
    }
}

/// A sample of a kind, to the person's own devices (`N8`).
public struct TestRequested: Record {
    public static let type = RecordType.fact(55, "test_requested")

    public var kind = Identifier.start
    public var channel: Channel?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "kind", &kind)
        try visitor.field(2, "channel", &channel)
    }
}

public struct AnalysisAnswered: Record {
    public static let type = RecordType.fact(43, "analysis_answered")

    public var conversation = Identifier.start
    public var shouldNotify = Bool.start
    public var priority = Priority.start
    public var reason = Text.start
    public var noticeText = Text.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "should_notify", &shouldNotify)
        try visitor.field(3, "priority", &priority)
        try visitor.sealed(4, "reason", &reason, .told)
        try visitor.sealed(5, "text", &noticeText, .told)
    }
}

public struct AnalysisFailed: Record {
    public static let type = RecordType.fact(44, "analysis_failed")

    public var conversation = Identifier.start
    public var reason = Text.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.sealed(2, "reason", &reason, .told)
    }
}
