public import CivilTime

/// Notices that facts raise by themselves (`C7`): a goal's life, streaks, totals.
///
/// One a fact, named by its number. Where the app has asked for it on the same local day, nothing is raised.
struct Raiser: Sendable {
    /// The kind's place.
    let kind: Int
    let cause: RaisedBy.Cause
    let subtype: String?
    private let title: Phrase?
    private let body: Phrase?

    init(_ kind: Int, _ rule: RaisedBy) {
        self.kind = kind
        cause = rule.cause
        subtype = rule.subtype
        title = rule.title.isEmpty ? nil : Phrase(rule.title)
        body = rule.body.isEmpty ? nil : Phrase(rule.body)
    }

    func content(_ values: PhraseValues, _ data: FlatMap<Text> = FlatMap()) -> NoticeContent {
        var data = data
        if let subtype { data["subtype"] = Text(subtype) }
        return NoticeContent(
            title: title?.filled(values), body: body?.filled(values), data: data, subtype: subtype)
    }
}

extension Plan {
    /// The days of a streak or the total that a notice tells of: words that stand with its kind name it too (`C7`).
    func number(toldBy content: NoticeContent, _ kind: Int) -> Int? {
        raisers.lazy.filter { $0.kind == kind }.compactMap { $0.cause.number }.compactMap {
            Int(content.data[$0]?.text ?? "")
        }
        .first
    }
}

extension RaisedBy.Cause {
    /// What of a notice's data is its number; `nil` for those that have none.
    fileprivate var number: String? {
        switch self {
        case .streak: "days"
        case .points: "points"
        case .goalStarted, .goalEnded, .goalOverdue: nil
        }
    }
}

/// What was told or asked for lately of a kind that facts raise.
public struct ToldNotice: Sendable {
    var kind: Int
    var subject: String?
    var subtype: String?
    /// The person's local day.
    var date: LocalDate
    var sequence: UInt64
    var wasAsked: Bool

    /// An app that says no subtype means any.
    func isSame(_ kind: Int, _ subject: String?, asking subtype: String?, on date: LocalDate) -> Bool {
        self.kind == kind && self.date == date && self.subject == subject && (subtype == nil || subtype == self.subtype)
    }
}

/// Local days in a row with a check-in.
struct Streak: Sendable {
    var subject: String
    var days: Int
    var last: LocalDate
}

extension Person {
    func tellOfStart(of goal: String, on occasion: Occasion) {
        tell(of: "goal:" + goal, on: occasion) { $0 == .goalStarted ? 1 : nil }
    }

    func tellOfEnd(of goal: String, _ outcome: GoalOutcome, on occasion: Occasion) {
        tell(of: "goal:" + goal, on: occasion) { cause in
            if case .goalEnded(let only) = cause, only == nil || only == outcome { 1 } else { nil }
        }
    }

    /// A check-in on a goal goes on with that goal's streak, any other with the person's own. One that has begun goes on under
    /// policies that tell of none as well: the days were in a row.
    func tellOfStreak(goal: String?, on occasion: Occasion) {
        let subject = goal.map { "goal:" + $0 } ?? ""
        guard
            occasion.plan.raisers.contains(where: { if case .streak = $0.cause { true } else { false } })
                || hasDetails && details.streaks.contains(where: { $0.subject == subject })
        else { return }
        let date = zone.localDate(at: occasion.at)
        guard let days = details.goOn(with: subject, on: date, in: zone) else { return }
        tell(of: subject.isEmpty ? nil : subject, on: occasion) { cause in
            if case .streak(let steps) = cause, steps.contains(days) { days } else { nil }
        }
    }

    /// Of several totals that were reached at once the highest is told.
    func tellOfTotal(_ points: Int, subject: String?, on occasion: Occasion) {
        guard
            occasion.plan.raisers.contains(where: { if case .points = $0.cause { true } else { false } })
                || hasDetails && details.totals.contains(where: { $0.subject == subject ?? "" })
        else { return }
        let (before, after) = details.addToTotal(points, of: subject ?? "")
        tell(of: subject, on: occasion) { cause in
            guard case .points(let steps) = cause else { return nil }
            return steps.last { before < $0 && $0 <= after }
        }
    }

    /// What a fact raises: of each kind that of the first entry whose cause has come, since a fact raises one notice of a kind.
    ///
    /// - Parameter count: of a cause that has come, what it counts.
    private func tell(of subject: String?, on occasion: Occasion, _ count: (RaisedBy.Cause) -> Int?) {
        var told: Set<Int> = []
        for raiser in occasion.plan.raisers {
            guard let count = count(raiser.cause), told.insert(raiser.kind).inserted else { continue }
            var data = FlatMap<Text>()
            if let number = raiser.cause.number { data[number] = Text(String(count)) }
            tell(raiser, subject: subject, count: count, data, on: occasion)
        }
    }

