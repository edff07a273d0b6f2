public import CivilTime
internal import Notices
internal import Queueing

/// Which job goes to which carrier when, and what is to be recorded of it: the courier without clock, threads or carriers.
///
/// ```
///                unsorted ─> sorted ─┐                       ┌─> taken, failed ─┐        a route is done
/// handOver ─┤                        ├─> in flight (gate) ───┤                  ├─> outcome ─────────> outbox ─> the log
///                sinks alone ────────┤                       └─> again ─> pause │
///                pause is over ──────┘                                          └─> gives way ─> unsorted (N4)
/// ```
///
/// Every channel of a job that was handed over ends with exactly one outcome, unless the log could not be read back. A job
/// that waits costs some 32 bytes a sink, and some 100 an address once it was sorted; what it says is with whoever hands it
/// out.
public struct DeliveryPlan {
    private var names: [String]
    var lanes: [DeliveryLane]
    private let sinks: [Int]
    /// Whether senders take part, so that each job has to be sorted.
    private var mustSort: Bool
    var jobs: JobTable
    var unsorted = WaitingUnsorted()
    var outbox = Outbox()
    /// The slots of attempts that are not answered.
    var inFlight: [UInt64: UInt32] = [:]
    /// Those of them whose job another worker has sent meanwhile: they are not tried again.
    var sentElsewhere: Set<UInt64> = []
    /// What is being sorted.
    var beingSorted: Set<Parcel> = []
    /// What waits of logs that are about to be another worker's.
    var held: [HeldJobs] = []
    /// As many have begun, with jobs and with errands.
    var attempts: UInt64 = 0
    private var turn = 0
    private(set) var isClosed = false
    var givenUp: [GivenUp] = []
    /// Devices whose end was told.
    var toldDead = ToldOnce<DeadDevice>()
    /// Jobs whose text was surely not taken, or whose outcome is in the log.
    var endedTexts: [JobPlace] = []

    /// With so many outcomes waiting for the log nothing new is begun.
    static let outcomesMax = 4096

    /// Sinks alone: every job goes to each of them.
    ///
    /// - Parameter mustSort: whether senders take part, so that every job is asked to be sorted (`nextUnsorted`); they are
    ///   added as they are met (`add`).
    public init(sinks: [SinkShape], mustSort: Bool = false) {
        names = sinks.map(\.name)
        lanes = sinks.map { DeliveryLane(.sink($0.name, window: $0.window)) }
        self.sinks = Array(sinks.indices)
        self.mustSort = mustSort
        jobs = JobTable(sinks: self.sinks)
    }

    /// From now on every job is sorted.
    public mutating func sortFromNowOn() { mustSort = true }

    public struct SinkShape: Sendable {
        public var name: String
        public var window: Int

        public init(name: String, window: Int) {
            self.name = name
            self.window = window
        }
    }

    /// One more carrier; gives its number.
    public mutating func add(_ carrier: Carrier) -> Int {
        names.append(carrier.name)
        lanes.append(DeliveryLane(carrier))
        return lanes.count - 1
    }

    /// Another carrier under the number of one that was idle.
    mutating func replace(_ number: Int, with carrier: Carrier) {
        precondition(lanes[number].isUnused, "a lane with jobs is made another's")
        names[number] = carrier.name
        lanes[number] = DeliveryLane(carrier)
    }

    /// Those of them that nothing waits for, of whom nothing is under way, and who have asked for no pause.
    func idle(among carriers: [Int], at now: Instant) -> Set<Int> {
        // What is held of a log knows its carriers by their numbers.
        guard held.allSatisfy({ $0.isElsewhere && $0.parcels.isEmpty }) else { return [] }
        return Set(carriers.filter { lanes[$0].isIdle(at: now) })
    }

    public mutating func setLimits(_ limits: SenderGate.Limits, of carrier: Int) { lanes[carrier].setLimits(limits) }

    /// A carrier is as another document says it, with the next attempt. Returns whether somebody else takes its jobs from then on.
    @discardableResult
    mutating func change(_ number: Int, to carrier: Carrier) -> Bool {
        lanes[number].change(to: carrier, from: attempts + 1)
    }

    /// Jobs that were handed over and whose outcome is not known to be in the log.
    public var unfinished: Int { jobs.count + outbox.count }

