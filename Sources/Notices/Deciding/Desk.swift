public import CivilTime

/// Where one person's matters are decided, at one instant: state and a cause go in, decisions come out.
///
/// Everything here is a function of its inputs: no clock, no chance, nothing read from outside. Each decision changes
/// the person at once, the way a replay does it (`Person.evolve`), so what is decided next has seen it.
///
/// One desk serves many people, one after the other, and one thread: no access to its fields overlaps another.
public final class Desk {
    @exclusivity(unchecked) private var keptPlan: Plan
    @exclusivity(unchecked) private var keptPerson: Person
    @exclusivity(unchecked) private var seenPlan: Seen<Plan>
    @exclusivity(unchecked) private(set) var seenPerson: Seen<Person>
    @exclusivity(unchecked) private(set) var user: String
    @exclusivity(unchecked) public private(set) var now: Instant
    @exclusivity(unchecked) private var sequence: UInt64
    /// The commit in the making, to which decisions are added as they are made: lent by whoever asks, so that none is copied.
    @exclusivity(unchecked) public var written: [Event] = []
    /// What is to be considered at this instant, in the order of `P18`.
    @exclusivity(unchecked) private var queue = NoticeList<Notice>()
    /// Slots that travel made miss, by `P18` the last first: what is gathered before its turn a digest may have to tell.
    @exclusivity(unchecked) private var missed: [MissedSlots] = []
    /// The digests that what is gathered at this instant goes into, once they were looked for.
    @exclusivity(unchecked) var digestsAhead = DigestsAhead()
    /// How much was looked at so far, in notices and in what is looked through to find them. Nothing is decided by it: it
    /// tells whoever has many people to look at when to let others have a turn (`G11`).
    @exclusivity(unchecked) public private(set) var work = 0

    let almanac: Almanac

    public convenience init(_ person: Person, user: String, plan: Plan, now: Instant, nextSequence: UInt64) {
        self.init(person, user: user, plan: plan, now: now, nextSequence: nextSequence, Almanac())
    }

    /// A desk to try something out at uses the almanac of the one it stands beside.
    init(_ person: Person, user: String, plan: Plan, now: Instant, nextSequence: UInt64, _ almanac: Almanac) {
        (keptPerson, seenPerson) = (person, Seen(person))
        (keptPlan, seenPlan) = (plan, Seen(plan))
        self.user = user
        self.now = now
        sequence = nextSequence
        self.almanac = almanac
    }

    /// Of these two the desk keeps one each until it begins on somebody else, so looking at them counts nothing. Whoever looks
    /// must keep the desk.
    public var person: Person { seenPerson.it }
    var plan: Plan { seenPlan.it }

    /// The person for whoever goes on with them when the desk may be gone.
    var personToKeep: Person { keptPerson }

    /// Hands both on, and counts nothing on the way there either.
    @inline(__always)
    func look<Result>(_ body: (Person, Plan) -> Result) -> Result {
        seenPerson.look { person in seenPlan.look { body(person, $0) } }
    }

    /// The number the next event of the log gets.
    public var nextSequence: UInt64 { sequence }

    /// Lends the commit in the making, or takes it back. Other modules would have each access to `written` checked.
    public func exchange(_ events: inout [Event]) { swap(&written, &events) }

    /// Begins on somebody: they are changed where they stand.
    public func begin(
        with person: consuming Person, user: consuming String, plan: Plan, now: Instant, nextSequence: UInt64
    ) {
        keptPerson = person
        seenPerson = Seen(keptPerson)
        self.user = user
        if keptPlan !== plan { (keptPlan, seenPlan) = (plan, Seen(plan)) }
        self.now = now
        sequence = nextSequence
        work += self.person.extent
    }

    /// To be called last: works out when the person is to be woken.
    public func finish() {
        look { $0.nextWake = $0.earliestWake($1, almanac) }
    }

    // MARK: Causes

    /// `T10`: everything due up to now, decided before anything else that happens now.
    public func settle() { seenPerson.look { settle($0) } }

