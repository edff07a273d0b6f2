public import CivilTime

/// Whether a job can be sent once more (`N7`), and what stands against it. Who shows a job asks before they offer it, and the
/// order itself is held against the same.
public enum RetryStanding: Sendable, Equatable {
    /// Until when, where it has an end.
    case possible(until: Instant?)
    /// Jobs are remembered for 7 days.
    case forgotten
    case hasNotFailed
    case underWay
    case reached
    case tooLate(since: Instant)
    /// The person has stopped it since, and says what of it.
    case stopped(String)
}

extension Person {
    public func retryStanding(of name: String, on occasion: Occasion) -> RetryStanding {
        guard let job = job(named: name, on: occasion) else { return .forgotten }
        guard hasDetails, let failure = details.failures.first(where: { $0.name == name }) else { return .hasNotFailed }
        guard !failure.failed.isEmpty else { return failure.again.isEmpty ? .reached : .underWay }
        if failure.isGivingWay(at: occasion.at) { return .underWay }
        let own = channels(of: name, on: occasion)
        // What another channel than those of its own took has reached the person all the same (`N4`).
        guard failure.taken.subtracting(failure.failed).isSubset(of: own) else { return .reached }
        let last = lastMoment(of: job, occasion.plan)
        if let last, occasion.at > last { return .tooLate(since: last) }
        // On its own channels alone it is sent once more: it gives way anew to those that it gave way to before.
        let lost = failure.failed.intersection(own)
        guard !lost.isEmpty else { return .reached }
        return whatStops(job, named: name, on: lost, occasion).map { .stopped($0) } ?? .possible(until: last)
    }

    /// Why it would go out on none of the channels that failed. Whoever tries it once more must not find that out from a
    /// second failure.
    private func whatStops(_ job: RememberedJob, named name: String, on failed: ChannelSet, _ occasion: Occasion)
        -> String?
    {
        let stops = stops(of: topic(of: job, named: name, occasion.plan), on: occasion)
        let isTest = isTest(name, on: occasion)
        let objections = failed.list.map { stops.objection(to: $0, isTest: isTest) }
        return objections.contains(nil) ? nil : objections.first ?? nil
    }

    /// The channels that a job is being sent on once more and of which nothing was heard since.
    public func channelsAgain(of job: NoticeName) -> ChannelSet {
        guard hasDetails else { return [] }
        return details.failures.first { $0.name == job.text }?.again ?? []
    }

    /// What a job that is remembered is about.
    func topic(of job: RememberedJob, named name: String, _ plan: Plan) -> JobTopic {
        var topic = JobTopic(kind: plan.rules.kinds[job.kind].name.text)
        topic.job = name
        topic.tell(of: job.memo)
        topic.subtype = job.memo.subtype
        return topic
    }

    /// The channels that a job was emitted on; none for one that is remembered no more.
    func channels(of job: String, on occasion: Occasion) -> ChannelSet {
        jobPlace(named: job, on: occasion).map { marks[$0].channels } ?? []
    }
}
