internal import CivilTime
internal import Notices

/// P8, P9, P11 to P13: a notice is held for a reason that there is, and as long as that reason lasts.
extension Auditor {
    mutating func checkEnd(of hold: NoticeHeld, _ event: Event, _ person: Int) {
        let (clock, isKnown) = clock(of: person)
        // Where nobody knows what hour it is, it is asked again another day (G6).
        guard isKnown, hold.until > event.at, let kind = policy.kinds[hold.kind.text] else { return }
        let wishes = wishes(of: person)
        let end: Instant?
        switch hold.reason {
        case .quietHours: end = wishes.quietHours?.window.end(holding: event.at, on: clock)
        case .outsideSchedule: end = wishes.scheduleOpens(after: event.at, on: clock)
        case .cooldown:
            let minutes = kind.cooldownMinutes ?? policy.cooldownMinutes
            end = people[person].jobs.lastOfKind[kind.name]?.at.advanced(byMinutes: Int64(minutes))
        case .dailyCap:
            guard let cap = policy.dailyCap else { end = nil; break }
            // The last place may be kept for the digest.
            let isFull = people[person].jobs.counted(onDayOf: event.at, clock) >= cap - 1
            end = isFull ? clock.nextDay(after: event.at) : nil
        case .overload: end = policy.overload.flatMap { people[person].jobs.windowOpens($0) }
        default: return
        }
        guard let end, end > event.at else {
            return broken(.holds, event, "\(hold.notice) is held for \(hold.reason.name), and there is none")
        }
        expect(
            .holds, event, hold.until == end,
            "\(hold.notice) is held for \(hold.reason.name) until \(hold.until), and that ends at \(end)")
    }
}

extension Wishes {
    /// When the schedule's next slot begins; `nil` where one holds the instant, or none is set.
    fileprivate func scheduleOpens(after instant: Instant, on clock: ZoneClock) -> Instant? {
        guard let schedule, !schedule.contains(where: { $0.contains(instant, on: clock) }) else { return nil }
        // One that never opens is asked again tomorrow.
        return schedule.compactMap { $0.start(after: instant, on: clock) }.min() ?? instant.advanced(byHours: 24)
    }

    /// When the hours of the schedule end that hold an instant, slots that touch taken as one.
    func scheduleEnds(holding instant: Instant, on clock: ZoneClock) -> Instant? {
        guard let schedule else { return nil }
        var end = instant
        while end < instant.advanced(byDays: 8),
            let next = schedule.compactMap({ $0.stretch(holding: end, on: clock)?.upperBound }).max()
        {
            end = next
        }
        return end
    }
}

extension JobHistory {
    /// P12: when the tenth of the last jobs is an hour ago.
    fileprivate func windowOpens(_ limit: PolicyDocument.Overload) -> Instant? {
        recent.dropLast(limit.jobs - 1).last?.at.advanced(byMinutes: Int64(limit.minutes))
    }
}

extension ZoneClock {
    /// When the next local day begins that the zone has.
    fileprivate func nextDay(after instant: Instant) -> Instant {
        var day = localDay(at: instant).advanced(byDays: 1)
        while !has(day) { day = day.advanced(byDays: 1) }
        return start(of: day)
    }
}
