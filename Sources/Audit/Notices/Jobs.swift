internal import CivilTime
internal import Notices

/// A job is judged by every check, and ends the notices it is for.
extension Auditor {
    mutating func takeJob(_ job: JobEmitted, _ event: Event, _ person: Int) {
        countJob()
        let first = jobIDs.updateValueUnlessKnown(
            Emission(seq: event.seq, at: event.at, channels: ChannelSet(job.channels)), for: mark(job.job.text, person))
        expect(.jobIDs, event, first == nil, "the job \(job.job) was event \(first?.seq ?? 0) already")
        asked(.kinds)
        guard let kind = policy.kindOfAny(job.kind.text) else {
            if hasPolicy { broken(.kinds, event, "the policy \(policy.name) names no kind \(job.kind)") }
            return endWithoutJudging(job, event, person)
        }
        if job.isTest == true || people[person].notices[job.job.text]?.isTest == true {
            return takeTest(job, kind, event, person)
        }
        let id = NoticeID(job.job.text)
        checkKind(of: job, kind, id, event)
        let repetition = id?.repetition
        let isSnooze = repetition != nil
        let base = id?.base ?? NoticeID.base(of: job.job.text)
        let snooze = repetition.flatMap { people[person].notices.snooze(base, $0) }
        let about = isSnooze ? repeated(job, repetition ?? 0, event, person) : named(job, id, kind, event, person)
        judge(job, id, kind, about, isSnooze: isSnooze, snooze: snooze, event, person)
        for notice in about where !isSnooze { end(notice.id.base, event, person) }
        people[person].notices.went(base, about, at: event.at)
        checkBadge(of: job, kind, isSnooze: isSnooze, event, person)
        remember(job, kind, isSnooze: isSnooze, event, person)
    }

    /// N8: asked P6 only, and counted for nothing.
    private mutating func takeTest(_ job: JobEmitted, _ kind: KindDocument, _ event: Event, _ person: Int) {
        let notice = people[person].notices[job.job.text]
        expect(
            .tests, event, job.isTest == true && notice?.isTest == true && job.notices == [job.job],
            "\(job.job) is a test that nobody asked for, or does not say that it is one")
        checkKind(of: job, kind, NoticeID(job.job.text), event)
        guard let notice else { return }
        let matter = JobMatter(
            seq: event.seq, at: event.at, job: job, kind: kind, policy: policy, person: people[person],
            wishes: wishes(of: person), clock: clock(of: person).clock, own: [notice], carried: [], snooze: nil,
            isSnooze: false, isForced: false, digestToCome: nil)
        if case .broken(let sentence) = matter.testFinding { broken(.tests, event, "\(job.job): \(sentence)") }
        end(job.job.text, event, person)
    }

    /// §1: a job is of the kind of its notices, which its name tells. A digest or summary that waits while another policy is
    /// adopted may go out as that policy's.
    private mutating func checkKind(of job: JobEmitted, _ kind: KindDocument, _ id: NoticeID?, _ event: Event) {
        guard let named = id?.kind else { return }
        let hasReplaced = kind.isGathering && policy.kinds[named] == nil && policy.kindOfAny(named) != nil
        expect(
            .names, event, named == kind.name || hasReplaced,
            "\(job.job) is said to be of the kind \(kind.name), and its notice is of \(named)")
    }

    private mutating func judge(
        _ job: JobEmitted, _ id: NoticeID?, _ kind: KindDocument, _ about: [LiveNotice], isSnooze: Bool,
        snooze: NoticeLedger.Snooze?, _ event: Event, _ person: Int
    ) {
        let (clock, isKnown) = clock(of: person)
        // A summary that waited for its turn has the kind's name that was then.
        let isOwn = { (notice: LiveNotice) in notice.kind == kind.name || notice.id.base == id?.base }
        let matter = JobMatter(
            seq: event.seq, at: event.at, job: job, kind: kind, policy: policy, person: people[person],
            wishes: wishes(of: person), clock: clock, own: about.filter(isOwn),
            // A digest that comes again tells once more what it told: it is what was snoozed.
            carried: isSnooze ? [] : about.filter { !isOwn($0) }, snooze: snooze, isSnooze: isSnooze,
            isForced: isRun(event, person, kind: kind.name, withForce: true),
            digestToCome: digestToCome(event, person, isBeforeIt: job.priority.rawValue > Priority.medium.rawValue))
        if !matter.isInAppOnly {
            let zone = people[person].zoneName ?? policy.defaultZone
            expect(.zones, event, isKnown, "the zone \(zone) is not known, and the job goes out all the same")
        }
        if !isSnooze {
            checkListed(in: job, kind, event)
            checkCounts(of: job, id, kind, event, person)
            if let notice = about.first(where: { $0.kind == kind.name }) {
                checkWeek(of: job, notice, kind, event, person)
            }
        }
        for check in JobCheck.all {
            switch check.finding(matter) {
            case .notAsked: break
            case .kept: asked(check.check)
            case .broken(let sentence):
                asked(check.check)
                broken(check.check, event, "\(job.job): \(sentence)")
            }
        }
    }

