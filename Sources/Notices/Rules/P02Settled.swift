internal import CivilTime

/// `P2`: what it would remind of has been done.
enum P2Settled: Rule {
    static var number: Int { 2 }
    static var name: StaticString { "settled" }

    static func objection(to matter: Matter) -> Objection? {
        let isDone =
            matter.isAboutEndedGoal || matter.isAnsweredCheckIn || matter.isAnsweredGoal
            || matter.isAnsweredPrompt || matter.isRead || matter.isOfAnotherDeadline
        return isDone ? .drop(.settled) : nil
    }

    static func sight(of matter: Matter) -> String {
        var seen: [String] = []
        if let place = matter.goalPlace {
            let goal = matter.person.details.goals[place]
            switch (goal.hasEnded, matter.isAboutEndedGoal) {
            case (true, _): seen.append("\(goal.subject) has ended")
            case (false, true): seen.append("\(goal.subject) ended at \(goal.endedAt), and was started again")
            case (false, false): seen.append("\(goal.subject) goes on")
            }
            seen.append(
                goal.checkIns.last.map { "last checked in on it at \($0)" } ?? "not checked in on it lately")
        }
        if matter.isOfAnotherDeadline { seen.append("the deadline that it was raised for has moved") }
        if matter.notice.kind == matter.plan.checkIn {
            let last = matter.person.lastActiveAt
            seen.append(last == .distantPast ? "no session or check-in yet" : "last active at \(last)")
        }
        if matter.notice.kind == matter.plan.prompt { seen.append(matter.answerToPrompt) }
        if matter.notice.conversation != nil {
            seen.append(matter.isRead ? "the conversation was read since" : "the conversation was not read since")
        }
        return seen.isEmpty ? "nothing that could be settled" : seen.joined(separator: "; ")
    }
}

extension Matter {
    /// Where the goal stands that the notice asks something of. Kinds that tell of a goal, such as its end, are not settled by it.
    fileprivate var goalPlace: Int? {
        kind.isSettledByGoal ? placeOfGoal : nil
    }

    private var placeOfGoal: Int? {
        guard notice.subject != nil, person.hasDetails, let id = notice.goal else { return nil }
        return person.details.goalPlace(id)
    }

    /// Also where it was started again since: that is another, of which this says nothing.
    fileprivate var isAboutEndedGoal: Bool {
        let told = kind.tellsOfStart(notice.content?.subtype) ? placeOfGoal : nil
        guard let place = goalPlace ?? told, case let goal = person.details.goals[place] else { return false }
        return goal.hasEnded || goal.endedAt > notice.raisedAt
    }

    /// The goal was checked in on the notice's own local day. To who travels since, that date comes once more, or goes on:
    /// a check-in on it there is one as well.
    fileprivate var isAnsweredGoal: Bool {
        guard let goalPlace, case let checkIns = person.details.goals[goalPlace].checkIns, !checkIns.isEmpty else {
            return false
        }
        func isAnswered(on day: Range<Instant>) -> Bool {
            checkIns.contains { $0 >= day.lowerBound && $0 < day.upperBound }
        }
        if isAnswered(on: notice.ownDay(in: person.zone)) { return true }
        guard notice.day != nil, let here = person.zone.dayBounds(notice.date) else { return false }
        return isAnswered(on: here)
    }

    /// `S4`: who has answered is not asked again.
    fileprivate var isAnsweredPrompt: Bool {
        guard notice.kind == plan.prompt else { return false }
        return !person.flags.isDisjoint(with: [.permissionGranted, .permissionDenied])
            || person.details.wasPutOff(notice)
    }

    fileprivate var answerToPrompt: String {
        if let answer = person.permissionAnswer { return "they answered: \(answer.name)" }
        return person.details.wasPutOff(notice) ? "they said not now" : "they have not answered"
    }

    /// Its slot hung on a deadline that was moved or taken away since (`C6`): what it would say is not so.
    fileprivate var isOfAnotherDeadline: Bool {
        let minutesBefore: [Int]
        switch kind.schedule {
        case .overdue: minutesBefore = [0]
        case .deadline(let offsets): minutesBefore = offsets.offsets.map(\.minutes)
        case .goal, .missedCheckIn, .checkIn, .daily, .weekly, .session, .travel, .message, .overload, nil: return false
        }
        guard let due = notice.due?.minuteBegun, person.hasDetails, let id = notice.goal,
            let place = person.details.goalPlace(id), person.details.goals[place].deadlineAt >= notice.raisedAt
        else { return false }
        guard let deadline = person.details.goals[place].deadline else { return true }
        return !minutesBefore.contains { deadline.advanced(byMinutes: Int64(-$0)).minuteBegun == due }
    }

    /// Its conversation was read or opened since.
    fileprivate var isRead: Bool {
        guard let subject = notice.subject, notice.conversation != nil, person.hasDetails else { return false }
        if notice.isRepeat {
            return person.details.snoozes.contains { $0.read.contains(subject) && $0.name == notice.name }
        }
        return person.details.waiting[notice]?.isRead ?? false
    }

    /// Of a check-in: a session or check-in since the local day of its slot began, where it was raised or where they are now.
    fileprivate var isAnsweredCheckIn: Bool {
        guard notice.kind == plan.checkIn, person.lastActiveAt != .distantPast else { return false }
        if person.lastActiveAt >= notice.ownDay(in: person.zone).lowerBound { return true }
        guard notice.day != nil, let here = person.zone.dayBounds(notice.date) else { return false }
        return person.lastActiveAt >= here.lowerBound
    }
}

extension Notice {
    /// The local day a notice belongs to: the hours that it had where the person was when it began to wait. Travel does not
    /// make others of them.
    func ownDay(in zone: ZoneRules) -> Range<Instant> {
        day ?? zone.dayBounds(date) ?? zone.day(containing: raisedAt)
    }
}
