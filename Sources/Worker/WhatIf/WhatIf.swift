public import CivilTime
public import Notices

/// The recorded facts played again under another policy, and its jobs compared with the recorded ones
/// (SPEC §13).
///
/// Facts keep their instants and their numbers, and are taken as they were recorded; policies that the log adopts are
/// left out. Everyone wakes exactly when something of theirs is due, as if a worker had been awake all the time. What is
/// kept grows with people and jobs, not with events.
public struct WhatIf {
    /// What is compared: the log from an instant, or its beginning, to another, both included.
    public struct Question: Sendable {
        public var policy: Policy
        public var document: String
        /// From when on the other policy is in force; before it everything is as it was. `nil` for the beginning.
        public var from: Instant?
        public var to: Instant?

        public init(policy: Policy, document: String, from: Instant? = nil, to: Instant? = nil) {
            self.policy = policy
            self.document = document
            self.from = from
            self.to = to
        }
    }

    private let question: Question
    private let told = Told()
    private let plan: Plan
    /// The log as it was, until the other policy comes into force.
    private var before: Register
    private var chronicle: Chronicle?
    private var last: (seq: UInt64, at: Instant) = (0, .distantPast)
    private var comparison = JobComparison()
    private var recordedNames = DecidedNames()
    private var decidedNames = DecidedNames()
    private var stand: [String: String] = [:]
    private var refusals = Refusals()
    /// Samples are not compared (`N8`); these were made on one side and not, so far, on the other.
    private var samplesOfOneSide: Set<String> = []
    private var facts = 0
    private var people = 0
    private var logsEnded = 0
    /// Up to where it was lived; `nil` while no log has come so far.
    private var end: Instant?
    private let stretch: ClosedRange<Instant>?

    /// What the chronicle decided and was not looked at yet.
    private final class Told {
        var decisions: [Event] = []
    }

    /// - Parameters:
    ///   - plan: what was in force before the log adopted its first policy, with the zones.
    ///   - stretch: from the first event to the last of several logs that are one (`M7`); `nil` for a log by itself.
    public init(_ question: Question, _ plan: Plan, of stretch: ClosedRange<Instant>? = nil) {
        self.question = question
        self.plan = plan
        self.stretch = stretch
        before = Register(plan)
        if let stretch { comparison.start = question.from ?? stretch.lowerBound }
    }

    /// The next commit of the log; `false` when nothing that comes from here on is asked for.
    public mutating func take(_ commit: [Event]) -> Bool {
        guard let at = commit.first?.at else { return true }
        if let to = question.to, at > to {
            // Nothing is recorded of the whole stretch, and the log goes on behind it: the other policy may have had something to do.
            if chronicle == nil, let from = question.from, last.seq > 0 {
                begin(from)
                last.at = to
            }
            return false
        }
        if chronicle == nil, question.from.map({ at >= $0 }) ?? true { begin(at) }
        // Both sides go on together, so that jobs find each other soon (T10: what is due comes before facts).
        chronicle?.wind(to: at)
        hearDecisions()
        for event in commit {
            recordedNames.note(event)
            if chronicle == nil {
                before.fold(event)
            } else if event.isFact {
                live(event)
            } else {
                hear(event, .recorded)
            }
            last = (event.seq, event.at)
        }
        return true
    }

    /// One log is over, and the next is to be told: another partition of the same people's world.
    public mutating func endLog() {
        liveToTheEnd()
        chronicle = nil
        before = Register(plan)
        last = (0, .distantPast)
        logsEnded += 1
    }

    /// What came of it; `nil` where every log ends before the other policy would have come into force.
    public mutating func finish() -> WhatIfReport? {
        liveToTheEnd()
        guard let end else { return nil }
        return comparison.report(
            WhatIfReport.Circumstances(
                policy: question.policy.name.text, end: end, people: people, facts: facts,
                refusals: refusals.counted),
            recorded: recordedNames, decided: decidedNames)
    }

    private mutating func liveToTheEnd() {
        guard chronicle != nil else { return }
        let last = stretch?.upperBound ?? last.at
        let end = min(question.to ?? last, last)
        chronicle?.wind(to: end)
        hearDecisions()
        people += chronicle?.register.people.count ?? 0
        self.end = end
        chronicle = nil
    }

    // MARK: Living