    private func tell(
        _ raiser: Raiser, subject: String?, count: Int, _ data: FlatMap<Text>, on occasion: Occasion
    ) {
        guard !wasAsked(raiser.kind, subject, raiser.subtype, on: zone.localDate(at: occasion.at)) else { return }
        note(
            ToldNotice(
                kind: raiser.kind, subject: subject, subtype: raiser.subtype, date: zone.localDate(at: occasion.at),
                sequence: occasion.sequence, wasAsked: false))
        raise(
            kind: raiser.kind, subject: subject,
            content: raiser.content(values(about: subject, count: count, at: occasion.at), data), on: occasion)
    }

    /// What the words of a notice that a fact raises are filled with: what any other's are, at that instant.
    func values(about subject: String?, count: Int, at now: Instant) -> PhraseValues {
        var values = values(about: subject, at: now)
        (values.count, values.points) = (count, count)
        return values
    }

    // MARK: Both ways

    /// An app has asked for it on this local day.
    func wasAsked(_ kind: Int, _ subject: String?, _ subtype: String?, on date: LocalDate) -> Bool {
        guard hasDetails, !details.told.isEmpty else { return false }
        return details.told.contains {
            $0.wasAsked && $0.kind == kind && $0.subject == subject && $0.date == date
                && ($0.subtype == nil || $0.subtype == subtype)
        }
    }

    /// `C7`: whether the app has asked on the slot's day for what it would tell.
    func wasAsked(_ slot: Slot, _ plan: Plan) -> Bool {
        guard plan.kind(slot.kind).schedule == .overdue else { return false }
        let raiser = plan.raisers.first { $0.kind == slot.kind && $0.cause == .goalOverdue }
        return wasAsked(slot.kind, slot.subject, raiser?.subtype, on: slot.local.date)
    }

    func noteAsking(_ fact: NoticeRequested, _ kind: Int, on occasion: Occasion) {
        guard occasion.plan.raisers.contains(where: { $0.kind == kind }) else { return }
        note(
            ToldNotice(
                kind: kind, subject: fact.subject?.text, subtype: occasion.plan.part(of: fact, kind),
                date: zone.localDate(at: occasion.at), sequence: occasion.sequence, wasAsked: true))
    }

    private func note(_ told: ToldNotice) {
        // No local day is told of two days later.
        details.told.removeAll { $0.date < told.date.advanced(byDays: -2) }
        if details.told.count >= PersonLimits.told { details.told.removeFirst() }
        details.told.append(told)
    }

    /// The fact that has raised what an app asks for on the same local day.
    func fact(raising request: NoticeRequested, _ at: Instant, _ plan: Plan) -> UInt64? {
        guard hasDetails, let kind = plan.rules.place(of: request.kind.text),
            plan.raisers.contains(where: { $0.kind == kind })
        else { return nil }
        let date = zone.localDate(at: at)
        let (subject, subtype) = (request.subject?.text, plan.part(of: request, kind))
        if let told = details.told.last(where: { !$0.wasAsked && $0.isSame(kind, subject, asking: subtype, on: date) })
        {
            return told.sequence
        }
        guard let goal = subject.flatMap({ details.goal(ofSubject: $0) }), let deadline = goal.deadline, deadline <= at,
            zone.localDate(at: deadline) == date, !goal.hasEnded || goal.endedAt >= deadline,
            goal.deadlineAt < deadline,
            plan.raisers.contains(where: {
                $0.kind == kind && $0.cause == .goalOverdue && (subtype == nil || subtype == $0.subtype)
            })
        else { return nil }
        return goal.deadlineSequence
    }
}

extension Details {
    /// The days in a row that a check-in makes; `nil` for a day that had one already, or that comes before the last.
    mutating func goOn(with subject: String, on date: LocalDate, in zone: ZoneRules) -> Int? {
        guard let place = streaks.firstIndex(where: { $0.subject == subject }) else {
            if streaks.count >= PersonLimits.streaks,
                let oldest = streaks.indices.min(by: { streaks[$0].last < streaks[$1].last })
            {
                streaks.remove(at: oldest)
            }
            streaks.append(Streak(subject: subject, days: 1, last: date))
            return 1
        }
        guard streaks[place].last < date else { return nil }
        var before = date.advanced(byDays: -1)
        // A date that the zone skipped interrupts nothing (T6).
        while before > streaks[place].last, zone.startOfDay(before) == nil { before = before.advanced(byDays: -1) }
        streaks[place].days = before == streaks[place].last ? streaks[place].days.addingSaturated(1) : 1
        streaks[place].last = date
        return streaks[place].days
    }

    mutating func addToTotal(_ points: Int, of subject: String) -> (before: Int, after: Int) {
        let known = totals.firstIndex { $0.subject == subject }
        if known == nil {
            // More than are told apart are nobody's.
            guard totals.count < PersonLimits.pointSubjects else { return (0, 0) }
            totals.append(PointsTotal(subject: subject, points: 0))
        }
        let place = known ?? totals.count - 1
        let before = totals[place].points
        totals[place].points = before.addingSaturated(points)
        return (before, totals[place].points)
    }
}

extension Register {
    /// The fact that has raised what this one asks for: nothing comes twice (`C7`).
    public func duplicate(of fact: Fact, at: Instant) -> UInt64? {
        guard case .noticeRequested(let request) = fact.payload, let user = fact.user, let number = number(of: user)
        else { return nil }
        return self[number].fact(raising: request, at, plan)
    }
}
