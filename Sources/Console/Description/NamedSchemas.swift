internal import CivilTime
internal import Notices

/// What answers are made of, under names that clients are generated with.
enum NamedSchemas {
    static var all: [(name: String, schema: Schema)] {
        own + EventSchemas.facts + LogSchemas.all + PersonSchemas.all + ExplainSchemas.all + StorySchemas.all
            + SettingsSchemas.all + ClusterSchemas.all
    }

    private static var own: [(name: String, schema: Schema)] {
        [
            ("Problem", problem), ("Carrier", carrier), ("Health", health), ("Ready", ready),
            ("FactsReport", factsReport), ("FactsProblem", factsProblem), ("CloudEvent", cloudEvent),
            ("CloudEventBatch", .list(.named("CloudEvent"))),
            ("PreferencesPatch", PreferenceShape.document.schema),
            ("Fact", .either(EventSchemas.facts.map { .named($0.name) }, by: "type")),
            ("RunReport", runReport), ("RetryReport", retryReport), ("TestReport", testReport),
            ("ErasureReport", erasureReport), ("Recorded", recorded), ("CodeSent", codeSent),
            ("PhoneVerified", phoneVerified), ("PersonPass", personPass), ("PersonToken", personToken),
            ("Session", session),
            ("PersonListed", personListed), ("Stretch", stretch), ("Clock", clock), ("Slot", slot), ("Wait", wait),
            ("Mark", mark),
            ("Day", day),
            ("Agenda", agenda), ("Now", now), ("PolicyReport", policyReport), ("PolicyCheck", policyCheck),
            ("WhatIfOrder", whatIfOrder), ("WhatIfBegun", whatIfBegun), ("WhatIfReport", whatIfReport),
            ("WhatIf", whatIf),
            ("Stats", stats),
        ]
    }

    private static let problem = Schema.object([
        .init("error", .text), .optional("in_doubt", .bool, "what was sent may have been taken all the same"),
    ])

    /// CNCF CloudEvents 1.0; whoever makes events may add attributes.
    private static let cloudEvent = Schema.object([
        .init("specversion", .word([CloudEvent.version])),
        .init("id", .text, "with the source what the fact is known by"),
        .init("source", .text), .init("type", .word(CloudEvent.types)),
        .optional("subject", ValueShape.identifier.schema, "whom it is about"), .optional("time", .instant),
        .optional("datacontenttype", .text), .optional("data", .anyObject), .optional("data_base64", .text),
        .optional("traceparent", .text),
    ])

    // MARK: The worker

    private static let carrier = Schema.object([
        .init("name", .text), .init("waiting", .count), .init("broken", .bool), .init("problem", .nullable(.text)),
        .init("next_try_at", .nullable(.instant), "it is given nothing before"),
    ])

    private static let troubles = Schema.list(.object([.init("what", .text), .init("words", .text)]))

    private static let health = Schema.object([
        .init("status", .word(["ready", "not_ready"])), .optional("why_not", .nullable(.text)),
        .optional("version", .text), .optional("last_seq", .count), .optional("recorded_at", .nullable(.instant)),
        .optional("people", .count), .optional("waiting_jobs", .count), .optional("uptime_seconds", .integer()),
        .optional("carriers", .list(.named("Carrier"))),
        .optional(
            "log_check",
            .object([
                .init("underway", .nullable(.object([.init("bytes", .count), .init("of_bytes", .count)]))),
                .init("whole_at", .nullable(.instant)),
            ]), "how far the log has been read through, and when it was last found whole"),
        .optional("troubles", troubles, "what is wrong and stays so until somebody, or time, mends it"),
        .optional("partitions", .count, "how many people are dealt over"),
        .optional(
            "unusable_copies", .list(.object([.init("partition", .integer()), .init("problem", .text)])),
            "copies of a cluster's logs that could not be used here"),
    ])