    private mutating func begin(_ at: Instant) {
        if stretch == nil { comparison.start = question.from ?? at }
        let tell = { [told] (commit: Chronicle.Commit) in
            told.decisions += commit.filter { !$0.isFact }
        }
        guard let from = question.from else {
            chronicle = Chronicle(Plan(Rulebook(question.policy), zone: plan.zone), tell: tell)
            return
        }
        chronicle = Chronicle(resuming: before, at: last.at, nextSequence: last.seq + 1, tell: tell)
        before = Register(plan)
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: question.document)
        let event = Event(seq: 0, at: from, user: nil, payload: .policyAdopted(adoption))
        do { try chronicle?.take(recorded: event) } catch {
            preconditionFailure("a policy that was read cannot be adopted: \(error)")
        }
        hearDecisions()
    }

    private mutating func live(_ fact: Event) {
        if case .policyAdopted = fact.payload { return }
        facts += 1
        do throws(FieldError) { try chronicle?.take(recorded: fact) } catch {
            hearDecisions()
            let other = renamed(fact)
            if let other, (try? chronicle?.take(recorded: other)) != nil { return hearDecisions() }
            if fact.payload.tellsOfJob, isKnown(fact.user), other != nil || isOfJobHere(fact) {
                chronicle?.take(believed: other ?? fact)
            } else {
                return refusals.count(fact, in: stretch == nil ? nil : logsEnded, error)
            }
        }
        hearDecisions()
    }

    /// Whether a fact tells of a job that was decided here as well, and is refused only since jobs are remembered for 7 days.
    ///
    /// A worker is never asked about its own word on a job, however old that is: what was imported, or found after a long standstill,
    /// fails as too late. And a job that was late in the log is older here, where somebody was awake all the time.
    private func isOfJobHere(_ fact: Event) -> Bool {
        guard let name = fact.payload.answeredJob?.text else { return false }
        return !comparison.hasLost(name) && !samplesOfOneSide.contains(name)
    }

    /// Of nobody who was erased here something is told that would begin them anew (`E4`).
    private func isKnown(_ user: String?) -> Bool {
        guard let register = chronicle?.register, let number = user.flatMap({ register.number(of: $0) }) else {
            return false
        }
        return !register[number].isErased
    }

    /// An outcome or an answer names a job as the log does. Where that name depends on what was decided, the newest job
    /// that takes its place here is meant.
    private func renamed(_ fact: Event) -> Event? {
        guard let name = fact.payload.answeredJob, let key = recordedNames.key(of: name.text),
            let here = stand[key.family], decidedNames.key(of: here) == key
        else { return nil }
        var renamed = fact
        renamed.payload.answeredJob = NoticeName(here)
        return renamed
    }

    // MARK: Comparing

    private mutating func hearDecisions() {
        guard !told.decisions.isEmpty else { return }
        for event in told.decisions {
            decidedNames.note(event)
            hear(event, .decided)
        }
        told.decisions.removeAll(keepingCapacity: true)
    }

    private mutating func hear(_ event: Event, _ side: JobComparison.Side) {
        guard case .jobEmitted(let job) = event.payload, let user = event.user else { return }
        let name = job.job.text
        if job.isTest == true {
            if samplesOfOneSide.remove(name) == nil { samplesOfOneSide.insert(name) }
            return
        }
        if side == .decided, let key = decidedNames.key(of: name) { stand[key.family] = name }
        if let from = question.from, event.at < from { return }
        comparison.take(JobComparison.Job(name: name, user: user, kind: job.kind.text, at: event.at), side)
    }
}

extension Payload {
    /// Whether it only tells of a job that there was: an outcome, or what the person did with it. Others ask for something.
    fileprivate var tellsOfJob: Bool {
        switch self {
        case .jobDelivered, .jobFailed, .deliveryReported, .noticeOpened, .noticeDismissed, .feedbackGiven: true
        default: false
        }
    }

    /// The job that an outcome or an answer is about.
    fileprivate var answeredJob: NoticeName? {
        get {
            switch self {
            case .jobDelivered(let fact): fact.job
            case .jobFailed(let fact): fact.job
            case .deliveryReported(let fact): fact.job
            case .jobRetryRequested(let fact): fact.job
            case .noticeOpened(let fact): fact.job
            case .noticeDismissed(let fact): fact.job
            case .noticeSnoozed(let fact): fact.job
            case .feedbackGiven(let fact): fact.job
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .jobDelivered(var fact):
                fact.job = newValue
                self = .jobDelivered(fact)
            case .jobFailed(var fact):
                fact.job = newValue
                self = .jobFailed(fact)
            case .deliveryReported(var fact):
                fact.job = newValue
                self = .deliveryReported(fact)
            case .jobRetryRequested(var fact):
                fact.job = newValue
                self = .jobRetryRequested(fact)
            case .noticeOpened(var fact):
                fact.job = newValue
                self = .noticeOpened(fact)
            case .noticeDismissed(var fact):
                fact.job = newValue
                self = .noticeDismissed(fact)
            case .noticeSnoozed(var fact):
                fact.job = newValue
                self = .noticeSnoozed(fact)
            case .feedbackGiven(var fact):
                fact.job = newValue
                self = .feedbackGiven(fact)
            default: break
            }
        }
    }
}
