public import CivilTime
public import Journal
public import Notices
internal import Queueing

/// The live worker without its surroundings: it is given the time and the requests, decides, appends, and returns
/// what is to be done outside. It belongs to one queue and never blocks.
///
/// ```
/// ask ─> requests ─┐                     ┌─> Turn.writes ─> (the disk) ─> finished ─> answers, jobs
///                  ├─ turn: some commits ┤
/// agenda ──────────┘                     └─> Turn.wakeAt ─> (the timer) ─> turn
/// ```
///
/// A turn takes some facts and wakes some people, each a commit of its own at one instant. Turns are short, and facts
/// go first: however many people are due, a fact waits for one turn and for the disk.
public final class WorkerCore {
    /// What is to be done after a turn.
    public struct Turn {
        /// To be written on another queue; `finished` is to be told how it went.
        public var writes: Batch?
        /// To be called, in this order: what they tell of is durable.
        public var answers: [() -> Void] = []
        /// Jobs that have become durable, to be handed over.
        public var jobs: [EventPlace] = []
        /// Where it was asked that jobs be sent once more (`N7`), or reported that they go another way (`N4`): each is to be looked
        /// up (`FailedJobPlaces`), which takes a while.
        public var lookups: [EventPlace] = []
        /// When those of the jobs were due that came of a wake.
        public var due: [Instant] = []
        /// Codes that are to be sent to phones: the asking for them is durable.
        public var codes: [CodeOrder] = []
        /// Analyses that are to be asked for, since the wish for them has become durable.
        public var analyses: [AnalysisWanted] = []
        /// Whom retention has erased, durably.
        public var erased: [ErasedPerson] = []
        /// Texts that are erased, durably.
        public var textsErased: ErasedTexts?
        /// There is more to do at once.
        public var again = false
        /// When the next turn is due, if nothing comes before.
        public var wakeAt: Instant?
    }

    let journal: Journal
    // Used by one queue, never by two at once: to have each access checked would cost more than some of them.
    @exclusivity(unchecked) var decider: Decider
    let limits: Limits
    var requests = WaitingLine<Request>()
    /// The facts being taken, which may take more than one turn.
    var underway: FactsUnderway?
    /// Requests whose run of everybody is done, and which go on.
    var resumed = WaitingLine<FactsUnderway>()
    /// Requests whose next fact adopts a policy or asks for a run, and waits until the last policy was applied to everybody.
    var behindPolicy = WaitingLine<FactsUnderway>()
    var runs = WaitingLine<RunUnderway>()
    var waitingToCatchUp: [Reply<Void>] = []
    /// The run that was begun, or is about to be.
    var running: RunUnderway?
    /// The jobs of all that has been appended.
    private(set) var jobsWritten = 0
    private var waiting = WaitingForTheDisk()
    /// What could not be looked up, with when it is tried again; the earliest first.
    private var unread = WaitingLine<(due: Instant, place: EventPlace)>()
    private var isWriting = false
    /// How far people have forgotten the texts that were erased last.
    var forgetting: Forgetting?
    /// The commit being made.
    @exclusivity(unchecked) var draft = CommitDraft()
    /// What has been done since the start.
    public let figures = WorkFigures()
    var factTally = FactTally()
    var feedsSeen = FeedsSeen()
    let failedJobs: FailedJobPlaces
    private let scribe: Scribe
    private let stopwatch: () -> Duration
    private var shareBegan = Duration.zero
    /// How much had been looked at when the stopwatch was last asked.
    private var workTimed = 0
    private var isTimeUp = false
    /// No turn is of an earlier instant than the one before.
    private var lastTurnAt = Instant.distantPast
    /// The machine's clock at the beginning of the turn. Figures of the last minute go by it: recorded time may stand still (`T7`).
    private var wall = Instant.distantPast
    /// When somebody is due next, as it was seen last: behind the present where the worker does not keep up.
    private(set) var wakeSeen: Instant?
    public private(set) var failure: JournalError?
    /// Whether a text is the code that was sent; without it no code is right.
    public var isRightCode: (@Sendable (CodeOrder, String) -> Bool)?
    /// Who sends, by the document in force; `nil` where nobody does, and nothing gives way to anything.
    public var senders: (@Sendable () -> SendersInForce)?
    /// Called before the commit is written that erases people by retention: what must end before has ended when it returns (`E4`).
    public var willErase: (@Sendable ([String]) throws(JournalError) -> Void)?
    /// Nobody is woken any more, since the worker is about to stop.
    public var isClosing = false

