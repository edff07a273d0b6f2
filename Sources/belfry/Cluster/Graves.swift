import Shared

/// Has workers forgotten that died long ago: each is a row that all who live read at every look.
struct Graves {
    private var dueAt: ContinuousClock.Instant?

    private static let interval = Duration.seconds(60)
    private static let deadFor = Duration.seconds(3600)

    /// Once a minute. Whoever is not forgotten now is with the next.
    mutating func look(_ connection: any SharedLogConnection) {
        let now = ContinuousClock.now
        if let dueAt, now < dueAt { return }
        dueAt = now + Self.interval
        _ = try? connection.bury(deadFor: Self.deadFor)
    }
}
