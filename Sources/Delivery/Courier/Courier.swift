public import CivilTime
internal import Dispatch
public import Notices
internal import Synchronization

/// Hands jobs to sinks and has the outcomes recorded.
///
/// A job is handed over when its commit is durable, as a place in the log; it is read back when its turn comes
/// (`DeliveryPlan` says when that is). A job whose outcome was not recorded before a stop or a crash is to be handed over
/// again with the next start, and then has the same id and the same bytes.
///
/// Safe to share: plan, shelves and timer are touched on `queue` alone, answers come in under a lock.
public final class Courier: @unchecked Sendable {
    public enum LogLevel: String, Sendable { case debug, info, warning, error }

    /// The jobs of the commit at a position; whatever else it holds may be among them.
    public typealias Read = @Sendable (_ position: UInt64) throws -> [Event]
    /// Answers on any thread whether the facts are in the log now; `false` when it was busy: they come again.
    public typealias Record = @Sendable (_ facts: [Fact], _ done: @escaping @Sendable (Bool) -> Void) -> Void
    /// Whether the jobs of a commit at a position may be handed out by this program now.
    public typealias MayHandOut = @Sendable (_ position: UInt64) -> Bool
    /// Answers on any thread where people can be reached now, in the order they were named; `nil` when it was busy.
    public typealias Book =
        @Sendable (
            _ people: [(user: String, topic: JobTopic)], _ answer: @escaping @Sendable ([BookEntry]?) -> Void
        ) -> Void
    /// The registration of a device in the commit at a position, which is durable; `nil` where it is none.
    public typealias ReadRegistration =
        @Sendable (_ registration: UInt64, _ position: UInt64) throws -> DeviceRegistered?
    public typealias Log = @Sendable (LogLevel, String, [(String, String)]) -> Void

    enum Phase { case idle, running, stopping, stopped }

    /// What senders need: the address book, and who sends.
    public struct Mail: Sendable {
        public var office: PostOffice
        public var book: Book
        public var registration: ReadRegistration
        /// Where texts that are under way are noted.
        public var texts: TextLedger

        public init(
            office: PostOffice, texts: TextLedger, book: @escaping Book, registration: @escaping ReadRegistration
        ) {
            (self.office, self.texts, self.book, self.registration) = (office, texts, book, registration)
        }
    }

    private struct Inbox: Sendable {
        var places: [JobPlace] = []
        /// What logs held without an outcome when they were opened, each by itself.
        var takenUp: [[JobPlace]] = []
        /// Those of them whose text may have been taken from the worker before.
        var doubtful: [JobPlace] = []
        /// Whether a log was opened: what was told of it before another worker had it is not known there.
        var isTakenUp = false
        var answers: [Answered] = []
        var isScheduled = false
        /// What has come in and what has gone out since the beginning.
        var handedOver = 0
        var finished = 0
        var carriers: [CarrierStanding] = []
        var leftUnread = 0
    }

    let queue = DispatchQueue(label: "belfry.delivery")
    /// What became of tries since the start.
    public let figures = CarrierFigures()
    private let inbox = Mutex(Inbox())
    let sinks: [any Sink]
    let mail: Mail?
    let read: Read
    private let record: Record
    let mayHandOut: MayHandOut
    let clock: @Sendable () -> Instant
    let log: Log

    // The queue's own.
    var plan: DeliveryPlan
    /// One for each carrier: the sinks, then the senders as they are met.
    var desks: [CarrierDesk]
    private var unreadable = UnreadableReport()
    var posts = PostLanes()
    /// What waits beside jobs, by its number.
    var errands: [UInt64: Errand] = [:]
    var errandsMade: UInt64 = 0
    var sortingShelf = OrderShelf()
    var isSorting = false
    /// Whatever was read in front of one is read again: it may say who they were.
    var erasures = 0
    var registrations: Registrations
    var phase = Phase.idle
    /// Jobs whose text may have been taken from the worker before: it is not sent again.
    var doubtful: Set<JobPlace> = []
    /// Calls with texts that are not answered.
    var textsUnderWay = 0
    private var hasGivenUpTexts = false
    /// Logs that are held and not at rest.
    var holdings: [Holding] = []
    private var whenStopped: [@Sendable () -> Void] = []
    private let timer: any DispatchSourceTimer
    private var armedFor: Instant?
    private var taken = 0
    /// Whether the log took no outcomes when they were last offered.
    private var isLogDeaf = false

