// How a conversation was judged (SPEC §9).

public struct AnalysisRequested: Record {
    public static let type = RecordType.decision(105, "analysis_requested")

    public var conversation = Identifier.start
    public var trigger = AnalysisTrigger.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "trigger", &trigger)
    }
}

public struct AnalysisConcluded: Record {
    public static let type = RecordType.decision(106, "analysis_concluded")

    public var conversation = Identifier.start
    public var source = AnalysisSource.start
    public var notify = Bool.start
    public var priority = Priority.start
    public var reason = Text.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "source", &source)
        try visitor.field(3, "notify", &notify)
        try visitor.field(4, "priority", &priority)
        try visitor.sealed(5, "reason", &reason, .told)
    }
}
