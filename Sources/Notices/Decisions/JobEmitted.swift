package import CivilTime

// The order to reach someone (SPEC §11).

/// `job` is also the idempotency key at every provider. `summary` counts what a digest tells.
package struct JobEmitted: Record {
    package static let type = RecordType.decision(104, "job_emitted")

    package var job = NoticeName.start
    package var kind = Identifier.start
    package var notices: [NoticeName] = []
    package var subject: Identifier?
    package var channels: [Channel] = []
    package var priority = Priority.start
    package var title = Text.start
    package var body = Text.start
    package var thread: Identifier?
    package var category: Identifier?
    package var actions: [Identifier] = []
    package var badge: Int?
    package var data = FlatMap<Text>.start
    package var notAfter: Instant?
    package var slot: LocalSlot?
    package var summary = FlatMap<Int>.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "job", &job)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "notices", &notices)
        try visitor.field(4, "subject", &subject)
        try visitor.field(5, "channels", &channels)
        try visitor.field(6, "priority", &priority)
        try visitor.field(7, "title", &title)
        try visitor.field(8, "body", &body)
        try visitor.field(9, "thread", &thread)
        try visitor.field(10, "category", &category)
        try visitor.field(11, "actions", &actions)
        try visitor.field(12, "badge", &badge)
        try visitor.field(13, "data", &data)
        try visitor.field(14, "not_after", &notAfter)
        try visitor.field(15, "slot", &slot)
        try visitor.field(16, "summary", &summary)
    }
}
