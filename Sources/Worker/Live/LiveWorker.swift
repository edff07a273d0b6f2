internal import CivilTime
public import Dispatch
public import Journal
public import Notices
internal import Synchronization

/// Where batches go before they are on this machine's disk, such as a log that several machines share.
public protocol BatchTaker: Sendable {
    /// Answers on any thread whether the batch is there, or why it never will be acknowledged. One batch at a time.
    func take(_ batch: Batch, _ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void)
}

/// The worker as it runs for months: a core on one serial queue, one timer armed for the earliest wake, and another queue
/// that writes.
///
/// Whoever asks is never made to wait: what is asked is put in an inbox, which is bounded, and answered through a callback
/// when it is durable.
public actor LiveWorker {
    /// Whether something was taken. Only what was gets an answer.
    public enum Intake: Sendable, Equatable {
        case taken
        /// Too much is waiting: try again later.
        case busy
        /// The worker is stopping.
        case closed
    }

    private struct Inbox: Sendable {
        var requests: [@Sendable (WorkerCore) -> Void] = []
        /// What was taken in and is not yet answered.
        var unanswered = 0
        var isScheduled = false
        var isClosed = false

        func intake(of bytes: Int, _ bytesMax: Int) -> Intake {
            if isClosed { return .closed }
            return unanswered + bytes <= bytesMax || unanswered == 0 ? .taken : .busy
        }
    }

    private nonisolated let executor = SerialQueue(label: "belfry.worker")
    private nonisolated let disk = DispatchQueue(label: "belfry.worker.disk", qos: .userInitiated)
    /// Where jobs are looked up that failed: each takes some reads, and reports and retries come in thousands (`G11`).
    private nonisolated let lookups = DispatchQueue(label: "belfry.worker.lookups", qos: .utility)
    private nonisolated let surroundings: Surroundings
    private nonisolated let bytesMax: Int
    private nonisolated let inbox = Mutex(Inbox())
    private nonisolated let seen: Mutex<Standing>
    private let core: WorkerCore
    private var timer: WakeTimer?
    private var clockWatch: ClockWatch?
    /// What has been done since the start.
    public nonisolated let figures: WorkFigures
    private var hasTold = false
    private var writingSince: ContinuousClock.Instant?
    /// Whether it looks soon whether it may decide again.
    private var willLookAgain = false
    /// How closing went, once it is done.
    private var closed: Result<Void, JournalError>?
    private var whenClosed: [@Sendable (Result<Void, JournalError>) -> Void] = []

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// The worker's own queue, for what must show that it is alive.
    public nonisolated var queue: DispatchQueue { executor.queue }

    /// - Parameter core: given up by the caller.
    public init(_ core: sending WorkerCore, bytesMax: Int = 64 << 20, _ surroundings: Surroundings) {
        seen = Mutex(Standing(of: core))
        figures = core.figures
        self.core = core
        self.bytesMax = bytesMax
        self.surroundings = surroundings
    }

    /// Begins to work: what is due is decided at once.
    public func start() {
        timer = WakeTimer(on: executor.queue) { [weak self] in self?.schedule() }
        clockWatch = ClockWatch(on: executor.queue) { [weak self] in self?.clockWasSet() }
        schedule()
    }

    // MARK: Asking

    /// - Parameters:
    ///   - bytes: about how large the facts are; what the bound of the inbox counts.
    ///   - hasRoom: whether `keepRoom` has kept room for them.
    public nonisolated func submit(
        _ facts: [Fact], bytes: Int, allOrNothing: Bool = false, isOwn: Bool = false, hasRoom: Bool = false,
        reply: @escaping Reply<[FactReceipt]>
    ) -> Intake {
        ask(bytes: bytes, hasRoom: hasRoom, reply) {
            $0.ask(facts: facts, allOrNothing: allOrNothing, isOwn: isOwn, $1)
        }
    }

    /// Keeps room in the inbox, for what is dealt out over several workers and is to be taken by all of them or none.
    public nonisolated func keepRoom(bytes: Int) -> Intake {
        inbox.withLock { inbox in
            let intake = inbox.intake(of: bytes, bytesMax)
            if intake == .taken { inbox.unanswered += bytes }
            return intake
        }
    }

    /// Gives back what was kept and is not to be used.
    public nonisolated func giveBackRoom(bytes: Int) { inbox.withLock { $0.unanswered -= bytes } }

    public nonisolated func run(_ order: RunOrder, reply: @escaping Reply<RunReceipt>) -> Intake {
        ask(reply) { $0.ask(run: order, $1) }
    }

    public nonisolated func story(
        of user: String, number: UInt32? = nil, reply: @escaping Reply<PersonPlace?>
    ) -> Intake {
        ask(reply) { $0.ask(storyOf: user, number: number, $1) }
    }

    /// The numbers that the log gave people; `nil` for those it has not met.
    public nonisolated func numbers(of users: [String], reply: @escaping Reply<[UInt32?]>) -> Intake {
        ask(bytes: 64 * users.count, reply) { $0.ask(numbersOf: users, $1) }
    }

    /// Where people can be reached, each with a job.
    public nonisolated func contacts(
        of people: [(user: String, topic: JobTopic)], reply: @escaping Reply<[Contact?]>
    ) -> Intake {
        ask(bytes: 256 * people.count, reply) { $0.ask(contactsOf: people, $1) }
    }

    /// The little of somebody that is told at once; `nil` for somebody unknown.
    public nonisolated func card(of user: String, reply: @escaping Reply<PersonCard?>) -> Intake {
        ask(reply) { $0.ask(cardOf: user, $1) }
    }

    /// Goes on with a search through everybody; once more is asked for as long as it is not done.
    public nonisolated func search(_ search: PeopleSearch, reply: @escaping Reply<PeopleSearch>) -> Intake {
        ask(bytes: 1024, reply) { $0.ask(people: search, $1) }
    }

    /// Tries a "run now" on some of its people, from a place on.
    public nonisolated func tryOut(
        _ order: RunOrder, from place: Int, reply: @escaping Reply<TrialPiece>
    ) -> Intake {
        ask(bytes: 1024, reply) { [surroundings] in $0.ask(trial: order, from: place, at: surroundings.clock(), $1) }
    }

    /// Goes on with a survey of what comes; once more is asked for as long as it is not done.
    public nonisolated func survey(_ survey: AgendaSurvey, reply: @escaping Reply<AgendaSurvey>) -> Intake {
        ask(bytes: 4096, reply) { $0.ask(agenda: survey, $1) }
    }

    /// Goes on counting who is due; once more is asked for as long as it is not done.
    public nonisolated func count(_ due: DueCount, reply: @escaping Reply<DueCount>) -> Intake {
        ask(reply) { $0.ask(due: due, $1) }
    }

    /// Where the commits stand that are about nobody in particular.
    public nonisolated func generalCommits(reply: @escaping Reply<[UInt64]>) -> Intake {
        ask(reply) { $0.askGeneralCommits($1) }
    }

    /// Puts a request into the inbox, where there is room. Its bytes are given back when it is answered.
    nonisolated func ask<Answer>(
        bytes: Int = 256, hasRoom: Bool = false, _ reply: @escaping Reply<Answer>,
        _ request: @escaping @Sendable (WorkerCore, @escaping Reply<Answer>) -> Void
    ) -> Intake {
        let answered: Reply<Answer> = { [weak self] result in
            self?.inbox.withLock { $0.unanswered -= bytes }
            reply(result)
        }
        let outcome = inbox.withLock { inbox -> (intake: Intake, mustSchedule: Bool) in
            let intake = hasRoom && !inbox.isClosed ? .taken : inbox.intake(of: bytes, bytesMax)
            if hasRoom, inbox.isClosed { inbox.unanswered -= bytes }
            guard intake == .taken else { return (intake, false) }
            inbox.requests.append { core in request(core, answered) }
            if !hasRoom { inbox.unanswered += bytes }
            defer { inbox.isScheduled = true }
            return (.taken, !inbox.isScheduled)
        }
        if outcome.mustSchedule { executor.queue.async { self.assumeIsolated { $0.turn() } } }
        return outcome.intake
    }

    /// What the worker looked like after its last turn. Asked without waiting for it.
    public nonisolated var standing: Standing { seen.withLock { $0 } }

    // MARK: Stopping

    /// Stops acknowledging at once, for a reason that others found: the process is to end with it. What was taken and not
    /// yet answered is answered with the reason.
    public nonisolated func giveUp(_ reason: JournalError) {
        executor.queue.async { self.assumeIsolated { $0.perform($0.core.giveUp(reason)) } }
    }

    /// Takes nothing more, answers all that was taken, closes the log, and says how it went.
    public func close() async -> Result<Void, JournalError> {
        inbox.withLock { $0.isClosed = true }
        return await withCheckedContinuation { done in
            whenClosed.append { done.resume(returning: $0) }
            core.isClosing = true
            turn()
        }
    }

    // MARK: On the queue

    private nonisolated func schedule() {
        let isNew = inbox.withLock { inbox in
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if isNew { executor.queue.async { self.assumeIsolated { $0.turn() } } }
    }

    private nonisolated func clockWasSet() {
        figures.clockWasSet()
        surroundings.clockWasSet()
        assumeIsolated { worker in
            worker.timer?.rearm()
            worker.turn()
        }
    }

    private func turn() {
        guard surroundings.mayDecide() else { return wait() }
        hear()
        perform(core.turn(at: surroundings.clock()))
    }

    /// Hands on what was asked. Returns whether there was anything.
    @discardableResult
    private func hear() -> Bool {
        let requests = inbox.withLock { inbox in
            inbox.isScheduled = false
            defer { inbox.requests.removeAll() }
            return inbox.requests
        }
        for request in requests { request(core) }
        return !requests.isEmpty
    }

    /// Looks again soon whether it may decide. Whoever asked waits meanwhile; a worker that is to close gives up, and says so to all.
    private func wait() {
        if core.isClosing, hear() || !core.isAtRest {
            return perform(core.giveUp(.lost("the worker may not decide any more: its lease is in doubt")))
        }
        closeIfDone()
        guard closed == nil, !willLookAgain else { return }
        willLookAgain = true
        // A turn that was scheduled has not been taken, so there is no other that would be.
        executor.queue.asyncAfter(deadline: .now() + Self.doubtPause) {
            self.assumeIsolated { worker in
                worker.willLookAgain = false
                worker.turn()
            }
        }
    }

    private static let doubtPause = DispatchTimeInterval.milliseconds(50)

    private func perform(_ turn: WorkerCore.Turn) {
        if turn.writes != nil { writingSince = .now }
        let standing = Standing(of: core, writingSince: writingSince)
        let hasGrown = seen.withLock { seen in
            defer { seen = standing }
            return seen.durable.position < standing.durable.position
        }
        if hasGrown { surroundings.grew() }
        if let batch = turn.writes { write(batch) }
        if !turn.due.isEmpty { figures.fired(due: turn.due, at: surroundings.clock()) }
        if !turn.erased.isEmpty { surroundings.erased(turn.erased) }
        if let texts = turn.textsErased { surroundings.textsErased(texts) }
        if !turn.jobs.isEmpty { surroundings.handOver(turn.jobs) }
        if !turn.lookups.isEmpty { lookUp(turn.lookups) }
        if !turn.codes.isEmpty { surroundings.sendCodes(turn.codes) }
        if !turn.analyses.isEmpty { surroundings.analyse(turn.analyses) }
        for answer in turn.answers { answer() }
        timer?.arm(for: turn.again ? nil : turn.wakeAt)
        if turn.again { schedule() }
        if let failure = core.failure, !hasTold {
            hasTold = true
            surroundings.failed(failure)
        }
        closeIfDone()
    }

    /// What cannot be read now is tried again in a while, as long as the worker runs; then it is the next start's.
    private func lookUp(_ places: [EventPlace]) {
        lookups.async { [surroundings, failedJobs = core.failedJobs] in
            let found = failedJobs.find(places)
            if !found.jobs.isEmpty { surroundings.handOver(found.jobs) }
            if let error = found.error { surroundings.unread(error) }
            guard !found.ended.isEmpty || !found.unread.isEmpty else { return }
            self.executor.queue.async { self.assumeIsolated { $0.take(found) } }
        }
    }

    private func take(_ found: FoundJobs) {
        guard closed == nil else { return }
        if !found.ended.isEmpty { core.ask(facts: found.ended, isOwn: true) { _ in } }
        if !found.unread.isEmpty { core.lookUpLater(found.unread, at: surroundings.clock()) }
        schedule()
    }

    private func write(_ batch: Batch) {
        let begun = ContinuousClock.now
        guard let elsewhere = surroundings.elsewhere else { return writeToDisk(batch, since: begun) }
        elsewhere.take(batch) { result in
            self.executor.queue.async {
                self.assumeIsolated { worker in
                    switch result {
                    case .success: worker.writeToDisk(batch, since: begun)
                    case .failure(let reason):
                        worker.perform(worker.core.giveUp(reason))
                        worker.finished(batch, .failure(DiskError(.write, "the log elsewhere", 0)))
                    }
                }
            }
        }
    }

    private func writeToDisk(_ batch: Batch, since begun: ContinuousClock.Instant) {
        let writer = core.writer
        disk.async { [figures] in
            let result: Result<Void, DiskError>
            do throws(DiskError) { result = .success(try writer.write(batch)) } catch { result = .failure(error) }
            figures.synced(in: ContinuousClock.now - begun)
            self.executor.queue.async {
                self.assumeIsolated { $0.finished(batch, result) }
            }
        }
    }

    private func finished(_ batch: Batch, _ result: Result<Void, DiskError>) {
        writingSince = nil
        perform(core.finished(batch, result))
    }

    private func closeIfDone() {
        guard !whenClosed.isEmpty, let result = closed ?? closeAtRest() else { return }
        closed = result
        let callbacks = whenClosed
        whenClosed = []
        for callback in callbacks { callback(result) }
    }

    /// Closes the log as soon as nothing is with the writer. `nil` until then.
    private func closeAtRest() -> Result<Void, JournalError>? {
        guard core.isClosing, core.isAtRest else { return nil }
        timer?.cancel()
        clockWatch?.cancel()
        do throws(JournalError) { return .success(try core.close()) } catch { return .failure(error) }
    }
}
