public import CivilTime

/// How one job stands on each of its channels (`N2`–`N4`, `N7`), folded from the events that came after it.
///
/// A job has one outcome a channel. What failed can be sent once more: on those channels, and on no other.
public struct JobOutcomes: Sendable, Equatable {
    /// That the job was emitted on; what is shown in the app is never sent.
    public let channels: ChannelSet
    public let notAfter: Instant?
    private let job: NoticeName
    public private(set) var taken = ChannelSet()
    public private(set) var failed = ChannelSet()
    /// What the providers called it, the last try last.
    private var names: [Channel: [Token]] = [:]

    public init(_ job: JobEmitted) {
        self.job = job.job
        channels = ChannelSet(job.channels).intersection(.ringing)
        notAfter = job.notAfter
    }

    /// Takes an event about the job's person, in the order of the log. Those about other jobs change nothing.
    public mutating func take(_ event: Payload) {
        switch event {
        case .jobDelivered(let outcome):
            guard outcome.job == job else { return }
            taken.insert(ChannelSet(outcome.channel))
            failed.remove(ChannelSet(outcome.channel))
            if let name = outcome.providerID { names[outcome.channel, default: []].append(name) }
        case .jobFailed(let outcome):
            if outcome.job == job, outcome.isUntried != true { failed.insert(ChannelSet(outcome.channel)) }
        case .deliveryReported(let report): if report.job == job { take(report) }
        case .jobRetryRequested(let request): if request.job == job { failed = [] }
        case .policyAdopted, .userEnrolled, .timezoneChanged, .consentGiven, .consentWithdrawn,
            .pushPermissionChanged, .preferencesChanged, .presetApplied, .preferencesReset, .deviceRegistered,
            .deviceRemoved, .phoneVerificationRequested, .phoneCodeEntered, .appOpened, .appClosed,
            .conversationOpened, .conversationClosed, .messagesRead, .messageReceived, .messageSent,
            .sessionCompleted, .checkedIn, .pointsEarned, .goalStarted, .goalChanged, .goalEnded, .noticeRequested,
            .analysisAnswered, .analysisFailed, .noticeOpened, .noticeDismissed, .noticeSnoozed, .feedbackGiven,
            .historyCleared, .runRequested, .testRequested, .unsubscribed, .feedSeen, .subjectNamed,
            .contactChanged, .personErased, .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped,
            .jobEmitted, .analysisRequested, .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted,
            .partitionTaken, .policyApplied, .textsErased:
            break
        }
    }

    /// What was taken may come to nothing all the same. A report about an earlier try says nothing of the last one.
    private mutating func take(_ report: DeliveryReported) {
        guard report.isOfAll else { return }
        if let name = report.providerID, let known = names[report.channel], known.contains(name), name != known.last {
            return
        }
        let channel = ChannelSet(report.channel)
        if report.status.isGood {
            failed.remove(channel)
            taken.insert(channel)
        } else if taken.isSuperset(of: channel) {
            taken.remove(channel)
            failed.insert(channel)
        }
    }

    /// The channels that are still to come: never tried, or asked for once more.
    public var remaining: ChannelSet { channels.subtracting(taken).subtracting(failed) }

    /// What another channel than those of its own took has reached the person all the same (`N4`).
    private var fellBack: Bool { !taken.isSubset(of: channels) }

    /// The channels that a retry would send it on. None while one is still to come.
    public var toSendAgain: ChannelSet { remaining.isEmpty && !fellBack ? failed.intersection(channels) : [] }
}

/// A job of which a channel failed in the days that jobs are remembered.
public struct FailedJob: Sendable, Equatable {
    public let name: String
    public internal(set) var failed = ChannelSet()
    public internal(set) var taken = ChannelSet()
    /// Asked for once more, and nothing heard since.
    public internal(set) var again = ChannelSet()
    /// Those of the failed that had been taken before: only later a provider said so.
    public internal(set) var reported = ChannelSet()
    /// Being tried in place of one that was reported, and nothing heard since (`N4`).
    public internal(set) var instead = ChannelSet()
    var at: Instant

    /// All that the job has gone out on since, or is about to.
    var used: ChannelSet { failed.union(taken).union(again).union(instead) }

    /// Whether it is on its way by another channel. A day is as long as any is tried.
    func isGivingWay(at now: Instant) -> Bool { !instead.isEmpty && now <= at.advanced(byDays: Person.daysOfTries) }
}

extension Person {
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

    /// There was nothing to send: nothing is under way any more, and nothing has failed.
    func noteUntried(_ job: NoticeName) {
        guard hasDetails, let place = details.failures.firstIndex(where: { $0.name == job.text }) else { return }
        details.failures[place].instead = []
        details.failures[place].again = []
    }

    /// A provider says what became of what it took. While a job is being sent once more nothing is known of that yet.
    func note(_ report: DeliveryReported, _ at: Instant) {
        guard report.isOfAll, report.channel != .inApp else { return }
        let known = hasDetails ? details.failures.first { $0.name == report.job.text } : nil
        guard known?.again.isSuperset(of: ChannelSet(report.channel)) != true else { return }
        let channel = ChannelSet(report.channel)
        let hadFailed = known.map { $0.failed.contains(channel) && !$0.reported.contains(channel) } ?? false
        note(report.channel, of: report.job, hasFailed: !report.status.isGood, at)
        guard !report.status.isGood, let place = details.failures.firstIndex(where: { $0.name == report.job.text })
        else { return }
        if !hadFailed { details.failures[place].reported.insert(channel) }
        if !report.givesWayTo.isEmpty { details.failures[place].instead = ChannelSet(report.givesWayTo) }
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
