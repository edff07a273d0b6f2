public import CivilTime
public import Notices

/// Which job goes to which sink when, and what is to be recorded of it: the courier without clock, threads or sinks.
///
/// ```
/// handOver ─> fresh ─┐                       ┌─> taken, refused ─┐            all sinks done
///                    ├─> in flight (window) ─┤                   ├─> result ─────────────────> outbox ─> the log
/// pause is over ─────┘                       └─> retry ─> pause  │
///        too late, or cannot be read ────────────────────────────┘
/// ```
///
/// Every job that was handed over ends with exactly one outcome (a fact for each of its channels), unless the log could
/// not be read back. A job that waits costs some 32 bytes a sink; what it says is with whoever hands it out.
public struct DeliveryPlan {
    public struct SinkShape: Sendable {
        public var name: String
        public var window: Int

        public init(name: String, window: Int) {
            self.name = name
            self.window = window
        }
    }

    private let names: [String]
    private var lanes: [SinkLane]
    private var jobs: JobTable
    private var outbox = Outbox()
    private var inFlight: Set<UInt64> = []
    private var attempts: UInt64 = 0
    private var turn = 0
    private var isClosed = false
    private var givenUp: [GivenUp] = []

    /// With so many outcomes waiting for the log nothing new is begun.
    private static let outcomesMax = 4096

    public init(sinks: [SinkShape]) {
        names = sinks.map(\.name)
        lanes = sinks.map { SinkLane(window: $0.window) }
        jobs = JobTable(sinks: sinks.count)
    }

    /// Jobs that were handed over and whose outcome is not known to be in the log.
    public var unfinished: Int { jobs.count + outbox.count }

    /// Whether no sink has a job and every outcome is recorded. Jobs may still wait.
    public var isQuiet: Bool { inFlight.isEmpty && outbox.count == 0 }

    /// When something will be due; what is due now has been given out by `nextAttempt` and `offer`.
    public var nextWake: Instant? {
        isClosed ? outbox.nextDue : (lanes.map(\.nextDue) + [outbox.nextDue]).compactMap { $0 }.min()
    }

    public mutating func handOver(_ places: [JobPlace]) {
        let slots = places.map { jobs.insert($0) }
        for index in lanes.indices { lanes[index].append(slots) }
    }

    /// Begins nothing more; answers are still heard and outcomes still offered.
    public mutating func close() { isClosed = true }

    /// The next job to try with a sink that has room. The sinks take turns.
    public mutating func nextAttempt(at now: Instant) -> Attempt? {
        for index in lanes.indices { lanes[index].endPauses(at: now) }
        guard !isClosed, outbox.count < Self.outcomesMax else { return nil }
        for _ in lanes.indices {
            let sink = turn
            turn = (turn + 1) % lanes.count
            if let (slot, tries) = lanes[sink].next() {
                attempts += 1
                inFlight.insert(attempts)
                return Attempt(id: attempts, sink: sink, slot: slot, place: jobs[slot], tries: tries)
            }
        }
        return nil
    }

    /// Whether the job may be sent now. If not, its time has passed (`too_late`) and the attempt is over.
    public mutating func maySend(_ attempt: Attempt, _ order: Order, at now: Instant) -> Bool {
        guard let notAfter = order.notAfter, now > notAfter else { return true }
        guard leave(attempt) else { return false }
        giveUp(attempt, order, Self.tooLate, tries: attempt.tries.count)
        return false
    }

    /// A sink has answered. A second answer to one attempt changes nothing.
    public mutating func settle(_ attempt: Attempt, _ order: Order, _ outcome: SinkOutcome, at now: Instant) {
        guard leave(attempt) else { return }
        switch outcome {
        case .taken(let providerID):
            end(attempt, order, .taken(providerID: providerID))
        case .refused(let reason):
            giveUp(attempt, order, failure(attempt, reason, ""))
        case .retry(nil, let reason):
            failed(attempt, order, reason, at: now)
        case .retry(let seconds?, let reason):
            wait(attempt, order, seconds, reason, at: now)
        }
    }

    private mutating func failed(_ attempt: Attempt, _ order: Order, _ reason: String, at now: Instant) {
        let tries = attempt.tries.withFailure()
        guard tries.failed < RetryPause.triesMax else { return giveUp(attempt, order, failure(attempt, reason, "")) }
        let pause = RetryPause.milliseconds(after: Int(tries.failed), of: order.id)
        let due = now.advanced(byMilliseconds: pause)
        if let notAfter = order.notAfter, due > notAfter {
            return giveUp(attempt, order, failure(attempt, reason, " before not_after"))
        }
        lanes[attempt.sink].pause(Retry(due: due, slot: attempt.slot, tries: tries))
    }

