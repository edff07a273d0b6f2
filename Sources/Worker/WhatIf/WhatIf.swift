public import CivilTime
public import Notices

/// The recorded facts played again under another policy, and its jobs compared with the recorded ones
/// (SPEC §13).
///
/// Facts keep their instants and their numbers, and are taken as they were recorded; policies that the log adopts are
/// left out. Everyone wakes exactly when something of theirs is due, as if a worker had been awake all the time. What is
/// kept grows with people and jobs, not with events.
///
/// It is told of one share of one log's people. Decisions have other numbers in every share, so nothing that it finds hangs on
/// those: what the shares find is added up (`WhatIfFindings`) and comes to what one share of everybody would.
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
    private let stretch: ClosedRange<Instant>?
    private let log: Int
    private let share: Share
    /// The log as it was, until the other policy comes into force.
    private var before: Register
    private var chronicle: Chronicle?
    /// When the last commit was made.
    private var last: Instant?
    private var comparison = JobComparison()
    private var refusals = Refusals()
    private var facts = 0

    /// What the chronicle decided and was not looked at yet.
    private final class Told {
        var decisions: [Event] = []
    }

    /// The number of the first decision. It is above those of all facts: a notice that a decision raised is named after its number,
    /// and has no name by chance that the log knows.
    static let firstDecision: UInt64 = 1 << 40

    /// - Parameters:
    ///   - plan: what was in force before the log adopted its first policy, with the zones.
    ///   - stretch: from the first event to the last of several logs that are one (`M7`); `nil` for a log by itself.
    ///   - log: which of the several it is.
    ///   - share: of whose people it is told, beside what is about everyone.
    public init(
        _ question: Question, _ plan: Plan, of stretch: ClosedRange<Instant>? = nil, log: Int = 0,
        share: Share = .whole
    ) {
        self.question = question
        self.plan = plan
        self.stretch = stretch
        self.log = log
        self.share = share
        before = Register(plan, of: share, holdsAll: false)
        if let stretch { comparison.start = question.from ?? stretch.lowerBound }
    }

    /// The next commit of the log; `false` when nothing that comes from here on is asked for.
    /// - Parameters:
    ///   - commit: of its events those that the share is told of, which may be none.
    ///   - at: when it was made.
    public mutating func take(_ commit: [Event], at: Instant) -> Bool {
        if let to = question.to, at > to {
            // Nothing is recorded of the whole stretch, and the log goes on behind it: the other policy may have had something to do.
            if chronicle == nil, let from = question.from, last != nil {
                begin(from)
                last = to
            }
            return false
        }
        if chronicle == nil, question.from.map({ at >= $0 }) ?? true { begin(at) }
        last = at
        guard !commit.isEmpty else { return true }
        // Both sides go on together, so that jobs find each other soon (T10: what is due comes before facts).
        chronicle?.wind(to: at)
        hearDecisions()
        for event in commit {
            if chronicle == nil {
                before.fold(event)
                continue
            }
            comparison.note(event, .recorded)
            if event.isFact { live(event) } else { hear(event, .recorded) }
        }
        return true
    }

    /// What came of it when the log is over.
    public mutating func finish() -> WhatIfFindings {
        var findings = WhatIfFindings()
        guard chronicle != nil, let last = stretch?.upperBound ?? last else { return findings }
        let end = min(question.to ?? last, last)
        chronicle?.wind(to: end)
        hearDecisions()
        findings.stretch = (comparison.start, end)
        findings.people = chronicle?.register.people.count ?? 0
        findings.facts = facts
        findings.refusals = refusals
        findings.jobs = comparison.finish()
        return findings
    }

    // MARK: Living

    private mutating func begin(_ at: Instant) {
        if stretch == nil { comparison.start = question.from ?? at }
        let tell = { [told] (commit: Chronicle.Commit) in
            told.decisions += commit.filter { !$0.isFact }
        }
        guard let from = question.from else {
            // Read anew: counting references to what several cores share would slow all of them.
            let policy = (try? Policy(recorded: question.document)) ?? question.policy
            let nobody = Register(Plan(Rulebook(policy), zone: plan.zone), of: share, holdsAll: false)
            chronicle = Chronicle(living: nobody, nextSequence: Self.firstDecision, tell: tell)
            return
        }
        chronicle = Chronicle(
            resuming: before, at: last ?? .distantPast, nextSequence: Self.firstDecision, tell: tell)
        before = Register(plan, of: share, holdsAll: false)
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
        // What is about everyone is told to every share, and counted by the first.
        let isCounted = fact.user != nil || share.isFirst
        if isCounted { facts += 1 }
        do throws(FieldError) { try chronicle?.take(recorded: fact) } catch {
            hearDecisions()
            let other = renamed(fact)
            if let other, (try? chronicle?.take(recorded: other)) != nil { return hearDecisions() }
            if fact.payload.tellsOfJob, isKnown(fact.user), other != nil || isOfJobHere(fact) {
                chronicle?.take(believed: other ?? fact)
            } else {
                if isCounted { refusals.count(fact, in: stretch == nil ? nil : log, error) }
                return
            }
        }
        hearDecisions()
    }

    /// Whether a fact tells of a job that was decided here as well, and is refused only since jobs are remembered for 7 days.
    ///
    /// A worker is never asked about its own word on a job, however old that is: what was imported, or found after a long standstill,
    /// fails as too late. And a job that was late in the log is older here, where somebody was awake all the time.
    private func isOfJobHere(_ fact: Event) -> Bool {
        guard let name = fact.payload.answeredJob?.text, let user = fact.user else { return false }
        return !comparison.hasLost(name, of: user)
    }

    /// Of nobody who was erased here something is told that would begin them anew (`E4`).
    private func isKnown(_ user: String?) -> Bool {
        guard let register = chronicle?.register, let number = user.flatMap({ register.number(of: $0) }) else {
            return false
        }
        return !register[number].isErased
    }

    /// An outcome or an answer names a job as the log does. Where that name depends on what was decided, the job that takes its
    /// place here is meant.
    private func renamed(_ fact: Event) -> Event? {
        guard let name = fact.payload.answeredJob, let user = fact.user,
            let here = comparison.counterpart(of: name.text, of: user)
        else { return nil }
        var renamed = fact
        renamed.payload.answeredJob = NoticeName(here)
        return renamed
    }

    // MARK: Comparing

    private mutating func hearDecisions() {
        guard !told.decisions.isEmpty else { return }
        for event in told.decisions {
            comparison.note(event, .decided)
            hear(event, .decided)
        }
        told.decisions.removeAll(keepingCapacity: true)
    }

    private mutating func hear(_ event: Event, _ side: JobComparison.Side) {
        guard case .jobEmitted(let job) = event.payload, let user = event.user else { return }
        if job.isTest == true {
            return comparison.takeSample(job.job.text, of: user)
        }
        if let from = question.from, event.at < from { return }
        comparison.take(JobComparison.Job(name: job.job.text, user: user, kind: job.kind.text, at: event.at), side)
    }
}
