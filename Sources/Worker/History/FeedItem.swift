public import CivilTime
public import Notices

/// One thing in a person's feed: a job, as it was shown or sent, and what has become of it (`V4`).
public struct FeedItem: Sendable {
    /// The event that emitted it.
    public let seq: UInt64
    public let at: Instant
    public let job: JobEmitted
    public internal(set) var isSeen = false
    public internal(set) var isOpened = false
    public internal(set) var isDismissed = false
    /// When it comes again.
    public internal(set) var snoozedUntil: Instant?
    /// The event that changed it last.
    public internal(set) var changedBy: UInt64
    var standing: JobStanding

    public var status: HistoryQuery.Status { standing.status }
    /// What a repeat is one of; of others their own name.
    var base: String { job.job.text.asRepeat?.base ?? job.job.text }

    init(_ job: JobEmitted, _ event: Event) {
        (self.job, seq, at, changedBy) = (job, event.seq, event.at, event.seq)
        standing = JobStanding(on: job.channels)
    }
}
