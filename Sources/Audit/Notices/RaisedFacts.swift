internal import CivilTime
internal import Notices

/// C7: what facts raise by themselves. Each is expected here by the policy's words alone: it must be spoken of at once, and
/// an app that asks for it as well is told that it has been.
extension Auditor {
    /// What a person's facts have come to so far.
    struct Milestones {
        struct Streak {
            var days: Int
            var last: LocalDate
        }

        /// By subject, "" for none.
        var streaks: [String: Streak] = [:]
        var totals: [String: Int] = [:]
        var told: [Told] = []

        struct Told {
            var kind: String
            var subject: String?
            var subtype: String?
            var day: LocalDate
            var seq: UInt64
            var wasAsked: Bool
        }
    }

    mutating func raiseByGoal(_ event: Event, _ person: Int) {
        switch event.payload {
        case .goalStarted(let goal):
            raise(event, person, subject: "goal:\(goal.goal.text)") { $0.on == .started }
        case .goalEnded(let end) where people[person].progress.goalEnds[end.goal.text] == nil:
            raise(event, person, subject: "goal:\(end.goal.text)") {
                $0.on == .ended && ($0.outcome ?? end.outcome) == end.outcome
            }
        case .checkedIn(let checkIn): raiseByStreak(checkIn, event, person)
        case .pointsEarned(let earned):
            let subject = earned.subject?.text
            guard tells(of: .points) || people[person].milestones.totals[subject ?? ""] != nil else { return }
            let before = people[person].milestones.totals[subject ?? "", default: 0]
            let after = before + earned.points
            people[person].milestones.totals[subject ?? ""] = after
            raise(event, person, subject: subject) { fact in
                fact.on == .points && fact.steps.contains { before < $0 && $0 <= after }
            }
        default: break
        }
    }

    /// What is counted is counted from when a policy tells of it, and then under any.
    private func tells(of name: RaisingFact.Name) -> Bool {
        policy.hasRaisingFacts && policy.kinds.values.contains { $0.raisedBy.contains { $0.on == name } }
    }

    private mutating func raiseByStreak(_ checkIn: CheckedIn, _ event: Event, _ person: Int) {
        let subject = checkIn.goal.map { "goal:\($0.text)" }
        let known = people[person].milestones.streaks[subject ?? ""]
        guard known != nil || tells(of: .streak) else { return }
        let clock = clock(of: person).clock
        let today = clock.localDay(at: event.at)
        if let known, known.last >= today { return }
        var yesterday = today.advanced(byDays: -1)
        while let known, yesterday > known.last, !clock.has(yesterday) { yesterday = yesterday.advanced(byDays: -1) }
        let days = known?.last == yesterday ? (known?.days ?? 0) + 1 : 1
        people[person].milestones.streaks[subject ?? ""] = Milestones.Streak(days: days, last: today)
        raise(event, person, subject: subject) { $0.on == .streak && $0.steps.contains(days) }
    }

    private mutating func raise(
        _ event: Event, _ person: Int, subject: String?, where raises: (RaisingFact) -> Bool
    ) {
        guard policy.hasRaisingFacts else { return }
        let day = clock(of: person).clock.localDay(at: event.at)
        for kind in policy.kinds.values {
            guard let fact = kind.raisedBy.first(where: raises) else { continue }
            let wasAsked = people[person].milestones.told.contains {
                $0.wasAsked && $0.kind == kind.name && $0.subject == subject && $0.day == day
                    && ($0.subtype == nil || $0.subtype == fact.subtype)
            }
            guard !wasAsked else { continue }
            remember(
                Milestones.Told(
                    kind: kind.name, subject: subject, subtype: fact.subtype, day: day, seq: event.seq, wasAsked: false),
                person)
            let base = NoticeID.requested(user: people[person].id, kind: kind.name, subject: subject, seq: event.seq)
            guard let id = NoticeID(base) else { continue }
            asked(.factsTell)
            countNotice()
            people[person].notices[base] = LiveNotice(
                id: id, raisedAt: event.at, day: day, seq: event.seq, priority: kind.priority, subtype: fact.subtype,
                deadline: event.at)
        }
    }

    /// An app's own asking: refused as a duplicate where a fact has told of it today.
    mutating func noteAsking(_ request: NoticeRequested, _ event: Event, _ person: Int) {
        guard let kind = policy.kinds[request.kind.text], !kind.raisedBy.isEmpty else { return }
        let day = clock(of: person).clock.localDay(at: event.at)
        let (subject, subtype) = (request.subject?.text, request.part(of: kind))
        let told = people[person].milestones.told.first {
            !$0.wasAsked && $0.kind == kind.name && $0.subject == subject && $0.day == day
                && (subtype == nil || subtype == $0.subtype)
        }
        expect(
            .factsTell, event, told == nil,
            "\(kind.name) about \(subject ?? "nothing") is asked for on the day that event \(told?.seq ?? 0) told of it"
        )
        remember(
            Milestones.Told(
                kind: kind.name, subject: subject, subtype: subtype, day: day, seq: event.seq, wasAsked: true), person)
    }

    private mutating func remember(_ told: Milestones.Told, _ person: Int) {
        people[person].milestones.told.removeAll { $0.day < told.day.advanced(byDays: -2) }
        people[person].milestones.told.append(told)
    }
}