    /// Whether no carrier has a job and every outcome is recorded. Jobs may still wait.
    public var isQuiet: Bool { inFlight.isEmpty && outbox.count == 0 }

    /// When something will be due; what is due now has been given out by `nextAttempt`, `nextUnsorted` and `offer`.
    public var nextWake: Instant? {
        guard !isClosed else { return outbox.nextDue }
        return (lanes.map(\.nextDue) + [outbox.nextDue, unsorted.nextDue]).compactMap { $0 }.min()
    }

    /// How a carrier stands, for those who ask.
    public func standing(
        of carrier: Int, at now: Instant
    ) -> (waiting: Int, isBroken: Bool, isBusy: Bool, nextTryAt: Instant?) {
        let lane = lanes[carrier]
        return (lane.waiting, lane.isBroken, lane.isBusy, lane.nextTry(at: now))
    }

    public mutating func handOver(_ places: [JobPlace]) {
        for place in places where !keepBack(place) {
            let slot = jobs.insert(place)
            if mustSort {
                unsorted.append(Unsorted(slot: slot, route: nil, place: place, channel: nil))
            } else {
                for sink in sinks { lanes[sink].append(Parcel(slot: slot, target: UInt8(sink))) }
            }
        }
    }

    /// Takes what a log held without an outcome when it was opened. A job that the plan has goes on as it is.
    public mutating func takeUp(_ places: [JobPlace]) {
        handOver(jobs.missing(of: places))
    }

    /// Begins nothing more; answers are still heard and outcomes still offered.
    public mutating func close() { isClosed = true }

    /// The next job to try with a carrier that has room. The carriers take turns.
    public mutating func nextAttempt(at now: Instant) -> Attempt? {
        for index in lanes.indices { lanes[index].endPauses(at: now, in: jobs) }
        guard !isClosed, outbox.count < Self.outcomesMax else { return nil }
        if let late = nextTooLate(at: now) { return late }
        for _ in lanes.indices {
            let sink = turn
            turn = (turn + 1) % lanes.count
            while let (parcel, tries) = lanes[sink].next(at: now) {
                guard keepBack(parcel, tries, sink) else { return attempt(parcel, tries, sink) }
                lanes[sink].left()
            }
        }
        return nil
    }

    mutating func attempt(_ parcel: Parcel, _ tries: Tries, _ sink: Int, hasRoom: Bool = true) -> Attempt {
        attempts += 1
        inFlight[attempts] = parcel.slot
        lanes[sink].beginAttempt()
        return Attempt(
            id: attempts, sink: sink, parcel: parcel, place: jobs[parcel.slot], target: jobs.target(of: parcel),
            tries: tries, hasRoom: hasRoom)
    }

    /// Whether the job may be sent now. If not, its time has passed (`too_late`) and the attempt is over.
    public mutating func maySend(_ attempt: Attempt, _ order: Order, at now: Instant) -> Bool {
        guard !sentElsewhere.contains(attempt.id) else { return leave(attempt) }
        if order.isErased {
            settleGone(attempt, order, "its person was erased", at: now)
            return false
        }
        let isTooLate = order.notAfter.map { now > $0 } ?? false
        guard isTooLate || !attempt.hasRoom else { return true }
        guard leave(attempt) else { return false }
        let reason =
            isTooLate ? SenderVerdict.tooLateReason : named(attempt, "took nothing\(SenderTries.beforeNotAfter)")
        giveUp(attempt, order, reason, tries: attempt.tries.count, at: now)
        return false
    }

    /// A sink has answered. A second answer to one attempt changes nothing.
    public mutating func settle(_ attempt: Attempt, _ order: Order, _ outcome: SinkOutcome, at now: Instant) {
        settle(attempt, order, outcome.verdict, at: now)
    }

