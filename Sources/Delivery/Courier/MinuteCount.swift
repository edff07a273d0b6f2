internal import CivilTime

/// What is said of many that are alike: the first at once, and those of the following minute as a number at its end.
struct MinuteCount {
    private var end: Instant?
    /// Those of this minute that were not told yet.
    private var untold = 0

    private static let minuteMs: Int64 = 60_000

    /// When there will be something to say.
    var nextDue: Instant? { untold > 0 ? end : nil }

    /// Whether one is to be told by itself; else it is counted. To be asked behind `over`.
    mutating func isFirst(at now: Instant) -> Bool {
        guard end != nil else {
            end = now.advanced(byMilliseconds: Self.minuteMs)
            return true
        }
        untold += 1
        return false
    }

    /// How many there were when the minute is over, if there were any. One that is longer than a minute is of a clock that has gone back
    /// since. Where it goes on, the next minute is counted too.
    mutating func over(at now: Instant) -> Int? {
        guard let left = end?.milliseconds(since: now), left <= 0 || left > Self.minuteMs else { return nil }
        let count = rest()
        end = count == nil ? nil : now.advanced(byMilliseconds: Self.minuteMs)
        return count
    }

    /// What is still to be said, whatever the time.
    mutating func rest() -> Int? {
        defer { untold = 0 }
        return untold > 0 ? untold : nil
    }
}