    /// The notices of a job that is no repeat, each of them raised and not ended.
    private mutating func named(
        _ job: JobEmitted, _ id: NoticeID?, _ kind: KindDocument, _ event: Event, _ person: Int
    ) -> [LiveNotice] {
        var names = job.notices
        let isDigestItself = kind.isGathering && id?.kind == kind.name
        // A digest need not name itself among what it tells.
        if isDigestItself, !names.contains(job.job) { names.insert(job.job, at: 0) }
        expect(
            .names, event, names.first == job.job || isDigestItself,
            "the job \(job.job) is not named after its first notice")
        if let slot = job.slot, case .slot(let own) = id?.mark {
            expect(.names, event, slot.text == "\(own)", "the job \(job.job) is said to be for the slot \(slot)")
        }
        if let slot = job.slot, case .instant(let own) = id?.mark {
            let wall = LocalDateTime(slot.text)?.wallMilliseconds
            // What waited may go out in another zone.
            let due = people[person].notices[id?.base ?? ""]?.slotWall ?? clock(of: person).clock.wall(at: own)
            expect(
                .names, event, wall == due,
                "the job \(job.job) is said to be for the slot \(slot)")
        }
        var about: [LiveNotice] = []
        var seen: Set<String> = []
        for name in names {
            let bundle = kind.isBundling ? about.map(\.id.base) : []
            guard let base = notice(name, event, person, bundle: bundle) else { continue }
            guard seen.insert(base).inserted, let notice = people[person].notices[base] else {
                broken(.endings, event, "the notice \(base) is in the job twice")
                continue
            }
            about.append(notice)
        }
        return about
    }

    /// What a repeat is about. It comes when it was asked for, not before (S1).
    private mutating func repeated(
        _ job: JobEmitted, _ repetition: Int, _ event: Event, _ person: Int
    ) -> [LiveNotice] {
        let base = NoticeID.base(of: job.job.text)
        let most = policy.snoozesMax
        expect(.snoozes, event, repetition <= most, "\(job.job) is more than \(most) snoozes (S2)")
        asked(.snoozes)
        if let snooze = people[person].notices.snooze(base, repetition) {
            if event.at < snooze.due { broken(.snoozes, event, "\(job.job) was asked for at \(snooze.due)") }
        } else {
            broken(.snoozes, event, "nobody asked for \(job.job)")
        }
        people[person].notices.endSnooze(base, repetition)
        if let sent = people[person].notices.sent[base], !sent.notices.isEmpty { return sent.notices }
        return NoticeID(base).map { id in
            var notice = LiveNotice(id: id, raisedAt: event.at, seq: event.seq)
            notice.isForgotten = true
            return [notice]
        } ?? []
    }

    private mutating func remember(
        _ job: JobEmitted, _ kind: KindDocument, isSnooze: Bool, _ event: Event, _ person: Int
    ) {
        if job.channels.contains(where: { $0 != .inApp }) {
            let counts = !kind.isLocked && job.priority != .critical
            people[person].jobs.add(
                JobHistory.Reached(at: event.at, seq: event.seq, countsForCap: counts), kind: kind.name)
        }
        if kind.cause == .session, !isSnooze { people[person].sessionsAtPrompt = people[person].progress.sessions }
        // A digest that comes again tells what it told; what was gathered since waits for the next.
        if !isSnooze { forgetPoints(toldBy: kind.name, person) }
        if kind.isGathering, !isSnooze {
            people[person].notices.lastTrace[kind.name] = event.at
            expectGathered(by: kind, event, person)
        }
    }

    /// Of a kind that is not known only its notices' ends can be kept.
    private mutating func endWithoutJudging(_ job: JobEmitted, _ event: Event, _ person: Int) {
        for name in job.notices {
            if let base = notice(name, event, person) { end(base, event, person) }
        }
    }
}
