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

    /// - Parameters:
    ///   - joinsAnother: whether it went with another's job, which needs no place of its own (`P19`).
    ///   - digest: the day's digest, where that is considered at the same instant, before the notice or behind it (`P13`).
    public init(
        _ notice: Notice, of person: Person, _ plan: Plan, at: Instant, joinsAnother: Bool = false,
        beside digest: Notice? = nil
    ) {
        let almanac = Almanac()
        let isDigestAsked = digest.map { Notice.comesFirst(notice, $0) } ?? false
        let matter = Matter(notice, of: person, plan, at: at, almanac, isDigestAsked: isDigestAsked)
        let rules = joinsAnother ? RuleSet.joiningBundle : .all
        let asked = matter.asked.intersection(rules)
        self.notice = notice
        self.at = at
        kind = matter.kind.name.text
        lines = pipeline.map { rule in
            Line(
                rule: rule.number, name: "\(rule.name)", isAsked: asked.contains(.only(rule.number)),
                saw: rule.sight(of: matter), objection: rule.objection(to: matter))
        }
        outcome = matter.objection(of: rules)
        let joining = joinsAnother ? "it went with another of its kind: P11 and P13 are not asked (P19)" : nil
        let exemptions = [matter.exemption, joining].compactMap { $0 }
        exemption = exemptions.isEmpty ? nil : exemptions.joined(separator: "; ")
        channels = matter.channels.list
        // A matter keeps nothing of what it is a view of.
        withExtendedLifetime(almanac) {}
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
        case .snooze where person.comesLate(notice, at: now):
            why.append("the time that the person asked for has passed: P10–P13 are not asked (S1)")
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
        /// It would be told in another's job, before its own time (`P19`).
        case joined(Instant)
        case gathered(Instant, Reason)
        /// Whatever the hour: something else must change first.
        case dropped(Instant, Reason)
        /// None is raised, whatever the rules would say: why, or what must come first.
        case never(String)
        /// Too much happens to them until then for one answer.
        case unforeseen
    }

    public let first: Explanation?
    public let outcome: Outcome
    /// When the person can be reached (SPEC §13): by the notice itself, by what it would be gathered into, or, where it would
    /// be dropped, by the next of its kind. `nil` where nothing comes unless something else changes first.
    public let nextEligible: Instant?
    /// Whether the look ahead was cut short: then nothing is said of what comes later, and `nextEligible` is `nil`.
    public let isCutShort: Bool

    /// Of one that is raised at this moment, behind all that was due by then.
    public init(
        _ notice: Notice, of person: Person, user: String, _ plan: Plan, from instant: Instant, _ foresight: Foresight
    ) {
        self.init(
            notice, asked: person, beside: nil, of: person, user, plan, from: instant, about: notice.subject, foresight)
    }

    /// Of a slot that is to come, and of what is raised then.
    ///
    /// - Parameters:
    ///   - now: what is due by then has been decided.
    ///   - subject: what the next of its kind is to be about, should it not come itself; `nil` for whatever comes first.
    public init(
        _ slot: Slot, of person: Person, user: String, _ plan: Plan, from now: Instant, about subject: String? = nil,
        _ foresight: Foresight
    ) {
        let name = person.scheduled(slot, at: slot.instant, user: user, plan: plan, nil).name
        guard
            let (then, joined) = person.lived(
                from: now, until: slot.instant, joining: name, user: user, plan: plan, foresight)
        else {
            self.init(unforeseen: ())
            return
        }
        let notice = then.scheduled(slot, at: slot.instant, user: user, plan: plan, nil)
        if let joined {
            self.init(joining: Explanation(notice, of: then, plan, at: joined, joinsAnother: true))
            return
        }
        let asked = then.inTurn(of: notice, at: slot.instant, user: user, plan: plan)
        let digest = then.digestDue(at: slot.instant, user: user, plan)
        self.init(
            notice, asked: asked, beside: digest, of: then, user, plan, from: slot.instant, about: subject, foresight)
    }

    private init(joining first: Explanation) {
        self.first = first
        (outcome, nextEligible, isCutShort) = (.joined(first.at), first.at, false)
    }

    private init(unforeseen: ()) {
        (first, outcome, nextEligible, isCutShort) = (nil, .unforeseen, nil, true)
    }

    private init(
        _ notice: Notice, asked: Person, beside digest: Notice?, of person: Person, _ user: String, _ plan: Plan,
        from instant: Instant, about subject: String?, _ foresight: Foresight
    ) {
        guard !person.isErased else {
            (first, outcome) = (nil, .never("they were erased: nothing can come any more"))
            (nextEligible, isCutShort) = (nil, false)
            return
        }
        first = Explanation(notice, of: asked, plan, at: instant, beside: digest)
        var outlook = KindOutlook(person, user, plan, at: instant, about: subject, foresight)
        if let why = asked.silence(of: notice, plan, at: instant) {
            // This one is not raised, and a later one may be.
            (outcome, nextEligible) = (.never(why), outlook.next(of: notice.kind))
        } else {
            (outcome, nextEligible) = outlook.prospect(of: notice, from: instant)
        }
        isCutShort = nextEligible == nil && foresight.isCutShort
    }
}

