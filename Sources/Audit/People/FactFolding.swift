internal import CivilTime
internal import Notices

/// What each fact changes about a person.
extension Auditor {
    mutating func takeFact(_ event: Event, _ person: Int) {
        let at = event.at
        let deed = Progress.Deed(at: at, seq: event.seq)
        switch event.payload {
        case .userEnrolled(let enrolled):
            people[person].zoneName = enrolled.timezone.text
            if rules(of: enrolled.timezone.text) != nil { people[person].lastKnownZone = enrolled.timezone.text }
            people[person].isMinor = enrolled.isMinor ?? people[person].isMinor
            people[person].reach.enrolled(email: enrolled.email != nil)
        case .timezoneChanged(let change):
            if change.keepsSchedule != true {
                move(person, to: change.timezone.text, event)
            } else {
                keepZone(person, after: change.timezone.text)
            }
        case .consentGiven(let consent): people[person].consents.insert(consent.giver)
        case .consentWithdrawn(let consent): people[person].consents.remove(consent.giver)
        case .pushPermissionChanged(let change):
            people[person].permissionChanged(
                to: change.status, turnsCheckInsOn: policy.asksBeforeCheckIns)
        case .preferencesChanged(let change):
            patch(person, change.patch.document, event)
            forgetPointsIfOff(person)
        case .presetApplied(let applied):
            if let preset = policy.presets[applied.preset.text] { people[person].patch(preset) }
            forgetPointsIfOff(person)
        case .preferencesReset:
            people[person].resetPreferences()
            forgetPointsIfOff(person)
        case .deviceRegistered(let device): people[person].reach.registered(device: device.device.text)
        case .deviceRemoved(let device): people[person].reach.removed(device: device.device.text)
        case .appOpened: people[person].presence.opened(at: at)
        case .appClosed: people[person].presence.closed()
        case .conversationOpened(let opened):
            people[person].presence.opened(conversation: opened.conversation.text, at: at)
            people[person].conversations.read(opened.conversation.text, seq: event.seq)
        case .messagesRead(let read): people[person].conversations.read(read.conversation.text, seq: event.seq)
        case .conversationClosed(let closed): people[person].presence.closed(conversation: closed.conversation.text)
        case .messageReceived(let message):
            people[person].conversations.exchanged(in: message.conversation.text, at: at)
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
        case .pointsEarned: earnPoints(person)
        case .jobFailed(let failure): people[person].reach.failed(failure)
        case .noticeRequested(let request): takeRequest(request, event, person)
        case .noticeSnoozed(let snooze): takeSnooze(snooze, event, person)
        default: break
        }
    }

    /// A zone in a patch is the same as a `timezone_changed` (T9); putting it back to the default moves nobody.
    private mutating func patch(_ person: Int, _ document: JSONDocument, _ event: Event) {
        guard let patch = JSONTree(parsing: document.text) else { return }
        people[person].patch(patch)
        if let zone = patch["timezone"]?.text { move(person, to: zone, event) }
    }

    /// A notice that was asked for must have been considered at that very instant.
    private mutating func takeRequest(_ request: NoticeRequested, _ event: Event, _ person: Int) {
        let base = NoticeID.requested(
            user: people[person].id, kind: request.kind.text, subject: request.subject?.text, seq: event.seq)
        guard let id = NoticeID(base) else { return }
        let kind = policy.kinds[request.kind.text]
        if kind != nil { asked(.waiting) }
        countNotice()
        people[person].notices[base] = LiveNotice(
            id: id, raisedAt: event.at, day: clock(of: person).clock.localDay(at: event.at), seq: event.seq,
            priority: request.priority ?? kind?.priority,
            subtype: request.data["subtype"]?.text, expiresAt: request.expiresAt,
            // Of a kind that no policy names nothing can be expected.
            deadline: kind == nil ? nil : event.at)
    }

    private mutating func takeSnooze(_ snooze: NoticeSnoozed, _ event: Event, _ person: Int) {
        guard let job = NoticeID(snooze.job.text), jobIDs[Fingerprint(snooze.job.text)] != nil else { return }
        let due = event.at.advanced(byMinutes: Int64(snooze.minutes))
        let number = people[person].notices.snoozed(job, until: due, at: event.at, seq: event.seq)
        asked(.waiting)
        let most = policy.snoozesMax
        expect(.snoozes, event, number <= most, "\(job.base) is snoozed \(number) times, and \(most) is the most (S2)")
    }
}
