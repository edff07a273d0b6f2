internal import Notices

/// What is known of one person, and what a change of theirs would do.
enum PersonSchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("Preferences", PreferenceShape.document.inForce), ("PersonState", state), ("PersonExport", export),
        ("PreferencesPreview", preview), ("AnalysisTrial", analysisTrial),
    ]

    /// How the analyser stands: the word for it, and why where it is the fallback.
    static let analyser: [Schema.Field] = [
        .init("status", .word(["untested", "active", "using_fallback", "off"])), .init("reason", .nullable(.text)),
    ]

    static let permission = Schema.word(["granted", "denied", "unknown"])

    static let snoozed = Schema.list(.object([.init("notice", .text), .init("due", .instant)]))

    private static let state = Schema.object([
        .init("user", .text),
        .optional("partition", .integer(), "whose numbers their events have, where there are several"),
        .init("seq", .count, "the last event that it follows from"), .init("at", .instant),
        .init("name", .nullable(.text)), .init("policy", .text), .init("enrolled_at", .instant),
        .init("timezone", .text), .init("local_time", .text, "where they are, such as 2026-03-02T14:00"),
        .init("clock", .list(.named("Clock"))),
        .optional("device_timezone", .text, "the device's zone, where they keep another"),
        .init("preset", .nullable(.text)), .init("preferences", .named("Preferences")), .changed,
        .init("warnings", .list(.text), "what of their preferences cannot be read"),
        .init("consent", .list(.word(ConsentGiver.names))), .init("permission", permission),
        .init("app_open", .bool), .init("reachable", .channels),
        .init("email", .nullable(.word(["known", "bounced"])), "the address itself is in the log"),
        .init("phone", .nullable(.word(["verified", "not verified", "dead"]))),
        .init(
            "devices",
            .list(.object([.init("device", .text), .init("registered_at", .instant), .init("seq", .count)]))),
        .init("jobs_today", .count), .init("all_jobs_today", .count), .init("daily_cap", .nullable(.integer())),
        .init("waiting", waiting), .init("snoozed", snoozed), .init("goals", goals),
        .optional(
            "stopped", .list(.object([.init("kind", .text), .init("channels", .channels)])),
            "what a link in a mail stopped, where there is any"),
        .optional("smart", smart, "under a policy with analyses"),
        .optional("retention_ends", .instant, "when they are erased unless something is heard of them"),
        .optional(
            "decided_until", .instant, "where the log ends, of a moment behind that until which something falls due"),
        .init("next_wake", .nullable(.instant)),
    ])

    private static let smart = Schema.object([.init("opted_in", .bool)] + analyser)

    private static let waiting = Schema.list(
        .object([
            .init("notice", .text), .init("kind", .text), .init("raised_at", .instant),
            .optional("until", .instant, "of what is held"), .optional("into", .text, "of what is gathered"),
            .init("reason", .reason),
        ]))

    private static let goals = Schema.list(
        .object([
            .init("goal", .text), .init("title", .text), .init("deadline", .nullable(.instant)),
            .init("ended", .bool), .init("last_check_in", .nullable(.instant)),
        ]))

    private static let export = Schema.object([
        .init("user", .text), .init("at", .instant), .init("state", .named("PersonState")),
        .init("events", .list(.named("Event"))),
    ])

    // MARK: What would come of it

    private static let preview = Schema.object([
        .init("preferences", .named("Preferences"), "what it would lead to"),
        .init(
            "changes",
            .list(
                .object([
                    .init("path", .text), .init("from", .anything), .init("to", .anything), .init("sentence", .text),
                ]))),
        .init("warnings", .list(.text)),
        .init("waiting", .list(.object(otherwise)), "what waits now and would go another way"),
    ])

    private static let otherwise: [Schema.Field] = [
        .init("notice", .text), .init("kind", .text), .init("subject", .nullable(.text)),
        .init("title", .nullable(.text)), .init("raised_at", .instant),
        .init("fate", .word(["dropped", "dropped_from_digest", "held", "gathered", "released"])),
        .optional("reason", .reason, "of all but what is released"), .optional("until", .instant, "of what is held"),
        .optional("into", .text, "of what is gathered"), .optional("channels", .channels, "of what is released"),
    ]

    private static let analysisTrial = Schema.object([
        .init("conversation", .text), .init("should_notify", .bool), .init("priority", .word(Priority.names)),
        .init("reason", .text), .init("text", .text), .init("note", .text),
    ])
}