    private static let ready = Schema.object([.init("ready", .bool), .optional("why_not", .text)])

    private static let now = Schema.object([
        .init("at", .instant), .init("last_seq", .count), .init("version", .text), .init("policy", .nullable(.text)),
        .init("people", .count), .init("why_not_ready", .nullable(.text)), .init("oldest_due_seconds", .number),
        .init("due_people", .count), .init("waiting", .map(.count)), .init("carriers", .list(.named("Carrier"))),
        .init("troubles", troubles),
        .init(
            "minute",
            .object(["facts", "decisions", "jobs", "dropped", "held"].map { .init($0, .count) }),
            "what was done in the last 60 seconds"),
        .init("lag", .object([.init("p50_ms", .nullable(.number)), .init("p99_ms", .nullable(.number))])),
        .optional(
            "partitions",
            .object([
                .init("of", .count), .init("told", .count),
                .init("late", .list(.object([.init("partition", .count), .init("seconds", .number)]))),
            ]),
            "of a cluster: how many partitions there are, of how many this tells, and how long somebody has been due"),
    ])

    // MARK: Orders

    private static let factsReport = Schema.object([
        .init("accepted", .count), .init("refused", .count), .init("results", .list(.object(factResult))),
    ])
    /// Nothing was taken, or not all of it.
    private static let factsProblem = Schema.object([
        .init("error", .text), .optional("in_doubt", .bool, "a part of it is there, or may be"),
        .optional("accepted", .count, "with refused and results, where the logs of some facts took theirs"),
        .optional("refused", .count),
        .optional(
            "results",
            .list(
                .object(
                    factResult + [
                        .optional("not_taken", .text, "why its log did not take it; send it again"),
                        .optional("in_doubt", .text, "why it is not known whether its log took it"),
                    ]))),
    ])
    private static let factResult: [Schema.Field] = [
        .init("line", .count), .optional("seq", .count), .optional("duplicate_of", .count), .optional("refused", .text),
        .optional("withheld", .bool), .optional("warnings", .list(.text)),
        .optional("partition", .integer(), "whose numbers these are, where there are several; -1 of everyone"),
    ]

    private static let runReport = Schema.object([
        .init("jobs", .list(.named("Event"))), .init("job_count", .count), .optional("events", .count),
        .optional("first_seq", .count), .optional("last_seq", .count), .optional("dry_run", .bool),
        .init("unsent", .list(.named("Event"))), .init("unsent_count", .count),
        .init(
            "withheld",
            .list(
                .object([
                    .init("type", .text), .init("reason", .reason), .init("count", .count),
                    .optional("first_until", .instant), .optional("last_until", .instant),
                ])), "all that was not sent, by what was decided and why"),
        .optional("erased", .list(.named("Event")), "people whom the policy keeps no longer; where there are any"),
        .optional("erased_count", .count),
        .optional(
            "partitions",
            .list(
                .object([.init("partition", .count), .init("first_seq", .count), .init("last_seq", .count)])),
            "in place of first_seq and last_seq, where there are several"),
    ])

    private static let retryReport = Schema.object([
        .init("retried", .count), .init("refused", .count),
        .init(
            "jobs",
            .list(.object([.init("job", .text), .optional("seq", .count), .optional("refused", .text)]))),
    ])

    /// What somebody said of themselves.
    private static let recorded = Schema.object([
        .init("seq", .count), .init("warnings", .list(.text)),
        duplicate,
    ])
    static let duplicate = Schema.Field.optional(
        "duplicate", .bool, "it was recorded before, under the same idempotency key")
    private static let codeSent = Schema.object([
        .init("seq", .count), .optional("resend_after_seconds", .count, "where a number waits for its code"),
        .optional("code_expires_at", .instant, "where a number waits for its code"),
        .optional("warnings", .list(.text), "where no code was sent, since no sender has texts"), duplicate,
    ])
    private static let phoneVerified = Schema.object([
        .init("verified", .bool), .init("phone", .nullable(.text)), duplicate,
    ])

