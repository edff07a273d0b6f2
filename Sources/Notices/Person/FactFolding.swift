public import CivilTime

/// What facts do to a person. Total: nothing the log may hold makes it fail.
extension Person {
    /// Applies an event of the log: a fact, or a decision that was made about the person.
    public func fold(_ event: Payload, on occasion: Occasion) {
        let (at, plan) = (occasion.at, occasion.plan)
        if event.isHeardFromPerson { lastHeardAt = at }
        switch event {
        case .userEnrolled(let fact): enrol(fact, on: occasion)
        case .timezoneChanged(let fact): travel(fact, on: occasion)
        case .consentGiven(let fact): flags.insert(fact.giver == .guardian ? .guardianConsent : .ownConsent)
        case .consentWithdrawn(let fact): flags.remove(fact.giver == .guardian ? .guardianConsent : .ownConsent)
        case .pushPermissionChanged(let fact): setPermission(fact.status, on: occasion)
        case .preferencesChanged(let fact): change(fact.patch, on: occasion)
        case .presetApplied(let fact): apply(preset: fact.preset.text, on: occasion)
        case .preferencesReset: reset(on: occasion)
        case .unsubscribed(let fact): unsubscribe(fact, on: occasion)
        case .contactChanged(let fact): change(fact, on: occasion)
        case .personErased: erase(plan)
        case .deviceRegistered(let fact): register(fact, on: occasion)
        case .deviceRemoved(let fact): remove(fact)
        case .phoneVerificationRequested(let fact):
            askForCode(number(fact.phone, fact.phoneIs, occasion.sequence), on: occasion)
        case .phoneCodeEntered(let fact): enterCode(isCorrect: fact.isCorrect ?? false)
        case .appOpened:
            flags.insert(.appOpen)
            details.lastSeenAt = at
        case .appClosed:
            flags.remove(.appOpen)
            if hasDetails { details.viewing = nil }
        case .conversationOpened(let fact):
            flags.insert(.appOpen)
            details.lastSeenAt = at
            details.viewing = fact.conversation.text
            look(at: fact.conversation.text)
            settle(conversation: fact.conversation.text)
        case .conversationClosed(let fact):
            if hasDetails, details.viewing == fact.conversation.text { details.viewing = nil }
        case .messagesRead(let fact):
            read(fact.conversation.text)
            settle(conversation: fact.conversation.text)
        case .messageReceived(let fact): receive(fact, on: occasion)
        case .messageSent(let fact):
            details.lastSeenAt = at
            exchange(in: fact.conversation.text, at)
        case .sessionCompleted(let fact): complete(fact, on: occasion)
        case .checkedIn(let fact):
            checkIn(goal: fact.goal?.text, at, plan)
            tellOfStreak(goal: fact.goal?.text, on: occasion)
        case .pointsEarned(let fact):
            earn(fact.points, subject: fact.subject?.text ?? "", at, plan)
            tellOfTotal(fact.points, subject: fact.subject?.text, on: occasion)
        case .goalStarted(let fact):
            start(fact, on: occasion)
            tellOfStart(of: fact.goal.text, on: occasion)
        case .goalChanged(let fact): change(fact, on: occasion)
        case .goalEnded(let fact): end(fact, on: occasion)
        case .subjectNamed(let fact): details.name(subject: fact.subject.text, fact.title.text)
        case .noticeRequested(let fact): raise(fact, on: occasion)
        case .analysisAnswered(let fact): answer(fact)
        case .analysisFailed(let fact): failAnalysis(of: fact.conversation.text)
        case .jobDelivered(let fact): note(fact, at)
        case .jobFailed(let fact) where fact.isUntried == true: noteUntried(fact.job)
        case .jobFailed(let fact):
            note(fact.channel, of: fact.job, hasFailed: true, at)
            fail(fact, on: occasion)
        case .jobRetryRequested(let fact): retry(fact, on: occasion)
        case .deliveryReported(let fact):
            note(fact, at)
            if fact.status == .delivered, fact.channel == .sms, let place = jobPlace(named: fact.job.text, on: occasion)
            {
                marks[place].flags.insert(.textArrived)
            }
            report(fact, on: occasion)
        case .noticeOpened(let fact): answer(job: fact.job.text, plan)
        case .noticeDismissed(let fact): answer(job: fact.job.text, plan)
        case .feedSeen, .historyCleared: seeAll()
        case .noticeSnoozed(let fact): snooze(fact, on: occasion)
        case .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped, .jobEmitted, .analysisRequested,
            .analysisConcluded, .phoneVerified, .phoneLocked:
            if let decision = Decision(event, about: self, on: occasion) { evolve(decision, on: occasion) }
        case .policyAdopted, .feedbackGiven, .runRequested, .testRequested, .workerStarted, .partitionTaken,
            .policyApplied, .textsErased:
            break
        }
    }

