internal import Notices

/// Why, and why not: what would become of a notice, and what became of one.
enum ExplainSchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("Outlook", outlook), ("NoticeStory", story), ("Prospect", prospect), ("Explanation", explanation),
    ]

    private static let outlook = Schema.object([
        .init("user", .text), .init("at", .instant),
        .init(
            "kinds",
            .list(
                .object([
                    .init("kind", .text),
                    .init(
                        "last",
                        .nullable(.object([.init("seq", .count), .init("at", .instant), .init("says", .text)])),
                        "what was decided about the kind last"),
                    .init("now", .named("Prospect"), "of such a notice raised at that moment"),
                    .init(
                        "next_slot",
                        .nullable(.object([.init("at", .instant), .init("prospect", .named("Prospect"))])),
                        "null where none is planned, or none is foretold"),
                    .optional("unforeseen", .text, "beside a next_slot of null: why none is foretold"),
                ]))),
    ])

    /// With `notice`: everything that was decided about it.
    private static let story = Schema.object([
        .init("notice", .text),
        .init(
            "events",
            .list(
                .object([
                    .init("seq", .count), .init("at", .instant), .init("type", .text), .init("says", .text),
                    .init("explanation", .nullable(explanation), "the rules as they were asked then"),
                ]))),
    ])

    private static let prospect = Schema.object([
        .optional("next_eligible", .nullable(.instant), "null where nothing comes unless something else changes"),
        .optional("unforeseen", .text, "in place of next_eligible: why nothing is said of what comes then"),
        .optional("joined_at", .instant, "it would be told in another's job"),
        .optional("gathered_at", .instant), .optional("dropped_at", .instant),
        .optional("reason", .reason, "of gathered_at and dropped_at"),
        .optional("never", .text, "why there would be none"), .optional("explanation", .named("Explanation")),
    ])

    private static let explanation = Schema.object([
        .init("at", .instant), .init("kind", .text),
        .init("exempt", .nullable(.text), "why some rules are not asked"),
        .init(
            "rules",
            .list(
                .object([
                    .init("rule", .text), .init("name", .text), .init("asked", .bool), .init("saw", .text),
                    .init("says", .nullable(.object(objection))),
                ])), "in their order"),
        .init("outcome", outcome),
    ])

    private static let outcome = Schema.object([.optional("send", .channels, "where none objects")] + objection)

    /// One of hold, gather and drop, with its reason.
    private static let objection: [Schema.Field] = [
        .optional("hold", .instant, "until when"), .optional("gather", .bool),
        .optional("digest", .word(DigestScope.names), "into which it is gathered; none for a summary"),
        .optional("drop", .bool), .optional("reason", .reason),
    ]
}
