public import CivilTime

// What became of a notice (SPEC §12).

public struct NoticeHeld: Record {
    public static let type = RecordType.decision(100, "notice_held")

    public var notice = NoticeName.start
    public var kind = Identifier.start
    public var subject: Identifier?
    public var until = Instant.start
    public var reason = Reason.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "notice", &notice)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "subject", &subject)
        try visitor.field(4, "until", &until)
        try visitor.field(5, "reason", &reason)
    }
}

public struct NoticeGathered: Record {
    public static let type = RecordType.decision(101, "notice_gathered")

    public var notice = NoticeName.start
    public var kind = Identifier.start
    public var subject: Identifier?
    public var into = NoticeName.start
    public var reason = Reason.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "notice", &notice)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "subject", &subject)
        try visitor.names(4, "into", &into)
        try visitor.field(5, "reason", &reason)
    }
}

public struct NoticeDropped: Record {
    public static let type = RecordType.decision(102, "notice_dropped")

    public var notice = NoticeName.start
    public var kind = Identifier.start
    public var subject: Identifier?
    public var reason = Reason.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "notice", &notice)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "subject", &subject)
        try visitor.field(4, "reason", &reason)
    }
}

public struct SlotsSkipped: Record {
    public static let type = RecordType.decision(103, "slots_skipped")

    public var kind = Identifier.start
    public var subject: Identifier?
    public var reason = Reason.start
    public var first = LocalSlot.start
    public var last = LocalSlot.start
    public var count = Int.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "kind", &kind)
        try visitor.field(2, "subject", &subject)
        try visitor.field(3, "reason", &reason)
        try visitor.field(4, "first", &first)
        try visitor.field(5, "last", &last)
        try visitor.field(6, "count", &count, .range(1, 1_000_000))
    }
}