    // MARK: Who they are

    private func enrol(_ fact: UserEnrolled, on occasion: Occasion) {
        let (at, sequence) = (occasion.at, occasion.sequence)
        move(to: fact.timezone.text, on: occasion)
        if let isMinor = fact.isMinor { flags = isMinor ? flags.union(.minor) : flags.subtracting(.minor) }
        if let email = fact.email { give(email: email.text, at) }
        if let phone = fact.phone, details.phone.number == nil {
            details.phone.number = number(phone, fact.phoneIs, sequence)
            details.phone.since = at
        }
        if let name = fact.displayName { details.displayName = name.text }
    }

    /// A zone that the tz database does not know stops everything until a known one comes (`G6`).
    private func move(to name: String, on occasion: Occasion) {
        let known = occasion.plan.zone(name)
        // Whoever enrols had no jobs before.
        if enrolledAt < occasion.at, known?.hasSameClocks(as: zone) != true { details.quietBy = occasion.sequence }
        if let known {
            zone = known
            flags.remove(.zoneUnknown)
            if hasDetails { details.unknownZone = nil }
        } else {
            flags.insert(.zoneUnknown)
            details.unknownZone = name
        }
        if hasDetails { details.deviceZone = nil }
    }

    func lookUpUnknownZone(_ plan: Plan) {
        guard hasDetails, let name = details.unknownZone, let known = plan.zone(name) else { return }
        zone = known
        flags.remove(.zoneUnknown)
        details.unknownZone = nil
    }

    /// `T9`.
    private func travel(_ fact: TimezoneChanged, on occasion: Occasion) {
        let plan = occasion.plan
        guard fact.keepsSchedule == true else { return travel(to: fact.timezone.text, on: occasion) }
        // Said of the zone that the schedule has moved to already, it takes the schedule back.
        let isWhereItMovedTo = plan.zone(fact.timezone.text)?.hasSameClocks(as: zone) ?? false
        if isWhereItMovedTo, hasDetails, let before = details.journey.before {
            details.journey.goBack(from: zone, at: occasion.at)
            move(to: before, on: occasion)
        }
        details.deviceZone = fact.timezone.text
    }

    private func travel(to name: String, on occasion: Occasion) {
        let before = zone
        move(to: name, on: occasion)
        // Devices know a zone by several names: whoever uses two of them has not travelled.
        guard !zone.hasSameClocks(as: before) else { return }
        let isBack = details.journey.leave(before, for: zone, at: occasion.at, occasion.plan)
        guard !isBack, let kind = occasion.plan.travel else { return }
        raise(kind: kind, on: occasion)
    }

    /// `S4`: granted and denied both mean they tapped yes before the system dialog. Policies that ask nobody remember "not now" too.
    private func setPermission(_ status: PermissionStatus, on occasion: Occasion) {
        let (at, plan) = (occasion.at, occasion.plan)
        // Who has answered is asked never again: that another device of theirs puts it off takes no answer back.
        if status == .notNow, permissionAnswer != nil { return }
        flags.remove([.permissionGranted, .permissionDenied])
        switch status {
        case .notNow:
            flags.remove(.asked)
            (details.notNowAt, details.notNowBy) = (at, occasion.sequence)
        case .granted: flags.insert(.permissionGranted)
        case .denied: flags.insert(.permissionDenied)
        }
        guard status != .notNow, !flags.contains(.saidYes) else { return }
        flags.insert(.saidYes)
        guard plan.policy.checkInsAfterYes else { return }
        // Saying yes turns them on, whatever the switch was left at before.
        if hasDetails, details.differences["check_ins_enabled"] != nil {
            details.differences = details.differences.merged(with: .object([.init("check_ins_enabled", .null)]))
        }
        refreshPreferences(at, plan)
    }

    // MARK: Preferences

    private func change(_ patch: PreferencesPatch, on occasion: Occasion) {
        guard let value = JSONValue(parsing: patch.document.text) else { return }
        change(value, on: occasion)
        // `null`, like a reset, leaves people where they are: nobody is moved by a default.
        if case .string(let name)? = value["timezone"] { travel(to: name, on: occasion) }
    }

    /// A change by hand.
    func change(_ patch: JSONValue, on occasion: Occasion) {
        store(patch, on: occasion)
        if details.preset != nil { details.preset = "custom" }
    }

