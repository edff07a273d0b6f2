public import CivilTime

/// Looks ahead from a notice to when it, or the next of its kind, can reach a person, if nothing happens meanwhile but what
/// waits for them and what comes by schedule.
struct KindOutlook {
    /// As they stand at `now`: what is due by then has been decided, but for a slot that is asked about.
    private let person: Person
    private let user: String
    private let plan: Plan
    private let now: Instant
    /// What the next of a kind with slots is to be about; `nil` for whatever comes first.
    private let subject: String?
    private let foresight: Foresight
    private let almanac = Almanac()
    /// How many more notices are looked at: each stands for what would follow a drop, or for a digest.
    private var left = 16

    init(
        _ person: Person, _ user: String, _ plan: Plan, at now: Instant, about subject: String?, _ foresight: Foresight
    ) {
        self.person = person
        self.user = user
        self.plan = plan
        self.now = now
        self.subject = subject
        self.foresight = foresight
    }

    mutating func prospect(of notice: Notice, from instant: Instant) -> (outcome: Prospect.Outcome, eligible: Instant?)
    {
        if let life = lived(notice, from: instant) {
            switch life {
            case .unforeseen: return (.unforeseen, nil)
            case .unsaid:
                let why = "it would not come: there is nothing that it would say by itself"
                return (.never(why), next(of: notice.kind))
            case .sent(let at): return (.sent(at), at)
            case .told(let at, let reason, let telling): return (.gathered(at, reason), telling)
            case .dropped(let at, let reason):
                return (.dropped(at, reason), next(after: notice, droppedFor: reason, at: at))
            }
        }
        let (outcome, scope) = follow(notice, from: instant)
        switch outcome {
        case .sent(let at), .joined(let at): return (outcome, at)
        case .gathered(let at, let reason): return (outcome, telling(reason, scope, after: at))
        case .dropped(let at, let reason): return (outcome, next(after: notice, droppedFor: reason, at: at))
        case .never: return (outcome, next(of: notice.kind))
        case .unforeseen: return (outcome, nil)
        }
    }

    private static let wakesMost = 64

    /// How a notice ends.
    private enum Life {
        /// More would have to be lived until then than one answer may cost.
        case unforeseen
        /// Its slot passes without a trace.
        case unsaid
        case sent(Instant)
        case told(Instant, Reason, in: Instant)
        case dropped(Instant, Reason)
    }

    /// What becomes of one that is raised at a moment, among all else that waits for the person or comes by schedule: their days
    /// are lived ahead, by the same decisions, until it ends. What goes first may keep it waiting, and a digest that tells it
    /// may be kept waiting itself (`P11`, `P13`, `P18`, `D2`).
    ///
    /// `nil` where no end of it is in sight.
    private func lived(_ notice: Notice, from instant: Instant) -> Life? {
        let start =
            instant > now
            ? person.lived(from: now, until: instant, user: user, plan: plan, foresight)?.person : person.copy()
        guard let start else { return .unforeseen }
        let settled = Desk(start.copy(), user: user, plan: plan, now: instant, nextSequence: 0)
        settled.settle()
        // What is due by then goes first; a slot is itself what is due. Where nothing is, digests that had nothing to say have
        // passed all the same.
        let isFirst = notice.slot != nil || instant > now || settled.written.isEmpty
        let desk = isFirst ? settled : Desk(start, user: user, plan: plan, now: instant, nextSequence: 0)
        if notice.slot == nil {
            desk.consider(notice)
        } else if !desk.written.contains(where: { Step.isAbout(notice.name, $0.payload) }) {
            return .unsaid
        }
        var gathered: (at: Instant, reason: Reason)?
        for _ in 0..<Self.wakesMost {
            for event in desk.written {
                switch Step(event.payload, of: notice.name) {
                case .sent?:
                    guard let (at, reason) = gathered else { return .sent(desk.now) }
                    return .told(at, reason, in: desk.now)
                case .dropped(let reason)?: return .dropped(desk.now, reason)
                case .gathered(let reason)?: gathered = gathered ?? (desk.now, reason)
                case nil: continue
                }
            }
            guard desk.liveOn(before: instant.advanced(byDays: Person.daysAhead), foresight) else {
                return foresight.isCutShort ? .unforeseen : nil
            }
        }
        return nil
    }

