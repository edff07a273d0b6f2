/// How long is waited before a database is tried again that has refused what was to be written: a second at first, twice as long each time,
/// up to half a minute. Whoever was let write for a minute begins anew.
struct Refusals {
    private var inARow = 0

    private static let secondsMax = 30
    private static let longEnough = Duration.seconds(60)

    /// - Parameter time: for how long it had taken what was written.
    mutating func next(after time: Duration) -> Int {
        if time >= Self.longEnough { inARow = 0 }
        defer { inARow += 1 }
        return min(1 << min(inARow, 10), Self.secondsMax)
    }
}
