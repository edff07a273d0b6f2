internal import CivilTime
internal import Notices

/// Holds, gatherings and drops: every step of a notice that has not reached anyone (P20).
extension Auditor {
    mutating func takeHold(_ hold: NoticeHeld, _ event: Event, _ person: Int) {
        checkWord(hold.reason, among: [.quietHours, .outsideSchedule, .cooldown, .dailyCap, .overload], event)
        // Whatever else is too much at once goes into the summary, which waits by itself (P12).
        expect(
            .words, event, hold.reason != .overload || policy.kinds[hold.kind.text]?.cause == .overload,
            "\(hold.notice) is held for \(hold.reason.name), and is no summary")
        expect(.holds, event, hold.until > event.at, "\(hold.notice) is held until \(hold.until), which is not to come")
        checkEnd(of: hold, event, person)
        asked(.waiting)
        if let id = NoticeID(hold.notice.text), let number = id.repetition,
            let snooze = people[person].notices.snooze(id.base, number)
        {
            return takeHold(hold, of: snooze, id.base, event, person)
        }
        guard let base = notice(hold.notice, event, person) else { return }
        checkName(base, kind: hold.kind, subject: hold.subject, event, person)
        let state = LiveNotice.State.held(until: hold.until, hold.reason)
        let before = people[person].notices[base]?.state
        expect(.holds, event, before != state, "the hold of \(base) until \(hold.until) is recorded again unchanged")
        if case .gathered(let into, let gathering) = before, policy.teller(of: gathering) != nil {
            broken(.endings, event, "\(base) was gathered for \(into) and is held")
        }
        people[person].notices.set(base, state, deadline: hold.until, at: event.at, seq: event.seq)
        trace(hold.kind, event, person)
    }

    /// S1: a repeat waits only where the time that was asked for has passed, and for an hour at which they may be rung.
    private mutating func takeHold(
        _ hold: NoticeHeld, of snooze: NoticeLedger.Snooze, _ base: String, _ event: Event, _ person: Int
    ) {
        expect(
            .snoozes, event, event.at > snooze.due.advanced(byMinutes: 1),
            "\(hold.notice) was asked for at \(snooze.due), and is held at \(event.at)")
        let isFit = hold.reason == .quietHours || hold.reason == .outsideSchedule
        expect(.holds, event, isFit, "\(hold.notice) is held for \(hold.reason.name), which nobody asks of a repeat")
        expect(
            .holds, event, snooze.hold != LiveNotice.State.held(until: hold.until, hold.reason),
            "the hold of \(hold.notice) until \(hold.until) is recorded again unchanged")
        checkName(ofRepeat: hold, base, event, person)
        let told = people[person].notices.sent[base]?.notices ?? []
        // Of several it hangs on those that are still open.
        if told.count == 1 { checkMayWait(hold, told[0], event, person) }
        people[person].notices.hold(base, snooze.number, until: hold.until, hold.reason)
    }

    /// That it is of the kind, and about what its job's name tells. A bundle names one thing that it told of.
    private mutating func checkName(ofRepeat hold: NoticeHeld, _ base: String, _ event: Event, _ person: Int) {
        guard let id = NoticeID(base) else { return }
        let told = people[person].notices.sent[base]?.notices ?? []
        let subject = hold.subject?.text
        let isAbout =
            told.count == 1
            ? subject == id.subject : told.isEmpty || subject == nil || told.contains { $0.subject == subject }
        expect(
            .names, event, id.kind == hold.kind.text && isAbout,
            "the repeat \(hold.notice) is said to be of the kind \(hold.kind) about \(subject ?? "nothing")")
    }

    /// P14: what is locked or critical waits for no hour, and what passes quiet hours for no end of them.
    private mutating func checkMayWait(_ hold: NoticeHeld, _ notice: LiveNotice, _ event: Event, _ person: Int) {
        guard let kind = policy.kinds[notice.kind] else { return }
        var job = JobEmitted()
        job.kind = hold.kind
        // Of what its priority is not known, nothing is believed that would let it pass.
        job.priority = notice.priority ?? .low
        let matter = JobMatter(
            seq: event.seq, at: event.at, job: job, kind: kind, policy: policy, person: people[person],
            wishes: wishes(of: person), clock: clock(of: person).clock, own: [notice], carried: [], snooze: nil,
            isSnooze: true, isForced: false, digestToCome: nil)
        let passes =
            matter.isLocked || notice.priority == .critical || hold.reason == .quietHours && !matter.mindsQuietHours
        expect(.holds, event, !passes, "\(hold.notice) is held for \(hold.reason.name), which it passes (P14)")
    }

    mutating func takeGathering(_ gathering: NoticeGathered, _ event: Event, _ person: Int) {
        checkWord(gathering.reason, among: [.digestMode, .overload, .dailyCap], event)
        guard let base = notice(gathering.notice, event, person) else { return }
        checkName(base, kind: gathering.kind, subject: gathering.subject, event, person)
        let into = gathering.into.text
        let teller = teller(named: into, person)
        asked(.waiting)
        if let end = endedNotices[mark(into, person)] {
            broken(.waiting, event, "\(base) is gathered into \(into), which had ended with event \(end)")
        } else if hasPolicy, teller == nil {
            broken(.waiting, event, "\(base) is gathered into \(into), which is neither a digest nor a summary")
        }
        checkDestination(of: gathering, teller, event, person)
        people[person].notices.set(
            base, .gathered(into: into, as: teller?.gathering), deadline: nil, at: event.at, seq: event.seq)
    }

