internal import CivilTime

/// Digests and overload summaries: many notices in one job (`D1`–`D4`, `P12`).
extension Desk {
    /// A gathered notice and what the permanent rules say of it now.
    private struct Member {
        let matter: Matter
        let objection: Reason?
    }

    private func members(where belongs: (Waiting) -> Bool) -> [Member] {
        person.lookedAt.filter(belongs).map { waiting in
            let matter = matter(waiting.notice)
            return Member(matter: matter, objection: matter.objection(of: .ofGathered)?.reason)
        }
    }

    /// A day's digest, or a week's: what was gathered for it, and what is its own (`D7`).
    func considerDigest(_ digest: Notice) {
        // What is gathered from here on goes into the one after it, or into this one if it is held.
        defer { digestsAhead = DigestsAhead() }
        let scope: DigestScope = plan.kind(digest.kind).digest ?? .daily
        let isGathering = digest.kind == plan.digest(scope)
        let members = members { isGathering && $0.isGathered(for: scope) }
        conclude(digest, members, person.content(of: digest, plan))
    }

    /// It is asked as the most pressing notice that it tells of, so that what may ring at night still does, and nothing rings for
    /// one that was read by then.
    func considerSummary(_ summary: Notice) {
        let members = members { $0.gatheredInto == summary.name }
        let told = members.lazy.filter { $0.objection == nil }.map(\.matter.notice.priority.rawValue)
        conclude(
            person.summary(named: summary.name, kind: summary.kind, raisedAt: summary.raisedAt), members,
            DigestContent(), as: told.max().flatMap(Priority.init(rawValue:)))
    }

    /// - Parameter priority: what it is asked as, and goes out with, in place of the notice's own.
    private func conclude(
        _ digest: Notice, _ members: [Member], _ own: DigestContent, as priority: Priority? = nil
    ) {
        let listed = members.filter { $0.objection == nil }
        if listed.isEmpty, own.isEmpty {
            // Nothing else to say (`D4`). One that was held must still come to an end (`P20`).
            let wasHeld = person.details.waiting.contains(digest)
            // While it is held nothing happens to what was gathered (`D4`): the kind that was switched off may be on by then.
            if wasHeld, !members.isEmpty, case .hold(let until, let reason)? = matter(digest).objection(),
                mayWait(digest, for: reason)
            {
                return hold(digest, until: until, reason)
            }
            if wasHeld { drop(digest, whySilent(digest)) }
            for member in members { drop(member.matter.notice, member.objection ?? .settled) }
            return
        }
        let matter = matter(priority.map { digest.with(priority: $0) } ?? digest)
        switch matter.objection() {
        case nil: send(matter, members, listed, own)
        case .hold(let until, let reason)? where mayWait(digest, for: reason): hold(digest, until: until, reason)
        case let objection?: refuse(digest, objection.reason, members)
        }
    }

    /// A day's digest that finds the cap reached gives way to the next (`D2`); a week's may wait for tomorrow.
    private func mayWait(_ digest: Notice, for reason: Reason) -> Bool {
        reason != .dailyCap || plan.kind(digest.kind).digest == .weekly
    }

    /// Why one that was held comes to its end with nothing to say: what is against it itself goes first (`D2`).
    private func whySilent(_ digest: Notice) -> Reason {
        if let reason = matter(digest).objection()?.reason, reason.isPermanent { return reason }
        return person.preferences.tellsOwn(of: digest.kind, plan) ? .settled : .kindOff
    }

    /// `D2`: a permanent objection takes along what was gathered; any other leaves it for the next.
    private func refuse(_ digest: Notice, _ reason: Reason, _ members: [Member]) {
        drop(digest, reason)
        // A summary comes once: there is no next for it.
        guard reason.isPermanent || digest.kind == plan.summary else { return }
        for member in members { drop(member.matter.notice, member.objection ?? reason) }
    }

    private func send(_ digest: Matter, _ members: [Member], _ listed: [Member], _ own: DigestContent) {
        for member in members { if let reason = member.objection { drop(member.matter.notice, reason) } }
        let points = PointsByDay(own.points, day: digest.notice.date)
        var values = values(for: digest)
        values.count = listed.count
        let titles = ListedNames(listed.count) { [self] in item(listed[$0].matter) }
        let words = DigestWords(
            phrases: digest.kind.phrases, values: values, items: titles, points: points, week: own.week,
            day: digest.notice.date, today: person.zone.localDate(at: now)
        ) { [person] in Plain.line(person.name(ofSubject: $0)) }
        var job = JobEmitted()
        job.title = Text(words.title)
        job.body = Text(words.body(within: digest.channels.lengthsMax.body))
        count(own, points, listed.count, of: digest, in: &job)
        finish(&job, digest)
        job.notices += listed.map { NoticeName($0.matter.notice.name) }
        if plan.message == nil, let badge = job.badge { job.badge = badge + max(1, listed.count) - 1 }
        emit(job, digest.notice, with: listed.map(\.matter.notice))
    }

    /// The counted content (SPEC §12): what a page or a watch shows beside the words.
    private func count(
        _ own: DigestContent, _ points: PointsByDay, _ listed: Int, of digest: Matter, in job: inout JobEmitted
    ) {
        if digest.kind.digest == .weekly {
            if listed > 0 { job.summary["notices"] = listed }
            if !own.week.isEmpty { count(own.week, in: &job) }
            return
        }
        job.summary["notices"] = listed
        guard digest.notice.kind == plan.dailyDigest else { return }
        job.summary["points"] = points.total
        if points.earlier.total > 0, let first = points.earlier.firstDay {
            job.summary["points_earlier"] = points.earlier.total
            job.data["points_since"] = Text("\(first)")
        }
        var subjects: [String: Int] = [:]
        for entry in own.points where !entry.subject.isEmpty {
            subjects[entry.subject] = (subjects[entry.subject] ?? 0).addingSaturated(entry.points)
        }
        for (subject, total) in subjects.sorted(by: { $0.key < $1.key })
        where job.data.entries.count < Self.pointsShownMax {
            job.data["points." + subject] = Text(String(total))
        }
    }

    func count(_ week: WeekActivity, in job: inout JobEmitted) {
        job.summary["sessions"] = week.sessions
        job.summary["check_ins"] = week.checkIns
        job.summary["points"] = week.points
        job.summary["goals_achieved"] = week.goals
    }

    /// A job's data has at most a hundred members.
    private static let pointsShownMax = 80

    /// Once the window allows it, what an overload gathered comes as one notice.
    func raiseSummaryIfDue() {
        guard let kind = plan.summary, person.hasDetails, let name = person.details.summary,
            let due = person.summaryDue(plan), due <= now
        else { return }
        enqueue(person.summary(named: name, kind: kind, raisedAt: now))
    }
}

extension Person {
    /// The notice of an overload summary, as pressing as the most pressing one gathered for it.
    func summary(named name: String, kind: Int, raisedAt: Instant) -> Notice {
        let highest = lookedAt.filter { $0.gatheredInto == name }.map(\.notice.priority.rawValue).max()
        return Notice(
            name: name, kind: kind, priority: highest.flatMap(Priority.init) ?? .medium, raisedAt: raisedAt,
            date: zone.localDate(at: raisedAt))
    }
}