    // MARK: Who may ask

    private static let personPass = Schema.object([
        .init("user", .text), .init("name", .nullable(.text)), .init("expires_at", .instant),
    ])
    private static let personToken = Schema.object([
        .init("token", .text), .init("id", .text), .init("user", .text), .init("expires_at", .instant),
    ])
    private static let session = Schema.object([
        .init("name", .text), .init("role", .word(Role.allCases.map(\.rawValue))),
        .init("expires_at", .nullable(.instant)),
    ])

    // MARK: What became of orders

    private static let erasureReport = Schema.object([
        .init("seq", .count), .init("removed", .list(.text)), .init("elsewhere", .list(.text)),
    ])
    private static let testReport = Schema.object([
        .init("seq", .count), .init("decisions", .list(.named("Event"))), .optional("duplicate", .bool),
    ])

    // MARK: People

    /// One line of a list.
    private static let personListed = Schema.object([
        .init("user", .text), .init("name", .nullable(.text)), .init("timezone", .text), .init("last_active", .instant),
        .init("next_wake", .nullable(.instant)), .init("held", .count), .init("gathered", .count),
        .init("snoozed", .count),
    ])

    private static let stretch = Schema.object([.init("from", .instant), .init("to", .instant)])

    private static let clock = Schema.object([.init("from", .instant), .init("seconds", .integer())])

    private static let slot = Schema.object([
        .init("at", .instant), .init("kind", .text), .init("label", .text), .init("subject", .nullable(.text)),
        .init("state", .word(["to_come", "fired", "skipped", "missed"])), .init("notice", .nullable(.text)),
        .init("decided_at", .nullable(.instant), "when that was recorded: before its day where it was brought forward"),
        .init("silence", .nullable(.text), "why nothing would come of a slot to come today as things stand"),
    ])

    private static let wait = Schema.object([
        .init("notice", .text), .init("kind", .text), .init("subject", .nullable(.text)), .init("raised_at", .instant),
        .init("until", .nullable(.instant)), .init("into", .nullable(.text), "the digest or summary that it waits for"),
        .init("reason", .text),
    ])

    private static let mark = Schema.object([
        .init("seq", .count), .init("at", .instant), .init("type", .text), .init("kind", .nullable(.text)),
        .init("subject", .nullable(.text)), .init("notice", .nullable(.text)), .init("until", .nullable(.instant)),
        .init("into", .nullable(.text), "the job that told, or is to tell, of what was gathered or went with another"),
        .init("reason", .nullable(.text)),
    ])

    private static let day = Schema.object([
        .init("user", .text), .init("date", .date),
        .init("previous_date", .nullable(.date), "the date that the person had before it"),
        .init("next_date", .nullable(.date), "the date that the person has after it"), .init("timezone", .text),
        .init("zones", .list(.text), "where the person lived the day, in turn; the last is timezone"),
        .init("clock", .list(.named("Clock"))), .init("from", .instant),
        .init("to", .instant), .init("now", .nullable(.instant)), .init("jobs_today", .count),
        .init("all_jobs_today", .count), .init("daily_cap", .nullable(.integer())),
        .init("quiet", .list(.named("Stretch"))), .init("quiet_until", .nullable(.instant)),
        .init("schedule", .nullable(.list(.named("Stretch")))), .init("app_open", .list(.named("Stretch"))),
        .init("slots", .list(.named("Slot"))),
        .init("waits", .list(.named("Wait")), "what waited already when the day began, the first 200"),
        .init("marks", .list(.named("Mark"))),
        .init("subjects", .map(.text), "titles of goals and names of subjects that the slots and marks are about"),
        .optional("marks_left_out", .count), .init("next_wake", .nullable(.instant)),
        .init("through_seq", .count, "what the person's events are followed behind"),
    ])

