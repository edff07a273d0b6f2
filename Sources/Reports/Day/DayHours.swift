internal import CivilTime
internal import Notices

/// The hours of a day: those in which nobody was rung, those of the weekly schedule, those with the app open.
///
/// Preferences and zones change in the middle of days. So each stretch of time has the hours that were in force in it.
struct DayHours {
    private var quiet: [Range<Instant>] = []
    private var schedule: [Range<Instant>] = []
    private var hasSchedule = false
    private var appOpen: [Range<Instant>] = []
    /// Up to where the hours are noted.
    private var noted = Instant.distantPast

    /// What was in force until something happens, or for ever.
    mutating func note(_ person: Person, before next: Instant, in stretch: Range<Instant>) {
        let from = max(noted, stretch.lowerBound)
        let until = min(next, stretch.upperBound)
        noted = max(noted, until)
        if let end = person.inAppUntil(at: person.settledThrough), end > person.settledThrough {
            appOpen.append(person.settledThrough..<max(person.settledThrough, min(end, next)))
        }
        guard from < until else { return }
        let hours = person.hours(in: from..<until)
        quiet += hours.quiet
        if hours.schedule != nil { hasSchedule = true }
        // As long as there was none, nothing was outside of it.
        schedule += hours.schedule ?? [from..<until]
    }

    func quiet(in day: Range<Instant>) -> [Range<Instant>] { Self.within(day, quiet) }

    /// When the quiet hours end that an instant is in, also where that is on another day; `nil` where there are none, or where
    /// they last longer than what was noted.
    func quietEnd(at now: Instant) -> Instant? {
        let end = quiet.united.first { $0.contains(now) }?.upperBound
        return end == noted ? nil : end
    }

    func schedule(in day: Range<Instant>) -> [Range<Instant>]? { hasSchedule ? Self.within(day, schedule) : nil }
    func appOpen(in day: Range<Instant>) -> [Range<Instant>] { Self.within(day, appOpen) }

    private static func within(_ day: Range<Instant>, _ stretches: [Range<Instant>]) -> [Range<Instant>] {
        stretches.map { $0.clamped(to: day) }.united
    }
}
