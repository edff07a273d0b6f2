internal import CivilTime

/// One notice at a time: asked by the rules, and what comes of it written down.
extension Desk {
    func consider(_ notice: Notice) {
        if case .snooze(let number) = notice.origin { return considerRepeat(notice, number) }
        if plan.kind(notice.kind).digest != nil { return considerDigest(notice) }
        if notice.kind == plan.summary { return considerSummary(notice) }
        let matter = matter(notice)
        switch matter.objection() {
        case nil: emit(matter)
        case .hold(let until, let reason)?: hold(notice, until: until, reason)
        case .gather(let reason, let scope)?: gather(notice, reason, scope)
        case .drop(let reason)?: drop(notice, reason)
        }
    }

    /// A hold is recorded again only when its end or its reason changed.
    func hold(_ notice: Notice, until: Instant, _ reason: Reason) {
        if let before = person.hasDetails ? person.details.waiting[notice] : nil {
            if before.state == .held(until: until), before.reason == reason { return }
        } else if !person.mayWait(notice, plan) {
            return drop(notice, .overload)
        }
        decide(.hold(notice, until: until, reason))
    }

    func gather(_ notice: Notice, _ reason: Reason, _ scope: DigestScope) {
        guard let into = reason == .overload ? summaryName() : digestName(scope) else { return drop(notice, reason) }
        guard person.mayWait(notice, plan) else { return drop(notice, .overload) }
        decide(.gather(notice, into: into, reason))
    }

    func drop(_ notice: Notice, _ reason: Reason) {
        if plan.isDigest(notice.kind) { digestsAhead = DigestsAhead() }
        decide(.drop(notice, reason))
        forget(notice)
    }

    /// The digest that will go out next: one that waits, one that comes at this instant, or the next slot's.
    private func digestName(_ scope: DigestScope) -> String? {
        guard let kind = plan.digest(scope) else { return nil }
        if digestsAhead[scope] == nil { digestsAhead[scope] = nameOfDigest(kind) }
        return digestsAhead[scope]
    }

    private func nameOfDigest(_ kind: Int) -> String? {
        if let waiting = person.details.waiting.first(where: { $0.notice.kind == kind }) { return waiting.notice.name }
        if let queued = isQueued({ $0.kind == kind && !$0.isRepeat }) { return queued.name }
        var name: String?
        person.forEachStream(plan) { stream in
            guard stream.kind == kind, let slot = person.nextSlot(stream, after: now, plan, almanac) else { return }
            name = Notice.name(user, plan.kind(kind).name.text, nil, slot.local.description)
        }
        return name
    }

    /// The summary that is being gathered for, or a new one, named by the decision that begins it.
    private func summaryName() -> String? {
        guard let kind = plan.summary else { return nil }
        return person.details.summary
            ?? Notice.name(user, plan.kind(kind).name.text, nil, "#\(nextSequence)")
    }
}
