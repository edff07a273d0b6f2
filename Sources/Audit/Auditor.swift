public import CivilTime
public import Notices

/// The judge: proves over a whole log that nobody was reached when or how they must not be, that nothing came twice, and
/// that nothing was lost (SPEC §13 `audit`, §14).
///
/// It shares nothing with the pipeline that decided: it reads the policy and the preferences by itself, works out
/// local time from offsets alone, and asks each rule of each job from scratch. Facts and decisions are given in the
/// order of the log; a decision is judged by what stands before it.
///
/// What is kept grows with people and with notices, not with what happens to them.
public struct Auditor: Sendable {
    private(set) var report = AuditReport()
    private let zones: @Sendable (String) -> ZoneRules?
    /// Zones are asked for with every job; those that are not known take long to look for.
    private var zoneMemory: [String: ZoneRules?] = [:]

    // MARK: What the log has said so far

    var policy: PolicyDocument
    /// When the policy in force was adopted.
    var policySince = Instant.distantPast
    /// Counts policies, so that what follows from one is not taken for another's.
    private var policyNumber = 0
    /// Without any policy, kinds and limits cannot be judged by name.
    var hasPolicy = false
    private var usualWishes: [Bool: Wishes] = [:]

    private var personNumbers: [String: Int] = [:]
    var people = AuditedPeople()

    private var lastSeq: UInt64 = 0
    private var lastAt = Instant.distantPast
    /// The last instant at which a worker decided anything about anyone.
    public private(set) var workedAt: Instant?
    /// The last recorded "run now" for everyone, and the last for each person; it reaches as far as its own instant.
    private var run: Run?
    private var ownRuns: [String: Run] = [:]
    private struct Run {
        var seq: UInt64
        var at: Instant
        var request: RunRequested
    }

    // Each with the event that was first to have it.
    private var factIDs: [Fingerprint: UInt64] = [:]
    var jobIDs: [Fingerprint: Emission] = [:]
    var endedNotices: [Fingerprint: UInt64] = [:]
    /// How many people with an id were erased, where it is still read.
    private var earlierLives: [String: Int] = [:]
    var slots: [Fingerprint: UInt64] = [:]
    struct Emission {
        var seq: UInt64
        var at: Instant
        var channels: ChannelSet
    }

    /// Of those who travelled with their last fact, and of whom nothing later was told.
    var journeys: [Int: Journey] = [:]

    /// - Parameters:
    ///   - policy: the document in force from the beginning, where the log does not adopt one.
    ///   - zones: the rules of a zone, `nil` for one that is not known.
    public init(policy: JSONDocument? = nil, zones: @escaping @Sendable (String) -> ZoneRules?) {
        self.zones = zones
        self.policy = PolicyDocument(.object([:]))
        if let policy { adopt(policy, at: .distantPast) }
        report.policies = 0
    }

    /// The next event of the log. Where several go over one log, each with its own people, all are told of what is about
    /// everyone, and one of them counts it.
    public mutating func take(_ event: Event, isCounted: Bool = true) {
        guard isCounted else { return takeForEveryone(event) }
        report.events += 1
        checkOrder(event)
        let isDecision = event.isDecision
        // What workers note of themselves is neither.
        if !isDecision { report.facts += 1 } else if event.user != nil { report.decisions += 1 }
        guard let user = event.user, event.payload.type.isAboutPerson else { return takeForEveryone(event) }
        let person = number(of: user, at: event.at)
        expect(.erasure, event, !people[person].isErased, "something is recorded of somebody who was erased")
        if isDecision {
            checkRetention(event, person)
            noteDecision(event, person)
            takeDecision(event, person)
        } else {
            people[person].lastFactSeq = event.seq
            people[person].lastFactAt = event.at
            noteSign(event, person)
            endJourney(person)
            let zone = people[person].zoneName
            takeFact(event, person)
            if people[person].zoneName != zone { people[person].zoneSince = event.at }
            if let zone, hasTravelled(person, from: zone) { beginJourney(event, person) }
        }
    }

    /// What all of it amounts to.
    ///
    /// - Parameter workedAt: when a worker decided anything last, where another auditor was told of it.
    public consuming func finish(_ ending: Ending = .worked, workedAt other: Instant? = nil) -> AuditReport {
        workedAt = [workedAt, other].compactMap(\.self).max()
        for person in journeys.keys.sorted() { endJourney(person) }
        checkWaiting(ending)
        report.people = people.count
        return report
    }

    /// Whether both were told of a fact with the same id, which neither of them could see alone.
    public func sharesFacts(with other: Auditor) -> Bool {
        let (few, many) = factIDs.count < other.factIDs.count ? (factIDs, other.factIDs) : (other.factIDs, factIDs)
        return few.contains { many[$0.key] != nil }
    }

    // MARK: Reporting

    mutating func asked(_ check: Check) { report.asked(check) }

    mutating func broken(_ check: Check, _ event: Event, _ sentence: String) {
        report.broken(Violation(seq: event.seq, at: event.at, user: event.user, check: check, sentence: sentence))
    }

    mutating func broken(_ check: Check, seq: UInt64, at: Instant, user: String, _ sentence: String) {
        report.broken(Violation(seq: seq, at: at, user: user, check: check, sentence: sentence))
    }