    private static let agenda = Schema.object([
        .init("from", .instant), .init("step_minutes", .count),
        .init(
            "buckets",
            .list(.object([.init("at", .instant), .init("kinds", .map(.count)), .init("people", .count)]))),
        .init(
            "next",
            .list(
                .object([
                    .init("at", .instant), .init("user", .text), .init("timezone", .text), .init("kind", .text),
                    .init("subject", .nullable(.text)),
                    .init("cause", .nullable(.word(DueMatter.Cause.Name.allCases.map(\.rawValue)))),
                    .init("notice", .nullable(.text)),
                ]))),
    ])

    // MARK: Policies

    private static let policyReport = Schema.object([
        // A document that `/v1/policy/check` checks: it says more than a schema can.
        .init("policy", .anyObject), .init("seq", .nullable(.integer())), .init("adopted_at", .nullable(.instant)),
        .optional("partition", .integer(), "whose number `seq` is, where there are several"),
        .init(
            "kinds",
            .list(
                .object([
                    .init("name", .text), .init("label", .text), .init("priority", .word(Priority.names)),
                    .init("sentence", .text), .init("rules", .list(.text)),
                ]))), .init("sentences", .list(.text)), .init("shipped", .list(.text)),
    ])

    private static let policyCheck = Schema.object([
        .init("ok", .bool), .init("problems", .list(problemAtPath)), .init("warnings", .list(problemAtPath)),
    ])

    private static let problemAtPath = Schema.object([.init("path", .text), .init("problem", .text)])

    private static let whatIfOrder = Schema.object(
        [
            .init("policy", .anyObject, "a policy document; the name of one that comes with Belfry is taken as well"),
            .optional("from", .instant), .optional("to", .instant),
        ], isClosed: true)

    private static let whatIfBegun = Schema.object([.init("id", .text)])

    private static let changes: [Schema.Field] = ["gained", "lost", "moved"].map { .init($0, .count) }

    private static let whatIfReport = Schema.object(
        changes + [
            .init("kinds", .list(.object([.init("kind", .text)] + changes + [.init("same", .count)]))),
            .init("people", .list(.object([.init("user", .text)] + changes))), .init("affected", .count),
            .init(
                "examples",
                .list(
                    .object([
                        .init("user", .text), .init("kind", .text), .init("was", .nullable(.instant)),
                        .init("becomes", .nullable(.instant)),
                    ]))), .init("from", .instant), .init("to", .instant), .init("refused", .count),
            .init(
                "refusals",
                .list(
                    .object([
                        .init("type", .text), .init("kind", .nullable(.text)), .init("count", .count),
                        .init("first", .count), .optional("partition", .count),
                    ])), "facts that the other policy would not have taken; `first` is the number of the first of them"),
        ])

    private static let whatIf = Schema.object([
        .init("state", .word(["running", "done", "failed"])), .init("progress", .number),
        .optional("report", .named("WhatIfReport")), .optional("problem", .text),
    ])

    // MARK: Numbers

    private static let figures = [
        "raised", "held", "gathered", "dropped", "emitted", "sent", "delivered", "failed", "opened", "dismissed",
        "snoozed",
    ]

    private static let stats = Schema.object([
        .init("from", .nullable(.date)), .init("to", .nullable(.date)), .init("by", .word(["day", "kind", "channel"])),
        .init(
            "rows",
            .list(
                .object(
                    [.optional("day", .date), .optional("kind", .text), .optional("channel", .text)]
                        + figures.map { .init($0, .count) }
                        + [
                            .init("blocked", .map(.count)), .optional("late_p50_ms", .count),
                            .optional("late_p99_ms", .count),
                        ]))),
        .init(
            "use",
            .object([
                .init("people", .count), .init("quiet_hours", .count), .init("digest_mode", .count),
                .init("frequency", .map(.count)), .init("presets", .map(.count)),
            ])), .init("through_seq", .count),
    ])
}
