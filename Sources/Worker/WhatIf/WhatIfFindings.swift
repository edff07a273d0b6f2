internal import CivilTime

/// What a `WhatIf` has found about some of the people, to be added to what others have about the rest.
public struct WhatIfFindings: Sendable {
    /// From when on jobs were compared, and up to where it was lived; `nil` where every log ended before the other policy would have
    /// come into force.
    var stretch: (start: Instant, end: Instant)?
    var people = 0
    var facts = 0
    var refusals = Refusals()
    var jobs = ComparedJobs()

    public init() {}

    /// - Parameter other: about other people of the same log, or about those of another log.
    public mutating func add(_ other: WhatIfFindings) {
        stretch = stretch ?? other.stretch
        people += other.people
        facts += other.facts
        refusals.add(other.refusals)
        jobs.add(other.jobs)
    }

    /// `nil` where there was nothing to compare.
    /// - Parameter policy: what the other policy is called.
    public func report(under policy: String) -> WhatIfReport? {
        guard let stretch else { return nil }
        return jobs.report(
            WhatIfReport.Circumstances(
                policy: policy, start: stretch.start, end: stretch.end, people: people, facts: facts,
                refusals: refusals.counted))
    }
}
