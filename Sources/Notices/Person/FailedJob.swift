internal import CivilTime

/// A job of which a channel failed in the days that jobs are remembered.
public struct FailedJob: Sendable, Equatable {
    public let name: String
    public internal(set) var failed = ChannelSet()
    public internal(set) var taken = ChannelSet()
    /// Asked for once more, and nothing heard since.
    public internal(set) var again = ChannelSet()
    /// Those of which a provider said so, before or after its answer was recorded: they did not fail as they were sent.
    public internal(set) var reported = ChannelSet()
    /// Those of which a provider said so for good: what it tells behind that has only been slow (`N3`).
    public internal(set) var lasting = ChannelSet()
    /// Being tried in place of one that was reported, and nothing heard since (`N4`).
    public internal(set) var instead = ChannelSet()
    var at: Instant

    /// All that the job has gone out on since, or is about to.
    var used: ChannelSet { failed.union(taken).union(again).union(instead) }

    /// Whether it is on its way by another channel. A day is as long as any is tried.
    func isGivingWay(at now: Instant) -> Bool { !instead.isEmpty && now <= at.advanced(byDays: Person.daysOfTries) }
}

extension Person {
    /// Whether more have failed, perhaps, than are kept: what is not among them may be an older one.
    var hasForgottenFailures: Bool { hasDetails && details.failures.count >= PersonLimits.failedJobs }

    /// Failures are few: of a job that was taken everywhere nothing is kept.
    func note(_ channel: Channel, of job: NoticeName, hasFailed: Bool, _ at: Instant) {
        guard hasFailed || hasDetails && !details.failures.isEmpty else { return }
        let known = details.failures.firstIndex { $0.name == job.text }
        guard hasFailed || known != nil else { return }
        if known == nil {
            let oldest = at.advanced(byMilliseconds: -Self.jobsRemembered)
            details.failures.removeAll { $0.at < oldest }
            if details.failures.count >= PersonLimits.failedJobs { details.failures.removeFirst() }
            details.failures.append(FailedJob(name: job.text, at: at))
        }
        let place = known ?? details.failures.count - 1
        details.failures[place].at = at
        details.failures[place].again.remove(ChannelSet(channel))
        details.failures[place].reported.remove(ChannelSet(channel))
        // What came of all of them is told together.
        if details.failures[place].instead.contains(ChannelSet(channel)) { details.failures[place].instead = [] }
        if hasFailed {
            details.failures[place].failed.insert(ChannelSet(channel))
        } else {
            details.failures[place].failed.remove(ChannelSet(channel))
            details.failures[place].taken.insert(ChannelSet(channel))
        }
    }

    /// Taken by a sender. What the provider has reported meanwhile is the later word (`N3`): its answer was only slower.
    func note(_ fact: JobDelivered, _ at: Instant) {
        let channel = ChannelSet(fact.channel)
        guard hasDetails,
            let place = details.failures.firstIndex(where: {
                $0.name == fact.job.text && $0.reported.isSuperset(of: channel)
            })
        else { return note(fact.channel, of: fact.job, hasFailed: false, at) }
        details.failures[place].at = at
        details.failures[place].again.remove(channel)
        details.failures[place].failed.insert(channel)
    }

    /// There was nothing to send: nothing is under way any more, and nothing has failed.
    func noteUntried(_ job: NoticeName) {
        guard hasDetails, let place = details.failures.firstIndex(where: { $0.name == job.text }) else { return }
        details.failures[place].instead = []
        details.failures[place].again = []
    }

    /// A provider says what became of what it took. While a job is being sent once more nothing is known of that yet, but its
    /// report may come before its answer (`N3`). Which try a report is about only the story tells, and whoever sends reads it.
    func note(_ report: DeliveryReported, _ at: Instant) {
        guard report.isOfAll, report.channel != .inApp else { return }
        let known = hasDetails ? details.failures.first { $0.name == report.job.text } : nil
        let channel = ChannelSet(report.channel)
        // A failure for good is the end: what comes after it has only been slow.
        if report.status.isGood, known?.lasting.isSuperset(of: channel) == true { return }
        if known?.again.isSuperset(of: channel) == true { return noteEarly(report) }
        let hadFailed = known.map { $0.failed.contains(channel) && !$0.reported.contains(channel) } ?? false
        note(report.channel, of: report.job, hasFailed: !report.status.isGood, at)
        guard !report.status.isGood, let place = details.failures.firstIndex(where: { $0.name == report.job.text })
        else { return }
        if !hadFailed { details.failures[place].reported.insert(channel) }
        if report.isPermanent == true { details.failures[place].lasting.insert(channel) }
        if !report.givesWayTo.isEmpty { details.failures[place].instead = ChannelSet(report.givesWayTo) }
    }

    /// What is reported of a job on a channel that it is being sent on once more.
    private func noteEarly(_ report: DeliveryReported) {
        let channel = ChannelSet(report.channel)
        guard let place = details.failures.firstIndex(where: { $0.name == report.job.text }) else { return }
        if report.status.isGood {
            details.failures[place].reported.remove(channel)
        } else {
            // Not for good: it may be about the try before.
            details.failures[place].reported.insert(channel)
        }
    }

    /// `N7`.
    func retry(_ fact: JobRetryRequested, on occasion: Occasion) {
        // What is told of the text from here on is told of the new one.
        if let place = jobPlace(named: fact.job.text, on: occasion) { marks[place].flags.remove(.textArrived) }
        guard hasDetails, let place = details.failures.firstIndex(where: { $0.name == fact.job.text }) else { return }
        // It goes out on its own channels, and gives way anew to those that it gave way to before.
        let own = channels(of: fact.job.text, on: occasion)
        details.failures[place].again.formUnion(details.failures[place].failed.intersection(own))
        details.failures[place].failed = []
        details.failures[place].reported = []
        details.failures[place].lasting = []
    }

    /// Until when a job may be sent; one without words of its own is a slot's, and is known by that.
    func lastMoment(of job: RememberedJob, _ plan: Plan) -> Instant? {
        job.memo.notAfter ?? (job.memo.isRemade ? job.at.advanced(byMilliseconds: plan.slotPatience) : nil)
    }
}

extension Plan {
    /// How long what a schedule raised may be sent: a sender has an hour at least, however strict the policy is with slots.
    var slotPatience: Int64 { max(catchUp, 3_600_000) }
}