    /// Asks a check that is about the event alone.
    mutating func expect(_ check: Check, _ event: Event, _ holds: Bool, _ sentence: @autoclosure () -> String) {
        asked(check)
        if !holds { broken(check, event, sentence()) }
    }

    mutating func countNotice() { report.notices += 1 }
    mutating func countJob() { report.jobs += 1 }
    mutating func countWaiting() { report.waiting += 1 }

    // MARK: The order of events

    private mutating func checkOrder(_ event: Event) {
        let (seq, at) = (lastSeq, lastAt)
        expect(.numbers, event, event.seq > seq, "the event is numbered \(event.seq) after event \(seq)")
        expect(.clock, event, event.at >= at, "the event is recorded at \(event.at), after one at \(at)")
        lastSeq = max(lastSeq, event.seq)
        lastAt = max(lastAt, event.at)
        guard let id = event.id else { return }
        let first = factIDs.updateValueUnlessKnown(event.seq, for: Fingerprint(id))
        expect(.factIDs, event, first == nil, "the fact \(id) was event \(first ?? 0) already")
    }

    private mutating func takeForEveryone(_ event: Event) {
        switch event.payload {
        case .policyAdopted(let adopted):
            adopt(adopted.policy, at: event.at)
            policySince = event.at
        case .runRequested(let request):
            let run = Run(seq: event.seq, at: event.at, request: request)
            if let user = event.user ?? request.user?.text { ownRuns[user] = run } else { self.run = run }
        case .textsErased(let erased): checkTexts(erased, event)
        default: break
        }
    }

    private mutating func noteDecision(_ event: Event, _ person: Int) {
        // A run for one person says nothing of the others.
        let isRunAlone = ownRuns[people[person].id].map { $0.at == event.at && $0.seq > run?.seq ?? 0 } ?? false
        if !isRunAlone { workedAt = event.at }
        if !journeys.isEmpty, let journey = journeys[person], journey.at != event.at { endJourney(person) }
        for overdue in people[person].notices.decides(at: event.at) { reportOverdue(overdue, person) }
    }

    // MARK: People and what holds for them

    private mutating func number(of user: String, at: Instant) -> Int {
        if let known = personNumbers[user] { return known }
        personNumbers[user] = people.count
        people.append(AuditedPerson(id: user, since: at, life: earlierLives[user] ?? 0))
        // Facts about someone who never enrolled enrol them with the policy's default zone (SPEC §2).
        people[people.count - 1].zoneName = hasPolicy ? policy.defaultZone : nil
        return people.count - 1
    }

    /// Whatever waited for them, nothing comes of it any more (`E1`).
    mutating func erase(_ person: Int, at: Instant) {
        let user = people[person].id
        people[person] = AuditedPerson(id: user, since: at)
        people[person].zoneName = hasPolicy ? policy.defaultZone : nil
        people[person].isErased = true
        journeys[person] = nil
        // Where the key is there still, they are called as before, and whoever comes with the id is somebody new (`E4`).
        guard !Erased.holds(user) else { return }
        personNumbers[user] = nil
        earlierLives[user, default: 0] += 1
    }

    /// The name of a job or a notice of theirs: somebody before them may have had the same (`E4`).
    func mark(_ name: String, _ person: Int) -> Fingerprint {
        let life = people[person].life
        return life == 0 ? Fingerprint(name) : Fingerprint(name, String(life))
    }

    private mutating func adopt(_ document: JSONDocument, at instant: Instant) {
        let before = policy
        policy = PolicyDocument(JSONTree(parsing: document.text) ?? .object([:]))
        policy.follow(before, at: instant)
        policyNumber += 1
        report.policies += 1
        hasPolicy = true
        usualWishes = [:]
    }

    mutating func wishes(of person: Int) -> Wishes {
        guard people[person].document == nil else {
            return people[person].wishes(under: policy, number: policyNumber)
        }
        let saidYes = people[person].reach.saidYes
        if let usual = usualWishes[saidYes] { return usual }
        let usual = Wishes(own: nil, policy: policy, saidYes: saidYes)
        usualWishes[saidYes] = usual
        return usual
    }

    /// The person's own clock; in a zone that is not known, UTC's.
    mutating func clock(of person: Int) -> (clock: ZoneClock, isKnown: Bool) {
        let rules = rules(of: people[person].zoneName ?? policy.defaultZone)
        return (ZoneClock(rules: rules ?? .utc), rules != nil)
    }

    mutating func rules(of zone: String) -> ZoneRules? {
        if let known = zoneMemory[zone] { return known }
        let rules = zones(zone)
        zoneMemory[zone] = .some(rules)
        return rules
    }

    /// Whether a recorded run reaches this person's notices of a kind at this event.
    func isRun(_ event: Event, _ person: Int, kind: String, withForce: Bool) -> Bool {
        [run, ownRuns[people[person].id]].contains { run in
            guard let run, run.at == event.at, run.seq > people[person].lastFactSeq else { return false }
            guard run.request.kind == nil || run.request.kind?.text == kind else { return false }
            return !withForce || run.request.force == true
        }
    }
}

extension Event {
    var isDecision: Bool { !payload.isFact }
}

extension Dictionary {
    /// Keeps what was there first, and gives it.
    mutating func updateValueUnlessKnown(_ value: Value, for key: Key) -> Value? {
        if let known = self[key] { return known }
        self[key] = value
        return nil
    }
}