    private func apply(preset name: String, on occasion: Occasion) {
        guard let preset = occasion.plan.rules.preset(named: name) else { return }
        store(preset.patch, on: occasion)
        details.preset = name
    }

    private func store(_ patch: JSONValue, on occasion: Occasion) {
        let changed = occasion.plan.rules.preferences(preferences, of: stored, patchedWith: patch)
        details.differences = changed.origin.stored.differences
        forgetStops(putBackBy: patch, changed.channels.subtracting(preferences.channels))
        choose(changed, on: occasion)
    }

    var stored: Stored {
        Stored(
            differences: hasDetails ? details.differences : .emptyObject, saidYes: flags.contains(.saidYes))
    }

    private func reset(on occasion: Occasion) {
        if hasDetails {
            details.differences = .emptyObject
            details.preset = nil
            details.stopped = []
        }
        choose(occasion.plan.rules.preferences(differing: stored.differences, saidYes: stored.saidYes), on: occasion)
    }

    /// The preferences in force from an instant on. Slots that change with them are those after it (`T10`).
    public func refreshPreferences(_ at: Instant, _ plan: Plan) {
        take(plan.rules.preferences(differing: stored.differences, saidYes: stored.saidYes), at, plan)
    }

    /// What somebody changed by themselves. Mail that only a policy switches on nobody has asked for (`N3`).
    private func choose(_ changed: Preferences, on occasion: Occasion) {
        let at = occasion.at
        if changed.channels.contains(.email), !preferences.channels.contains(.email) { details.emailWantedSince = at }
        if !changed.hasSameQuietHours(as: preferences) { details.quietBy = occasion.sequence }
        take(changed, at, occasion.plan)
    }

    private func take(_ changed: Preferences, _ at: Instant, _ plan: Plan) {
        let before = preferences
        preferences = changed
        if !before.hasSameCheckIns(as: preferences) { details.checkInsSince = at }
        guard hasDetails else { return }
        for place in details.goals.indices
        where details.goals[place].slots(before, plan) != details.goals[place].slots(preferences, plan) {
            details.goals[place].since = at
        }
    }

    // MARK: What they do

    private func checkIn(goal id: String?, _ at: Instant, _ plan: Plan) {
        lastActiveAt = at
        if plan.hasWeekly { details.week.add(at: at) { $0.checkIns += 1 } }
        guard let id, hasDetails, let place = details.goalPlace(id) else { return }
        details.goals[place].checkIn(at: at)
    }

    private func earn(_ points: Int, subject: String, _ at: Instant, _ plan: Plan) {
        if plan.hasWeekly, tellsWeekly(of: subject, plan), !isOff(plan.pointsKind, for: subject) {
            details.week.add(at: at) { $0.points = $0.points.addingSaturated(points) }
        }
        // Whatever the switches say: they are asked when the digest goes (`D1`, `D5`).
        guard plan.dailyDigest != nil, plan.pointsKind != nil else { return }
        details.earn(points, subject: subject, on: zone.localDate(at: at))
    }

    /// Whether what is done about a subject is told once a week. Its points have a switch of their own, which is about points
    /// alone (`D5`).
    private func tellsWeekly(of subject: String, _ plan: Plan) -> Bool { !isOff(plan.weeklyDigest, for: subject) }

    private func isOff(_ kind: Int?, for subject: String) -> Bool {
        guard let kind, !preferences.subjects.isEmpty else { return false }
        return preferences.isOff(kind, forSubject: subject)
    }

    private func start(_ fact: GoalStarted, on occasion: Occasion) {
        var goal = Goal(id: fact.goal.text, title: fact.title.text)
        goal.deadline = fact.deadline
        (goal.deadlineSequence, goal.deadlineAt) = (occasion.sequence, occasion.at)
        goal.reminderTime = fact.reminderTime
        goal.checkInDays = fact.checkInDays
        goal.since = occasion.at
        details.start(goal)
    }

    /// What is left out stays as it was.
    private func change(_ fact: GoalChanged, on occasion: Occasion) {
        guard hasDetails, let place = details.goalPlace(fact.goal.text) else { return }
        if let title = fact.title { details.goals[place].title = title.text }
        if let deadline = fact.deadline {
            // Of a goal that was over the slots begin again.
            if let before = details.goals[place].deadline, before <= occasion.at {
                details.goals[place].since = occasion.at
            }
            details.goals[place].deadline = deadline
            (details.goals[place].deadlineSequence, details.goals[place].deadlineAt) = (occasion.sequence, occasion.at)
        }
        // What is said once more as it was changes no slots.
        let before = details.goals[place].slots(preferences, occasion.plan)
        if let time = fact.reminderTime { details.goals[place].reminderTime = time }
        if let days = fact.checkInDays { details.goals[place].checkInDays = days }
        if details.goals[place].slots(preferences, occasion.plan) != before {
            details.goals[place].since = occasion.at
        }
    }

