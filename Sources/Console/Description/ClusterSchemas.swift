/// What the workers of a cluster tell each other, but for the parts of answers: their form is the workers' own.
enum ClusterSchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("CopiedThrough", copied), ("MoveStanding", move), ("Forgotten", forgotten), ("RevokedTokens", revoked),
        ("DrainStanding", drain), ("TokensRevoked", tokensRevoked),
    ]

    private static let copied = Schema.object([
        .init("through", .integer(), "up to which fact about everyone all partitions here hold them")
    ])

    private static let move = Schema.object([.init("ready", .bool, "whether it could go on with it at once")])

    private static let forgotten = Schema.object([
        .init("stage", .word(EraseStage.allCases.map(\.rawValue))),
        .init("removed", .list(.text), "what was held of them here"),
    ])

    private static let revoked = Schema.object([.init("user", .text)])

    private static let tokensRevoked = Schema.object([
        .init("revoked", .text, "what is revoked there, as its file has it"),
        .init("whole", .bool, "whether that worker misses nothing itself"),
    ])

    private static let drain = Schema.object([
        .init("left", .count, "partitions that it still has"),
        .init("others", .count, "workers that could take them"),
        .init("announced", .bool, "whether all of them know that it takes no more"),
    ])
}