    /// - Parameters:
    ///   - journal: given up by the caller.
    ///   - register: the fold of all that the journal holds, wakes worked out.
    ///   - isAligned: whether people have the numbers in the register that they have in the log.
    ///   - stopwatch: for how long it has been running. One that stands still leaves turns to be ended by counts.
    public init(
        _ journal: Journal, _ register: Register, limits: Limits = Limits(), isAligned: Bool = true,
        stopwatch: @escaping () -> Duration = { .zero }
    ) {
        self.journal = journal
        self.limits = limits
        self.stopwatch = stopwatch
        scribe = Scribe(journal)
        failedJobs = FailedJobPlaces(journal.directory, on: journal.disk)
        decider = Decider(register, nextSequence: journal.head.lastSeq + 1)
        // A piece is told by the log's numbers.
        decider.appliesInPieces = isAligned
    }

    public var head: LogHead { journal.head }
    public var durableHead: LogHead { journal.durableHead }
    /// How many numbers have been given to people.
    var peopleCount: Int { decider.register.people.count }
    /// How many people the log knows: those who were erased are nobody.
    public var knownCount: Int { peopleCount - decider.register.names.erasedCount }
    public var policy: Policy { decider.plan.policy }
    /// How much has been looked at so far: what a turn's length hangs on (`G11`).
    public var work: Int { decider.work }
    /// Somebody as they are now.
    public func person(_ user: String) -> Person? {
        decider.register.number(of: user).map { decider.register[$0].copy() }
    }
    /// When somebody is due next.
    public var nextWake: Instant? { decider.nextWake }
    public var writer: BatchWriter { journal.writer }
    /// Which log it is.
    public var identity: LogIdentity { journal.identity }
    /// Nothing was asked that is not answered.
    public var isIdle: Bool {
        requests.isEmpty && underway == nil && behindPolicy.isEmpty && !hasRuns && !journal.hasUnwritten
            && waiting.isEmpty
    }

    // MARK: Working

    /// Does a little of what there is to do. `wall` is the machine's clock; recorded time never goes back (`T7`).
    /// - Parameter writing: whether a batch may be given away to be written; `commit` writes it otherwise.
    public func turn(at wall: Instant, writing: Bool = true) -> Turn {
        var turn = Turn()
        self.wall = wall
        let now = max(wall, journal.head.at, lastTurnAt)
        lastTurnAt = now
        if failure == nil {
            do throws(JournalError) {
                let hasMore = try work(at: now)
                turn.again = hasMore && hasRoom
            } catch {
                failure = error
            }
        }
        while let next = unread.first, next.due <= now {
            turn.lookups.append(next.place)
            _ = unread.popFirst()
        }
        journal.destroyKeys()
        failure = failure ?? journal.failure
        turn.again = turn.again || journal.hasKeysDue
        if writing, !isWriting, failure == nil, let batch = journal.takeBatch() {
            isWriting = true
            turn.writes = batch
        }
        settle(&turn)
        figures.take(&factTally)
        return turn
    }

    /// The disk is done with a batch.
    public func finished(_ batch: Batch, _ result: Result<Void, DiskError>) -> Turn {
        isWriting = false
        journal.finished(batch, result)
        failure = failure ?? journal.failure
        var turn = Turn()
        turn.again = true
        settle(&turn)
        return turn
    }

    /// They could not be looked up, and are in a later turn once more.
    public func lookUpLater(_ places: [EventPlace], at wall: Instant) {
        let due = max(wall, lastTurnAt).advanced(byMilliseconds: Self.lookupPauseMs)
        for place in places { unread.append((due, place)) }
    }

