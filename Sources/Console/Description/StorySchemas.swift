internal import Notices

/// What came to a person: as the history lists it, and as an inbox shows it.
enum StorySchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("HistoryEntry", entry), ("Feed", feed), ("FeedItem", feedItem), ("FeedCounts", .object(counts)),
    ]

    private static let status = Schema.word(HistoryStatus.allCases.map(\.rawValue))

    // MARK: The history

    /// One line of it.
    private static let entry = Schema.object(notice + state + told)

    private static let notice: [Schema.Field] = [
        .init("at", .instant), .init("status", status), .init("notice", .text), .init("kind", .text),
        .init("subject", .nullable(.text)), .init("subject_title", .nullable(.text)),
        .init("title", .nullable(.text)), .init("body", .nullable(.text)), .init("raised_at", .instant),
    ]

    private static let state: [Schema.Field] = [
        .init("state", .word(["undecided", "held", "gathered", "dropped", "skipped", "emitted"])),
        .optional("until", .instant, "of what is held"), .optional("into", .text, "of what is gathered"),
        .optional("reason", .reason, "of what is held, gathered, dropped or skipped"),
        .optional("first", .text, "with `last` and `count`, of slots that were skipped, in local time"),
        .optional("last", .text), .optional("count", .count),
        .optional("taken_along_by", .text, "the digest that was dropped and took it along"),
        .optional("channels", .channels, "with `notices`, of what was emitted"),
        .optional("notices", .list(.object(part)), "what its job told of besides"),
        .optional("test", .bool, "of what was emitted, and of samples"),
    ]

    private static let told: [Schema.Field] = [
        .optional(
            "retry",
            .word(["possible", "forgotten", "not_failed", "under_way", "reached", "too_late", "stopped"]),
            "of what failed: whether it can be sent once more"),
        .optional("not_after", .nullable(.instant), "beside retry"),
        .init("outcomes", .list(.object(outcome))), .init("answers", .list(.object(answer))),
    ]

    /// A notice that went out in another's job.
    private static let part: [Schema.Field] = [
        .init("notice", .text), .init("kind", .text), .init("subject", .nullable(.text)),
        .init("subject_title", .nullable(.text)), .init("title", .nullable(.text)),
    ]

    /// One try, or one report of a provider.
    private static let outcome: [Schema.Field] = [
        .init("at", .instant), .init("channel", .nullable(.channel)),
        .init("status", .word(["sent", "retried"] + ReportStatus.names)), .init("reason", .nullable(.text)),
        .init("permanent", .nullable(.bool)),
        .init(
            "means",
            .nullable(
                .word([
                    "too_late", "no_address", "address_dead", "stopped", "switched_off", "no_consent", "settled",
                    "answered", "network",
                ])),
            "what a failure comes to for the person, where that is known"),
        .init("device", .nullable(.text)),
        .init("gives_way_to", .nullable(.channels), "what the job is tried on instead"),
        .init("provider_id", .nullable(.text)),
    ]

    private static let answer: [Schema.Field] = [
        .init("at", .instant), .init("answer", .word(["opened", "dismissed", "snoozed", "judged"])),
        .optional("minutes", .count, "of snoozed"), .optional("helpful", .bool, "of judged"),
    ]

    // MARK: The feed

    private static let counts: [Schema.Field] = [
        .init("badge", .count, "the number on the app's icon"), .init("unseen", .count),
    ]

    private static let feed = Schema.object(
        counts + [
            .init("items", .list(.named("FeedItem")), "newest first"),
            .init("next", .nullable(.count), "`before` of the next page"),
            .init("through_seq", .count, "what a stream of it goes on behind"),
        ])

    private static let feedItem = Schema.object([
        .init("seq", .count), .init("job", .text), .init("at", .instant), .init("kind", .text), .init("label", .text),
        .init("subject", .nullable(.text)), .init("title", .text), .init("body", .text),
        .init("priority", .word(Priority.names)), .init("channels", .channels), .init("status", status),
        .init("seen", .bool), .init("opened", .bool), .init("dismissed", .bool),
        .init("snoozed_until", .nullable(.instant)), .init("actions", .list(.text)), .init("data", .map(.text)),
        .init("snooze_minutes", .list(.count), "none where it may not be put off again"), .init("test", .bool),
    ])
}