    /// Through its holds to what ends them.
    private func follow(_ notice: Notice, from instant: Instant) -> (Prospect.Outcome, DigestScope) {
        var at = instant
        for _ in 0..<64 {
            switch Matter(notice, of: person, plan, at: at, almanac).objection() {
            case nil: return (.sent(at), .daily)
            case .gather(let reason, let scope)?:
                return (person.mayWait(notice, plan) ? .gathered(at, reason) : .dropped(at, .overload), scope)
            case .drop(let reason)?: return (.dropped(at, reason), .daily)
            case .hold? where !person.mayWait(notice, plan): return (.dropped(at, .overload), .daily)
            case .hold(let until, _)?: at = max(until, at.advanced(byMilliseconds: 1))
            }
        }
        return (.never("it would be held for as far as can be seen"), .daily)
    }

    // MARK: What was gathered

    /// When a digest or summary tells of it: one that waits already, or the next that can go out. What a full day stops keeps
    /// what was gathered for the one after it (`D2`).
    private mutating func telling(_ reason: Reason, _ scope: DigestScope, after instant: Instant) -> Instant? {
        guard let kind = reason == .overload ? plan.summary : plan.digest(scope) else { return nil }
        for entry in person.lookedAt where entry.notice.kind == kind {
            guard let until = entry.heldUntil else { continue }
            return sent(entry.notice, from: max(until, instant))
        }
        if reason == .overload {
            let due = max(person.overloadEnd(plan) ?? instant, instant)
            return sent(person.imagined(kind: kind, at: due, user: user, plan: plan), from: due)
        }
        var from = instant
        while left > 0, let (slot, digest) = person.nextSlot(of: kind, after: from, user: user, plan: plan) {
            left -= 1
            switch follow(digest, from: slot.instant).0 {
            case .sent(let at): return at
            case .dropped(_, .dailyCap), .dropped(_, .quietHours): from = slot.instant
            case .dropped, .gathered, .joined, .never, .unforeseen: return nil
            }
        }
        return nil
    }

    private func sent(_ notice: Notice, from instant: Instant) -> Instant? {
        if case .sent(let at) = follow(notice, from: instant).0 { at } else { nil }
    }

    // MARK: What does not come

    /// When the next of a kind with slots comes by itself; `nil` for any other, which somebody asks for.
    func next(of kind: Int) -> Instant? {
        guard hasSlots(kind) else { return nil }
        return person.next(of: kind, about: subject, from: now, user: user, plan: plan, foresight)
    }

    private func hasSlots(_ kind: Int) -> Bool { plan.kind(kind).schedule?.hasSlots == true }

    /// When the next of its kind reaches the person: by itself where it has a schedule, or asked for again.
    private mutating func next(after notice: Notice, droppedFor reason: Reason, at instant: Instant) -> Instant? {
        if hasSlots(notice.kind) {
            // What stops all of them until somebody says otherwise need not be lived through.
            return stands(reason, against: notice.kind) ? nil : next(of: notice.kind)
        }
        guard left > 0, let end = end(of: reason, notice, at: instant) else { return nil }
        left -= 1
        let next = person.imagined(
            kind: notice.kind, subject: notice.subject, priority: notice.priority, at: end, user: user, plan: plan)
        return prospect(of: next, from: end).eligible
    }

    /// Whether nothing of a kind comes until somebody says otherwise.
    private func stands(_ reason: Reason, against kind: Int) -> Bool {
        switch reason {
        case .optedOut, .noConsent: !plan.kind(kind).isLocked
        case .noChannel: true
        // Its own switch, and not that of a goal or of a sort; a digest's is about its own words alone (`D5`).
        case .kindOff: !person.preferences.kinds[kind].isEnabled && plan.kind(kind).digest == nil
        case .quietHours, .dailyCap, .viewing, .settled, .overload, .expired, .superseded, .outsideSchedule,
            .digestMode,
            .cooldown, .alreadyActiveToday, .missed, .analysisLimit, .aiUnavailable, .noRuleMatched, .suppressed:
            false
        }
    }

    /// From when on a reason to drop does not hold any more by itself; `nil` where somebody must change something.
    private func end(of reason: Reason, _ notice: Notice, at instant: Instant) -> Instant? {
        switch reason {
        case .quietHours:
            person.preferences.quietHours.flatMap { almanac.end(of: $0, containing: instant, in: person.zone) }
        case .dailyCap: person.zone.day(containing: instant).upperBound
        case .viewing: person.details.lastSeenAt.advanced(byMilliseconds: Person.freshness)
        case .settled: notice.ownDay(in: person.zone).upperBound
        case .overload: roomAgain(after: instant)
        case .expired, .noConsent, .optedOut, .kindOff, .noChannel, .superseded: nil
        // No rule drops for these.
        case .outsideSchedule, .digestMode, .cooldown, .alreadyActiveToday, .missed, .analysisLimit,
            .aiUnavailable, .noRuleMatched, .suppressed:
            nil
        }
    }

