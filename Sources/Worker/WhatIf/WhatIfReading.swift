public import CivilTime
public import Journal
public import Notices

extension WhatIf {
    /// One log, gone over.
    public struct Reading: Sendable {
        public fileprivate(set) var findings = WhatIfFindings()
        public let tail: LogTail
        public fileprivate(set) var unknownTypes = 0
    }

    /// Goes over a log on as many cores as there are plans, each with a share of the people.
    /// - Parameters:
    ///   - stretch: of several logs that are one, of which this is the one at `place`.
    ///   - goesOn: told by every share how far it is, in bytes; `false` ends it.
    public static func read(
        _ log: LogReader, _ question: Question, _ plans: [Plan], of stretch: ClosedRange<Instant>? = nil,
        log place: Int = 0, goesOn: @Sendable (UInt64, Share) -> Bool = { _, _ in true }
    ) throws(JournalError) -> Reading {
        let parts = try Cores(plans.count).read(log) { (events, share) throws(JournalError) -> Reading in
            var whatIf = WhatIf(question, plans[share.place], of: stretch, log: place, share: share)
            while let commit = try events.nextCommit(), whatIf.take(commit, at: events.head.at) {
                guard goesOn(events.head.position, share) else { break }
            }
            return Reading(findings: whatIf.finish(), tail: events.tail, unknownTypes: events.unknownTypes)
        }
        var all = parts[0]
        for part in parts.dropFirst() {
            all.findings.add(part.findings)
            all.unknownTypes += part.unknownTypes
        }
        return all
    }
}
