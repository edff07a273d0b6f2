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
            let matter = Matter(waiting.notice, at: self)
            return Member(matter: matter, objection: matter.objection(of: RuleSet(1...6))?.reason)
        }
    }

    func considerDigest(_ digest: Notice) {
        // What is gathered from here on goes into the one after it, or into this one if it is held.
        defer { digestAhead = nil }
        let members = members { $0.gatheredInto != nil && $0.reason != .overload }
        let points = person.ownPoints(plan)
        conclude(digest, members, points: points)
    }

    /// Its priority is that of the most pressing notice in it, so that what may ring at night still does.
    func considerSummary(_ summary: Notice) {
        let members = members { $0.gatheredInto == summary.name }
        conclude(
            person.summary(named: summary.name, kind: summary.kind, raisedAt: summary.raisedAt), members, points: [])
    }

    private func conclude(_ digest: Notice, _ members: [Member], points: [PointsEntry]) {
        let listed = members.filter { $0.objection == nil }
        if listed.isEmpty, points.isEmpty {
            // Nothing else to say (`D4`). One that was held must still come to an end (`P20`).
            let wasHeld = person.details.waiting.contains(digest)
            if wasHeld { drop(digest, person.preferences.kinds[digest.kind].isEnabled ? .settled : .kindOff) }
            for member in members { drop(member.matter.notice, member.objection ?? .settled) }
            return
        }
        let matter = Matter(digest, at: self)
        switch matter.objection() {
        case nil: send(matter, members, listed, points)
        case .hold(let until, let reason)? where reason != .dailyCap: hold(digest, until: until, reason)
        case let objection?: refuse(digest, objection.reason, members)
        }
    }

    /// `D2`: a permanent objection takes along what was gathered; any other leaves it for the next.
    private func refuse(_ digest: Notice, _ reason: Reason, _ members: [Member]) {
        drop(digest, reason)
        // A summary comes once: there is no next for it.
        guard reason.isPermanent || digest.kind == plan.summary else { return }
        for member in members { drop(member.matter.notice, member.objection ?? reason) }
    }

    private func send(_ digest: Matter, _ members: [Member], _ listed: [Member], _ points: [PointsEntry]) {
        for member in members { if let reason = member.objection { drop(member.matter.notice, reason) } }
        let sum = points.reduce(0) { $0.addingSaturated($1.points) }
        var values = values(for: digest)
        values.count = listed.count
        values.points = sum
        values.items = listed.map { title(of: $0.matter) }.joined(separator: ", ")
        let phrases = digest.kind.phrases
        var job = JobEmitted()
        // What was gathered, and the points: each has its words, and only what there is is told.
        job.title = Text((listed.isEmpty ? phrases.title : phrases.bundleTitle).filled(values))
        let list = listed.isEmpty ? [] : [phrases.bundleBody.filled(values)]
        let earned = sum > 0 ? [phrases.body.filled(values)] : []
        job.body = Text((list + earned).joined(separator: " "))
        job.summary["notices"] = listed.count
        if digest.notice.kind == plan.dailyDigest {
            job.summary["points"] = sum
            for entry in points where !entry.subject.isEmpty {
                job.data["points." + entry.subject] = Text(String(entry.points))
            }
        }
        finish(&job, digest)
        job.notices += listed.map { NoticeName($0.matter.notice.name) }
        if plan.message == nil, let badge = job.badge { job.badge = badge + max(1, listed.count) - 1 }
        record(.jobEmitted(job))
        let notices = [digest.notice] + listed.map(\.matter.notice)
        person.emitted(job, notices, now, plan)
    }

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
