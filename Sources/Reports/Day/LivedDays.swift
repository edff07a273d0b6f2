internal import CivilTime

/// In which zone somebody was from when on, and so from when to when a date lasted for them (`T6`).
///
/// A date ends at the last moment at which the person's clock showed it or an earlier one, and begins where the one before ended. Whoever
/// flies west over midnight, or over it and back, has one long day; each moment is of one day.
struct LivedDays {
    private var spans: [(from: Instant, zone: ZoneRules)] = []
    /// Of the event that was folded last.
    private var last = Instant.distantPast

    /// Before an event is folded, with the zone that those before it led to.
    mutating func note(_ zone: ZoneRules?, before at: Instant) {
        defer { last = at }
        guard let zone, spans.last?.zone.name != zone.name else { return }
        // Where they were for no time at all they had no date.
        if spans.last?.from == last { spans.removeLast() }
        if spans.last?.zone.name != zone.name { spans.append((spans.isEmpty ? .distantPast : last, zone)) }
    }

    /// A date as it was lived.
    struct Day {
        var bounds: Range<Instant>
        /// That of its end.
        var zone: ZoneRules
        /// All that it was lived in, in turn.
        var zones: [String]
    }

    /// `nil` for a date that they never had.
    func day(_ date: LocalDate) -> Day? {
        guard let (end, place) = end(of: date) else { return nil }
        let start = self.end(of: date.advanced(byDays: -1))?.end ?? .distantPast
        guard start < end else { return nil }
        let zones = spans.indices.filter { spans[$0].from < end && self.end(ofSpan: $0) > start }.map {
            spans[$0].zone.name
        }
        return Day(bounds: start..<end, zone: spans[place].zone, zones: zones)
    }

    /// The date that they had before one (`step` -1) or after it (1): a calendar may skip one, and so may whoever travels (`T6`).
    /// `nil` at either end of the calendar.
    func neighbour(of date: LocalDate, step: Int) -> LocalDate? {
        for days in 1...Self.skippedMax {
            let other = date.advanced(byDays: step * days)
            guard (1...9999).contains(other.year) else { return nil }
            if day(other) != nil { return other }
        }
        return nil
    }

    /// Nobody skips more dates at once than this.
    private static let skippedMax = 3

    /// When it was this date or an earlier one for the last time, and in which span.
    private func end(of date: LocalDate) -> (end: Instant, place: Int)? {
        var found: (end: Instant, place: Int)?
        for (place, span) in spans.enumerated() {
            // A date that a zone has skipped ended with the one before it.
            let whole = span.zone.dayBounds(date) ?? span.zone.dayBounds(date.advanced(byDays: -1))
            guard let whole, whole.upperBound > span.from else { continue }
            let end = min(whole.upperBound, end(ofSpan: place))
            if end > found?.end ?? .distantPast { found = (end, place) }
        }
        return found
    }

    private func end(ofSpan place: Int) -> Instant { place + 1 < spans.count ? spans[place + 1].from : .distantFuture }
}
