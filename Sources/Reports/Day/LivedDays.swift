internal import CivilTime

/// In which zone somebody was from when on, and so from when to when a date lasted for them (`T6`): from its first moment in the zone
/// that they were in then to its last in the one that they were in by its end. Who flies west over midnight lives a date twice, and has
/// it as one long day.
struct LivedDays {
    private var spans: [(from: Instant, zone: ZoneRules)] = []
    /// Of the event that was folded last.
    private var last = Instant.distantPast

    /// Before an event is folded, with the zone that those before it led to.
    mutating func note(_ zone: ZoneRules?, before at: Instant) {
        if let zone, spans.last?.zone.name != zone.name { spans.append((spans.isEmpty ? .distantPast : last, zone)) }
        last = at
    }

    /// `nil` for a date that they never had.
    func day(_ date: LocalDate) -> (bounds: Range<Instant>, zone: ZoneRules)? {
        var found: (bounds: Range<Instant>, zone: ZoneRules)?
        for (place, span) in spans.enumerated() {
            let end = place + 1 < spans.count ? spans[place + 1].from : .distantFuture
            guard let whole = span.zone.dayBounds(date) else { continue }
            let (from, to) = (max(whole.lowerBound, span.from), min(whole.upperBound, end))
            guard from < to else { continue }
            found = ((found?.bounds.lowerBound ?? from)..<to, span.zone)
        }
        return found
    }
}
