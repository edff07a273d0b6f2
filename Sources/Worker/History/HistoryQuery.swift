package import CivilTime

/// What is asked of one person's history (SPEC §11).
package struct HistoryQuery: Sendable, Equatable {
    package enum Status: String, CaseIterable, Sendable {
        case delivered, failed, queued, blocked
    }

    package var user: String
    /// `nil` for all of them.
    package var status: Status?
    /// How far back from `now`, in days of 24 hours.
    package var days: Int
    package var now: Instant

    package static let daysUsual = 7
    /// Ten years: further back than any log.
    package static let daysAllowed = 1...3650

    package init(user: String, status: Status? = nil, days: Int = HistoryQuery.daysUsual, now: Instant) {
        precondition(Self.daysAllowed.contains(days), "a history of \(days) days")
        self.user = user
        self.status = status
        self.days = days
        self.now = now
    }

    package var since: Instant { now.advanced(byDays: -Int64(days)) }
}
