public import CivilTime

/// Why nothing is raised, and so no rule is asked; and of a slot, why nothing would come of it.
extension Person {
    /// Why nothing would come of a slot that is due, as things stand: it raises nothing, or a rule drops what it raises. `nil`
    /// where neither is known, and for whatever is no slot.
    public func silence(of matter: DueMatter, _ plan: Plan) -> String? {
        guard let notice = notice(of: matter, user: "", plan) else { return nil }
        return silence(of: notice, plan, at: matter.at) ?? standingObjection(to: notice, plan, at: matter.at)
    }

    /// The same of several that are to come, each asked as things will stand in its turn if nothing is told until then. What is
    /// further than may be foreseen is asked as things stand by the last moment that is foreseen.
    ///
    /// - Parameter matters: in the order of time.
    public func silences(
        of matters: [DueMatter], from now: Instant, user: String, _ plan: Plan, _ foresight: Foresight
    ) -> [String?] {
        let desk = Desk(copy(), user: user, plan: plan, now: now, nextSequence: 0)
        return matters.map { matter in
            while desk.liveOn(before: matter.at, foresight) {}
            let then = desk.personToKeep
            // For a digest may be gathered what goes first at its own instant (`P18`).
            guard let notice = then.notice(of: matter, user: user, plan), plan.kind(notice.kind).digest != nil else {
                return then.silence(of: matter, plan)
            }
            return then.inTurn(of: notice, at: matter.at, user: user, plan: plan).silence(of: matter, plan)
        }
    }

    /// What a slot raises; `nil` for whatever is none.
    private func notice(of matter: DueMatter, user: String, _ plan: Plan) -> Notice? {
        guard case .slot(let word) = matter.cause, let kind = matter.kind else { return nil }
        let name = Notice.name(user, plan.kind(kind).name.text, matter.subject, word.description)
        return scheduled(kind, matter.subject, word, name: name, at: matter.at, plan: plan)
    }

    /// The rule that drops a notice at its moment for what is known beforehand: consent, switches, channels, what was done, and
    /// quiet hours where the kind does not wait for their end. What else comes until then decides about the other rules.
    private func standingObjection(to notice: Notice, _ plan: Plan, at instant: Instant) -> String? {
        let almanac = Almanac()
        // A matter keeps nothing of what it is a view of.
        return withExtendedLifetime(almanac) { () -> String? in
            let matter = Matter(notice, of: self, plan, at: instant, almanac)
            let asked = matter.asked.intersection(RuleSet.permanent.union(.only(P8QuietHours.number)))
            for rule in pipeline where asked.contains(.only(rule.number)) {
                guard case .drop(let reason)? = rule.objection(to: matter) else { continue }
                return "it would not come: \(reason.words) (P\(rule.number))"
            }
            return nil
        }
    }

    /// Why one would not be raised at all, as far as is known; `nil` where it would.
    func silence(of notice: Notice, _ plan: Plan, at instant: Instant) -> String? {
        // No slot comes before the zone is known.
        if notice.slot != nil, let zoneProblem { return "it would not come: \(zoneProblem) (G6)" }
        return switch plan.kind(notice.kind).digest {
        case nil: silence(ofSingle: notice, plan, at: instant)
        case .daily: silenceOfDay(plan, at: instant)
        case .weekly: silenceOfWeek(notice, plan, at: instant)
        }
    }

    /// `C3`: whether it is a check-in's slot on a day that the person has been there.
    private func isLeftOut(_ notice: Notice, _ plan: Plan, at instant: Instant) -> Bool {
        notice.slot != nil && notice.isOrdinary && notice.kind == plan.checkIn && wasActive(onDayOf: instant)
    }

    /// Why nobody knows what hour it is where the person is (`G6`); `nil` where it is known.
    var zoneProblem: String? {
        guard flags.contains(.zoneUnknown) else { return nil }
        return "the zone \(details.unknownZone ?? "that they are in") is not known here"
    }