    private func settle(_ person: Person) {
        guard !person.isErased else { return }
        guard person.nextWake <= now || person.hasRaised else {
            person.settledThrough = max(person.settledThrough, now)
            return
        }
        if eraseIfRetentionEnded() { return }
        if person.hasDetails {
            dropExcess()
            closeSessions()
            concludeAnalyses()
        }
        raiseSlots()
        if person.hasDetails {
            raiseDueRepeats()
            enqueueHeld(until: now)
            raiseSummaryIfDue()
            enqueueRaised()
        }
        considerQueue()
        person.settledThrough = max(person.settledThrough, now)
    }

    /// What was due, and then a fact that was recorded now. Before an erasure nothing more is decided: everything stops (`E1`).
    public func hear(_ fact: Payload, sequence: UInt64) {
        if case .personErased = fact { return person.erase(plan) }
        guard !person.isErased else { return }
        settle()
        // What was due may have been the end of their retention.
        guard !person.isErased else { return }
        take(fact, sequence: sequence)
    }

    /// A fact that was recorded now, under `sequence`, and everything that follows from it. The next event's number is the
    /// desk's own: one fact may have consequences for many people.
    public func take(_ fact: Payload, sequence: UInt64) {
        if fact.changesPreferences { work += Self.preferenceWork }
        let before = fact.mayChangeStanding ? Standing(person, plan) : nil
        let zone = person.zone
        let isAppClosing: Bool
        if case .appClosed = fact { isAppClosing = true } else { isAppClosing = false }
        person.fold(fact, on: Occasion(sequence, now, user: user, plan))
        if isAppClosing { closeSessions(appWasClosed: true) }
        if case .phoneCodeEntered = fact { judgeCode() }
        if !person.zone.hasSameClocks(as: zone) { raiseSlotsOfToday() }
        concludeAnalyses()
        if fact.changesThePolicy || before.map({ $0 != Standing(person, plan) }) ?? false { enqueueHeld() }
        if fact.changesThePolicy { enqueueOrphans() }
        if case .runRequested(let request) = fact { run(request) }
        if case .testRequested(let request) = fact { test(request, sequence) }
        enqueueRaised()
        considerQueue()
    }

    /// A policy was adopted since anything of the person was decided: what waits for them is considered under it.
    public func apply() {
        guard !person.isErased else { return }
        concludeAnalyses()
        enqueueHeld()
        enqueueOrphans()
        enqueueRaised()
        considerQueue()
    }

    /// To read a person's preferences anew takes as long as it takes to look at so many of their notices, or longer.
    public static let preferenceWork = 500

    /// Counts what is looked at beside the queue.
    func look(at count: Int) { work += count }

    // MARK: The queue

    func enqueue(_ notice: Notice) {
        if !queue.contains(notice) { queue.append(notice) }
    }

    private func enqueueRaised() {
        for notice in person.raised { enqueue(notice) }
    }

    /// An overload's summary comes as pressing as what was gathered for it by now, and not as when it began to wait (`P18`).
    private func enqueueHeld(until: Instant = .distantFuture) {
        for notice in person.held(until: until) {
            let isSummary = notice.kind == plan.summary
            enqueue(
                isSummary
                    ? person.summary(named: notice.name, kind: notice.kind, raisedAt: notice.raisedAt) : notice)
        }
        for snooze in person.heldRepeats(until: until) { enqueue(snooze.notice) }
    }

    /// What was gathered for a digest or a summary that the policy has no more is considered anew: it would wait for ever.
    private func enqueueOrphans() {
        for notice in person.orphans(plan) { enqueue(notice) }
    }

    func isQueued(_ isMeant: (Notice) -> Bool) -> Notice? { queue.first(where: isMeant) }

    func enqueue(_ slots: MissedSlots) { missed.append(slots) }

    private func considerQueue() {
        digestsAhead = DigestsAhead()
        if queue.count > 1 { queue.sort(by: Notice.comesFirst) }
        if missed.count > 1 { missed.sort { Notice.comesFirst($1.notice, $0.notice) } }
        while let notice = queue.removeFirst() {
            work += 1
            if !missed.isEmpty { recordMissed(before: notice) }
            if !isOfferedAlready(notice) { consider(notice) }
        }
        if !missed.isEmpty { recordMissed(before: nil) }
    }

    private func recordMissed(before notice: Notice?) {
        while let next = missed.last, notice.map({ Notice.comesFirst(next.notice, $0) }) ?? true {
            missed.removeLast()
            record(next)
        }
    }