    /// A carrier has answered. A second answer to one attempt changes nothing.
    ///
    /// - Parameter others: of a device that is dead, those that are there now; the job goes to those that it did not go to (`N2`).
    public mutating func settle(
        _ attempt: Attempt, _ order: Order, _ verdict: SenderVerdict, insteadOfIt others: [Target] = [], at now: Instant
    ) {
        guard inFlight.removeValue(forKey: attempt.id) != nil else { return }
        let isSentElsewhere = sentElsewhere.remove(attempt.id) != nil
        defer { cameToRest(attempt.place.position) }
        lanes[attempt.sink].endAttempt()
        let verdict = lanes[attempt.sink].ended(verdict, of: attempt.id, at: now)
        var tries = SenderTries(attempt.tries)
        switch tries.next(after: verdict, key: order.id + attempt.target.key, notAfter: order.notAfter, at: now) {
        case .taken(let providerID): end(attempt, order, .taken(providerID: providerID), at: now)
        case .again(let due):
            // It was surely not taken.
            if attempt.target.address == .phone { endedTexts.append(attempt.place.ofAllChannels) }
            guard !isSentElsewhere else { return letGo(attempt.parcel) }
            lanes[attempt.sink].pause(Retry(due: due, parcel: attempt.parcel, tries: tries.tries))
        case .failed(let reason): giveUp(attempt, order, named(attempt, reason), at: now)
        case .dead(let reason):
            tellDead(attempt, order, named(attempt, reason))
            guard !move(attempt, order, to: others) else { return }
            giveUp(attempt, order, named(attempt, reason), isDead: true, at: now)
        case .stopped(let reason):
            tell(order, attempt.target.isStopped)
            giveUp(attempt, order, named(attempt, reason), at: now)
        }
    }

    /// The address that the job was sorted to is not there any more: nothing is sent to it.
    ///
    /// - Parameter others: addresses of the same channel that are there now; it goes to those that it did not go to (`N2`).
    public mutating func settleGone(
        _ attempt: Attempt, _ order: Order, _ reason: String, insteadOfIt others: [Target] = [], at now: Instant
    ) {
        guard leave(attempt), !move(attempt, order, to: others) else { return }
        giveUp(attempt, order, reason, tries: attempt.tries.count, at: now)
    }

    /// Whether the job goes to any of them instead.
    private mutating func move(_ attempt: Attempt, _ order: Order, to others: [Target]) -> Bool {
        let parcels = jobs.move(attempt.parcel, to: others)
        for parcel in parcels ?? [] { line(up: parcel, of: order) }
        return parcels != nil
    }

    /// The person has stopped it since: nothing is sent, and no other channel comes in place of this one.
    mutating func settleStopped(_ attempt: Attempt, _ order: Order, _ reason: String, at now: Instant) {
        guard leave(attempt) else { return }
        jobs.keepFromGivingWay(attempt.parcel)
        end(attempt, order, .failed(reason: reason, isDead: false), at: now)
    }

    /// What it goes out on, once it was sorted.
    func channels(of attempt: Attempt) -> [Channel] {
        jobs.route(attempt.parcel.slot, attempt.parcel.route)?.channels ?? []
    }

    /// The person has stopped one of the channels that it goes out on: the others go on without it.
    mutating func leaveOut(_ channel: Channel, _ attempt: Attempt, _ order: Order, _ reason: String) {
        jobs.leaveOut(channel, attempt.parcel)
        let failure = Route.Failure(channel: channel, reason: reason, isPermanent: false)
        record([order.fact(Outcomes.failed(order, failure))], of: order)
    }

    /// Nothing could be said of it just now: it is tried again in a moment, and has used up nothing.
    public mutating func postpone(_ attempt: Attempt, at now: Instant) {
        guard leave(attempt) else { return }
        let due = now.advanced(byMilliseconds: Self.momentMs)
        lanes[attempt.sink].pause(Retry(due: due, parcel: attempt.parcel, tries: attempt.tries))
    }

    /// Its person is not to be rung now: it waits, in its time, and has used up nothing. They may say otherwise meanwhile: it is
    /// looked at again now and then.
    mutating func postpone(_ attempt: Attempt, _ order: Order, until end: Instant, at now: Instant) {
        guard leave(attempt) else { return }
        let over = order.notAfter?.advanced(byMilliseconds: 1) ?? .distantFuture
        let due = min(end, over, now.advanced(byMinutes: Self.minutesOfPatience))
        lanes[attempt.sink].pause(Retry(due: due, parcel: attempt.parcel, tries: attempt.tries))
    }

    /// Whether it goes out on a channel that rings.
    func rings(_ attempt: Attempt) -> Bool { !ChannelSet(channels(of: attempt)).isDisjoint(with: .ringing) }