    /// The sink said when to come again: that uses up no try, and ends all the same.
    private mutating func wait(
        _ attempt: Attempt, _ order: Order, _ seconds: Int, _ reason: String, at now: Instant
    ) {
        let tries = attempt.tries.withWait(at: now)
        let pause = RetryPause.milliseconds(told: seconds, waits: Int(tries.waits), of: order.id)
        let due = now.advanced(byMilliseconds: pause)
        if let notAfter = order.notAfter {
            if due > notAfter { return giveUp(attempt, order, failure(attempt, reason, " before not_after")) }
        } else if due > tries.waitingSince.advanced(byHours: RetryPause.waitHoursMax) {
            return giveUp(attempt, order, failure(attempt, reason, " in \(RetryPause.waitHoursMax) h"))
        }
        lanes[attempt.sink].pause(Retry(due: due, slot: attempt.slot, tries: tries))
    }

    /// The log could not be read where the job is. It is tried again as if the sink had asked for it; at last it ends
    /// without an outcome, so that it is handed over again with the next start. Whether that is now.
    public mutating func unreadable(_ attempt: Attempt, at now: Instant) -> Bool {
        guard leave(attempt) else { return false }
        let tries = attempt.tries.withFailure()
        guard tries.failed < RetryPause.triesMax else {
            jobs.forget(attempt.slot)
            return true
        }
        let pause = RetryPause.milliseconds(after: Int(tries.failed), of: "\(attempt.place.seq)")
        let due = now.advanced(byMilliseconds: pause)
        lanes[attempt.sink].pause(Retry(due: due, slot: attempt.slot, tries: tries))
        return false
    }

    /// The jobs that the attempt's sink will be given next, itself included: worth keeping when their commit is read.
    public func upcoming(_ attempt: Attempt, limit: Int) -> Set<UInt64> {
        var seqs: Set = [attempt.place.seq]
        for slot in lanes[attempt.sink].upcoming(limit) where jobs[slot].position == attempt.place.position {
            seqs.insert(jobs[slot].seq)
        }
        return seqs
    }
}

extension DeliveryPlan {
    /// Jobs that a sink has failed with for good, since this was asked last.
    public mutating func takeGivenUp() -> [GivenUp] {
        defer { givenUp = [] }
        return givenUp
    }

    /// Outcomes to record now; answer with `offered`.
    public mutating func offer(at now: Instant) -> [Fact]? { outbox.offer(at: now) }

    public mutating func offered(isRecorded: Bool, at now: Instant) {
        outbox.answered(isRecorded: isRecorded, at: now)
    }

    private static let tooLate = "too_late"

    private mutating func leave(_ attempt: Attempt) -> Bool {
        guard inFlight.remove(attempt.id) != nil else { return false }
        lanes[attempt.sink].leave()
        return true
    }

    private func failure(_ attempt: Attempt, _ reason: String, _ limit: String) -> String {
        let tries = attempt.number > 1 ? ", \(attempt.number) tries" : limit.isEmpty ? "" : ", 1 try"
        return "\(names[attempt.sink]) \(reason)\(tries)\(limit)"
    }

    private mutating func giveUp(_ attempt: Attempt, _ order: Order, _ reason: String, tries: Int? = nil) {
        givenUp.append(
            GivenUp(sink: attempt.sink, job: order.id, reason: Self.cut(reason), tries: tries ?? attempt.number))
        end(attempt, order, .failed(reason: reason))
    }

    private mutating func end(_ attempt: Attempt, _ order: Order, _ result: SinkResult) {
        guard let results = jobs.end(attempt.slot, sink: attempt.sink, result) else { return }
        let facts = Self.facts(order, results)
        if !facts.isEmpty { outbox.append(facts) }
    }

    /// Delivered is what all sinks took; one fact a channel.
    private static func facts(_ order: Order, _ results: [SinkResult]) -> [Fact] {
        var reasons: [String] = []
        var providerID: String?
        for result in results {
            switch result {
            case .taken(let id): providerID = providerID ?? id
            case .failed(let reason): if !reasons.contains(reason) { reasons.append(reason) }
            }
        }
        let reason = reasons.isEmpty ? nil : cut(reasons.joined(separator: "; "))
        return order.job.channels.map { channel in
            Fact(user: order.user, payload: outcome(order, channel, failed: reason, providerID))
        }
    }

    private static func outcome(
        _ order: Order, _ channel: Channel, failed reason: String?, _ providerID: String?
    ) -> Payload {
        guard let reason else {
            var delivered = JobDelivered()
            delivered.job = order.job.job
            delivered.channel = channel
            delivered.providerID = providerID.map(Token.init)
            return .jobDelivered(delivered)
        }
        var failed = JobFailed()
        failed.job = order.job.job
        failed.channel = channel
        failed.reason = Text(reason)
        // What a sink says is no word about an address: a webhook that fails must not mark an email as bounced.
        failed.isPermanent = false
        return .jobFailed(failed)
    }

    /// Servers and libraries may say much, and no reason may hold more than 4096 bytes or a NUL.
    private static func cut(_ reason: String) -> String {
        let clean = reason.filter { $0 != "\0" }
        return clean.utf8.count <= 1024 ? clean : String(clean.prefix(250)) + "…"
    }
}
