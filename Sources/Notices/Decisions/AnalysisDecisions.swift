// How a conversation was judged (SPEC §9).

package struct AnalysisRequested: Record {
    package static let type = RecordType.decision(105, "analysis_requested")

    package var conversation = Identifier.start
    package var trigger = AnalysisTrigger.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "trigger", &trigger)
    }
}

package struct AnalysisConcluded: Record {
    package static let type = RecordType.decision(106, "analysis_concluded")

    package var conversation = Identifier.start
    package var source = AnalysisSource.start
    package var notify = Bool.start
    package var priority = Priority.start
    package var reason = Text.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "source", &source)
        try visitor.field(3, "notify", &notify)
        try visitor.field(4, "priority", &priority)
        try visitor.field(5, "reason", &reason)
    }
}
