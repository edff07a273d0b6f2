// What became of a job once it left.

public struct JobDelivered: Record {
    public static let type = RecordType.fact(45, "job_delivered")

    public var job = NoticeName.start
    public var channel = Channel.start
    public var providerID: Token?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
        try visitor.field(2, "channel", &channel)
        try visitor.sealed(3, "provider_id", &providerID)
    }
}

public struct JobFailed: Record {
    public static let type = RecordType.fact(46, "job_failed", version: 2)

    public var job = NoticeName.start
    public var channel = Channel.start
    public var reason = Text.start
    public var isPermanent = Bool.start
    public var retryAfterSeconds: Int?
    /// Nothing was tried: it was to go out on this channel after all (`N4`, `N7`), and there was nothing left to send. The
    /// channel has neither failed nor been used.
    public var isUntried: Bool?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
        try visitor.field(2, "channel", &channel)
        try visitor.sealed(3, "reason", &reason)
        try visitor.field(4, "permanent", &isPermanent)
        try visitor.field(5, "retry_after_seconds", &retryAfterSeconds, .range(0, 2_592_000))
        try visitor.derived(6, "untried", &isUntried)
    }
}

/// What the provider said of a job after it had taken it (`N3`).
public struct DeliveryReported: Record {
    public static let type = RecordType.fact(53, "delivery_reported", version: 2)

    public var job = NoticeName.start
    public var channel = Channel.start
    public var status = ReportStatus.start
    /// Whether the address is of no use any more.
    public var isPermanent: Bool?
    public var code: Text?
    public var providerID: Token?
    public var device: Identifier?
    /// The channels that the job is tried on instead, the first first (`N4`): what its worker chose as it recorded this.
    public var givesWayTo: [Channel] = []

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
        try visitor.field(2, "channel", &channel)
        try visitor.field(3, "status", &status)
        try visitor.field(4, "permanent", &isPermanent)
        try visitor.sealed(5, "code", &code)
        try visitor.sealed(6, "provider_id", &providerID)
        try visitor.field(7, "device", &device)
        try visitor.derived(8, "gives_way_to", &givesWayTo)
    }

    /// Whether it says something of the channel. Of a person's devices one may be gone and another not: only that it came to
    /// one says something of all.
    public var isOfAll: Bool { status.isGood || device == nil }

    /// Whether the job comes no more on this channel. Providers of mail say "failed" of what they try again, and of an answer
    /// that somebody is away; of a text it is the end.
    public var isForGood: Bool {
        guard isOfAll else { return false }
        switch status {
        // Whoever complains has it.
        case .delivered, .complained: return false
        case .bounced, .failed, .expired: return isPermanent == true || channel == .sms
        }
    }
}

public struct NoticeOpened: Record {
    public static let type = RecordType.fact(47, "notice_opened")

    public var job = NoticeName.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
    }
}

public struct NoticeDismissed: Record {
    public static let type = RecordType.fact(48, "notice_dismissed")

    public var job = NoticeName.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
    }
}

public struct NoticeSnoozed: Record {
    public static let type = RecordType.fact(49, "notice_snoozed")

    public var job = NoticeName.start
    public var minutes = Int.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
        try visitor.field(2, "minutes", &minutes, .oneOf(15, 60, 120))
    }
}

public struct FeedbackGiven: Record {
    public static let type = RecordType.fact(50, "feedback_given")

    public var job = NoticeName.start
    public var isHelpful = Bool.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
        try visitor.field(2, "helpful", &isHelpful)
    }
}

public struct HistoryCleared: Record {
    public static let type = RecordType.fact(51, "history_cleared")

    public init() {}
}

/// Everything in the app's feed up to now was seen (`V4`).
public struct FeedSeen: Record {
    public static let type = RecordType.fact(57, "feed_seen")

    public init() {}
}