    /// `G11`: when one more may wait for them, because the first of those that do has come to its end.
    private func roomAgain(after instant: Instant) -> Instant? {
        guard let then = person.foreseen(at: instant, from: now, user: user, plan: plan, foresight) else { return nil }
        let desk = Desk(then, user: user, plan: plan, now: instant, nextSequence: 0)
        for _ in 0..<Self.wakesMost {
            guard desk.liveOn(before: instant.advanced(byDays: Person.daysAhead), foresight) else { return nil }
            if desk.personToKeep.details.waiting.count < PersonLimits.waiting { return desk.now }
        }
        return nil
    }
}

extension Desk {
    /// Whether what was decided last tells of a notice.
    fileprivate func hasEmitted(_ name: String) -> Bool {
        written.contains { if case .sent? = Step($0.payload, of: name) { true } else { false } }
    }

    /// Goes on to when the person is woken next, and decides what is due then; `false` where that is not before a moment, or is
    /// further than may be foreseen.
    func liveOn(before end: Instant, _ foresight: Foresight) -> Bool {
        finish()
        let wake = max(person.nextWake, now)
        guard wake < end, foresight.goesOn() else { return false }
        let before = work
        begin(with: person, user: user, plan: plan, now: wake, nextSequence: nextSequence)
        written.removeAll(keepingCapacity: true)
        settle()
        foresight.spend(work - before)
        return true
    }
}

extension Person {
    /// As they will be just before a moment where nothing more is told: what comes until then is decided as it will be.
    ///
    /// - Parameters:
    ///   - now: what is due by then has been decided.
    ///   - name: of what may go with another's job before that (`P19`): then they are as they will be behind it, and it is told when.
    /// - Returns: `nil` where that is further than may be foreseen.
    func lived(
        from now: Instant, until end: Instant, joining name: String? = nil, user: String, plan: Plan,
        _ foresight: Foresight
    ) -> (person: Person, joined: Instant?)? {
        let desk = Desk(copy(), user: user, plan: plan, now: now, nextSequence: 0)
        var wakes = 0
        while wakes < Self.wakesMost, desk.liveOn(before: end, foresight) {
            if let name, desk.hasEmitted(name) { return (desk.personToKeep, desk.now) }
            wakes += 1
        }
        return foresight.isCutShort ? nil : (desk.personToKeep, nil)
    }

    /// As they will stand at a moment if nothing is told until then: what is due by then, that moment included, has been decided.
    ///
    /// - Parameter now: what is due by then has been decided.
    /// - Returns: `nil` where that is further than may be foreseen.
    public func foreseen(
        at instant: Instant, from now: Instant, user: String, plan: Plan, _ foresight: Foresight
    ) -> Person? {
        // Numbered behind every log, so that no name is one of its notices'.
        let desk = Desk(copy(), user: user, plan: plan, now: now, nextSequence: 1 << 62)
        while desk.liveOn(before: instant.advanced(byMilliseconds: 1), foresight) {}
        return foresight.isCutShort ? nil : desk.personToKeep
    }

    /// As they will stand when a slot's turn has come: what is due at the same instant and goes first (`P18`) has been decided.
    func inTurn(of notice: Notice, at instant: Instant, user: String, plan: Plan) -> Person {
        let desk = Desk(copy(), user: user, plan: plan, now: instant, nextSequence: 0)
        desk.settle()
        let then = copy()
        for event in desk.written {
            if Step.isAbout(notice.name, event.payload) { return then }
            then.fold(event.payload, on: Occasion(event.seq, instant, user: user, plan))
        }
        // Nothing was raised: it is asked as things stood before.
        return self
    }

    /// Somebody is woken a few times a day, and the next slot of anything is at most a week ahead, but for a far deadline.
    private static let wakesMost = 256
}

/// What a decision makes of one notice.
private enum Step {
    case sent
    case gathered(Reason)
    case dropped(Reason)

    init?(_ decision: Payload, of name: String) {
        if case .jobEmitted(let job) = decision,
            job.job.text == name || job.notices.contains(where: { $0.text == name })
        {
            self = .sent
        } else if case .noticeDropped(let drop) = decision, drop.notice.text == name {
            self = .dropped(drop.reason)
        } else if case .noticeGathered(let gathering) = decision, gathering.notice.text == name {
            self = .gathered(gathering.reason)
        } else {
            return nil
        }
    }

    /// Whether a decision is about one notice, or about others that go first.
    static func isAbout(_ name: String, _ decision: Payload) -> Bool {
        if case .noticeHeld(let hold) = decision { return hold.notice.text == name }
        return Step(decision, of: name) != nil
    }
}