    /// The clock is looked at this often while something waits, because it may be set.
    private static let sleepMsMax: Int64 = 30_000
    /// How long sinks may take to let go, once the time to stop is over.
    private static let farewell = DispatchTimeInterval.seconds(1)
    /// How long the log may take for the outcomes of texts that were given up.
    private static let lastWords = 0.7

    /// - Parameter clock: what `not_after` and pauses are held against.
    public init(
        sinks: [any Sink], mail: Mail? = nil, clock: @escaping @Sendable () -> Instant, read: @escaping Read,
        record: @escaping Record, mayHandOut: @escaping MayHandOut = { _ in true }, log: @escaping Log
    ) {
        self.sinks = sinks
        self.read = read
        self.record = record
        self.mayHandOut = mayHandOut
        self.clock = clock
        self.log = log
        self.mail = mail
        plan = DeliveryPlan(sinks: sinks.map { .init(name: $0.name, window: $0.window) }, mustSort: mail != nil)
        desks = sinks.map { CarrierDesk($0.name) }
        registrations = Registrations(mail?.registration ?? { @Sendable _, _ in nil })
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.wake() }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Jobs that were handed over and whose outcome is not known to be in the log.
    public var waiting: Int { inbox.withLock { $0.handedOver - $0.finished } }

    /// Jobs that could not be read from the log, and are left for the next start.
    public var leftUnread: Int { inbox.withLock { $0.leftUnread } }

    /// How each sink and sender stands.
    public var carriers: [CarrierStanding] { withUnmet(inbox.withLock { $0.carriers }.byName) }

    /// Takes jobs whose commit is durable, in the order of the log; each once. Costs the caller next to nothing.
    public func handOver(_ places: [JobPlace]) {
        let places = mine(places)
        guard !places.isEmpty else { return }
        notify { inbox in
            inbox.places.append(contentsOf: places)
            inbox.handedOver += places.count
        }
    }

    /// Takes up what a log held without an outcome when it was opened.
    public func takeUp(_ left: JobsReturned) {
        if !left.doubtful.isEmpty {
            log(
                .warning,
                "texts were under way when the worker ended or lost its log; they may have been taken, and are not sent again",
                [("jobs", "\(left.doubtful.count)")])
        }
        notify { inbox in
            inbox.takenUp.append(left.places)
            inbox.doubtful.append(contentsOf: left.doubtful)
            inbox.isTakenUp = true
            inbox.handedOver += left.places.count
        }
    }

    /// What gives way to another channel is senders' affair: sinks are given each job once, with all that nobody sends.
    func mine(_ places: [JobPlace]) -> [JobPlace] {
        mail == nil ? places.filter { $0.insteadOf == nil } : places
    }

    /// Begins. What was handed over before has waited.
    public func start() {
        queue.async {
            guard self.phase == .idle else { return }
            self.phase = .running
            self.goOn()
        }
    }

    /// People were erased, and their keys are gone: what is in memory of their jobs is let go of, and read again it says
    /// nothing. Returns what sinks held of them, in phrases. Only for threads that may wait.
    ///
    /// - Parameter instant: when they were erased; what sinks hold of later is about whoever has their id since then (`E4`).
    public func erase(_ users: Set<String>, through instant: Instant) -> [String] {
        queue.sync { forgetWhatWasRead() }
        return (sinks + (mail?.office.sinks ?? [])).compactMap { $0.erase(users, through: instant) }
    }

