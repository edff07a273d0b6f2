public import CivilTime

/// Something that is due for a person, as things stand: what a wake of theirs is for.
public struct DueMatter: Sendable, Equatable {
    public enum Cause: Sendable, Equatable {
        /// A slot comes.
        case slot(SlotWord)
        /// A hold ends, or what was raised is considered at last.
        case hold
        /// What an overload gathered may come as one (`P12`).
        case summary
        /// A repeat that was asked for (`S1`).
        case snooze
        /// A conversation's session is taken for complete (`S3`).
        case session
        /// A conversation is analysed, or its analysis is waited for no longer (`A2`, `A4`).
        case analysis
        /// The policy keeps them no longer.
        case retention

        /// What each is called where machines read it.
        public enum Name: String, Sendable, CaseIterable {
            case slot, hold, summary, snooze, session, analysis, retention
        }

        public var name: Name {
            switch self {
            case .slot: .slot
            case .hold: .hold
            case .summary: .summary
            case .snooze: .snooze
            case .session: .session
            case .analysis: .analysis
            case .retention: .retention
            }
        }
    }

    public var at: Instant
    /// The kind's place in the rulebook; `nil` for what is of none: a session, the end of a retention.
    public var kind: Int?
    public var subject: String?
    public var cause: Cause
    /// Of what waits and of what was snoozed: the notice.
    public var notice: String?
}

extension Person {
    /// What is due behind everything that is settled, up to an instant: in order of time, and `most` of it.
    ///
    /// The first of it is what the person's wake is for. Digests that have nothing to say as things stand wake nobody, and
    /// stand here only where they are asked for.
    ///
    /// - Parameter start: from when on, where that is later than what is settled.
    public func due(
        from start: Instant = .distantPast, through end: Instant, _ plan: Plan, most: Int,
        withSilentDigests: Bool = false
    ) -> [DueMatter] {
        let erasure = retentionEnds(plan).flatMap {
            $0 >= start && $0 <= end ? DueMatter(at: $0, cause: .retention) : nil
        }
        // Nothing else is decided about them before the zone is known (`G6`).
        if flags.contains(.zoneUnknown) { return Array([erasure].compactMap(\.self).prefix(most)) }
        let from = max(settledThrough, start.advanced(byMilliseconds: start == .distantPast ? 0 : -1))
        var coming = ComingSlots(of: self, after: from, through: end, plan, withSilentDigests: withSilentDigests)
        var found: [DueMatter] = []
        while found.count < most, let slot = coming.next() {
            found.append(
                DueMatter(at: slot.instant, kind: slot.kind, subject: slot.subject, cause: .slot(word(for: slot))))
        }
        if hasDetails { found += detailsDue(from: start, through: end, plan) }
        if let erasure { found.append(erasure) }
        return Array(found.sorted { $0.at < $1.at }.prefix(most))
    }

    private func detailsDue(from start: Instant, through end: Instant, _ plan: Plan) -> [DueMatter] {
        var found: [DueMatter] = []
        func add(_ at: Instant, _ kind: Int?, _ subject: String?, _ cause: DueMatter.Cause, _ notice: String? = nil) {
            guard at >= start, at <= end else { return }
            found.append(DueMatter(at: at, kind: kind, subject: subject, cause: cause, notice: notice))
        }
        for notice in details.raised { add(settledThrough, notice.kind, notice.subject, .hold, notice.name) }
        if isBeyondLimits(plan), let first = details.waiting.first(where: { _ in true })?.notice {
            add(settledThrough, first.kind, first.subject, .hold, first.name)
        }
        for waiting in lookedAt {
            guard let until = waiting.heldUntil else { continue }
            add(until, waiting.notice.kind, waiting.notice.subject, .hold, waiting.notice.name)
        }
        for snooze in details.snoozes {
            add(snooze.due, snooze.kind, snooze.job.subjects.first, .snooze, "\(snooze.base)~\(snooze.number)")
        }
        if let due = summaryDue(plan) { add(due, plan.summary, nil, .summary, details.summary) }
        for conversation in details.conversations {
            let subject = "conversation:" + conversation.id
            if let end = Person.sessionEnd(of: conversation) { add(end, nil, subject, .session) }
            if let pending = conversation.pending {
                guard plan.message != nil else { continue }
                add(patience(with: pending, plan), plan.message, subject, .analysis)
            } else if let due = analysisDue(of: conversation, plan) {
                add(due.at, plan.message, subject, .analysis)
            }
        }
        return found
    }

    /// The slots of a kind and subject at one local time, from one to another, both included, that have not come to their
    /// end yet: what a recorded `slots_skipped` tells of, asked before it is folded.
    ///
    /// - Parameter stretch: only those within it.
    public func slots(
        of kind: Int, about subject: String?, from first: LocalDateTime, through last: LocalDateTime,
        in stretch: Range<Instant>, _ plan: Plan
    ) -> [Slot] {
        let (begin, end) = (zone.instant(of: first, occurrence: .first), zone.instant(of: last, occurrence: .first))
        var found: [Slot] = []
        forEachStream(plan) { stream in
            guard stream.kind == kind else { return }
            var from = max(begin, stretch.lowerBound).advanced(byMilliseconds: -1)
            while let slot = nextSlot(stream, after: from, plan, nil), slot.instant <= end,
                slot.instant < stretch.upperBound
            {
                if slot.subject == subject, slot.local.time == first.time { found.append(slot) }
                from = slot.instant
            }
        }
        return found
    }

    /// The hours within a stretch of time in which nobody is rung, and those in which notices may go out; `nil` where no
    /// schedule is set. As the preferences are now.
    public func hours(in stretch: Range<Instant>) -> (quiet: [Range<Instant>], schedule: [Range<Instant>]?) {
        let quiet = preferences.quietHours?.open(in: stretch, of: zone) ?? []
        let schedule = preferences.schedule.map { schedule in
            schedule.windows.flatMap { $0.open(in: stretch, of: zone) }.united
        }
        return (quiet, schedule)
    }

    /// Until when a person counts as having the app open who has it open now (`P15`).
    public func inAppUntil(at now: Instant) -> Instant? {
        isInApp(at: now) ? details.lastSeenAt.advanced(byMilliseconds: Person.freshness) : nil
    }
}