    private func silence(ofSingle notice: Notice, _ plan: Plan, at instant: Instant) -> String? {
        let rule = plan.rules.kinds[notice.kind]
        if rule.isToldInDigest, rule.raisedBy.isEmpty {
            return "none of its own ever comes: what it stands for is told in a digest (D5)"
        }
        if isLeftOut(notice, plan, at: instant) { return "it would not come: they have been active that day (C3)" }
        // An app that may ask for one raises it itself.
        guard !rule.isOnRequest else { return nil }
        if notice.kind == plan.prompt { return silenceOfPrompt(notice.kind) }
        if notice.kind == plan.message, wantsAnalysis(plan) { return analysesAhead(of: notice, plan, at: instant) }
        return nil
    }

    // MARK: What something else must come before

    /// `S4`: only a session that they complete has them asked.
    private func silenceOfPrompt(_ prompt: Int) -> String {
        if let answer = permissionAnswer {
            return "it would not come: they have answered (\(answer.name)) and are not asked again (S4)"
        }
        if flags.contains(.asked) { return "it would not come: they were asked already (S4)" }
        if details.waiting.contains(where: { $0.notice.kind == prompt && !details.wasPutOff($0.notice) }) {
            return "it would not come: one waits for them already (S4)"
        }
        return details.notNowAt == .distantPast
            ? "they are asked when they have completed a session, and not before (S4)"
            : "they said not now, and are asked again when they have completed another session (S4)"
    }

    /// `A2`: who opted in is told of a message only after its analysis, which may say no.
    private func analysesAhead(of notice: Notice, _ plan: Plan, at instant: Instant) -> String {
        let wanted = details.conversations.filter { conversation in
            notice.conversation.map { $0 == conversation.id } ?? true
        }
        var ahead: [(at: Instant, told: String)] = []
        for conversation in wanted {
            if let pending = conversation.pending {
                let end = patience(with: pending, plan)
                ahead.append((end, "\(conversation.id) until \(end)"))
            } else if let due = analysisDue(of: conversation, plan) {
                let at = max(due.at, instant)
                ahead.append((at, "\(conversation.id) at \(at)"))
            }
        }
        guard !ahead.isEmpty else { return "a message is analysed first, and none waits for that (A2)" }
        let told = ahead.sorted { $0.at < $1.at }.prefix(Self.analysesTold).map { $0.told }.joined(separator: ", ")
        let others = ahead.count - Self.analysesTold
        return "a message is analysed first (A2): \(told)\(others > 0 ? " and \(others) more" : "")"
    }

    /// How many conversations a sentence names.
    private static let analysesTold = 3

    // MARK: Digests

    private func silenceOfDay(_ plan: Plan, at instant: Instant) -> String? {
        guard hasSomethingForDigest(plan) else {
            return "it would not come: nothing was gathered and no points were earned since the last (D1)"
        }
        return !ownPoints(plan).isEmpty || mayTellOfGathered(plan, at: instant)
            ? nil : "it would not come: what was gathered may not be told any more (D4)"
    }

    private func silenceOfWeek(_ notice: Notice, _ plan: Plan, at instant: Instant) -> String? {
        if hasGatheredForWeek(plan, notice.kind) { return nil }
        guard preferences.kinds[notice.kind].isEnabled else {
            return "it would not come: it is switched off, and nothing was gathered for it (D5)"
        }
        // One that is raised now takes the next slot, as a run does, and so tells of that slot's week.
        let date =
            notice.slot == nil
            ? nextSlot(of: notice.kind, after: instant, user: "", plan: plan)?.0.local.date ?? notice.date : notice.date
        let week = notice.content?.week ?? week(of: date, before: instant, at: instant)
        guard week.isEmpty else { return nil }
        let monday = date.advanced(byDays: 1 - date.weekday.rawValue)
        return zone.localDate(at: instant) < monday
            ? "it would not come: nothing was gathered, and the week that the next would tell of has not begun (D3)"
            : "it would not come: nothing was gathered and nothing was done in the week so far (D3)"
    }

    /// `D4`: whether anything of what was gathered for the day's digest would be listed at a moment.
    private func mayTellOfGathered(_ plan: Plan, at instant: Instant) -> Bool {
        let almanac = Almanac()
        // A matter keeps nothing of what it is a view of.
        return withExtendedLifetime(almanac) {
            lookedAt.contains { waiting in
                waiting.isGathered(for: .daily)
                    && Matter(waiting.notice, of: self, plan, at: instant, almanac).objection(of: .ofGathered) == nil
            }
        }
    }
}