    /// To be called when the clock was set: a pause may be over.
    public func clockChanged() { queue.async { self.goOn() } }

    /// Begins nothing more, waits at most so long for what is in flight and for its outcomes to be recorded, closes the
    /// sinks and calls `done`. Texts that are not answered by then are given up, and that is recorded: 0.7 s more at most.
    /// A courier that has stopped does not start again.
    public func stop(within seconds: Double, done: @escaping @Sendable () -> Void) {
        queue.async {
            guard self.phase != .stopped else { return done() }
            self.whenStopped.append(done)
            self.phase = .stopping
            self.plan.close()
            self.queue.asyncAfter(deadline: .now() + seconds) { self.giveUpTexts() }
            self.goOn()
        }
    }

    private func notify(_ change: (inout Inbox) -> Void) {
        let mustSchedule = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if mustSchedule { queue.async { self.collect() } }
    }
}

// On the courier's queue.
extension Courier {
    private func collect() {
        let came = inbox.withLock { inbox in
            defer {
                (inbox.places, inbox.takenUp, inbox.doubtful, inbox.answers) = ([], [], [], [])
                (inbox.isScheduled, inbox.isTakenUp) = (false, false)
            }
            return inbox
        }
        if came.isTakenUp { plan.toldDead = ToldOnce() }
        guard phase != .stopped else { return }
        doubtful.formUnion(came.doubtful)
        taken += came.places.count + came.takenUp.reduce(0) { $0 + $1.count }
        // First what was handed over: some of it may be in a log that was opened again since.
        plan.handOver(came.places)
        for places in came.takenUp { plan.takeUp(places) }
        hear(came.answers, at: clock())
        goOn()
    }

    func forgetWhatWasRead() {
        erasures += 1
        sortingShelf = OrderShelf()
        for place in desks.indices { desks[place].shelf = OrderShelf() }
        registrations.forget()
    }

    private func say(_ line: LossReport.Line) { log(line.level, line.message, line.fields) }

    private func tellLosses(at now: Instant) {
        for one in plan.takeGivenUp() {
            for line in desks[one.sink].losses.hear(one, at: now) { say(line) }
        }
        for index in desks.indices { if let line = desks[index].losses.tell(at: now) { say(line) } }
        if let line = unreadable.tell(at: now) { say(line) }
    }

    private func wake() {
        armedFor = nil
        goOn()
    }

    func goOn() {
        guard phase != .idle, phase != .stopped else { return }
        let now = clock()
        sort(at: now)
        run(errandsAt: now)
        var toSend: [Attempt] = []
        while let attempt = plan.nextAttempt(at: now) {
            if attempt.sink < sinks.count { begin(attempt) } else { toSend.append(attempt) }
        }
        send(toSend)
        tellLosses(at: now)
        if let facts = plan.offer(at: now) {
            record(facts) { isRecorded in self.queue.async { self.recorded(isRecorded) } }
        }
        let standings = desks.indices.map { standing(of: $0, at: now) }
        inbox.withLock { ($0.finished, $0.carriers) = (taken - plan.unfinished, standings) }
        strikeEndedTexts()
        tellWhoIsAtRest()
        if phase == .stopping, plan.isQuiet || hasGivenUpTexts && textsUnderWay == 0 && plan.isRecorded {
            return finish()
        }
        arm(at: now)
    }

    /// The time to stop is over. What was not answered is done again by the next start, but for texts: those that may have
    /// been taken have failed (`N5`).
    private func giveUpTexts() {
        guard phase != .stopped else { return }
        hasGivenUpTexts = true
        guard let mail, textsUnderWay > 0 else { return finish() }
        mail.office.giveUpTexts()
        queue.asyncAfter(deadline: .now() + Self.lastWords) { self.finish() }
    }

