internal import CivilTime
public import Journal
public import Notices

/// What the worker is to do about a fact for which a job is to be sent.
public enum FoundJob: Sendable, Equatable {
    /// To be handed over, on the channels of its place.
    case job(EventPlace)
    /// There is nothing to send. The outcome says so, for nobody else will: without it the job would seem to be under way, and
    /// be looked up with every start.
    case ended(Fact)
    /// No such fact.
    case nothing
}

/// What came of looking up several of them.
struct FoundJobs {
    var jobs: [EventPlace] = []
    var ended: [Fact] = []
    var unread: [EventPlace] = []
    /// Why the last of those could not be read.
    var error: JournalError?
}

/// Finds the jobs that failed and are to be sent all the same, by the place of the fact that says so, along the trail of its
/// person: an order to send one once more (`N7`), or a provider's report at which another channel is tried (`N4`).
///
/// All it reads is durable: a job is handed over when the fact is.
public final class FailedJobPlaces: Sendable {
    private let log: LogAtHand

    public init(_ directory: String, on disk: any Disk) { log = LogAtHand(directory, on: disk) }

    func find(_ places: [EventPlace]) -> FoundJobs {
        var found = FoundJobs()
        for place in places {
            do throws(JournalError) {
                switch try find(place) {
                case .job(let job): found.jobs.append(job)
                case .ended(let fact): found.ended.append(fact)
                case .nothing: break
                }
            } catch {
                found.unread.append(place)
                found.error = error
            }
        }
        return found
    }

    /// Backwards: most are asked for soon after they failed.
    public func find(_ place: EventPlace) throws(JournalError) -> FoundJob {
        try log.read { (log) throws(JournalError) in try find(place, in: log) }
    }

    private func find(_ place: EventPlace, in log: LogReader) throws(JournalError) -> FoundJob {
        guard let cause = try cause(at: place, in: log) else { return .nothing }
        let trail = PersonTrail(
            log, user: cause.job.user, number: cause.person, lastCommit: place.position, generalCommits: [])
        let positions = try trail.commitsOfJobs(rememberedAt: cause.at)
        var latestFirst: [Event] = []
        for position in positions.reversed() {
            for event in try trail.events(at: position).reversed() where event.seq <= place.seq {
                if case .jobEmitted(let job) = event.payload, job.job == cause.job {
                    return cause.found(
                        at: EventPlace(position: position, seq: event.seq), job, latestFirst.reversed(),
                        remaining: place.channels)
                }
                if event.payload.isOutcome(of: cause.job) { latestFirst.append(event) }
            }
        }
        return .ended(cause.untried(on: cause.report?.givesWayTo.first ?? .push))
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
            } catch let error as JournalError {
                // A key that cannot be read is no damage to the log.
                throw error
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

    /// By what was said of the job since, the cause last.
    /// - Parameter remaining: of a job that is sent once more, the channels of which nothing was heard since; none means all.
    func found(at place: EventPlace, _ job: JobEmitted, _ later: [Event], remaining: ChannelSet) -> FoundJob {
        var place = place
        guard let report else {
            // What its history shows is what is sent.
            var standing = JobStanding(on: job.channels)
            for word in later where word.seq < seq { standing.take(word) }
            // None would mean all: what another channel has taken meanwhile is not sent once more.
            let channels = remaining.isEmpty ? standing.toSendAgain : standing.toSendAgain.intersection(remaining)
            guard !channels.isEmpty else { return .ended(untried(on: job.channels.first ?? .push)) }
            place.channels = channels
            return .job(place)
        }
        var standing = JobStanding(on: job.channels)
        for word in later { standing.take(word) }
        // A report about an earlier try, or of before one that stands, says nothing of the last.
        guard standing.status(on: report.channel) == .failed else {
            return .ended(untried(on: report.givesWayTo.first ?? report.channel))
        }
        (place.channels, place.insteadOf) = (ChannelSet(report.givesWayTo), report.channel)
        return .job(place)
    }

    /// The word that ends what the cause began.
    func untried(on channel: Channel) -> Fact {
        var outcome = JobFailed()
        (outcome.job, outcome.channel, outcome.isUntried) = (job, channel, true)
        outcome.reason = Text(report == nil ? "nothing of it has failed" : "the report was not about the last try")
        var fact = Fact(user: job.user, payload: .jobFailed(outcome))
        fact.addressee = .known(at: at)
        return fact
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