    /// The digest or summary of a name. A summary that is being gathered for keeps the name that it was begun under, whatever
    /// its kind is called by now.
    private func teller(named name: String, _ person: Int) -> KindDocument? {
        let id = NoticeID(name)
        if id?.isSlot == false, people[person].notices.gathers(intoSummary: name) {
            return policy.teller(of: .overload)
        }
        let kind = policy.kinds[id?.kind ?? name]
        return kind?.isGathering == true ? kind : nil
    }

    /// What waits for a digest or summary that is told or stopped for good is spoken of with it, under whatever policy it was
    /// gathered (D1, D2).
    mutating func expectGathered(by kind: KindDocument, _ event: Event, _ person: Int) {
        guard let gathering = kind.gathering, policy.teller(of: gathering)?.name == kind.name else { return }
        people[person].notices.dueNow(gatheredAs: gathering, at: event.at, seq: event.seq)
    }

    /// P10, P12, P13: what is wanted in a digest goes into that one, what the cap leaves over into the day's, and what is too
    /// much at once into a summary.
    private mutating func checkDestination(
        of gathering: NoticeGathered, _ into: KindDocument?, _ event: Event, _ person: Int
    ) {
        guard let into, let kind = policy.kinds[gathering.kind.text] else { return }
        let fits: Bool
        switch gathering.reason {
        case .digestMode: fits = into.digest == wishes(of: person).digest(for: kind, of: policy)
        case .dailyCap: fits = into.digest == .daily
        case .overload: fits = into.cause == .overload
        default: return
        }
        expect(
            .digestMode, event, fits,
            "\(gathering.notice) is gathered into \(gathering.into) for \(gathering.reason.name)")
        checkDigest(named: gathering, into, event, person)
    }

    mutating func takeDrop(_ drop: NoticeDropped, _ event: Event, _ person: Int) {
        checkWord(drop.reason, among: Self.dropReasons, event)
        // A repeat that was asked for and cannot come any more (S1).
        if let id = NoticeID(drop.notice.text), let number = id.repetition,
            people[person].notices.snooze(id.base, number) != nil
        {
            checkWord(ofRepeatOrSample: drop, isSample: false, event)
            return people[person].notices.endSnooze(id.base, number)
        }
        guard let base = notice(drop.notice, event, person) else { return }
        // Nothing goes with a test (N8).
        if people[person].notices[base]?.isTest == true {
            checkWord(ofRepeatOrSample: drop, isSample: true, event)
            return end(base, event, person)
        }
        if drop.reason == .overload { checkRoom(for: base, event, person) }
        checkName(base, kind: drop.kind, subject: drop.subject, event, person)
        checkDrop(drop, base, event, person)
        if policy.kindOfAny(drop.kind.text)?.isGathering == true {
            people[person].notices.droppedDigest(for: drop.reason, at: event.at)
        }
        if drop.reason == .superseded {
            note(person, event) {
                let theme = Journey.Theme(kind: drop.kind.text, subject: drop.subject?.text)
                $0.superseded.append(Journey.Superseded(theme: theme, base: base, seq: event.seq))
            }
        }
        end(base, event, person)
        if Self.permanentReasons.contains(drop.reason), NoticeID(base)?.isSlot == true {
            forgetPoints(toldBy: drop.kind.text, person)
        }
        trace(drop.kind, event, person)
        // What stops a digest for good takes with it what was gathered; a full day does not (D2), nor does the digest of
        // the next day that comes while one is held (C4, D4).
        if let kind = policy.kinds[drop.kind.text], drop.reason != .dailyCap, drop.reason != .superseded {
            expectGathered(by: kind, event, person)
        }
    }

    /// Who has as many notices waiting as anybody may is spared the next, and only they are (G11).
    private mutating func checkRoom(for base: String, _ event: Event, _ person: Int) {
        let ledger = people[person].notices
        let isFull = ledger.isFull && (ledger[base]?.state == .raised || ledger.isBeyondLimits)
        expect(
            .room, event, isFull,
            "\(base) is dropped for overload while \(ledger.waitingCount) notices wait")
    }

    /// A digest or summary was spoken of; what waits for it waits with a reason.
    private mutating func trace(_ kind: Identifier, _ event: Event, _ person: Int) {
        guard policy.kinds[kind.text]?.isGathering == true else { return }
        people[person].notices.lastTrace[kind.text] = event.at
    }

    /// P1 to P7.
    static let permanentReasons: Set<Reason> = [
        .expired, .settled, .noConsent, .optedOut, .kindOff, .noChannel, .viewing,
    ]

    private static let dropReasons: Set<Reason> = [
        .expired, .settled, .noConsent, .optedOut, .kindOff, .noChannel, .viewing, .quietHours, .dailyCap, .superseded,
        .analysisLimit, .aiUnavailable, .noRuleMatched, .suppressed, .overload,
    ]

    mutating func checkWord(_ reason: Reason, among words: Set<Reason>, _ event: Event) {
        expect(.words, event, words.contains(reason), "\(event.payload.type.text) gives the reason \(reason.name)")
    }
}
