public import CivilTime

/// The pipeline kept in full: every rule in order, what it saw and what it said (SPEC §13, `explain`).
public struct Explanation: Sendable {
    public struct Line: Sendable {
        public let rule: Int
        public let name: String
        /// Whether this notice is asked the rule at all (`P14`, `P15`, `S1`, `D2`).
        public let isAsked: Bool
        public let saw: String
        public let objection: Objection?
    }

    public let notice: Notice
    public let kind: String
    public let at: Instant
    public let lines: [Line]
    /// Why some rules are not asked.
    public let exemption: String?
    /// The objection that stands; `nil` where it is sent.
    public let outcome: Objection?
    public let channels: [Channel]

    public init(_ notice: Notice, of person: Person, _ plan: Plan, at: Instant) {
        let desk = Desk(person, user: "", plan: plan, now: at, nextSequence: 0)
        let matter = Matter(notice, at: desk)
        self.notice = notice
        self.at = at
        kind = matter.kind.name.text
        lines = pipeline.map { rule in
            Line(
                rule: rule.number, name: "\(rule.name)", isAsked: matter.asked.contains(.only(rule.number)),
                saw: rule.sight(of: matter), objection: rule.objection(to: matter))
        }
        outcome = matter.objection()
        exemption = matter.exemption
        channels = matter.channels.list
    }
}

extension Matter {
    fileprivate var exemption: String? {
        var why: [String] = []
        if isLocked { why.append("\(kind.name) is locked: it passes P3–P5 and P8–P13 (P14)") }
        if !isLocked, notice.priority == .critical { why.append("critical notices pass P8–P13 (P14)") }
        if isInApp { why.append("the app is open: it is shown there at once, P6 and P8–P13 are not asked (P15)") }
        if kind.digest != nil { why.append("a digest is not asked about its kind's cooldown or digest mode (D2)") }
        switch notice.origin {
        case .snooze: why.append("the person asked for this time: only P1–P7 are asked (S1)")
        case .forced: why.append("forced: only P1–P7 are asked")
        case .test: why.append("a test: only P6 is asked (N8)")
        case .ordinary: break
        }
        return why.isEmpty ? nil : why.joined(separator: "; ")
    }
}

/// What would become of a notice of some kind, from a moment on.
public struct Prospect: Sendable {
    public enum Outcome: Sendable {
        /// It would be sent then.
        case sent(Instant)
        case gathered(Instant, Reason)
        /// Whatever the hour: something else must change first.
        case dropped(Instant, Reason)
        /// Nothing of this kind is planned.
        case never(String)
    }

    public let first: Explanation?
    public let outcome: Outcome

    /// Follows holds to their ends, as if nothing else happened meanwhile.
    public init(_ notice: Notice, of person: Person, _ plan: Plan, from instant: Instant) {
        var at = instant
        first = Explanation(notice, of: person, plan, at: at)
        if let why = person.silence(of: notice, plan, at: at) {
            outcome = .never(why)
            return
        }
        for _ in 0..<64 {
            let desk = Desk(person, user: "", plan: plan, now: at, nextSequence: 0)
            switch Matter(notice, at: desk).objection() {
            case nil:
                outcome = .sent(at)
                return
            case .gather(let reason, _)?:
                outcome = person.mayWait(notice, plan) ? .gathered(at, reason) : .dropped(at, .overload)
                return
            case .drop(let reason)?:
                outcome = .dropped(at, reason)
                return
            case .hold? where !person.mayWait(notice, plan):
                outcome = .dropped(at, .overload)
                return
            case .hold(let until, _)?: at = max(until, at.advanced(byMilliseconds: 1))
            }
        }
        outcome = .never("it would be held for as far as can be seen")
    }
}

extension Person {
    /// Why a digest would not come at all: as far as is known, it would have nothing to say (`D1`, `D3`).
    fileprivate func silence(of notice: Notice, _ plan: Plan, at instant: Instant) -> String? {
        switch plan.kind(notice.kind).digest {
        case nil: return nil
        case .daily:
            return hasSomethingForDigest(plan)
                ? nil : "it would not come: nothing was gathered and no points were earned since the last (D1)"
        case .weekly:
            let week = notice.content?.week ?? week(before: notice.date, at: instant)
            if hasGatheredForWeek(plan, notice.kind) { return nil }
            return week.isEmpty
                ? "it would not come: nothing was gathered and nothing was done in the week so far (D3)" : nil
        }
    }

    /// A notice of a kind as it would be raised at a moment by whoever raises it.
    public func imagined(kind: Int, at now: Instant, user: String, plan: Plan) -> Notice {
        let rule = plan.kind(kind)
        return Notice(
            name: Notice.name(user, rule.name.text, nil, "?"), kind: kind,
            priority: rule.priority, raisedAt: now, date: zone.localDate(at: now))
    }

    /// The next slot of a kind after a moment, and what would be raised then.
    public func nextSlot(of kind: Int, after instant: Instant, user: String, plan: Plan) -> (Slot, Notice)? {
        var next: Slot?
        forEachStream(plan) { stream in
            guard stream.kind == kind, let slot = nextSlot(stream, after: instant, plan, nil) else { return }
            if next.map({ slot.instant < $0.instant }) ?? true { next = slot }
        }
        return next.map { ($0, scheduled($0, at: $0.instant, user: user, plan: plan, nil)) }
    }
}

extension Person {
    /// The notice a decision is about, as it is before the decision is folded.
    public func notice(decidedBy decision: Payload, at: Instant, user: String, plan: Plan) -> Notice? {
        switch decision {
        case .noticeHeld(let held):
            notice(held.notice.text, held.kind.text, held.subject?.text, at, user, plan)
        case .noticeGathered(let gathered):
            notice(gathered.notice.text, gathered.kind.text, gathered.subject?.text, at, user, plan)
        case .noticeDropped(let dropped):
            comingAgain(dropped.notice.text)
                ?? notice(dropped.notice.text, dropped.kind.text, dropped.subject?.text, at, user, plan)
        case .jobEmitted(let job):
            job.notices.first.flatMap {
                comingAgain($0.text) ?? notice($0.text, job.kind.text, job.subject?.text, at, user, plan)
            }
        default: nil
        }
    }

    /// A repeat that is due, which is asked as one (`S1`).
    private func comingAgain(_ name: String) -> Notice? {
        hasDetails ? details.snooze(named: name)?.notice : nil
    }
}

extension Notice {
    /// The same as a "run now" with `force` raises it.
    public var forced: Notice { with(origin: .forced) }
}