    /// A disk that fails often does so for longer; a person who waits for a job waits no minute more for it.
    public static let lookupPauseMs: Int64 = 10_000

    /// Stops for a reason from outside, such as damage to what lies behind. Nothing more is acknowledged, also not
    /// what is with the writer at this moment.
    public func giveUp(_ reason: JournalError) -> Turn {
        failure = failure ?? reason
        var turn = Turn()
        abandonRequests(reason)
        waiting.abandon(reason, into: &turn)
        return turn
    }

    /// Makes all durable on the calling thread, for whoever has no other.
    public func commit() -> Turn {
        precondition(!isWriting, "committed while a batch is with the writer")
        if failure == nil {
            do throws(JournalError) { try journal.commit() } catch { failure = error }
        }
        var turn = Turn()
        settle(&turn)
        return turn
    }

    /// Whether it may be closed: no batch is with the writer, and everyone has been answered.
    public var isAtRest: Bool { !isWriting && (isIdle || failure != nil) }

    /// To be called last, at rest. After a failure nothing more is written: those whose facts would be have been told
    /// that they failed.
    public func close() throws(JournalError) {
        if let failure {
            journal.abandon()
            throw failure
        }
        try journal.close()
    }

    private func work(at now: Instant) throws(JournalError) -> Bool {
        // Asked once, so that none of the five starves another.
        guard hasRoom else { return false }
        var hasMore = try takeFacts(at: now)
        // What is all or nothing is one commit, however many turns it takes.
        if underway?.wholeAt != nil { return true }
        try eraseTexts(at: now)
        hasMore = goOnForgetting() || hasMore
        if !isClosing || mustCatchUp, mayLeave { hasMore = try wakePeople(at: now) || hasMore }
        if !isClosing || mustCatchUp { hasMore = try goOnApplying(at: now) || hasMore }
        hasMore = try goOnRunning(at: now) || hasMore
        answerWhenCaughtUp(at: now)
        return hasMore
    }

    private var hasRoom: Bool { journal.unwrittenBytes < limits.unwrittenBytesMax }

    /// Whether anybody may leave, as whoever is woken may.
    var mayLeave: Bool { journal.keysToDestroy < limits.leaversMax }

    /// Something that was asked for waits until everyone who is due has been woken.
    private var mustCatchUp: Bool { underway != nil || !behindPolicy.isEmpty || hasRuns }

    func isCaughtUp(at now: Instant) -> Bool { decider.nextWake.map { $0 > now } ?? true }

    /// Each of the five has its share of every turn, so that none starves another.
    func beginShare() {
        shareBegan = stopwatch()
        workTimed = decider.work
        isTimeUp = false
    }

    /// Whether a share has lasted as long as it may. The stopwatch is asked now and then: an ordinary person is decided
    /// about in the time it takes to ask.
    var isShareOver: Bool {
        if decider.work - workTimed >= Self.workUntimed {
            workTimed = decider.work
            isTimeUp = stopwatch() - shareBegan >= limits.shareLasts
        }
        return isTimeUp
    }

    /// The same asked of the stopwatch at once, for what is looked at by nobody's desk.
    var hasLasted: Bool { stopwatch() - shareBegan >= limits.shareLasts }

    /// At most half a millisecond's.
    private static let workUntimed = 500

    /// Wakes some of those who are due. Returns whether there are more.
    private func wakePeople(at now: Instant) throws(JournalError) -> Bool {
        var isMore = true
        var left = limits.wakesPerTurn
        var leavers = journal.keysToDestroy
        beginShare()
        while isMore, left > 0, leavers < limits.leaversMax, !isShareOver {
            let count = min(left, limits.wakesPerCommit)
            for _ in 0..<count where isMore && leavers < limits.leaversMax && !isShareOver {
                var due = now
                let place = draft.events.count
                let waking = decider.wakeNext(
                    through: now,
                    at: {
                        due = $0
                        return now
                    }, into: &draft.events)
                leavers += draft.woke(due, from: place)
                if case .nobodyIsDue = waking { isMore = false }
            }
            left -= count
            // While the next are decided about. It has the journal until it is told to finish.
            guard isMore, left > 0 else { break }
            note(try scribe.finish())
            // Nobody writes meanwhile: it may fail, and then the journal is given up.
            try beginCommit()
            scribe.begin(&draft, at: now)
        }
        note(try scribe.finish())
        try append(at: now)
        return isMore
    }