extension Person {
    /// A notice of a kind as it would be raised at a moment by whoever raises it, behind what was raised in that moment.
    ///
    /// - Parameter priority: in place of the kind's own.
    public func imagined(
        kind: Int, subject: String? = nil, priority: Priority? = nil, at now: Instant, user: String, plan: Plan
    ) -> Notice {
        let rule = plan.kind(kind)
        return Notice(
            name: Notice.name(user, rule.name.text, subject, "?"), kind: kind, subject: subject,
            priority: priority ?? rule.priority, raisedAt: now, date: zone.localDate(at: now), sequence: .max)
    }

    /// The next slot of a kind after a moment, and what would be raised then.
    ///
    /// - Parameter subject: only slots about this; `nil` for whatever comes first.
    public func nextSlot(
        of kind: Int, about subject: String? = nil, after instant: Instant, user: String, plan: Plan
    ) -> (Slot, Notice)? {
        var next: Slot?
        forEachStream(plan) { stream in
            guard stream.kind == kind, let slot = nextSlot(stream, after: instant, plan, nil),
                subject == nil || slot.subject == subject
            else { return }
            if next.map({ slot.instant < $0.instant }) ?? true { next = slot }
        }
        return next.map { ($0, scheduled($0, at: $0.instant, user: user, plan: plan, nil)) }
    }
}

extension Person {
    /// The notice a decision is about, as it is before the decision is folded.
    public func notice(decidedBy recorded: Payload, on occasion: Occasion) -> Notice? {
        switch Decision(recorded, about: self, on: occasion) {
        case .gather(let notice, _, _)?: notice
        case .hold(let notice, _, _)?:
            comingAgain(notice.name, on: occasion) { if case .hold? = $0 { true } else { false } } ?? notice
        case .drop(let notice, _)?:
            comingAgain(notice.name, on: occasion) { if case .drop? = $0 { true } else { false } } ?? notice
        case .emit(_, let notice, _)?: comingAgain(notice.name, on: occasion) { $0 == nil } ?? notice
        case .emitAgain(let job, _, _)?: comingAgain(job.job.text, on: occasion) { $0 == nil }
        case .emitSample(let job)?:
            notice(job.job, job.kind, nil, on: occasion)?.with(origin: .test(ChannelSet(job.channels)))
        case .skip, .requestAnalysis, .concludeAnalysis, .acceptPhone, .lockPhone, .completeSession, .erase, nil:
            nil
        }
    }

    /// One of the notices a decision is about, by its own name; `nil` where the decision is about none of that name. Of the
    /// repeat of a bundle it is the member that comes again.
    public func notice(named name: NoticeName, decidedBy recorded: Payload, on occasion: Occasion) -> Notice? {
        switch Decision(recorded, about: self, on: occasion) {
        case .emit(_, _, let others)? where others.contains { $0.name == name.text }:
            return others.first { $0.name == name.text }
        case .emitAgain(let job, let base, _)? where job.job != name && base != name.text:
            return member(name, ofRepeat: job.job)
        case .hold(let notice, _, _)? where notice.name != name.text,
            .drop(let notice, _)? where notice.name != name.text:
            return member(name, ofRepeat: NoticeName(notice.name))
        case .hold, .gather, .drop, .emit, .emitAgain, .emitSample, .skip, .requestAnalysis, .concludeAnalysis,
            .acceptPhone, .lockPhone, .completeSession, .erase, nil:
            return notice(decidedBy: recorded, on: occasion)
        }
    }

    /// A member of a bundle that comes again has the bundle's name, and is known by its subject and its slot.
    private func member(_ name: NoticeName, ofRepeat job: NoticeName) -> Notice? {
        guard hasDetails, let snooze = details.snooze(named: job.text) else { return nil }
        let about = snooze.members.filter { $0.subject == name.subject }
        return about.first { $0.slot.map(SlotWord.local) == name.slot } ?? about.first
    }

    /// A repeat that is due, which is asked as one (`S1`). Of a bundle it is the first of which the rules say what was decided of it, or,
    /// where they say so of none, the first that may still come.
    private func comingAgain(
        _ name: String, on occasion: Occasion, _ isDecided: (Objection?) -> Bool
    ) -> Notice? {
        guard hasDetails, let snooze = details.snooze(named: name) else { return nil }
        let almanac = Almanac()
        // A matter keeps nothing of what it is a view of.
        return withExtendedLifetime(almanac) {
            let members = snooze.members
            func first(_ rules: RuleSet, _ isMeant: (Objection?) -> Bool) -> Notice? {
                members.first {
                    isMeant(Matter($0, of: self, occasion.plan, at: occasion.at, almanac).objection(of: rules))
                }
            }
            return first(.all, isDecided) ?? first(.permanent) { $0 == nil } ?? members.first ?? snooze.notice
        }
    }
}

extension Notice {
    /// The same as a "run now" with `force` raises it.
    public var forced: Notice { with(origin: .forced) }

    /// The same as a test of its kind, on one channel or on all (`N8`).
    public func tested(on channel: Channel?) -> Notice {
        with(origin: .test(channel.map { ChannelSet($0) } ?? ChannelSet(Channel.allCases)))
    }
}
