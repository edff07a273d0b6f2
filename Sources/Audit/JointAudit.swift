internal import CivilTime

/// What several auditors come to that went over one log, each with its own people.
extension AuditReport {
    /// `nil` where anything is wrong: what comes first, and what two people have done together, is for one auditor to say who goes
    /// over all of it.
    public init?(jointly auditors: consuming [Auditor]) {
        let workedAt = auditors.compactMap(\.workedAt).max()
        for (place, auditor) in auditors.enumerated() {
            for other in auditors[..<place] where auditor.sharesFacts(with: other) { return nil }
        }
        self.init()
        for (place, auditor) in auditors.enumerated() {
            let part = auditor.finish(workedAt: workedAt)
            guard part.violationCount == 0 else { return nil }
            add(part)
            if place == 0 { policies = part.policies }
        }
    }

    private mutating func add(_ part: AuditReport) {
        events += part.events
        facts += part.facts
        decisions += part.decisions
        jobs += part.jobs
        people += part.people
        notices += part.notices
        waiting += part.waiting
        for check in Check.allCases { asked(check, times: part[check].asked) }
    }
}
