public import CivilTime

/// The hours of the week in which notices may go out (`P9`).
public struct WeeklySchedule: Sendable, Equatable {
    /// Each slot with the one day it begins on.
    public var windows: [DailyWindow]

    public init(_ windows: [DailyWindow]) { self.windows = windows }

    /// The end of the slots that hold an instant, those that touch taken as one; `nil` outside all of them.
    public func end(containing instant: Instant, in zone: ZoneRules) -> Instant? {
        var end: Instant?
        var at = instant
        // Each pass goes on from the end of the last, as long as some slot is open there.
        while let next = windows.compactMap({ $0.interval(containing: at, in: zone)?.upperBound }).max() {
            end = next
            guard next.milliseconds(since: instant) < 8 * 86_400_000 else { break }
            at = next
        }
        return end
    }

    /// When the first slot after an instant outside all of them begins.
    public func start(after instant: Instant, in zone: ZoneRules) -> Instant? {
        windows.compactMap { $0.next(after: instant, in: zone)?.lowerBound }.min()
    }
}
