import Console
import Notices

/// What a run has decided, as an answer tells it: the first jobs, the first notices that were not sent, the first people whom retention
/// erased, and how many of each.
struct RunFindings {
    private var jobs = PrintedEvents()
    private var unsent = PrintedEvents()
    private var tally = UnsentTally()
    private var erased = PrintedEvents()

    /// - Parameter decision: anything but a job, what became of a notice or the end of a retention is passed over.
    mutating func take(_ decision: Event) {
        if case .jobEmitted = decision.payload { return jobs.add(decision) }
        if decision.payload.endsRetention { return erased.add(decision) }
        guard UnsentTally.counts(decision.payload) else { return }
        unsent.add(decision)
        tally.take(decision.payload)
    }

    /// The numbers are those of the events that belong to it; of one that was only tried there are none.
    func report(firstSeq: UInt64 = 1, lastSeq: UInt64 = 0) -> RunReport {
        var report = RunReport(jobs: jobs.lines, jobCount: jobs.count, firstSeq: firstSeq, lastSeq: lastSeq)
        report.unsent = unsent.lines
        report.unsentCount = unsent.count
        report.withheld = tally.withheld
        report.erased = erased.lines
        report.erasedCount = erased.count
        return report
    }
}

extension Payload {
    /// Whether somebody is erased by it whom the policy keeps no longer, and not because it was asked for.
    var endsRetention: Bool { if case .personErased(let erased) = self { erased.isDerived == true } else { false } }
}

extension RunReport {
    /// What another worker has run besides. The two list no more than one does.
    mutating func add(_ other: RunReport) {
        (jobs, jobCount) = Self.list(jobs, jobCount, other.jobs, other.jobCount)
        (unsent, unsentCount) = Self.list(unsent, unsentCount, other.unsent, other.unsentCount)
        (erased, erasedCount) = Self.list(erased, erasedCount, other.erased, other.erasedCount)
        partitions += other.partitions
        var tally = UnsentTally()
        tally.take(withheld)
        tally.take(other.withheld)
        withheld = tally.withheld
    }

    private static func list(
        _ own: [[UInt8]], _ count: Int, _ others: [[UInt8]], _ othersCount: Int
    ) -> (lines: [[UInt8]], count: Int) {
        var listed = PrintedEvents(own, of: count)
        listed.add(others, of: othersCount)
        return (listed.lines, listed.count)
    }
}
