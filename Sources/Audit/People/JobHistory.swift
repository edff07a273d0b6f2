internal import CivilTime

/// When a person was reached on push, email or sms. Jobs in the app alone count for nothing (P15, P17).
struct JobHistory {
    struct Reached {
        var at: Instant
        var seq: UInt64
        /// Whether the daily cap counts it: its kind is not locked and it was not critical (P17).
        var countsForCap: Bool
    }

    /// Oldest first. Two local days are never further apart than this.
    private(set) var recent: [Reached] = []
    private(set) var lastOfKind: [String: Reached] = [:]
    private static let keptHours: Int64 = 72

    mutating func add(_ job: Reached, kind: String) {
        let limit = job.at.advanced(byHours: -Self.keptHours)
        // Taken away in bulk: moving the rest along for each would cost more the more there are.
        if let first = recent.first, first.at <= limit.advanced(byHours: -Self.keptHours) {
            recent.removeAll { $0.at <= limit }
        }
        recent.append(job)
        lastOfKind[kind] = job
    }

    /// Those that the cap counts in the local day of `instant`.
    func counted(onDayOf instant: Instant, _ clock: ZoneClock) -> Int {
        let today = clock.localDay(at: instant)
        let nearest = instant.advanced(byHours: -Self.keptHours)
        return recent.reversed().prefix { $0.at > nearest }.count {
            $0.countsForCap && clock.localDay(at: $0.at) == today
        }
    }

    /// Those in the last minutes; one exactly as long ago is in them no more.
    func count(inLast minutes: Int, before instant: Instant) -> Int {
        let limit = instant.advanced(byMinutes: Int64(-minutes))
        return recent.reversed().prefix { $0.at > limit }.count
    }
}
