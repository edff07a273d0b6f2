internal import CivilTime
internal import Notices

/// What still waits when the log ends, and what should have been spoken of on the way (P20).
extension Auditor {
    mutating func reportOverdue(_ overdue: NoticeLedger.Overdue, _ person: Int) {
        let what: String
        switch overdue.notice?.state {
        case .raised?: what = "\(overdue.base) was raised at \(overdue.deadline), and nothing became of it"
        case .held(let until, _)?: what = "\(overdue.base) was held until \(until), and nothing became of it then"
        case .gathered(let into, _)?:
            what =
                "\(overdue.base) was gathered for \(into), and was neither told nor dropped when that was decided, at \(overdue.deadline)"
        case nil: what = "the repeat of \(overdue.base) was due at \(overdue.deadline), and nothing became of it (S1)"
        }
        broken(.waiting, seq: overdue.seq, at: overdue.deadline, user: people[person].id, what)
    }

    mutating func checkWaiting(_ ending: Ending) {
        for person in people.indices {
            let decided = people[person].notices.decidedAt
            // A hold that ends at the horizon itself was due there.
            let horizon: Instant? =
                switch ending {
                case .anywhere: nil
                case .worked: workedAt?.advanced(byMinutes: -1)
                case .decided(let until): until
                }
            let last = [decided, horizon].compactMap { $0 }.max() ?? .distantPast
            if !people[person].notices.isBeyondLimits {
                for overdue in people[person].notices.takeOverdue({ $0 <= last }) { reportOverdue(overdue, person) }
                checkForgotten(person, last)
            }
            for _ in people[person].notices.live { countWaiting() }
            for _ in people[person].notices.snoozes.values.joined() { countWaiting() }
        }
    }

    /// A gathered notice may wait for its digest, and for the next where that was held, dropped for a full day or
    /// missed, but not while digest after digest leaves no trace.
    private mutating func checkForgotten(_ person: Int, _ last: Instant) {
        guard people[person].notices.gatheredCount > 0 else { return }
        let live = people[person].notices.live.values
        let heldDigests = Set(live.filter { $0.intoKind == nil }.map(\.kind))
        for notice in people[person].notices.gathered.sorted(by: { $0.seq < $1.seq }) {
            guard case .gathered(let into, let gathering) = notice.state else { continue }
            let teller = policy.teller(of: gathering)
            if let teller, heldDigests.contains(teller.name) { continue }
            guard let due = dueBy(notice, teller, person), due <= last else { continue }
            broken(
                .waiting, seq: notice.seq, at: due, user: people[person].id,
                "\(notice.id.base) was gathered for \(into), and no such digest has come by \(due)")
        }
    }

    /// When the digest that tells it now must have left a trace at the latest: a day more than a day, since people travel. Where
    /// a policy has none for it, it is considered anew when that comes.
    private func dueBy(_ notice: LiveNotice, _ teller: KindDocument?, _ person: Int) -> Instant? {
        guard let gatheredAt = notice.gatheredAt else { return nil }
        guard let teller else { return max(gatheredAt, policySince).advanced(byDays: 2) }
        let period: Int64 = teller.digest == .weekly ? 8 : 2
        let traces = [people[person].notices.lastTrace[teller.name], policy.scheduledSince[teller.name]]
        let trace = traces.compactMap { $0 }.reduce(gatheredAt, max)
        return trace.advanced(byDays: period + daysTaken(after: trace, teller, person))
    }

    /// How many days in a row have had their digest before: a run brings the next one forward.
    private func daysTaken(after trace: Instant, _ kind: KindDocument, _ person: Int) -> Int64 {
        guard let time = kind.time else { return 0 }
        if kind.cause == .weekly { return weeksTaken(after: trace, kind, time, person) * 7 }
        guard kind.cause == .daily else { return 0 }
        var date = LocalDate(daysSince1970: Int32(clamping: trace.wholeSeconds / 86_400)).advanced(byDays: 2)
        var days: Int64 = 0
        while isTaken(LocalDateTime(date: date, time: time), kind, person) {
            date = date.advanced(byDays: 1)
            days += 1
        }
        return days
    }

    /// How many weeks in a row have had theirs before.
    private func weeksTaken(after trace: Instant, _ kind: KindDocument, _ time: LocalTime, _ person: Int) -> Int64 {
        guard !kind.days.isEmpty else { return 0 }
        let begin = LocalDate(daysSince1970: Int32(clamping: trace.wholeSeconds / 86_400))
        var date = begin
        while !kind.days.contains(date.weekday) { date = date.advanced(byDays: 1) }
        // The slot of that very day may have passed, with nothing to say.
        if date == begin, !isTaken(LocalDateTime(date: date, time: time), kind, person) {
            date = date.advanced(byDays: 7)
        }
        var weeks: Int64 = 0
        while isTaken(LocalDateTime(date: date, time: time), kind, person) {
            date = date.advanced(byDays: 7)
            weeks += 1
        }
        return weeks
    }

    private func isTaken(_ slot: LocalDateTime, _ kind: KindDocument, _ person: Int) -> Bool {
        slots[identity(of: slot, kind: kind.name, subject: nil, person)] != nil
    }
}
