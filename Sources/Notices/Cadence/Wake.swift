public import CivilTime

extension Person {
    /// The earliest moment after what is settled at which anything could change; `distantFuture` for never.
    public func earliestWake(_ plan: Plan) -> Instant { earliestWake(plan, nil) }

    func earliestWake(_ plan: Plan, _ almanac: Almanac?) -> Instant {
        var wake = retentionEnds(plan) ?? .distantFuture
        if !flags.isDisjoint(with: [.zoneUnknown, .erased]) { return wake }
        forEachStream(plan) { stream in
            // Digests with nothing to say leave no trace, so nobody wakes for them.
            if isSilent(stream, plan) { return }
            if let slot = nextSlot(stream, after: settledThrough, plan, almanac) { wake = min(wake, slot.instant) }
        }
        guard hasDetails else { return wake }
        // Raised while nobody was there to decide: at once.
        if !details.raised.isEmpty { return settledThrough }
        if isBeyondLimits(plan) { return settledThrough }
        for waiting in lookedAt {
            if let until = waiting.heldUntil { wake = min(wake, until) }
        }
        for snooze in details.snoozes { wake = min(wake, snooze.due) }
        if let due = summaryDue(plan) { wake = min(wake, due) }
        for conversation in details.conversations {
            if let end = Person.sessionEnd(of: conversation) { wake = min(wake, end) }
            if let pending = conversation.pending {
                // Another policy may have no messages; then nobody concludes it until one has again.
                guard plan.message != nil else { continue }
                wake = min(wake, patience(with: pending, plan))
            } else if let due = analysisDue(of: conversation, plan) {
                wake = min(wake, due.at)
            }
        }
        return wake
    }

    /// Whether it is a digest's, which as things are has nothing to say and has none waiting that would give way to it.
    func isSilent(_ stream: Stream, _ plan: Plan) -> Bool {
        switch stream.digest {
        case nil: false
        case .daily: !hasDetails || !hasSomethingForDigest(plan) && !isWaiting(stream.kind)
        case .weekly:
            !hasDetails
                || (details.week.isEmpty || !preferences.kinds[stream.kind].isEnabled)
                    && !isWaiting(stream.kind) && !hasGatheredForWeek(plan, stream.kind)
        }
    }

    func isWaiting(_ kind: Int) -> Bool { lookedAt.contains { $0.notice.kind == kind } }

    /// When the notices gathered in an overload may come as one; `nil` where none are, or their summary is held.
    func summaryDue(_ plan: Plan) -> Instant? {
        guard plan.summary != nil, let name = details.summary,
            details.waiting.entry(named: name) == nil
        else { return nil }
        return overloadEnd(plan) ?? settledThrough
    }
}