    private func recorded(_ isRecorded: Bool) {
        guard phase != .stopped else { return }
        plan.offered(isRecorded: isRecorded, at: clock())
        // Once, however often: a log that has failed takes none until the next start, and says so itself.
        if isRecorded == isLogDeaf {
            isLogDeaf = !isRecorded
            log(
                isRecorded ? .info : .warning,
                isRecorded ? "the log takes outcomes again" : "the log takes no outcomes now; they are offered again",
                [])
        }
        goOn()
    }

    private func begin(_ attempt: Attempt) {
        guard mayHandOut(attempt.place.position) else { return plan.postpone(attempt, at: clock()) }
        guard let order = order(for: attempt), plan.maySend(attempt, order, at: clock()) else { return }
        let begun = ContinuousClock.now
        // It is told of those that it was sorted to, or of all where there are no senders.
        let channels = plan.channels(of: attempt)
        sinks[attempt.sink].take(order.limited(to: channels.isEmpty ? order.job.channels : channels)) { outcome in
            self.answer(attempt, order, outcome.verdict, since: begun)
        }
    }

    func answer(
        _ attempt: Attempt, _ order: Order, _ verdict: SenderVerdict, since begun: ContinuousClock.Instant
    ) {
        let took = ContinuousClock.now - begun
        notify { $0.answers.append(Answered(attempt: attempt, order: order, verdict: verdict, took: took)) }
    }

    /// From the shelf, or read back from the log.
    ///
    /// - Parameter others: attempts that were begun with it, whose orders are asked for next.
    func order(for attempt: Attempt, before others: ArraySlice<Attempt> = []) -> Order? {
        let (place, sink) = (attempt.place, attempt.sink)
        if let order = desks[sink].shelf.take(place.seq) { return order }
        do {
            return try desks[sink].shelf.order(place, from: read) { limit in
                plan.upcoming(attempt, before: others, limit: limit)
            }
        } catch {
            complain(attempt, error)
        }
        return nil
    }

    func complain(_ attempt: Attempt, _ error: any Error) {
        tellUnreadable(attempt.place, isOver: plan.unreadable(attempt, at: clock()), error)
    }

    func tellUnreadable(_ place: JobPlace, isOver: Bool, _ error: any Error) {
        // Whoever has the log now hands its jobs out: nothing is wrong, and nobody has anything to do.
        if error is JobElsewhere {
            return log(.debug, "a job is handed out elsewhere", [("seq", "\(place.seq)"), ("reason", "\(error)")])
        }
        for line in unreadable.hear(place, isOver: isOver, "\(error)", at: clock()) { say(line) }
        if isOver { inbox.withLock { $0.leftUnread += 1 } }
    }

    private func arm(at now: Instant) {
        guard let due = (desks.map(\.losses.nextDue) + [unreadable.nextDue, plan.nextWake]).compactMap({ $0 }).min()
        else { return }
        guard armedFor != due else { return }
        armedFor = due
        let sleepMs = min(max(due.milliseconds(since: now), 0), Self.sleepMsMax)
        timer.schedule(deadline: .now() + .milliseconds(Int(sleepMs)), leeway: .milliseconds(5))
    }

    /// Whatever is still in flight is given up and has no outcome.
    private func finish() {
        guard phase != .stopped else { return }
        phase = .stopped
        timer.cancel()
        for index in desks.indices { if let line = desks[index].losses.tellRest() { say(line) } }
        if plan.unfinished > 0 {
            log(.info, "jobs are left for the next start", [("jobs", "\(plan.unfinished)")])
        }
        let farewells = DispatchGroup()
        for sink in sinks {
            farewells.enter()
            sink.close { farewells.leave() }
        }
        if let mail {
            farewells.enter()
            mail.office.close { farewells.leave() }
        }
        let callbacks = whenStopped
        whenStopped = []
        // Whoever reads standard output may stand still for ever: nobody waits for that.
        DispatchQueue(label: "belfry.delivery.end").async { [mail] in
            mail?.texts.finish()
            _ = farewells.wait(timeout: .now() + Self.farewell)
            for callback in callbacks { callback() }
        }
    }
}