    /// One offer of another time is enough. Of goals that were missed on one day all come to it at once: those behind the
    /// first leave no trace, like a digest that finds nothing to say in its turn.
    private func isOfferedAlready(_ notice: Notice) -> Bool {
        guard case .missedCheckIn? = plan.kind(notice.kind).schedule, notice.slot != nil, !notice.isRepeat,
            person.flags.contains(.timingOffered)
        else { return false }
        return person.details.waiting[notice] == nil
    }

    /// Takes out of the queue those that go with a job being emitted (`P19`).
    func takeFromQueue(where joins: (Notice) -> Bool) -> [Notice] {
        work += queue.count
        let joining = queue.filter(joins)
        for notice in joining { queue.remove(notice) }
        return joining
    }

    /// Takes out of the queue what has come to its end another way.
    func forget(_ notice: Notice) { queue.remove(notice) }

    // MARK: Decisions

    /// The one way to decide: it takes effect, and it is written down.
    func decide(_ decision: consuming Decision) {
        seenPerson.look { $0.evolve(decision, on: Occasion(sequence, now, user: user, plan)) }
        written.append(
            Event(
                payload: decision.payload(keptPlan), seq: sequence, at: now, user: user, id: nil, occurredAt: nil,
                trace: nil))
        sequence += 1
    }

    /// A notice as the rules see it, now.
    func matter(_ notice: Notice) -> Matter {
        // One that comes again tells nothing that is gathered, and no place is kept for it.
        let isDigestAsked =
            !queue.isEmpty && queue.first { [plan] in $0.kind == plan.dailyDigest && !$0.isRepeat } != nil
        return look { Matter(notice, of: $0, $1, at: now, almanac, isDigestAsked: isDigestAsked) }
    }
}

/// The names of the next digests, of a day and of a week; `nil` for one that was not looked for yet.
struct DigestsAhead {
    private var daily: String?
    private var weekly: String?

    subscript(_ scope: DigestScope) -> String? {
        get { scope == .daily ? daily : weekly }
        set { if scope == .daily { daily = newValue } else { weekly = newValue } }
    }
}

/// What held notices are considered again for when it changes (SPEC §6): preferences, consent, zone, reachability.
private struct Standing: Equatable {
    private let differences: JSONValue
    private let flags: Person.Flags
    private let zone: ZoneRules
    private let reachable: ChannelSet

    init(_ person: Person, _ plan: Plan) {
        differences = person.hasDetails ? person.details.differences : .emptyObject
        var flags: Person.Flags = [.minor, .ownConsent, .guardianConsent, .zoneUnknown]
        if plan.policy.checkInsAfterYes { flags.insert(.saidYes) }
        self.flags = person.flags.intersection(flags)
        zone = person.zone
        reachable = person.reachable(plan)
    }
}

extension Payload {
    fileprivate var changesThePolicy: Bool { if case .policyAdopted = self { true } else { false } }

    /// Most facts cannot change what held notices are asked again for.
    fileprivate var mayChangeStanding: Bool {
        switch self {
        case .userEnrolled, .timezoneChanged, .preferencesChanged, .presetApplied, .preferencesReset, .consentGiven,
            .consentWithdrawn, .pushPermissionChanged, .deviceRegistered, .deviceRemoved, .phoneCodeEntered, .jobFailed,
            .contactChanged, .personErased, .deliveryReported, .unsubscribed:
            true
        case .policyAdopted, .phoneVerificationRequested, .appOpened, .appClosed, .conversationOpened,
            .conversationClosed, .messagesRead, .messageReceived, .messageSent, .sessionCompleted, .checkedIn,
            .pointsEarned, .goalStarted, .goalChanged, .goalEnded, .noticeRequested, .analysisAnswered,
            .analysisFailed, .jobDelivered, .noticeOpened, .noticeDismissed, .noticeSnoozed, .feedbackGiven,
            .historyCleared, .runRequested, .jobRetryRequested, .testRequested, .feedSeen, .subjectNamed,
            .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped, .jobEmitted, .analysisRequested,
            .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted,
            .partitionTaken, .policyApplied, .textsErased:
            false
        }
    }
}
