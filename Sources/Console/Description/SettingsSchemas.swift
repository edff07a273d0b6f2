internal import Notices

/// The settings page of one person as a document.
enum SettingsSchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("Settings", settings), ("SettingsSection", section), ("SettingsKind", kind), ("SettingsField", field),
    ]

    private static let settings = Schema.object([
        .init("user", .text), .init("name", .nullable(.text)), .init("policy", .text), .init("about", .text),
        .init("seq", .count), .init("timezone", .text),
        .init("local_time", .text, "where they are, such as 2026-03-02T14:00"),
        .init("clock", .list(.named("Clock"))),
        .init("preset", .nullable(.text), "the one that was applied, or that would change nothing"),
        .init("preferences", .named("Preferences")), .changed,
        .init("warnings", .list(.text), "what of their preferences cannot be read"),
        .init("permission", PersonSchemas.permission, "for push"),
        .init(
            "consent",
            .object([.init("asked", .bool), .init("by", .word(ConsentGiver.names)), .init("given", .bool)])),
        .init("sections", .list(.named("SettingsSection")), "in the order in which they are shown"),
        .init("snoozed", PersonSchemas.snoozed), .init("waiting", .count, "how many notices wait"),
    ])

    /// What each section may have, told by its name; all have a label.
    private static let section = Schema.object([
        .init(
            "name",
            .word([
                "master", "presets", "check_ins", "kinds", "goals", "subjects", "channels", "quiet_hours", "schedule",
                "smart", "choices",
            ])), .init("label", .text),
        .optional("fields", fields, "of all but presets, kinds and subjects"),
        .optional(
            "presets", .list(.object([.init("name", .text), .init("label", .text), .init("about", .text)]))),
        .optional("kinds", .list(.named("SettingsKind"))),
        .optional(
            "goals",
            .list(
                .object([
                    .init("goal", .text), .init("title", .text), .init("deadline", .nullable(.instant)),
                    .init("fields", fields), .init("kinds", fields, "switches of kinds for this goal alone"),
                ]))),
        .optional(
            "subjects",
            .list(
                .object([
                    .init("subject", .text), .init("title", .text),
                    .init("kinds", fields, "switches of kinds for this subject alone"),
                ]))),
        .optional("phone", phone, "with `email` and `devices`, of channels; masked"),
        .optional("email", .nullable(.text)), .optional("devices", devices),
        .optional("analyser", .object(PersonSchemas.analyser), "of smart, under a policy with analyses"),
    ])

    private static let phone = Schema.object([
        .init("number", .nullable(.text)), .init("verified", .bool),
        .init("asked", .nullable(.text), "a number that waits for its code"),
        .init("attempts_left", .nullable(.count)), .init("locked_until", .nullable(.instant)),
        .init("resend_at", .nullable(.instant)), .init("code_expires_at", .nullable(.instant)),
    ])

    private static let devices = Schema.list(
        .object([
            .init("device", .text), .init("platform", .nullable(.word(Platform.names))),
            .init("registered_at", .instant), .init("alive", .bool),
        ]))

    private static let kind = Schema.object([
        .init("name", .text), .init("label", .text), .init("locked", .bool), .init("why_locked", .nullable(.text)),
        .init("enabled", .named("SettingsField")),
        .init("channels", .nullable(field), "null where there are none to choose from"),
        .init("digest", .nullable(field), "null where there is no choice"), .init("subtypes", fields),
        .init("can_test", .bool, "whether a sample of it can be sent"),
    ])

    private static let fields = Schema.list(.named("SettingsField"))

    private static let field = Schema.object([
        .init("path", .list(.text), "where a patch puts the value"), .init("label", .text),
        .init("help", .nullable(.text)),
        .init(
            "type",
            .word([
                "bool", "time", "zone", "days", "schedule", "one_of", "number", "text", "list", "channels",
            ])), .init("value", .anything, "in force, as the type has it; null for no choice"),
        .init("default", .anything, "what `null` in a patch comes to"),
        .init("changed", .bool, "whether the person said so"), .init("locked", .bool),
        .init("why_locked", .nullable(.text)),
        .optional(
            "values", .list(.object([.init("value", .scalar), .init("label", .text), .optional("always", .bool)]))),
        .optional("allowed", .list(.text), "of channels, and a list of words that are given"),
        .optional("range", .list(.integer()), "of a number: the lowest and the highest"),
        .optional("length_max", .count, "in bytes, of a text and of each in a list"), .optional("count_max", .count),
        .optional("depends_on", .list(.text), "the path of the switch that has to be on"),
        .optional("also_on", .list(.text), "the path of a switch that brings it all the same"),
        .optional("outside", .text, "of a schedule: what comes outside its hours"),
    ])
}