    /// The log could not be read where the job is. It is tried again as if the carrier had asked for it; at last it ends
    /// without an outcome, so that it is handed over again with the next start. Whether that is now.
    public mutating func unreadable(_ attempt: Attempt, at now: Instant) -> Bool {
        guard leave(attempt) else { return false }
        let tries = attempt.tries.withFailure()
        guard tries.failed < RetryPause.triesMax else {
            if jobs.end(attempt.parcel, .unread) != nil { _ = jobs.finish(attempt.parcel.slot) }
            return true
        }
        let pause = RetryPause.milliseconds(after: Int(tries.failed), of: "\(attempt.place.seq)")
        let due = now.advanced(byMilliseconds: pause)
        lanes[attempt.sink].pause(Retry(due: due, parcel: attempt.parcel, tries: tries))
        return false
    }

    /// Of the attempt's commit the jobs that its carrier will be given next, and how often each: worth keeping when it is read.
    ///
    /// - Parameter others: attempts that have begun and whose orders are asked for next.
    public func upcoming(
        _ attempt: Attempt, before others: ArraySlice<Attempt> = [], limit: Int
    ) -> [UInt64: Int] {
        var uses: [UInt64: Int] = [:]
        for other in others where other.sink == attempt.sink && other.place.position == attempt.place.position {
            uses[other.place.seq, default: 0] += 1
        }
        for parcel in lanes[attempt.sink].upcoming(limit)
        where jobs[parcel.slot].position == attempt.place.position {
            uses[jobs[parcel.slot].seq, default: 0] += 1
        }
        return uses
    }

    static let momentMs: Int64 = 500
    private static let minutesOfPatience: Int64 = 15

    private mutating func leave(_ attempt: Attempt) -> Bool {
        guard inFlight.removeValue(forKey: attempt.id) != nil else { return false }
        lanes[attempt.sink].endAttempt()
        if attempt.hasRoom { lanes[attempt.sink].left() }
        guard sentElsewhere.remove(attempt.id) == nil else {
            letGo(attempt.parcel)
            return false
        }
        return true
    }

    /// That it is too late is nobody's doing (SPEC §11).
    private func named(_ attempt: Attempt, _ reason: String) -> String {
        reason == SenderVerdict.tooLateReason ? reason : "\(names[attempt.sink]) \(reason)"
    }

    private mutating func giveUp(
        _ attempt: Attempt, _ order: Order, _ reason: String, isDead: Bool = false, tries: Int? = nil,
        at now: Instant
    ) {
        // An address that is dead is nobody's failure, and the job may have others.
        if !isDead {
            givenUp.append(
                GivenUp(
                    sink: attempt.sink, seq: order.seq, job: order.nameless, reason: Outcomes.cut(reason),
                    tries: tries ?? attempt.number,
                    trace: order.trace?.text))
        }
        end(attempt, order, .failed(reason: reason, isDead: isDead), at: now)
    }

    private mutating func end(_ attempt: Attempt, _ order: Order, _ result: Ending.Result, at now: Instant) {
        let ended = jobs.end(attempt.parcel, result)
        var isTold = ended?.isTold ?? false
        if case .taken = result, let route = jobs.tellOnce(attempt.parcel) {
            record(Outcomes.facts(order, route), of: order)
            isTold = true
        }
        guard let route = ended else { return }
        guard !isTold else {
            _ = jobs.finish(attempt.parcel.slot)
            return
        }
        close(route, attempt.parcel.slot, attempt.parcel.route, order, at: now)
    }

    /// Nothing of a route is left: it gives way to another channel, or its outcome is told.
    mutating func close(_ route: Route, _ slot: UInt32, _ number: UInt8, _ order: Order, at now: Instant) {
        let failures = Outcomes.failures(order, route)
        if !failures.isEmpty, order.notAfter.map({ now <= $0 }) ?? true,
            let next = jobs.giveWay(slot, number, after: failures)
        {
            unsorted.append(Unsorted(slot: slot, route: number, place: jobs[slot], channel: next))
            return
        }
        let facts = Outcomes.facts(order, route)
        if !facts.isEmpty { record(facts, of: order) }
        _ = jobs.finish(slot)
    }
}
