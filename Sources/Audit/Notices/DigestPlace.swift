internal import CivilTime
internal import Notices

/// P13: today's daily digest keeps a place of the cap while it is still to come and has something to say.
extension Auditor {
    /// - Parameter isBeforeIt: whether the turn of what is asked comes before a digest's of the same instant (P18).
    mutating func digestToCome(_ event: Event, _ person: Int, isBeforeIt: Bool) -> String? {
        guard policy.dailyCap != nil, hasSomething(person) else { return nil }
        for kind in policy.kinds.values where kind.digest == .daily && kind.cause == .daily {
            guard
                hasPointsToTell(person)
                    || people[person].notices.gathered.contains(where: { $0.gathering == .daily })
            else { continue }
            let clock = clock(of: person).clock
            let today = clock.localDay(at: event.at)
            if let until = people[person].notices.held(of: kind.name) {
                if clock.localDay(at: until) == today { return kind.name }
                continue
            }
            guard let time = kind.time else { continue }
            let slot = LocalDateTime(date: today, time: time)
            guard slots[identity(of: slot, kind: kind.name, subject: nil, person)] == nil else { continue }
            let due = clock.first(showing: slot)
            let isNow = due == event.at && isBeforeIt && people[person].lastFactAt < due
            if due > event.at || isNow { return kind.name }
        }
        return nil
    }

    private func hasSomething(_ person: Int) -> Bool {
        people[person].hasPoints || people[person].notices.gatheredCount > 0
    }

    private mutating func hasPointsToTell(_ person: Int) -> Bool {
        let wishes = wishes(of: person)
        return people[person].points.keys.contains { policy.tellsPoints(of: $0, wishes) }
    }

    // MARK: Points

    /// D1: what is earned counts until a digest goes out, whatever the switches say meanwhile.
    mutating func earnPoints(_ earned: PointsEarned, at instant: Instant, _ person: Int) {
        let subject = earned.subject?.text ?? ""
        guard policy.kinds.values.contains(where: { $0.digest == .daily }) else { return }
        // In a zone that is not known it is the day of the last that was.
        let zone = rules(of: people[person].lastKnownZone ?? policy.defaultZone) ?? .utc
        let day = ZoneClock(rules: zone).localDay(at: instant)
        people[person].points[subject, default: [:]][day, default: 0] += earned.points
    }

    /// D1: a digest or summary counts the notices that it lists. One that gives no count is believed.
    mutating func checkListed(in job: JobEmitted, _ kind: KindDocument, _ event: Event) {
        guard kind.isGathering, let said = job.summary["notices"] else { return }
        let listed = job.notices.count { $0 != job.job }
        expect(.counts, event, said == listed, "\(job.job) counts \(said) notices, and lists \(listed)")
    }

    /// D6: a daily digest says how many points there were since the last, and how many of them on earlier days.
    mutating func checkCounts(
        of job: JobEmitted, _ id: NoticeID?, _ kind: KindDocument, _ event: Event, _ person: Int
    ) {
        guard kind.digest == .daily, case .slot(let slot) = id?.mark else { return }
        let wishes = wishes(of: person)
        let points = people[person].points.filter { policy.tellsPoints(of: $0.key, wishes) }.values.joined()
        let (total, earlier) = (
            points.reduce(0) { $0 + $1.value }, points.reduce(0) { $0 + ($1.key < slot.date ? $1.value : 0) }
        )
        let (said, apart) = (job.summary["points"] ?? 0, job.summary["points_earlier"] ?? 0)
        expect(
            .counts, event, said == total && apart == earlier,
            "\(job.job) counts \(said) points, \(apart) of them earlier, and there were \(total), \(earlier) of them earlier"
        )
    }

    /// D3: a weekly digest says what was done from Monday to its own instant, or to when it was raised before that.
    ///
    /// Not asked of a week in which the person travelled or the policy changed: what counts then hangs on when each was counted.
    mutating func checkWeek(
        of job: JobEmitted, _ notice: LiveNotice, _ kind: KindDocument, _ event: Event, _ person: Int
    ) {
        guard kind.digest == .weekly, case .slot(let slot) = notice.id.mark else { return }
        let (clock, isKnown) = clock(of: person)
        let begin = clock.start(of: slot.date.advanced(byDays: 1 - slot.date.weekday.rawValue))
        let isSteady = people[person].zoneSince <= begin && policySince <= begin
        guard isKnown, isSteady, wishes(of: person).kinds[kind.name]?.isOn ?? kind.isOn else { return }
        let end = min(clock.first(showing: slot), notice.raisedAt)
        guard begin < end else { return }
        let said = (job.summary["sessions"] ?? 0, job.summary["check_ins"] ?? 0)
        let progress = people[person].progress
        // What falls into the minute it ends in may have been told before it was raised or after.
        let (least, most) = (progress.done(in: begin..<end), progress.done(in: begin..<end.advanced(byMinutes: 1)))
        expect(
            .counts, event,
            least.sessions...most.sessions ~= said.0 && least.checkIns...most.checkIns ~= said.1,
            "\(job.job) counts \(said.0) sessions and \(said.1) check-ins, and there were \(most.sessions) and \(most.checkIns)"
        )
    }

    /// What a digest told, or what P1–P7 stopped for good, is not told again (D1, D2).
    mutating func forgetPoints(toldBy kind: String, _ person: Int) {
        if policy.kinds[kind]?.digest == .daily { people[person].points = [:] }
    }
}

extension PolicyDocument {
    /// D5: points are a digest's own, and told while it and they are switched on, also for their subject.
    func tellsPoints(of subject: String, _ wishes: Wishes) -> Bool {
        guard let digest = kinds.values.first(where: { $0.digest == .daily }) else { return false }
        return [digest.name, digest.pointsKind].allSatisfy { name in
            wishes.kinds[name]?.isOn ?? kinds[name]?.isOn ?? true
                && (subject.isEmpty || !wishes.isOff(name, for: subject))
        }
    }
}
