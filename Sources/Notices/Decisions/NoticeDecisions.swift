package import CivilTime

// What became of a notice (SPEC §12).

package struct NoticeHeld: Record {
    package static let type = RecordType.decision(100, "notice_held")

    package var notice = NoticeName.start
    package var kind = Identifier.start
    package var subject: Identifier?
    package var until = Instant.start
    package var reason = Reason.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "notice", &notice)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "subject", &subject)
        try visitor.field(4, "until", &until)
        try visitor.field(5, "reason", &reason)
    }
}

package struct NoticeGathered: Record {
    package static let type = RecordType.decision(101, "notice_gathered")

    package var notice = NoticeName.start
    package var kind = Identifier.start
    package var subject: Identifier?
    package var into = NoticeName.start
    package var reason = Reason.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "notice", &notice)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "subject", &subject)
        try visitor.field(4, "into", &into)
        try visitor.field(5, "reason", &reason)
    }
}

package struct NoticeDropped: Record {
    package static let type = RecordType.decision(102, "notice_dropped")

    package var notice = NoticeName.start
    package var kind = Identifier.start
    package var subject: Identifier?
    package var reason = Reason.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "notice", &notice)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "subject", &subject)
        try visitor.field(4, "reason", &reason)
    }
}

package struct SlotsSkipped: Record {
    package static let type = RecordType.decision(103, "slots_skipped")

    package var kind = Identifier.start
    package var subject: Identifier?
    package var reason = Reason.start
    package var first = LocalSlot.start
    package var last = LocalSlot.start
    package var count = Int.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "kind", &kind)
        try visitor.field(2, "subject", &subject)
        try visitor.field(3, "reason", &reason)
        try visitor.field(4, "first", &first)
        try visitor.field(5, "last", &last)
        try visitor.field(6, "count", &count, .range(1, 1_000_000))
    }
}
