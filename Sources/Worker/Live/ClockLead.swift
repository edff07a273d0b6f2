public import CivilTime

/// Whether recorded time is ahead of the machine's clock, and when to say so.
///
/// Recorded time never goes back (`T7`), so after a clock that was wrong it stands still until the right one catches
/// up: nothing is due before, and facts are recorded at an instant that has not come. It is said when it is noticed,
/// again every ten minutes for as long as it lasts, and when it is over.
public struct ClockLead: Sendable {
    public enum Word: Sendable, Equatable {
        case ahead(seconds: Int64)
        case over
    }

    /// A clock that is kept by NTP is not wrong by this much.
    public static let leastSeconds: Int64 = 60
    private static let pause = Duration.seconds(600)

    /// When it was said last, by a clock that nobody sets.
    private var said: Duration?

    public init() {}

    /// - Parameters:
    ///   - recorded: the log's last instant; `nil` for a log without any.
    ///   - uptime: on a clock that nobody sets.
    public mutating func look(at recorded: Instant?, now: Instant, uptime: Duration) -> Word? {
        let lead = recorded.map { $0.milliseconds(since: now) / 1000 } ?? 0
        guard lead >= Self.leastSeconds else {
            defer { said = nil }
            // Not before it is over for good: half a minute's lead is no news either way.
            return said == nil ? nil : .over
        }
        if let said, uptime - said < Self.pause { return nil }
        said = uptime
        return .ahead(seconds: lead)
    }
}
