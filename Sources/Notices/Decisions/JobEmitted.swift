public import CivilTime

// The order to reach someone (SPEC §11).

/// `job` is also the idempotency key at every provider. `summary` counts what a digest tells.
public struct JobEmitted: Record {
    public static let type = RecordType.decision(104, "job_emitted", version: 2)

    public var job = NoticeName.start
    public var kind = Identifier.start
    public var notices: [NoticeName] = []
    public var subject: Identifier?
    public var channels: [Channel] = []
    public var priority = Priority.start
    public var title = Text.start
    public var body = Text.start
    public var thread: Identifier?
    public var category: Identifier?
    public var actions: [Identifier] = []
    public var badge: Int?
    public var data = FlatMap<Text>.start
    public var notAfter: Instant?
    public var slot: LocalSlot?
    public var summary = FlatMap<Int>.start
    /// A sample that somebody asked for (`N8`); it counts for nothing.
    public var isTest: Bool?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.names(1, "job", &job)
        try visitor.field(2, "kind", &kind)
        try visitor.names(3, "notices", &notices)
        try visitor.field(4, "subject", &subject)
        try visitor.field(5, "channels", &channels)
        try visitor.field(6, "priority", &priority)
        try visitor.sealed(7, "title", &title, .told)
        try visitor.sealed(8, "body", &body, .told)
        try visitor.field(9, "thread", &thread)
        try visitor.field(10, "category", &category)
        try visitor.field(11, "actions", &actions)
        try visitor.field(12, "badge", &badge)
        try visitor.sealed(13, "data", &data, .told)
        try visitor.field(14, "not_after", &notAfter)
        try visitor.field(15, "slot", &slot)
        try visitor.field(16, "summary", &summary)
        try visitor.field(17, "test", &isTest)
    }
}

extension JobEmitted {
    /// Whether it told of several notices of its own kind (`P19`). What a digest or a summary lists is of other kinds.
    public var isBundle: Bool { companions.count > 0 }

    /// The others of its kind that went out in it.
    public var companions: [NoticeName] { notices.filter { $0 != job && $0.kind == kind.text } }
}
