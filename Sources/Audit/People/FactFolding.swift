internal import CivilTime
internal import Notices

/// What each fact changes about a person.
extension Auditor {
    mutating func takeFact(_ event: Event, _ person: Int) {
        let at = event.at
        let deed = Progress.Deed(at: at, seq: event.seq)
        raiseByGoal(event, person)
        switch event.payload {
        case .userEnrolled(let enrolled):
            people[person].zoneName = enrolled.timezone.text
            if rules(of: enrolled.timezone.text) != nil { people[person].lastKnownZone = enrolled.timezone.text }
            people[person].isMinor = enrolled.isMinor ?? people[person].isMinor
            people[person].reach.enrolled(enrolled, at: at, seq: event.seq)
        case .personErased: erase(person, at: at)
        case .contactChanged(let change): people[person].reach.changed(change, at: at, seq: event.seq)
        case .timezoneChanged(let change):
            if change.keepsSchedule != true {
                move(person, to: change.timezone.text, event)
            } else {
                keepZone(person, after: change.timezone.text, event)
            }
        case .consentGiven(let consent): people[person].consents.insert(consent.giver)
        case .consentWithdrawn(let consent): people[person].consents.remove(consent.giver)
        case .pushPermissionChanged(let change):
            people[person].permissionChanged(
                to: change.status, turnsCheckInsOn: policy.asksBeforeCheckIns)
            people[person].wishesSince = at
        case .preferencesChanged, .presetApplied, .preferencesReset:
            let hadEmail = hasEmailOn(person)
            takePreferences(event, person)
            people[person].wishesSince = at
            if !hadEmail, hasEmailOn(person) { people[person].emailWantedAt = at }
        case .deviceRegistered(let device):
            people[person].reach.registered(device: device.device.text, at: at, seq: event.seq)
        case .deviceRemoved(let device): people[person].reach.removed(device)
        case .phoneVerificationRequested(let request):
            people[person].reach.asked(about: request, at: at, seq: event.seq)
        case .phoneCodeEntered(let code): people[person].reach.entered(isRight: code.isCorrect == true, at: at)
        case .appOpened: people[person].presence.opened(at: at)
        case .appClosed: people[person].presence.closed()
        case .conversationOpened(let opened):
            people[person].presence.opened(conversation: opened.conversation.text, at: at)
            people[person].conversations.read(opened.conversation.text, seq: event.seq)
        case .messagesRead(let read): people[person].conversations.read(read.conversation.text, seq: event.seq)
        case .conversationClosed(let closed): people[person].presence.closed(conversation: closed.conversation.text)
        case .messageReceived(let message):
            people[person].conversations.exchanged(in: message.conversation.text, at: at)
            noteMessage(message, event, person)
        case .messageSent(let message):
            people[person].conversations.exchanged(in: message.conversation.text, at: at)
            people[person].presence.sent(in: message.conversation.text, at: at)
        case .sessionCompleted: people[person].progress.completedSession(at: at)
        case .checkedIn(let checkIn): people[person].progress.checkedIn(goal: checkIn.goal?.text, deed)
        case .goalStarted(let goal):
            people[person].progress.started(goal: goal.goal.text)
            people[person].progress.deadlines[goal.goal.text] = goal.deadline
        case .goalChanged(let goal):
            if let deadline = goal.deadline { people[person].progress.deadlines[goal.goal.text] = deadline }
        case .goalEnded(let goal): people[person].progress.ended(goal: goal.goal.text, deed)
        case .pointsEarned(let earned): earnPoints(earned, at: at, person)
        case .jobFailed(let failure):
            people[person].reach.failed(failure, emittedAt: emission(of: failure.job, at, person))
        case .deliveryReported(let report):
            checkWays(of: report, event, person)
            takeReport(report, at, person)
        case .unsubscribed(let unsubscribed): unsubscribe(person, unsubscribed.channel, unsubscribed.kind?.text, at)
        case .noticeRequested(let request): takeRequest(request, event, person)
        case .testRequested(let request): takeTest(request, event, person)
        case .noticeSnoozed(let snooze): takeSnooze(snooze, event, person)
        case .noticeOpened(let opened): people[person].unseen.see(opened.job.text)
        case .noticeDismissed(let dismissed): people[person].unseen.see(dismissed.job.text)
        case .feedSeen, .historyCleared: people[person].unseen.seeAll()
        default: break
        }
    }

    private mutating func checkWays(of report: DeliveryReported, _ event: Event, _ person: Int) {
        guard !report.givesWayTo.isEmpty else { return }
        let own = jobIDs[mark(report.job.text, person)]?.channels ?? []
        let wished = wishes(of: person).channels
        let problems = report.givesWayTo.compactMap { channel -> String? in
            if own.union(ChannelSet(report.channel)).contains(ChannelSet(channel)) {
                return "\(report.job) gives way to \(channel.name), which it was sent on"
            }
            return wished.contains(channel)
                ? nil : "\(report.job) gives way to \(channel.name), which the person has switched off"
        }
        expect(.ways, event, problems.isEmpty, problems.joined(separator: "; "))
    }

