import CivilTime
import Journal
import Notices
import Worker

/// Jobs that wait to be sent, whose time is long over, and to which nothing sets an end: `belfry run` sends them. Whoever brings an old
/// log to life has to know before.
struct OldJobs: Equatable {
    /// A job of yesterday may still be of use; who stopped a worker over night expects it.
    private static let ageMs: Int64 = 86_400_000

    private(set) var count = 0
    private(set) var oldest: Instant?

    /// - Parameter now: by the machine's clock, by which they would be sent.
    mutating func take(_ job: JobEmitted, at emitted: Instant, by now: Instant) {
        guard Self.mayBeOld(job), emitted.advanced(byMilliseconds: Self.ageMs) < now else { return }
        count += 1
        oldest = min(oldest ?? emitted, emitted)
    }

    static func mayBeOld(_ job: JobEmitted) -> Bool {
        job.notAfter == nil
    }

    /// - Parameter history: whether a history can still say what became of them. Of a log no fact about a job of more than 7 days ago
    ///   is taken.
    func sentence(ofHistory history: Bool = false) -> String? {
        guard let oldest else { return nil }
        let (jobs, them) = (counted(count, "job of before waits", "jobs of before wait"), count == 1 ? "it" : "them")
        let cure = "run once with --jobs spool:DIR and without --senders"
        return
            "\(jobs) to be sent and no last moment is set (not_after), the oldest of \(oldest): `belfry run` sends \(them) as soon as it starts. To keep \(them) from people, "
            + (history ? "say in the history what became of \(them) (job_delivered or job_failed), or \(cure)" : cure)
    }

    // MARK: Of a log

    /// Those of a log that no worker runs on. Whom a worker erases at its start it sends nothing, and what people were told it erases
    /// before it sends that.
    init(in folded: FoldedLog, _ directory: String, _ world: World) throws(JournalError) {
        let reader = JobReader(directory, on: world.disk)
        let identity = try LogReader(directory, on: world.disk).identity
        let now = world.clock()
        let register = folded.register
        func isErased(_ event: Event, _ job: JobEmitted) -> Bool {
            if job.tellsErased { return true }
            if let user = event.user, let number = register.number(of: user),
                let end = register[number].retentionEnds(register.plan), end <= now
            {
                return true
            }
            guard let end = register.plan.policy.retention?.end(ofTextsIn: TextWeek(of: event.at)) else { return false }
            return end.advanced(byMilliseconds: identity.map(WorkerCore.textHour) ?? 0) <= now
        }
        var position: UInt64?
        var jobs: [UInt64: (job: JobEmitted, at: Instant)] = [:]
        for place in folded.outstanding.inOrder {
            if place.position != position {
                position = place.position
                jobs = [:]
                for event in try reader.jobs(at: place.position) {
                    guard case .jobEmitted(let job) = event.payload, !isErased(event, job) else { continue }
                    jobs[event.seq] = (job, event.at)
                }
            }
            if let (job, at) = jobs[place.seq] { take(job, at: at, by: now) }
        }
    }

    init() {}
}

/// The jobs of a history as it is imported, until it is told what became of them.
struct ImportedJobs {
    private struct Waiting {
        var user: Int
        var remaining: ChannelSet
        var job: JobEmitted
        var at: Instant
    }

    /// By what stands for their names: a history may have millions.
    private var waiting: [Int: Waiting] = [:]

    mutating func take(_ event: Event) {
        switch event.payload {
        case .jobEmitted(let job) where OldJobs.mayBeOld(job):
            var bare = JobEmitted()
            (bare.channels, bare.notAfter) = (job.channels, job.notAfter)
            waiting[job.job.text.hashValue] = Waiting(
                user: event.user.hashValue, remaining: ChannelSet(job.channels), job: bare, at: event.at)
        case .jobDelivered(let outcome): end(outcome.job, outcome.channel)
        case .jobFailed(let outcome): end(outcome.job, outcome.channel)
        case .personErased: waiting = waiting.filter { $0.value.user != event.user.hashValue }
        default: break
        }
    }

    private mutating func end(_ job: NoticeName, _ channel: Channel) {
        let key = job.text.hashValue
        guard var known = waiting[key] else { return }
        known.remaining.remove(ChannelSet(channel))
        waiting[key] = known.remaining.isEmpty ? nil : known
    }

    func old(by now: Instant) -> OldJobs {
        var old = OldJobs()
        for job in waiting.values { old.take(job.job, at: job.at, by: now) }
        return old
    }
}