    // MARK: Appending

    /// Records a note of the worker's own, about nobody, from which nothing follows.
    public func record(_ note: Payload, at wall: Instant) throws(JournalError) {
        self.wall = wall
        let now = max(wall, journal.head.at, lastTurnAt)
        draft.events.append(Event(seq: decider.nextSequence, at: now, user: nil, payload: note))
        decider.nextSequence += 1
        try append(at: now)
    }

    /// Appends what has been written down as one commit.
    func append(at now: Instant) throws(JournalError) {
        try beginCommit()
        let register = decider.register
        note(try draft.write(to: journal, at: now) { register.place($0, at: $1) })
    }

    private func note(_ commit: WrittenCommit?) {
        guard let commit else { return }
        figures.take(commit.tally, at: wall)
        jobsWritten += commit.jobs.count
        waiting.add(commit)
    }

    /// Answers when all that was taken so far is durable.
    func answer<Answer>(_ answer: Answer, _ reply: @escaping Reply<Answer>) {
        guard draft.events.isEmpty else { return waiting.addToDraft { result in reply(result.map { answer }) } }
        waiting.add(durableAt: journal.head.position) { result in reply(result.map { answer }) }
    }

    /// Refuses what was asked; nothing came of it.
    func refuse<Answer>(_ problem: FieldError, _ reply: @escaping Reply<Answer>) {
        waiting.add(durableAt: journal.durableHead.position) { result in
            reply(result.flatMap { .failure(.problem(problem)) })
        }
    }

    /// Collects the answers whose time has come. After a failure nothing more becomes durable (`G4`).
    private func settle(_ turn: inout Turn) {
        waiting.take(through: journal.answerable, into: &turn)
        if let failure, !isWriting {
            abandonRequests(failure)
            waiting.abandon(failure, into: &turn)
        }
        // With too much on its way to the disk nobody is woken until it is there, and then comes a turn.
        guard !isClosing, failure == nil, hasRoom, mayLeave else { return }
        switch decider.soonest() {
        case .nothing(let until):
            turn.wakeAt = [until, unread.first?.due, textsDue].compactMap(\.self).min()
            wakeSeen = until
        case .more: turn.again = true
        case .wake: preconditionFailure("somebody was due before the beginning of time")
        }
    }

    /// Everyone who is still to be answered is told of the failure.
    private func abandonRequests(_ failure: JournalError) {
        func fail<Answer>(_ reply: @escaping Reply<Answer>) {
            waiting.add(durableAt: .max) { _ in reply(.failure(.journal(failure))) }
        }
        func fail(_ run: RunUnderway) {
            switch run.asker {
            case .order(let reply): fail(reply)
            case .fact(_, of: let facts): fail(facts.request.reply)
            }
        }
        while let reply = waitingToCatchUp.popLast() { fail(reply) }
        if let underway { fail(underway.request.reply) }
        underway = nil
        while let facts = resumed.popFirst() { fail(facts.request.reply) }
        while let facts = behindPolicy.popFirst() { fail(facts.request.reply) }
        if let running { fail(running) }
        running = nil
        while let run = runs.popFirst() { fail(run) }
        while let request = requests.popFirst() {
            switch request {
            case .facts(let facts): fail(facts.reply)
            case .run(_, let reply): fail(reply)
            case .story(_, _, let reply): fail(reply)
            case .numbers(_, let reply): fail(reply)
            case .contacts(_, let reply): fail(reply)
            case .card(_, let reply): fail(reply)
            case .generalCommits(let reply): fail(reply)
            }
        }
    }
}
