internal import CivilTime
public import Journal
internal import Notices

/// Finds the jobs that failed and are to be sent all the same, by the place of the fact that says so, along the trail of its
/// person: an order to send one once more (`N7`), or a provider's report at which another channel is tried (`N4`).
///
/// All it reads is durable: a job is handed over when the fact is.
public struct FailedJobPlaces: Sendable {
    private let directory: String
    private let disk: any Disk

    public init(_ directory: String, on disk: any Disk) {
        self.directory = directory
        self.disk = disk
    }

    /// The place of the job, with the channels that it is to go out on; `nil` where its person's last week does not hold it, or
    /// where it needs none of them any more.
    public func job(of place: EventPlace) throws(JournalError) -> EventPlace? {
        let log = try LogReader(directory, on: disk)
        guard let cause = try cause(at: place, in: log) else { return nil }
        let trail = PersonTrail(
            log, user: cause.job.user, number: cause.person, lastCommit: place.position, generalCommits: [])
        let positions = try trail.commitsOfJobs(rememberedAt: cause.at)
        // Backwards: most are asked for soon after they failed.
        var later: [Event] = []
        for position in positions.reversed() {
            let events = try trail.events(at: position).filter { $0.seq <= place.seq }
            later = events + later
            for event in events {
                guard case .jobEmitted(let job) = event.payload, job.job == cause.job else { continue }
                return cause.job(
                    at: EventPlace(position: position, seq: event.seq), job, later.filter { $0.seq > event.seq })
            }
        }
        return nil
    }

    private func cause(at place: EventPlace, in log: LogReader) throws(JournalError) -> Cause? {
        try log.withCommit(at: place.position) { (frame) throws(JournalError) in
            var body = CommitBody(frame)
            do {
                while let item = try body.next() {
                    guard case .event(let raw) = item, raw.seq == place.seq, let person = raw.person,
                        let payload = try log.event(raw)?.payload
                    else { continue }
                    return Cause(payload, seq: raw.seq, person, at: raw.at)
                }
            } catch {
                throw .damaged(Damage(log.directory, "position \(place.position): \(error)"))
            }
            return nil
        }
    }
}

/// The fact for which a job is to be sent.
private struct Cause {
    var job: NoticeName
    var seq: UInt64
    var person: UInt32
    var at: Instant
    /// The provider's report; `nil` for an order to send it once more.
    var report: DeliveryReported?

    init?(_ payload: Payload, seq: UInt64, _ person: UInt32, at: Instant) {
        switch payload {
        case .jobRetryRequested(let request): job = request.job
        case .deliveryReported(let report):
            job = report.job
            self.report = report
        default: return nil
        }
        (self.seq, self.person, self.at) = (seq, person, at)
    }

    /// The job's place with its channels, by what was said of it since, the cause last.
    func job(at place: EventPlace, _ job: JobEmitted, _ later: [Event]) -> EventPlace? {
        var place = place
        guard let report else {
            var outcomes = JobOutcomes(job)
            for word in later where word.seq < seq { outcomes.take(word.payload) }
            // None would mean all: what another channel has taken meanwhile is not sent once more.
            guard !outcomes.toSendAgain.isEmpty else { return nil }
            place.channels = outcomes.toSendAgain
            return place
        }
        var standing = JobStanding()
        for word in later where word.payload.isOutcome(of: job.job) { standing.take(word) }
        // A report about an earlier try, or of before one that stands, says nothing of the last.
        guard standing.status(on: report.channel) == .failed else { return nil }
        (place.channels, place.insteadOf) = (ChannelSet(report.givesWayTo), report.channel)
        return place
    }
}

extension Payload {
    fileprivate func isOutcome(of job: NoticeName) -> Bool {
        switch self {
        case .jobDelivered(let outcome): outcome.job == job
        case .jobFailed(let outcome): outcome.job == job
        case .deliveryReported(let report): report.job == job
        case .jobRetryRequested(let request): request.job == job
        default: false
        }
    }
}

extension PersonTrail {
    /// More commits about one person than anybody's week has are not gone through (`G11`): a job further back is not found.
    private static var commitsMax: Int { 10_000 }

    /// Where the jobs stand that a person had within the time that jobs are remembered, and what became of them.
    func commitsOfJobs(rememberedAt now: Instant) throws(JournalError) -> [UInt64] {
        var left = Self.commitsMax
        return try commits(from: now.advanced(byMilliseconds: -Person.jobsRemembered)) {
            left -= 1
            return left >= 0
        }
    }
}
