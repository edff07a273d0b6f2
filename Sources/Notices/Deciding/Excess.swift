/// More than a person may have waiting (`G11`).
extension Person {
    /// Whether a notice may begin to wait. One that waits already goes on; a digest or a summary makes room.
    func mayWait(_ notice: Notice, _ plan: Plan) -> Bool {
        guard hasDetails, details.waiting.count >= PersonLimits.waiting else { return true }
        return plan.isDigest(notice.kind) || details.waiting.contains(notice)
    }

    /// How many of those that wait are too many. Digests and summaries may come on top of the limit, one of each.
    private func excess(_ plan: Plan) -> Int {
        hasDetails
            ? max(0, details.waiting.count - PersonLimits.waiting - min(plan.digestCount, PersonLimits.digests)) : 0
    }

    /// Only a log of an older version brings a person here.
    func isBeyondLimits(_ plan: Plan) -> Bool { excess(plan) > 0 }

    /// The newest of what waits too much, or was raised and never considered, as many as are dropped in one piece.
    fileprivate func excessAhead(_ plan: Plan) -> [Notice] {
        let count = min(excess(plan), PersonLimits.dropsAtOnce)
        var waiting = details.waiting.newest(count) { !plan.isDigest($0.notice.kind) }
        // Whatever there is: a piece must bring the end nearer.
        if waiting.isEmpty { waiting = details.waiting.newest(count) { _ in true } }
        let raised = details.raised.newest(
            min(details.raised.count - PersonLimits.waiting, PersonLimits.dropsAtOnce - waiting.count)
        ) { _ in true }
        return waiting.map(\.notice) + raised
    }

    /// How much is looked through when the person is looked at once.
    public var extent: Int {
        guard hasDetails else { return 1 }
        return 1 + min(details.waiting.count, PersonLimits.lookedAt) + details.goals.count + details.conversations.count
            + details.snoozes.count + marks.count / 8
    }
}

extension Desk {
    /// Drops a piece of what waits beyond the limit. While there is more the person is due at once again, so that a log
    /// which holds a hundred thousand for one person stops nobody else for longer than a piece takes. The records are the
    /// trace: a replay drops the same.
    func dropExcess() {
        guard person.isBeyondLimits(plan) || person.details.raised.count > PersonLimits.waiting else { return }
        let excess = person.excessAhead(plan)
        look(at: excess.count)
        for notice in excess { drop(notice, .overload) }
    }
}