    private mutating func takeReport(_ report: DeliveryReported, _ at: Instant, _ person: Int) {
        let emittedAt = emission(of: report.job, at, person)
        people[person].reach.reported(report, emittedAt: emittedAt)
        // N6: a complaint is an unsubscription, unless the mail is older than their last word about mail.
        guard report.channel == .email, report.status == .complained, people[person].reach.hasEmail(since: emittedAt),
            people[person].emailWantedAt <= emittedAt
        else { return }
        unsubscribe(person, .email, nil, at)
    }

    /// N6: as a patch of theirs would.
    private mutating func unsubscribe(_ person: Int, _ channel: Channel, _ kind: String?, _ at: Instant) {
        guard channel != .inApp else { return }
        let wishes = wishes(of: person)
        guard let kind else {
            // What is off already is not changed.
            guard wishes.channels.contains(channel) else { return }
            people[person].patch(.object(["channels": .object([channel.name: .truth(false)])]), under: policy)
            return
        }
        guard let rule = policy.kinds[kind] else { return }
        func without(_ chosen: [Channel]) -> JSONTree {
            .object([
                "kinds": .object([
                    kind: .object([
                        "channels": .list(
                            chosen.filter { $0 != channel && $0 != .inApp }.map { .text($0.name) })
                    ])
                ])
            ])
        }
        let chosen = wishes.kinds[kind]?.channels ?? rule.channels
        if chosen.contains(channel) { people[person].patch(without(chosen), under: policy) }
        for (goal, kinds) in wishes.goals {
            guard let chosen = kinds[kind]?.channels, chosen.contains(channel) else { continue }
            people[person].patch(.object(["goals": .object([goal: without(chosen)])]), under: policy)
        }
    }

    /// Of a job older than a week nobody remembers when it went out, only that it was longer ago.
    private func emission(of job: NoticeName, _ now: Instant, _ person: Int) -> Instant {
        max(jobIDs[mark(job.text, person)]?.at ?? .distantPast, now.advanced(byDays: -7))
    }

    private mutating func takePreferences(_ event: Event, _ person: Int) {
        switch event.payload {
        case .preferencesChanged(let change): patch(person, change.patch.document, event)
        case .presetApplied(let applied):
            if let preset = policy.presets[applied.preset.text] { people[person].patch(preset, under: policy) }
        default: people[person].resetPreferences()
        }
    }

    private func hasEmailOn(_ person: Int) -> Bool {
        let path = ["channels", "email"]
        return people[person].document?[path]?.truth ?? policy.preferences[path]?.truth ?? true
    }

    /// A zone in a patch is the same as a `timezone_changed` (T9); putting it back to the default moves nobody.
    private mutating func patch(_ person: Int, _ document: JSONDocument, _ event: Event) {
        guard let patch = JSONTree(parsing: document.text) else { return }
        people[person].patch(patch, under: policy)
        if let zone = patch["timezone"]?.text { move(person, to: zone, event) }
    }

    /// A notice that was asked for must have been considered at that very instant.
    private mutating func takeRequest(_ request: NoticeRequested, _ event: Event, _ person: Int) {
        let base = NoticeID.requested(
            user: people[person].id, kind: request.kind.text, subject: request.subject?.text, seq: event.seq)
        guard let id = NoticeID(base) else { return }
        noteAsking(request, event, person)
        let kind = policy.kinds[request.kind.text]
        if kind != nil { asked(.waiting) }
        countNotice()
        var notice = LiveNotice(
            id: id, raisedAt: event.at, day: clock(of: person).clock.localDay(at: event.at), seq: event.seq,
            priority: request.priority ?? kind?.priority,
            subtype: request.part(of: kind), expiresAt: request.expiresAt,
            // Of a kind that no policy names nothing can be expected.
            deadline: kind == nil ? nil : event.at)
        notice.hasWords = request.title != nil || request.body != nil || !request.data.entries.isEmpty
        notice.hours = hours(of: notice, person)
        people[person].notices[base] = notice
    }

    /// N8: decided at once, whatever the person's wishes are.
    private mutating func takeTest(_ request: TestRequested, _ event: Event, _ person: Int) {
        let base = NoticeID.requested(user: people[person].id, kind: request.kind.text, subject: nil, seq: event.seq)
        guard let id = NoticeID(base), policy.kinds[request.kind.text] != nil else { return }
        countNotice()
        var notice = LiveNotice(id: id, raisedAt: event.at, seq: event.seq, deadline: event.at)
        notice.isTest = true
        people[person].notices[base] = notice
    }

    private mutating func takeSnooze(_ snooze: NoticeSnoozed, _ event: Event, _ person: Int) {
        guard let job = NoticeID(snooze.job.text), jobIDs[mark(snooze.job.text, person)] != nil else { return }
        let due = event.at.advanced(byMinutes: Int64(snooze.minutes))
        let number = people[person].notices.snoozed(job, until: due, at: event.at, seq: event.seq)
        asked(.waiting)
        let most = policy.snoozesMax
        expect(.snoozes, event, number <= most, "\(job.base) is snoozed \(number) times, and \(most) is the most (S2)")
    }
}
