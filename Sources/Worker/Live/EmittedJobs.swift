public import CivilTime
public import Journal
public import Notices

/// Looks up jobs by their names, along the trail of their person. Reads what is durable.
public struct EmittedJobs {
    private let directory: String
    private let disk: any Disk

    public init(_ directory: String, on disk: any Disk) {
        self.directory = directory
        self.disk = disk
    }

    /// The channels that a job can have been handed over on; `nil` where its person's last week does not hold it.
    public func channels(of name: NoticeName, for place: PersonPlace, at now: Instant) throws(JournalError)
        -> ChannelSet?
    {
        let log = try LogReader(directory, on: disk)
        let trail = place.trail(in: log)
        let positions = try trail.commitsOfJobs(rememberedAt: now)
        var hasFailed = false
        // Backwards: most reports are about what has just gone out.
        for position in positions.reversed() {
            for event in try trail.events(at: position).reversed() {
                switch event.payload {
                case .jobFailed(let failed) where failed.job == name: hasFailed = true
                case .deliveryReported(let report) where report.job == name && !report.givesWayTo.isEmpty:
                    hasFailed = true
                case .jobEmitted(let job) where job.job == name:
                    // What failed may have given way to any other (`N4`).
                    return hasFailed ? .ringing : ChannelSet(job.channels)
                default: continue
                }
            }
        }
        return nil
    }
}
