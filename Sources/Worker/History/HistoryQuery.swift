public import CivilTime

/// What is asked of one person's history (SPEC §11).
public struct HistoryQuery: Sendable, Equatable {
    public enum Status: String, CaseIterable, Sendable {
        case sent, delivered, failed, queued, blocked
    }

    public var user: String
    /// `nil` for all of them.
    public var status: Status?
    /// How far back from `now`, in days of 24 hours.
    public var days: Int
    public var now: Instant

    public static let daysUsual = 7
    /// Ten years: further back than any log.
    public static let daysAllowed = 1...3650

    public init(user: String, status: Status? = nil, days: Int = HistoryQuery.daysUsual, now: Instant) {
        precondition(Self.daysAllowed.contains(days), "a history of \(days) days")
        self.user = user
        self.status = status
        self.days = days
        self.now = now
    }

    public var since: Instant { now.advanced(byDays: -Int64(days)) }
}