    private func end(_ fact: GoalEnded, on occasion: Occasion) {
        guard hasDetails, let place = details.goalPlace(fact.goal.text) else { return }
        let isNews = !details.goals[place].hasEnded
        if isNews, fact.outcome == .completed, occasion.plan.hasWeekly {
            details.week.add(at: occasion.at) { $0.goals += 1 }
        }
        if isNews { tellOfEnd(of: fact.goal.text, fact.outcome, on: occasion) }
        details.endGoal(at: place, occasion.at)
    }

    // MARK: What the app asks for

    private func raise(_ fact: NoticeRequested, on occasion: Occasion) {
        let plan = occasion.plan
        guard let kind = plan.rules.place(of: fact.kind.text) else { return }
        noteAsking(fact, kind, on: occasion)
        if plan.kind(kind).countsAsGoal, plan.hasWeekly, tellsWeekly(of: fact.subject?.text ?? "", plan) {
            details.week.add(at: occasion.at) { $0.goals += 1 }
        }
        let content = NoticeContent(
            title: fact.title?.text, body: fact.body?.text, data: fact.data, expiresAt: fact.expiresAt,
            subtype: plan.part(of: fact, kind))
        raise(
            kind: kind, subject: fact.subject?.text, priority: fact.priority, content: content, on: occasion)
    }

    func raise(
        kind: Int, subject: String? = nil, priority: Priority? = nil, content: NoticeContent? = nil,
        on occasion: Occasion
    ) {
        let rule = occasion.plan.kind(kind)
        details.raised.append(
            Notice(
                name: Notice.name(occasion.user, rule.name.text, subject, "#\(occasion.sequence)"), kind: kind,
                subject: subject, priority: priority ?? rule.priority, raisedAt: occasion.at,
                date: zone.localDate(at: occasion.at),
                day: subject?.hasPrefix("goal:") == true ? zone.day(containing: occasion.at) : nil,
                sequence: occasion.sequence, content: content))
    }
}

extension Notice {
    /// `USER/KIND[/SUBJECT]/LAST` (SPEC §12).
    static func name(_ user: String, _ kind: String, _ subject: String?, _ last: String) -> String {
        let slashes = subject == nil ? 2 : 3
        let count = user.utf8.count + kind.utf8.count + (subject?.utf8.count ?? 0) + last.utf8.count + slashes
        return String(unsafeUninitializedCapacity: count) { name in
            var end = name.write(user, at: 0)
            end = name.write(kind, behindSlashAt: end)
            if let subject { end = name.write(subject, behindSlashAt: end) }
            return name.write(last, behindSlashAt: end)
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Gives the place behind what was written.
    @inline(__always)
    fileprivate func write(_ part: String, at place: Int) -> Int {
        let bytes = part.utf8Span.span
        let rest = UnsafeMutableBufferPointer(rebasing: self[place...])
        return bytes.withUnsafeBufferPointer { place + rest.update(fromContentsOf: $0) }
    }

    @inline(__always)
    fileprivate func write(_ part: String, behindSlashAt place: Int) -> Int {
        self[place] = UInt8(ascii: "/")
        return write(part, at: place + 1)
    }
}

extension Preferences {
    /// Whether check-in slots are at the same times (`C1`, `C2`).
    fileprivate func hasSameCheckIns(as other: Preferences) -> Bool {
        self === other
            || (isEnabled, checkInsEnabled, checkInTime) == (other.isEnabled, other.checkInsEnabled, other.checkInTime)
                && checkInDays == other.checkInDays
    }
}

extension Goal {
    /// What the times of its reminders follow from, in whatever words it was said.
    fileprivate struct Slots: Equatable {
        var time: LocalTime?
        var days: WeekdaySet
        var repeats: GoalPreference.Repeat
    }

    /// A kind that is switched off drops what it raises (`P5`), and takes no slot away.
    fileprivate func slots(_ preferences: Preferences, _ plan: Plan) -> Slots {
        let own = preferences.goals[id] ?? GoalPreference()
        return Slots(
            time: own.reminderTime ?? reminderTime ?? preferences.reminderTime ?? plan.sharedReminderTime,
            days: reminderDays(own), repeats: own.repeats)
    }
}

extension Int {
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
