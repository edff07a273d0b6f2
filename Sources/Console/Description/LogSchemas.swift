/// What the log holds, event by event, and where it ends.
enum LogSchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("Event", event), ("EventOrigin", origin), ("LogHead", head), ("LogHeads", heads),
    ]

    /// As the log prints it.
    private static let event = Schema.object([
        .optional("partition", .integer(), "whose number this is, where all of several partitions are read"),
        .init("seq", .count), .init("at", .instant), .init("type", .text), .optional("user", .text),
        .optional("id", .text, "the sender's idempotency key"),
        .optional("occurred_at", .instant, "when the sender says it happened, where that is another moment"),
        .optional("traceparent", .text),
        // Each type has data of its own; of facts they are described as senders write them.
        .init("data", .anyObject),
    ])

    private static let origin = Schema.object([
        .init("event", .named("Event")), .init("cause", .nullable(event), "the fact that led to a decision"),
        .init("consequences", .list(.named("Event")), "what was decided because of a fact: the first of it"),
        .init("consequence_count", .count),
        .init(
            "commit",
            .object([
                .init("position", .count), .init("at", .instant), .init("first", .count), .init("last", .count),
            ]), "where it stands"),
        .init("head", .text, "the hash of the log up to and including that commit"),
    ])

    private static let head = Schema.object([
        .optional("partition", .integer(), "where there are several; -1 is the log of what is about everyone"),
        .init("seq", .count, "the last durable event"), .init("commit", .count, "the position behind its commit"),
        .init("hash", .text), .init("recorded_at", .nullable(.instant), "null for a log that has nothing yet"),
    ])

    private static let heads = Schema.object([.init("partitions", .list(.named("LogHead")))])
}
